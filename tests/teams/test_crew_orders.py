"""Promises about the order of what crews are told: that in which work was handed out, whoever was done first."""

import asyncio

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st
from teamwork import Findings, begun, go, said, to, told

from planboard import (
    Approve,
    Crew,
    Deny,
    MemoryJournal,
    Process,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    WorkDone,
    action,
)

NAMES = ("ann", "bob", "cid")
ASKING = ("bob", "cid")
"""Those who need consent to each piece of their work."""


def worker(name: str):
    """Return a worker who makes an object of its task."""

    def work(task: str) -> Findings:
        """Collects notes."""
        return Findings(notes=[f"{name}: {task}"])

    work.__name__ = name
    return action(approval="{task}" if name in ASKING else False)(work)


def crew_with(*replies, **options):
    """Return a crew of all three, and the model of its supervisor."""
    model = ScriptedModel(*replies)
    return Crew("crew", [worker(name) for name in NAMES], llm=model, returning=Findings, **options), model


def run(work, answer, *, order=None, taken_up_at=None, **options):
    """Run a crew that hands out work in one turn; return the run, and what its supervisor is told then.

    Args:
        work: Who is given work, in order, with what.
        answer: What is answered for each task.
        order: The place among what is asked that is answered next; in the order of the work by default.
        taken_up_at: After how many answers another program takes the run up.
        options: Those of the crew.
    """
    calls = [to(name, task=task) for task, name in work.items()]
    crew, model = crew_with(calls, "end", **options)
    journal = MemoryJournal()
    process = begun(crew, "q", options=ProcessOptions(journal=journal))
    given = 0
    while process.pending:
        if given == taken_up_at:
            crew, model = crew_with("end", **options)
            process = Process.restore(crew, journal, process.id)
        asked = sorted(process.pending, key=lambda request: list(work).index(request.prompt))
        request = asked[order[given] % len(asked) if order else 0]
        process.respond(request.id, answer[request.prompt])
        go(process)
        given += 1
    assert process.status is ProcessStatus.COMPLETED
    return process, told(model)


@st.composite
def turns(draw):
    """Draw who is given work in a turn, the same one perhaps twice, and what persons say to it."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=5))
    work = {f"task {place}": name for place, name in enumerate(names)}
    answer = {task: draw(st.sampled_from([Approve(), Deny("no")])) for task in work}
    answer[draw(st.sampled_from(sorted(work)))] = Approve()
    options = {"output": draw(st.sampled_from(["last", "full", "typed"])), "handoff_messages": draw(st.booleans())}
    return work, answer, options


ORDERS = st.lists(st.integers(0, 4), min_size=5, max_size=5)


@settings(max_examples=30, deadline=None)
@given(turn=turns(), order=ORDERS, taken_up_at=st.none() | st.integers(0, 4))
def test_a_supervisor_is_told_the_same_whatever_is_answered_first_here_or_elsewhere(turn, order, taken_up_at):
    """Cases 085, 096."""
    work, answer, options = turn
    _, in_order = run(work, answer, **options)
    _, in_another = run(work, answer, order=order, taken_up_at=taken_up_at, **options)
    assert in_another == in_order


@settings(max_examples=30, deadline=None)
@given(turn=turns(), order=ORDERS)
def test_the_result_is_the_same_whatever_is_answered_first(turn, order):
    work, answer, options = turn
    in_order, _ = run(work, answer, **options)
    in_another, _ = run(work, answer, order=order, **options)
    assert in_another.result(Findings) == in_order.result(Findings)


# Workers that take their time


def history_when(finished, work, **options):
    """Return the shared history, and what was done, of a crew whose workers finish in some order."""
    events = {name: anyio.Event() for name in NAMES}

    async def waits(name: str, task: str) -> str:
        await events[name].wait()
        return f"{name} did {task}"

    def slow(name: str):
        async def work(task: str) -> str:
            return await waits(name, task)

        work.__name__ = name
        return work

    crew = Crew("crew", [slow(name) for name in NAMES], llm=ScriptedModel(work, "end"), **options)

    async def act() -> Process:
        process = crew.process("q")
        async with anyio.create_task_group() as group:
            group.start_soon(process.run)
            await anyio.wait_all_tasks_blocked()
            for name in finished:
                events[name].set()
                await anyio.wait_all_tasks_blocked()
        return process

    process = asyncio.run(act())
    return said(process), process.board.all(WorkDone)


@settings(max_examples=25, deadline=None)
@given(finished=st.permutations(NAMES), names=st.lists(st.sampled_from(NAMES), min_size=2, max_size=5))
def test_what_is_on_the_board_does_not_depend_on_who_finishes_first(finished, names):
    work = [to(name, task=str(place)) for place, name in enumerate(names)]
    assert history_when(finished, work) == history_when(NAMES, work)
