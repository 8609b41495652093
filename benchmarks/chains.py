"""One chain of typed steps, built in the same way with Planboard and with each peer that is installed.

A step takes a pydantic value, adds one and returns a new value; in the asynchronous form it may wait first. A
`System` builds a chain of some length once. What a framework must set up anew for each run is done by `fresh`; both
are untimed, so that what is timed is the run alone. A run returns how far it has counted, which is checked.
"""

import asyncio
import importlib.util
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import count, pairwise
from typing import Any

from pydantic import BaseModel, create_model

Run = Callable[[], int]
AsyncRun = Callable[[], Awaitable[int]]


class Count(BaseModel):
    """The state that the peers hand from step to step."""

    x: int = 0


@dataclass(frozen=True)
class System:
    name: str
    module: str
    distribution: str
    chain: Callable[[int], Callable[[], Run]]
    """From the number of steps to `fresh`, which returns a run."""
    async_chain: Callable[[int, float], Callable[[], AsyncRun]]
    """The same with asynchronous steps; the second argument is the seconds that each of them waits."""

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None

    @property
    def label(self) -> str:
        return f"{self.name}, {version(self.distribution)}" if self.distribution and self.installed else self.name


async def pause(seconds: float) -> None:
    if seconds:
        await asyncio.sleep(seconds)


def typed_step(name: str, takes: type[BaseModel], makes: Any, seconds: float | None) -> Any:
    """Return a step between two models as if it had been written out; asynchronous unless `seconds` is `None`."""

    def step(state: Any) -> Any:
        return makes(x=state.x + 1)

    async def waiting_step(state: Any) -> Any:
        await pause(seconds or 0)
        return makes(x=state.x + 1)

    chosen: Any = step if seconds is None else waiting_step
    chosen.__name__ = name
    chosen.__annotations__ = {"state": takes, "return": makes}
    return chosen


# The floor: a loop that validates a model


def plain_chain(steps: int) -> Callable[[], Run]:
    step = typed_step("step", Count, Count, None)

    def go() -> int:
        value = Count()
        for _ in range(steps):
            value = step(value)
        return value.x

    return lambda: go


def plain_async_chain(steps: int, seconds: float) -> Callable[[], AsyncRun]:
    step = typed_step("step", Count, Count, seconds)

    async def go() -> int:
        value = Count()
        for _ in range(steps):
            value = await step(value)
        return value.x

    return lambda: go


# Planboard: T0 -> T1 -> ... -> Tn, all distinct types; each value that a step returns is validated.
# GOAP remembers its plan per agent, planner and start state; a planner that was never used before has to plan.


def planboard_agent(steps: int, seconds: float | None) -> tuple[Any, list[Any]]:
    from planboard import Agent, achieves_goal, action

    types: list[Any] = [create_model(f"T{index}", x=(int, ...)) for index in range(steps + 1)]
    actions = [action(typed_step(f"step{index}", types[index], types[index + 1], seconds)) for index in range(steps)]
    return Agent("chain", [*actions[:-1], achieves_goal("the end")(actions[-1])]), types


def planners(*, anew: bool) -> Iterator[Any]:
    from planboard import Goap
    from planboard.planners import Limit

    for used in count():
        yield Goap(limit=Limit(nodes=1_000_000 + used)) if anew else Goap()


def planboard_chain(steps: int, *, anew: bool) -> Callable[[], Run]:
    agent, types = planboard_agent(steps, None)
    planner = planners(anew=anew)

    def fresh() -> Run:
        chosen = next(planner)
        return lambda: agent.run(types[0](x=0), returning=types[-1], planner=chosen).x

    return fresh


def planboard_async_chain(steps: int, seconds: float, *, anew: bool) -> Callable[[], AsyncRun]:
    agent, types = planboard_agent(steps, seconds)
    planner = planners(anew=anew)

    def fresh() -> AsyncRun:
        chosen = next(planner)

        async def go() -> int:
            reached: int = (await agent.arun(types[0](x=0), returning=types[-1], planner=chosen)).x
            return reached

        return go

    return fresh


# Burr: the graph is made once, the application, which holds the state, for each run


def burr_applications(steps: int, seconds: float | None, *, typed: bool) -> Callable[[], tuple[Any, str]]:
    from burr.core import ApplicationBuilder, State, action
    from burr.core.graph import GraphBuilder
    from burr.integrations.pydantic import PydanticTypingSystem

    def untyped(state: State) -> State:
        return state.update(x=state["x"] + 1)

    async def untyped_waiting(state: State) -> State:
        await pause(seconds or 0)
        return state.update(x=state["x"] + 1)

    if typed:
        step = action.pydantic(reads=["x"], writes=["x"])(typed_step("step", Count, Count, seconds))
    else:
        step = action(reads=["x"], writes=["x"])(untyped if seconds is None else untyped_waiting)
    names = [f"step{index}" for index in range(steps)]
    graph = GraphBuilder().with_actions(**dict.fromkeys(names, step)).with_transitions(*pairwise(names)).build()

    def fresh() -> tuple[Any, str]:
        builder: Any = ApplicationBuilder().with_graph(graph).with_entrypoint(names[0])
        if typed:
            builder = builder.with_typing(PydanticTypingSystem(Count)).with_state(Count())
        else:
            builder = builder.with_state(x=0)
        return builder.build(), names[-1]

    return fresh


