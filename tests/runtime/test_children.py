"""Promises about child processes and listeners.

- A child has a board and a budget of its own tree place; listeners, identities and planner are inherited.
- A listener that raises harms nobody and is logged once by its name.
"""

import logging
from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    DefinitionError,
    MemoryJournal,
    ProcessFailedError,
    ProcessOptions,
    ProcessStatus,
    action,
    run,
)


class Topic(BaseModel):
    text: str = "tides"


class Draft(BaseModel):
    text: str = ""


class Report(BaseModel):
    text: str = ""


@action
def draft(topic: Topic, context: ActionContext) -> Draft:
    return Draft(text=f"{topic.text} for {context.identities.get('user')}")


writer = Agent("writer", [draft])


@action
async def middle(topic: Topic, context: ActionContext) -> Report:
    return Report(text=(await context.run(writer, topic, returning=Draft)).text)


editor = Agent("editor", [middle])


@action
async def top(topic: Topic, context: ActionContext) -> Report:
    return await context.run(editor, topic, returning=Report)


publisher = Agent("publisher", [top])


def test_listeners_and_identities_reach_every_level():
    """Case 153."""
    heard = []
    options = ProcessOptions(listeners=(heard.append,), identities={"user": "ada"})

    process = publisher.process(Topic(), returning=Report, options=options, id="p")
    wait(process.run())

    assert process.result(Report) == Report(text="tides for ada")
    parents = {event.process_id: event.parent_id for event in heard if event.kind == "process_started"}
    assert list(parents.values()) == [None, "p", next(id for id, parent in parents.items() if parent == "p")]
    assert [event.kind for event in heard][-1] == "process_ended"


def test_every_child_has_an_id_of_its_own():
    ids = []

    @action
    async def several(topic: Topic, context: ActionContext) -> Report:
        for _ in range(3):
            await context.run(writer, topic, returning=Draft)
        return Report()

    def listen(event):
        if event.kind == "process_started":
            ids.append(event.process_id)

    run(Agent("it", [several]), Topic(), returning=Report, options=ProcessOptions(listeners=(listen,)))

    assert len(set(ids)) == 4


def test_a_child_writes_to_its_own_board():
    process = publisher.process(Topic(), returning=Report)
    wait(process.run())

    assert [entry.type_name for entry in process.board.entries] == ["Topic", "Report"]


def test_a_child_that_does_not_complete_fails_its_action():
    @action
    async def hopeless(topic: Topic, context: ActionContext) -> Report:
        return await context.run(writer, returning=Draft)

    with pytest.raises(ProcessFailedError, match="Process 'writer' is STUCK"):
        run(Agent("it", [hopeless]), Topic(), returning=Report)


def test_only_agents_run_as_children():
    @action
    async def odd(topic: Topic, context: ActionContext) -> Report:
        return await context.run("writer", returning=Report)

    process = Agent("it", [odd]).process(Topic(), returning=Report)
    wait(process.run())

    assert isinstance(process.failure.__cause__, DefinitionError)


def test_children_of_parallel_actions_keep_apart():
    class Other(BaseModel):
        text: str = ""

    @action
    async def one(topic: Topic, context: ActionContext) -> Draft:
        return await context.run(writer, Topic(text="one"), returning=Draft)

    @action
    async def two(topic: Topic, context: ActionContext) -> Other:
        return Other(text=(await context.run(writer, Topic(text="two"), returning=Draft)).text)

    @action
    def report(draft: Draft, other: Other) -> Report:
        return Report(text=f"{draft.text}, {other.text}")

    agent = Agent("it", [one, two, report])

    text = run(agent, Topic(), returning=Report, options=ProcessOptions(concurrency=4)).text

    assert text == "one for None, two for None"


def test_a_listener_that_raises_harms_nobody_and_is_logged_once(caplog):
    """Case 152."""
    first, third = [], []

    def faulty(event):
        raise RuntimeError("deaf")

    with caplog.at_level(logging.ERROR, logger="planboard"):
        process = run(
            writer, Topic(), returning=None, planner="utility",
            options=ProcessOptions(listeners=(first.append, faulty, third.append)),
        )  # fmt: skip

    assert process.status is ProcessStatus.COMPLETED
    assert first == third == process.events
    [record] = caplog.records
    assert "faulty" in record.getMessage()


def test_one_listener_needs_no_tuple():
    heard = []

    run(writer, Topic(), planner="utility", options=ProcessOptions(listeners=heard.append))

    assert heard[-1].kind == "process_ended"


def test_what_happened_is_kept_before_the_next_action_starts():
    journal, kept = MemoryJournal(), []

    def look(event):
        if event.kind == "action_started":
            kept.append(journal.info(event.process_id).seq)

    options = ProcessOptions(journal=journal, listeners=look)
    process = run(writer, Topic(), planner="utility", options=options)

    ended = [event.seq for event in process.events if event.kind == "action_succeeded"]
    assert all(any(seq <= seen for seen in kept[place + 1 :]) for place, seq in enumerate(ended[:-1]))
    assert journal.info(process.id).seq == len(process.events)
