"""Promises about asking people.

- The process waits; `pending` says what is asked; `respond` takes one answer that fits, and falsy answers are answers.
- An answer is never asked for again, nor taken twice, whoever gives it and wherever the run goes on.
"""

from datetime import UTC, datetime, timedelta

import pytest
from expenses import ASKING, Decision, Expense, Letter, effects, go
from pydantic import BaseModel

from planboard import (
    Agent,
    AlreadyAnsweredError,
    DefinitionError,
    Denied,
    Deny,
    Expired,
    InvalidAnswerError,
    Process,
    ProcessOptions,
    ProcessStatus,
    ProcessWaitingError,
    UnknownRequestError,
    achieves_goal,
    action,
    arun,
    human,
    run,
)
from planboard.testing import FakeClock


def asked(options: ProcessOptions | None = None) -> Process:
    process = ASKING.process(Expense(amount=12), options=options)
    go(process)
    return process


def test_the_process_waits_and_says_for_what():
    process = asked()
    assert process.status is ProcessStatus.WAITING
    assert process.reason == "it waits for somebody to answer about 'ask_decision'"


def test_a_request_says_all_that_is_needed_to_answer_it():
    (request,) = asked().pending
    assert (request.action, request.purpose, request.prompt) == ("ask_decision", "answer", "Pay 12?")
    assert request.schema["properties"]["approved"] == {"title": "Approved", "type": "boolean"}


def test_the_answer_is_on_the_board_and_the_run_goes_on():
    process = asked()
    process.respond(process.pending[0].id, Decision(approved=True, note="fine"))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(Letter).text == "decided True fine"


def test_data_that_makes_an_answer_is_an_answer():
    process = asked()
    process.respond(process.pending[0].id, {"approved": False})
    go(process)
    assert process.board.last(Decision) == Decision(approved=False)


@pytest.mark.parametrize("answer", [{}, {"approved": "perhaps"}, None, 3, "yes", [], Letter(text="x")])
def test_an_answer_that_does_not_fit_is_refused_and_the_request_waits_on(answer):
    process = asked()
    with pytest.raises(InvalidAnswerError, match="Decision|approved"):
        process.respond(process.pending[0].id, answer)
    assert len(process.pending) == 1


def test_three_wrong_answers_and_a_right_one_are_one_question(kept):
    """Case 078."""
    process = asked(kept())
    for wrong in ({}, {"approved": []}, "x"):
        with pytest.raises(InvalidAnswerError):
            process.respond(process.pending[0].id, wrong)
    process.respond(process.pending[0].id, {"approved": True})
    go(process)
    assert [event.kind for event in process.events].count("request_made") == 1
    assert effects["report"] == 1


@pytest.mark.parametrize(("form", "falsy"), [(int, 0), (str, ""), (bool, False), (float, 0.0), (list[int], [])])
def test_falsy_answers_are_answers(form, falsy):
    class Done(BaseModel):
        got: object

    @achieves_goal("it is settled")
    @action
    def take(given: form) -> Done:
        return Done(got=given)

    process = Agent("falsy", [human(form, prompt="?", name="ask", output="given"), take]).process()
    go(process)
    process.respond(process.pending[0].id, falsy)
    assert go(process) is ProcessStatus.COMPLETED
    assert process.board.last(Done).got == falsy


def test_a_second_answer_is_refused_here():
    process = asked()
    request = process.pending[0].id
    process.respond(request, {"approved": True})
    with pytest.raises(AlreadyAnsweredError, match="answered already"):
        process.respond(request, {"approved": False})


def test_a_second_answer_is_refused_in_another_program(kept, elsewhere):
    process = asked(kept())
    other = elsewhere(ASKING, process)
    request = process.pending[0].id
    process.respond(request, {"approved": True})
    with pytest.raises(AlreadyAnsweredError):
        other.respond(request, {"approved": False})


def test_an_answer_given_elsewhere_is_found_here(kept, elsewhere):
    process = asked(kept())
    elsewhere(ASKING, process).respond(process.pending[0].id, {"approved": True, "note": "by ann"})
    assert go(process) is ProcessStatus.COMPLETED
    assert process.board.last(Decision).note == "by ann"


def test_what_was_answered_elsewhere_is_not_pending_here(kept, elsewhere):
    process = asked(kept())
    elsewhere(ASKING, process).respond(process.pending[0].id, {"approved": True})
    assert process.pending == ()


def test_an_unknown_request_is_refused_with_the_closest():
    process = asked()
    request = process.pending[0].id
    with pytest.raises(UnknownRequestError, match="Did you mean"):
        process.respond(request[:-1] + "9", {"approved": True})


def test_denying_a_question_lets_the_planner_branch():
    class Note(BaseModel):
        text: str

    @achieves_goal("it is settled")
    @action
    def give_up(denied: Denied) -> Note:
        return Note(text=denied.reason)

    @achieves_goal("it is settled")
    @action
    def accept(decision: Decision) -> Note:
        return Note(text="accepted")

    process = Agent("branching", [human(Decision, prompt="?"), give_up, accept]).process()
    go(process)
    process.respond(process.pending[0].id, Deny("not mine to say"))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.board.last(Note).text == "not mine to say"