def burr_chain(steps: int, *, typed: bool) -> Callable[[], Run]:
    applications = burr_applications(steps, None, typed=typed)

    def fresh() -> Run:
        application, last = applications()
        return lambda: application.run(halt_after=[last])[2]["x"]

    return fresh


def burr_async_chain(steps: int, seconds: float, *, typed: bool) -> Callable[[], AsyncRun]:
    applications = burr_applications(steps, seconds, typed=typed)

    def fresh() -> AsyncRun:
        application, last = applications()

        async def go() -> int:
            reached: int = (await application.arun(halt_after=[last]))[2]["x"]
            return reached

        return go

    return fresh


# pydantic-graph: its steps are always asynchronous; `run_sync` drives them


def pydantic_graph(steps: int, seconds: float) -> Any:
    from pydantic_graph import GraphBuilder, StepContext

    async def step(ctx: Any) -> Count:
        await pause(seconds)
        return Count(x=ctx.inputs.x + 1)

    step.__annotations__ = {"ctx": StepContext[None, None, Count], "return": Count}
    builder: Any = GraphBuilder(input_type=Count, output_type=Count)
    nodes = [builder.step(step, node_id=f"step{index}") for index in range(steps)]
    path = [builder.start_node, *nodes, builder.end_node]
    builder.add(*(builder.edge_from(one).to(following) for one, following in pairwise(path)))
    return builder.build()


def pydantic_graph_chain(steps: int) -> Callable[[], Run]:
    graph = pydantic_graph(steps, 0)
    return lambda: lambda: graph.run_sync(inputs=Count()).x


def pydantic_graph_async_chain(steps: int, seconds: float) -> Callable[[], AsyncRun]:
    graph = pydantic_graph(steps, seconds)

    async def go() -> int:
        reached: int = (await graph.run(inputs=Count())).x
        return reached

    return lambda: go


# LangGraph: pydantic state, no checkpointer, compiled once


def langgraph(steps: int, seconds: float | None) -> tuple[Any, dict[str, int]]:
    from langgraph.graph import END, START, StateGraph

    def step(state: Count) -> dict[str, int]:
        return {"x": state.x + 1}

    async def waiting(state: Count) -> dict[str, int]:
        await pause(seconds or 0)
        return {"x": state.x + 1}

    builder: Any = StateGraph(Count)
    names = [f"step{index}" for index in range(steps)]
    for name in names:
        builder.add_node(name, step if seconds is None else waiting)
    for one, following in pairwise([START, *names, END]):
        builder.add_edge(one, following)
    return builder.compile(), {"recursion_limit": steps + 10}


def langgraph_chain(steps: int) -> Callable[[], Run]:
    graph, config = langgraph(steps, None)
    return lambda: lambda: graph.invoke(Count(), config)["x"]


def langgraph_async_chain(steps: int, seconds: float) -> Callable[[], AsyncRun]:
    graph, config = langgraph(steps, seconds)

    async def go() -> int:
        reached: int = (await graph.ainvoke(Count(), config))["x"]
        return reached

    return lambda: go


PLAIN = System("plain loop, pydantic model", "pydantic", "", plain_chain, plain_async_chain)
PLANBOARD = System(
    "planboard, plan known from an earlier run",
    "planboard",
    "",
    partial(planboard_chain, anew=False),
    partial(planboard_async_chain, anew=False),
)
PLANBOARD_ANEW = System(
    "planboard, planned anew in each run",
    "planboard",
    "",
    partial(planboard_chain, anew=True),
    partial(planboard_async_chain, anew=True),
)
BURR = System(
    "burr, pydantic State", "burr", "burr", partial(burr_chain, typed=True), partial(burr_async_chain, typed=True)
)
BURR_UNTYPED = System(
    "burr, plain State", "burr", "burr", partial(burr_chain, typed=False), partial(burr_async_chain, typed=False)
)
PYDANTIC_GRAPH = System(
    "pydantic-graph", "pydantic_graph", "pydantic-graph", pydantic_graph_chain, pydantic_graph_async_chain
)
LANGGRAPH = System(
    "langgraph, pydantic state, no checkpointer", "langgraph", "langgraph", langgraph_chain, langgraph_async_chain
)
SYSTEMS = (PLAIN, PLANBOARD, PLANBOARD_ANEW, BURR_UNTYPED, BURR, PYDANTIC_GRAPH, LANGGRAPH)
