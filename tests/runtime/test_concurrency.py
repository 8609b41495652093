"""Promises about actions that run at once.

- What is committed, and in which order, does not depend on timing.
- One that fails harms no other; what only reads is no conflict; independent is what neither reads nor writes the other's.
"""

from asyncio import run as wait
from random import Random

import anyio
import anyio.lowlevel
import pytest
from pydantic import BaseModel

from planboard import ActionContext, Agent, Goal, ProcessOptions, ProcessStatus, Replan, action

TOGETHER = ProcessOptions(concurrency=4)


class Topic(BaseModel):
    n: int = 0


class One(BaseModel):
    n: int = 0


class Two(BaseModel):
    n: int = 0


class Three(BaseModel):
    n: int = 0


class Report(BaseModel):
    numbers: list[int] = []


async def dawdle(random):
    for _ in range(random.randrange(4)):
        await anyio.lowlevel.checkpoint()


def makers(seed=0, **failing):
    random = Random(seed)

    @action
    async def one(topic: Topic) -> One:
        await dawdle(random)
        if "one" in failing:
            raise failing["one"]
        return One(n=1)

    @action
    async def two(topic: Topic) -> Two:
        await dawdle(random)
        if "two" in failing:
            raise failing["two"]
        return Two(n=2)

    @action
    async def three(topic: Topic) -> Three:
        await dawdle(random)
        return Three(n=3)

    @action
    def report(one: One, two: Two, three: Three) -> Report:
        return Report(numbers=[one.n, two.n, three.n])

    return [one, two, three, report]


def ended(parts, *inputs, options=TOGETHER, **how):
    process = Agent("it", parts).process(*inputs, options=options, **how)
    wait(process.run())
    return process


def started_together(process):
    """The actions of each batch: those that started with no other ending in between."""
    batches, last = [], None
    for event in process.events:
        if event.kind == "action_started":
            if last != "action_started":
                batches.append([])
            batches[-1].append(event.action)
        last = event.kind
    return batches


def test_independent_steps_start_together_and_nothing_is_lost():
    """Cases 110 and 111: a hundred repeats with other delays."""
    histories = set()
    for seed in range(100):
        process = ended(makers(seed), Topic(), returning=Report)
        assert process.result(Report) == Report(numbers=[1, 2, 3])
        histories.add(tuple((event.kind, getattr(event, "action", None)) for event in process.events))

    assert len(histories) == 1
    assert started_together(process) == [["one", "three", "two"], ["report"]]


def test_no_more_start_than_are_allowed():
    process = ended(makers(), Topic(), returning=Report, options=ProcessOptions(concurrency=2))

    assert [len(batch) for batch in started_together(process)] == [2, 1, 1]


def test_one_that_fails_harms_no_other():
    """Case 112."""
    process = ended(makers(two=ValueError("no")), Topic(), returning=Report)

    assert process.status is ProcessStatus.FAILED
    assert (process.board.last(One), process.board.last(Three)) == (One(n=1), Three(n=3))
    assert process.board.last(Two) is None
    assert [str(step) for step in process.history] == ["one", "three"]


def test_two_that_ask_for_another_plan_are_both_heard():
    """Case 021."""
    asked = []

    def maker(name, form):
        async def make(topic: Topic):
            if name not in asked:
                asked.append(name)
                raise Replan("later", **{f"seen_by_{name}": Topic(n=1)})
            return form()

        make.__annotations__["return"] = form
        return action(name=name)(make)

    @action
    def report(one: One, two: Two) -> Report:
        return Report()

    process = ended([maker("one", One), maker("two", Two), report], Topic(), returning=Report)

    assert process.status is ProcessStatus.COMPLETED
    assert process.board["seen_by_one"] == process.board["seen_by_two"] == Topic(n=1)


def test_usage_of_parallel_actions_adds_up():
    """Cases 114 and 154."""
    forms = [type(f"Part{number:02}", (BaseModel,), {}) for number in range(16)]

    def part(form):
        def make(topic: Topic, context: ActionContext):
            for _ in range(200):
                context.record_usage(tokens=1, llm_calls=1, cost=0.5)
            return form()

        make.__annotations__["return"] = form
        return action(name=form.__name__)(make)

    @action(pre=["never"])
    def end(topic: Topic) -> Report: ...

    process = ended(
        [*map(part, forms), end], Topic(), planner="utility", options=ProcessOptions(concurrency=16)
    )  # fmt: skip

    assert [step.action for step in process.history] == [form.__name__ for form in forms]
    assert (process.usage.tokens, process.usage.llm_calls, process.usage.cost) == (3_200, 3_200, 1_600)
    assert sum(event.usage.tokens for event in process.events if event.kind == "action_succeeded") == 3_200


def test_an_action_that_reads_what_another_writes_waits():
    @action
    def make(topic: Topic) -> One:
        return One(n=7)

    @action
    def look(topic: Topic, one: One | None) -> Two:
        return Two(n=one.n if one else 0)

    @action
    def report(one: One, two: Two) -> Report:
        return Report(numbers=[one.n, two.n])

    process = ended([make, look, report], Topic(), returning=Report)

    assert all(not {"make", "look"} <= set(batch) for batch in started_together(process))


def test_only_one_of_two_that_consume_the_same_input_runs():
    ran = []

    def eater(name, form):
        def eat(topic: Topic):
            ran.append(name)
            return form()

        eat.__annotations__["return"] = form
        return action(name=name, consumes=Topic)(eat)

    process = ended([eater("one", One), eater("two", Two)], Topic(), planner="utility")

    assert process.status is ProcessStatus.COMPLETED
    assert ran == ["one"]


def test_outputs_of_a_batch_are_committed_in_plan_order():
    """Case 118: the first to finish is not the first on the board."""
    first_may_go = anyio.Event

    async def both():
        released = first_may_go()

        @action
        async def one(topic: Topic) -> One:
            await released.wait()
            return One()

        @action
        async def two(topic: Topic) -> Two:
            released.set()
            return Two()

        @action
        def report(one: One, two: Two) -> Report:
            return Report()

        process = Agent("it", [one, two, report]).process(Topic(), returning=Report, options=TOGETHER)
        await process.run()
        return process

    assert [entry.type_name for entry in wait(both()).board.entries] == ["Topic", "One", "Two", "Report"]


@pytest.mark.parametrize("planner", ["goap", "utility", "hybrid"])
def test_the_same_comes_of_it_one_at_a_time_or_together(planner):
    parts = makers()
    goals = [Goal(Report, value=1)]

    def final(options):
        process = Agent("it", parts, goals=goals).process(Topic(), planner=planner, options=options)
        wait(process.run())
        return process.status, sorted(entry.type_name for entry in process.board.visible)

    assert final(TOGETHER) == final(ProcessOptions())


def test_plain_actions_run_together_too():
    import threading

    both = threading.Barrier(2, timeout=10)

    @action
    def one(topic: Topic) -> One:
        both.wait()
        return One()

    @action
    def two(topic: Topic) -> Two:
        both.wait()
        return Two()

    @action
    def report(one: One, two: Two) -> Report:
        return Report()

    assert ended([one, two, report], Topic(), returning=Report).status is ProcessStatus.COMPLETED
