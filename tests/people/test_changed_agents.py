"""Promises about runs whose agent has changed meanwhile: what matters is refused, with what has changed."""

import pytest
from dying import B, C, first
from expenses import PAYING, Checked, Expense, Letter, check, confirm, effects, go, pay, regret
from pydantic import BaseModel

from planboard import (
    Agent,
    AgentChangedError,
    Deny,
    Migration,
    ProcessStatus,
    achieves_goal,
    action,
    human,
)


def test_an_action_that_is_gone_is_refused_with_its_name(kept, elsewhere):
    """Case 057: nothing runs."""
    process = PAYING.process(Expense(), options=kept())
    go(process)
    changed = Agent("paying", [check, confirm, regret])
    with pytest.raises(AgentChangedError, match="action 'pay' is gone"):
        elsewhere(changed, process)
    assert effects == {"check": 1}


def test_an_input_of_another_type_is_refused(kept, elsewhere):
    """Case 057."""

    @action(name="pay", approval=True)
    def other_pay(checked: Checked) -> Letter:
        """Pay it."""
        return Letter(text="")

    process = PAYING.process(Expense(), options=kept())
    with pytest.raises(AgentChangedError, match="input expense"):
        elsewhere(Agent("paying", [check, other_pay, confirm, regret]), process)


def test_more_actions_are_no_obstacle(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    other = elsewhere(Agent("paying", [check, pay, confirm, regret, first]), process)
    assert go(other) is ProcessStatus.COMPLETED


def test_a_changed_agent_may_be_allowed(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, Deny("no"))
    other = elsewhere(Agent("paying", [check, confirm, regret]), process, allow_changes=True)
    assert go(other) is ProcessStatus.STUCK or other.status is ProcessStatus.COMPLETED


def _versions():
    def old():
        class Note(BaseModel):
            text: str

        Note.__qualname__ = "Note"
        return Note

    def new():
        class Note(BaseModel):
            text: str
            author: str

        Note.__qualname__ = "Note"
        return Note

    return old(), new()


def _agent_of(note, *migrations: Migration) -> Agent:
    @achieves_goal("there is a C")
    @action
    def read(note: note, b: B) -> C:
        """Read it."""
        return C(n=len(note.text))

    return Agent("reader", [human(B, prompt="?"), read], migrations=migrations)


def test_a_new_field_is_refused_by_model_and_field(kept, elsewhere):
    """Case 056."""
    old, new = _versions()
    process = _agent_of(old).process(old(text="hello"), options=kept())
    go(process)
    with pytest.raises(AgentChangedError, match="type 'Note': author is new"):
        elsewhere(_agent_of(new), process)


def test_a_migration_brings_what_was_stored_up_to_date(kept, elsewhere):
    """Case 056."""
    old, new = _versions()
    process = _agent_of(old).process(old(text="hello"), options=kept())
    go(process)
    migration = Migration("Note", to=new, change=lambda data: {**data, "author": "unknown"})
    other = elsewhere(_agent_of(new, migration), process)
    assert other.board.last(new) == new(text="hello", author="unknown")