def test_running_a_process_that_waits_changes_nothing(kept):
    process = asked(kept())
    before = list(process.events)
    assert go(process) is ProcessStatus.WAITING
    assert process.events == before


def test_run_raises_what_says_that_it_waits():
    with pytest.raises(ProcessWaitingError, match="waits for somebody") as caught:
        run(ASKING, Expense(), returning=Letter)
    assert caught.value.process.pending


async def _arun():
    return await arun(ASKING, Expense(), returning=Letter)


def test_arun_raises_what_says_that_it_waits():
    import asyncio

    with pytest.raises(ProcessWaitingError):
        asyncio.run(_arun())


def test_a_prompt_may_be_a_typed_function():
    def question(expense: Expense) -> str:
        """Whether an expense is in order."""
        return f"{expense.payee} wants {expense.amount}"

    process = Agent("asking", [human(Decision, prompt=question)]).process(Expense(), returning=Decision)
    go(process)
    assert process.pending[0].prompt == "Ada wants 900"


def test_a_prompt_that_raises_fails_its_action():
    def question(expense: Expense) -> str:
        raise LookupError(expense.payee)

    process = Agent("asking", [human(Decision, prompt=question)]).process(Expense(), returning=Decision)
    assert go(process) is ProcessStatus.FAILED
    assert "LookupError: 'Ada'" in process.reason or "LookupError: Ada" in process.reason


def test_a_question_expires(kept, elsewhere):
    clock = FakeClock(datetime(2026, 1, 1, tzinfo=UTC))

    class Note(BaseModel):
        text: str

    @achieves_goal("it is settled")
    @action
    def give_up(expired: Expired) -> Note:
        return Note(text=expired.reason)

    @achieves_goal("it is settled")
    @action
    def accept(decision: Decision) -> Note:
        return Note(text="accepted")

    agent = Agent("patient", [human(Decision, prompt="?", expires=timedelta(days=2)), give_up, accept])
    process = agent.process(options=kept(clock=clock))
    go(process)
    assert process.pending[0].expires_at == datetime(2026, 1, 3, tzinfo=UTC)
    clock.advance(timedelta(days=2))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.board.last(Note).text == "nobody answered in time"


def test_what_has_expired_cannot_be_answered():
    clock = FakeClock()
    agent = Agent("patient", [human(Decision, prompt="?", expires=60)])
    process = agent.process(returning=Decision, options=ProcessOptions(clock=clock))
    go(process)
    request = process.pending[0].id
    clock.advance(61)
    with pytest.raises(UnknownRequestError, match="expired"):
        process.respond(request, {"approved": True})


def test_a_corrected_object_is_used():
    """Case 040: what a person has corrected is what the next action sees, and they are asked once."""

    class Order(BaseModel):
        qty: int

    class Corrected(BaseModel):
        qty: int

    class Shipped(BaseModel):
        qty: int

    correct = human(Corrected, prompt="{order.qty} of what?", needs=[Order])

    @achieves_goal("it is settled")
    @action
    def ship(corrected: Corrected) -> Shipped:
        return Shipped(qty=corrected.qty)

    process = Agent("shop", [correct, ship]).process(Order(qty=0))
    go(process)
    process.respond(process.pending[0].id, {"qty": 2})
    assert go(process) is ProcessStatus.COMPLETED
    assert process.board.last(Shipped).qty == 2
    assert [event.kind for event in process.events].count("request_made") == 1


@pytest.mark.parametrize("wrong", [3, "Decision", None])
def test_a_step_that_cannot_work_is_refused_at_once(wrong):
    with pytest.raises(DefinitionError, match="human"):
        human(wrong)


def test_a_prompt_that_names_what_is_not_needed_is_refused_by_its_name():
    with pytest.raises(DefinitionError, match="asks for 'nobody', which is not among needs="):
        human(Decision, prompt="{nobody.amount}", needs=[Expense])


def test_a_prompt_that_finds_nothing_further_in_fails_by_its_name():
    process = Agent("asking", [human(Decision, prompt="{expense.amount.cents}", needs=[Expense])]).process(
        Expense(), returning=Decision
    )
    go(process)
    assert "asks for something that is not there" in process.reason


def test_what_was_answered_is_history(kept):
    process = asked(kept())
    process.respond(process.pending[0].id, {"approved": True})
    go(process)
    assert [step.action for step in process.history] == ["ask_decision", "report"]


def test_two_questions_in_a_row_have_two_answers():
    """Case 079: the answer to the first question is not that to the second."""

    class First(BaseModel):
        text: str

    class Second(BaseModel):
        text: str

    agent = Agent("twice", [human(First, prompt="1?"), human(Second, prompt="2?", needs=[First])])
    process = agent.process(returning=Second)
    go(process)
    first = process.pending[0].id
    process.respond(first, {"text": "one"})
    go(process)
    assert [request.prompt for request in process.pending] == ["2?"]
    assert process.pending[0].id != first
