"""The promise that a process is the fold of its events.

- Whatever happens in a run, folding its events gives the same board, status, history, usage and planning facts.
- A fold of the events so far is the state at that moment, so every prefix can be looked at.
"""

from asyncio import run as wait
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Budget,
    Goal,
    ProcessOptions,
    ProcessStatus,
    Replan,
    action,
    condition,
    state,
)
from planboard.events import ProcessStatus as Status
from planboard.runtime.state import fold


class A(BaseModel):
    n: int = 0


class B(BaseModel):
    n: int = 0


class C(BaseModel):
    n: int = 0


class D(C):
    pass


@state(keep=[A])
class S(BaseModel):
    n: int = 0


FORMS = [A, B, C, D, S]


@condition
def is_even(b: B) -> bool:
    return b.n % 2 == 0


@action(pre=["never"])
def out_of_reach(b: B) -> None: ...


@dataclass(frozen=True)
class Spec:
    """One random action."""

    takes: tuple[type, ...]
    gives: type
    does: str
    cost: float
    options: tuple[tuple[str, object], ...]


specs = st.builds(
    Spec,
    takes=st.lists(st.sampled_from(FORMS), max_size=2, unique=True).map(tuple),
    gives=st.sampled_from(FORMS),
    does=st.sampled_from(
        ["return", "return", "return", "fail", "replan", "replan once", "hide", "add", "wrong", "set"]
    ),
    cost=st.sampled_from([0.0, 0.1, 0.5]),
    options=st.fixed_dictionaries(
        {"rerun": st.sampled_from(["never", "new_inputs", "always"])},
        optional={
            "clear_board": st.booleans(),
            "pre": st.sampled_from([["flag"], [is_even], ["b.n > 0"]]),
            "post": st.just(["flag"]),
            "trigger": st.sampled_from(FORMS),
        },
    ).map(lambda options: tuple(options.items())),
)


def build(number, spec):
    calls = []

    async def body(context, **given):
        calls.append(1)
        made = spec.gives(n=len(calls))
        context.record_usage(tokens=1, cost=0.25)
        match spec.does:
            case "fail":
                raise ValueError(number)
            case "replan":
                raise Replan("again", found=B(n=number))
            case "replan once" if len(calls) == 1:
                raise Replan("once", found=A(n=number))
            case "hide":
                context.hide(*given.values())
            case "add":
                context.bind("extra", B(n=number))
            case "set":
                context.set_condition("flag", True)
            case "wrong":
                return 5
        return made

    parameters = ", ".join(f"p{index}: FORMS[{FORMS.index(form)}]" for index, form in enumerate(spec.takes))
    arguments = ", ".join(f"p{index}=p{index}" for index in range(len(spec.takes)))
    names = {"FORMS": FORMS, "ActionContext": ActionContext, "body": body, "Out": spec.gives}
    exec(f"async def act(context: ActionContext, {parameters}) -> Out: return await body(context, {arguments})", names)
    return action(name=f"a{number}", cost=spec.cost, **dict(spec.options))(names["act"])


def facts(world):
    """What the world knows but for conditions, which are observed and not recorded."""
    observed = world._bits.askable
    return world.true & ~observed, world.unknown & ~observed, world.domain, world._used, world._lasting


def content(state):
    return {
        "board": state.board,
        "status": state.status,
        "reason": state.reason,
        "goal": state.goal,
        "history": state.history,
        "usage": state.usage,
        "calls": state.calls,
        "excluded": state.excluded,
        "asked_replan": state.asked_replan,
        "stubborn": state.stubborn,
        "expectations": state.expectations,
        "facts": facts(state.world),
    }


def folded(process, events):
    world = process._core.state.world
    return fold(world.compilation, world._bits, events, greedy=process.planner.nirvana)


def run_twice(process, addition):
    wait(process.run())
    if addition is not None and not process.status.is_final:
        process.board.add(addition)
        process.board.set_condition("flag", True)
        process.board.hide(process.board.entries[0])
        wait(process.run(budget=Budget(actions=20)))


@settings(max_examples=100, deadline=None)
@given(
    parts=st.lists(specs, min_size=1, max_size=5),
    inputs=st.lists(st.sampled_from(FORMS), min_size=1, max_size=3),
    protected=st.booleans(),
    planner=st.sampled_from(["goap", "utility", "hybrid"]),
    concurrency=st.sampled_from([1, 3]),
    addition=st.sampled_from([None, B(n=2), C(), S()]),
)
def test_folding_the_events_gives_the_state(parts, inputs, protected, planner, concurrency, addition):
    options = ProcessOptions(concurrency=concurrency, max_ticks=25, budget=Budget(actions=12))
    actions = [build(number, spec) for number, spec in enumerate(parts)]
    agent = Agent("random", [is_even, out_of_reach, *actions], goals=[Goal(D, value=1)])
    process = agent.process(*(form(n=1) for form in inputs), planner=planner, options=options)
    if protected:
        process.board.add(B(n=1), protected=True)

    run_twice(process, addition)

    live, again = process._core.state, folded(process, process.events)
    assert content(live) == content(again)
    assert live.usage == process.usage
    for name in live.world.compilation.catalogue.conditions:
        assert live.world[name] is None or live.world[name] == (again.world.resolve(name) or False)
    assert process.status in Status
    assert [event.seq for event in process.events] == list(range(1, len(process.events) + 1))


def test_every_prefix_of_the_events_is_a_state_of_its_time():
    @action
    def one(a: A) -> B:
        return B()

    @action
    def two(b: B) -> C:
        return C()

    process = Agent("it", [one, two]).process(A(), returning=C)
    wait(process.run())

    boards = [len(folded(process, process.events[:count]).board) for count in range(len(process.events) + 1)]
    statuses = [folded(process, process.events[:count]).status for count in range(len(process.events) + 1)]
    assert boards == sorted(boards)
    assert (boards[0], boards[-1]) == (0, 3)
    assert statuses[0] is ProcessStatus.NOT_STARTED
    assert statuses[-1] is ProcessStatus.COMPLETED
