"""Promises about crews that wait: workers ask people, nothing is decided or done twice, also in another program."""

import asyncio

import pytest
from teamwork import Findings, begun, compute, crew_of, effects, go, look_up, pay, said, to, told, trace, waiting

from planboard import (
    Agent,
    Approve,
    Crew,
    Deny,
    Edit,
    Goal,
    Message,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    WorkDone,
    action,
    call,
    chat_agent,
    human,
)

LEVELS = ["worker", "worker of a worker"]


@action
def look_up_facts(task: str) -> Findings:
    """Looks up facts."""
    return Findings(notes=[task])


@pytest.mark.parametrize("level", LEVELS)
def test_what_was_approved_is_done_before_anything_is_decided(level):
    """Cases 086, 097."""
    process, model = waiting(level)
    process.respond(process.pending[0].id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {"pay": 1}
    assert len(model.requests) == 2


@pytest.mark.parametrize("level", LEVELS)
def test_what_was_edited_is_what_is_done(level):
    """Case 086."""
    process, _ = waiting(level)
    process.respond(process.pending[0].id, Edit(task="Bob"))
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {"pay": 1}


def test_what_was_edited_is_what_is_told():
    """Case 086."""
    process, _ = waiting()
    process.respond(process.pending[0].id, Edit(task="Bob"))
    go(process)
    assert "pay: paid Bob" in said(process)


@pytest.mark.parametrize("level", LEVELS)
def test_what_was_denied_is_not_done(level):
    """Cases 086, 088."""
    process, _ = waiting(level)
    process.respond(process.pending[0].id, Deny("too much"))
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {}


def test_why_it_was_denied_is_told_to_the_supervisor():
    """Cases 087, 088."""
    process, model = waiting()
    process.respond(process.pending[0].id, Deny("too much"))
    go(process)
    assert "tool: [pay] It did not work: A person did not agree to 'pay': too much." in told(model)
    done = process.board.last(WorkDone)
    assert (done.ok, done.denied) == (False, ("Ada",))


def test_the_very_same_task_is_not_asked_about_again():
    """Case 087."""
    process, model = waiting("worker", to("pay", task="Ada"), "end")
    process.respond(process.pending[0].id, Deny("too much"))
    assert go(process) is ProcessStatus.COMPLETED
    assert "a person did not agree to this" in told(model)[-1]


def test_another_task_is_asked_about_anew():
    process, _ = waiting("worker", to("pay", task="Bob"), "end")
    process.respond(process.pending[0].id, Deny("too much"))
    assert go(process) is ProcessStatus.WAITING
    assert [request.arguments for request in process.pending] == [{"task": "Bob"}]


def test_of_two_tasks_of_one_worker_only_the_one_that_was_denied_counts_as_such():
    """Case 087."""
    crew, model = crew_of([pay], [to("pay", task="Ada"), to("pay", task="Bob")], to("pay", task="Ada"), "end")
    process = begun(crew, "q")
    denied, agreed = process.pending
    process.respond(denied.id, Deny("no"))
    process.respond(agreed.id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {"pay": 1}
    assert "a person did not agree to this" in told(model)[-1]


def test_the_others_of_the_turn_finish_while_one_waits():
    """Case 085."""
    crew, _ = crew_of([pay, look_up], [to("pay", task="Ada"), to("look_up", task="a")], "end")
    process = begun(crew, "q")
    assert process.status is ProcessStatus.WAITING
    assert effects == {"look_up": 1}


def test_each_call_of_a_turn_has_one_result_after_a_wait():
    """Cases 085, 096."""
    crew, model = crew_of(
        [pay, look_up], [to("pay", task="Ada"), to("nobody", task="x"), to("look_up", task="a")], "end"
    )
    process = begun(crew, "q")
    (request,) = process.pending
    process.respond(request.id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert effects == {"pay": 1, "look_up": 1}
    (standing,) = [line for line in told(model) if "So far" in line]
    assert [standing.count(name) for name in ("- pay done", "- look_up done", "not done: transfer_to_nobody")] == [
        1,
        1,
        1,
    ]


def test_a_worker_that_reads_the_history_is_not_begun_anew_because_others_have_finished():
    """Others of the turn that have finished meanwhile are no part of what it was told."""
    asked: list[int] = []

    @action(approval=True)
    def careful(history: list[Message]) -> str:
        asked.append(len(history))
        return "done"

    crew, _ = crew_of([careful, look_up], [to("careful", task="b"), to("look_up", task="a")], "end")
    process = begun(crew, "q")
    process.respond(process.pending[0].id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert asked == [2]


def test_a_worker_may_be_a_person():
    ask = human(str, prompt="What do you think?", name="colleague")
    crew, _ = crew_of([ask], to("colleague"), "end", handoff_messages=False)
    process = begun(crew, "q")
    process.respond(process.pending[0].id, "Good.")
    go(process)
    assert said(process)[1] == "colleague: Good."


def test_approvals_of_the_run_hold_for_workers():
    crew, _ = crew_of([look_up, compute], to("look_up", task="a"), "end")
    process = begun(crew, "q", options=ProcessOptions(approvals=["look_up"]))
    assert process.status is ProcessStatus.WAITING
    assert not effects


def test_a_worker_that_was_denied_as_a_whole_is_not_offered_any_more():
    """Case 136."""
    reporter = Agent("reporter", [look_up_facts], goals=[Goal(Findings)])
    crew, model = crew_of([reporter, compute], to("reporter", task="a"), to("reporter", task="b"), "end")
    process = begun(crew, "q", options=ProcessOptions(approvals=["reporter"]))
    process.respond(process.pending[0].id, Deny("not now"))
    assert go(process) is ProcessStatus.COMPLETED
    assert trace(process) == ["supervisor", "supervisor"]
    assert "transfer_to_reporter: it cannot be given work any more: not now" in told(model)[-1]


def test_where_all_of_a_turn_was_denied_nothing_has_happened():
    """Case 164."""
    crew, _ = crew_of([look_up, compute], [to("look_up", task="a"), to("compute", task="b")], "end")
    process = begun(crew, "q", options=ProcessOptions(approvals=["look_up", "compute"]))
    while process.pending:
        process.respond(process.pending[0].id, Deny())
        go(process)
    assert process.status is ProcessStatus.COMPLETED
    assert not effects


# Budgets and cancelling


def test_what_is_spent_in_workers_is_counted_once():
    """Cases 154, 155."""
    worker = chat_agent("worker", llm=ScriptedModel(rules={str: "w"}))
    inner = Crew("inner", [worker], llm=ScriptedModel(to("worker", task="b"), "in"))
    crew, _ = crew_of([inner], to("inner", task="a"), "end")
    process = begun(crew, "q")
    assert process.usage.llm_calls == 2 + 2 + 1


def test_cancelling_while_a_worker_works_ends_both():
    """Case 172."""
    import anyio

    begun_to_work = []

    async def endless(task: str) -> str:
        begun_to_work.append(task)
        await anyio.sleep_forever()
        return "never"

    crew, model = crew_of([endless], to("endless", task="a"), "end")

    async def act():
        process = crew.process("q")
        async with anyio.create_task_group() as group:
            group.start_soon(process.run)
            while not begun_to_work:
                await anyio.lowlevel.checkpoint()
            process.cancel("enough")
        return process

    process = asyncio.run(act())
    assert process.status is ProcessStatus.CANCELLED
    assert len(model.requests) == 1


def test_cancelling_a_run_that_waits_cancels_the_worker_too():
    """Case 172."""
    process, model = waiting()
    process.cancel("enough")
    assert go(process) is ProcessStatus.CANCELLED
    assert (process.pending, len(model.requests)) == ((), 1)


def test_a_worker_that_takes_too_long_is_a_failure_that_is_told():
    import anyio

    @action(timeout=0.01)
    async def endless(task: str) -> str:
        """Takes for ever."""
        await anyio.sleep_forever()
        return "never"

    crew, model = crew_of([endless], to("endless", task="a"), "end")
    assert crew.run("q").result(str) == "end"
    assert "tool: [endless] It did not work" in " ".join(told(model))


ORDERS = [("one", "two"), ("two", "one")]


def asking(form, *more):
    """Return two workers that ask a person each, and others."""
    return [*(human(form, prompt=f"{name}?", name=name) for name in ("one", "two")), *more]


def answer_in(order, process, form=str):
    """Answer what the workers ask, one after the other."""
    for name in order:
        request = next(one for one in process.pending if one.prompt == f"{name}?")
        process.respond(request.id, f"answer of {name}" if form is str else Findings(notes=[name]))
        go(process)


@pytest.mark.parametrize("options", [{}, {"output": "full"}, {"output": "typed"}, {"tools": "task"}], ids=str)
def test_a_supervisor_is_told_the_same_whoever_is_answered_first(options):
    heard = []
    for order in ORDERS:
        single = options.get("tools") == "task"
        calls = [
            call("task", agent=name, description=name) if single else to(name, task=name) for name in ("two", "one")
        ]
        crew, model = crew_of(asking(str), calls, "end", **options)
        process = begun(crew, "q")
        answer_in(order, process)
        heard.append("\n".join(told(model)))

    assert heard[0] == heard[1]
    assert heard[0].index("answer of two") < heard[0].index("answer of one")  # as they were given work


def test_the_next_worker_is_told_the_same_whoever_was_answered_first():
    heard = []

    def three(messages: list[Message]) -> str:
        """Listens."""
        heard.append([str(message) for message in messages])
        return "heard"

    for order in ORDERS:
        crew, _ = crew_of(asking(str, three), [to("two"), to("one")], to("three", task="Listen."), "end")
        answer_in(order, begun(crew, "q"))

    assert heard[0] == heard[1] != []


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_the_newest_object_is_that_of_the_worker_who_was_given_work_last(order):
    crew, _ = crew_of(asking(Findings), [to("two"), to("one")], "end", returning=Findings)
    process = begun(crew, "q")
    answer_in(order, process, Findings)

    assert process.result(Findings) == Findings(notes=["one"])
