"""Whole runs of a peer framework, with what Planboard makes of them."""

import re
from asyncio import run as wait

import pytest
from peer_runs import RUNS
from pydantic import create_model

from planboard import Agent, ProcessOptions, achieves_goal, action, condition, state


class World:
    """Makes the types, actions and conditions that a case names."""

    def __init__(self, case):
        self.case = case
        self.types = {}
        names = [name for do in case.actions for name in re.findall(r"\w+", f"{do.takes} {do.gives}")]
        names += [
            re.split(r"[!=:]", item.replace("!", ""))[-2 if "=" not in item else 1].strip() for item in case.board
        ]
        for name in [
            *case.states,
            *case.parents.values(),
            *case.parents,
            *names,
            *(t for t, _ in case.conditions.values()),
        ]:
            self.type(name)

    def type(self, name):
        if name not in self.types:
            parent = self.case.parents.get(name)
            base = {"__base__": self.type(parent)} if parent else {"text": (str, "")}
            made = create_model(name, __module__=__name__, **base)
            self.types[name] = state(made) if name in self.case.states else made
        return self.types[name]

    def value(self, text, default=None):
        name, colon, rest = text.partition(": ")
        if colon or name in self.types:
            return self.types[name](text=rest)
        return self.types[default](text=text)

    def form(self, gives):
        if not gives:
            return None
        form = None
        for name in re.findall(r"\w+", gives):
            form = self.types[name] if form is None else form | self.types[name]
        return form | None if gives.endswith("?") else form

    def action(self, do):
        takes = re.findall(r"\w+", do.takes)
        first = re.findall(r"\w+", do.gives)[:1]

        def act(*inputs):
            texts = [item.text for item in inputs]
            said = do.does(*texts) if do.does else f"{do.name}({', '.join(texts)})"
            return self.value(said, *first) if do.gives and said is not None else None

        parameters = [f"x{n}: types[{name!r}]" for n, name in enumerate(takes)]
        if do.in_state:
            parameters[0] = "x0"
        names = {"types": self.types, "act": act, "Out": self.form(do.gives)}
        exec(
            f"def {do.name}({', '.join(parameters)}) -> Out: return act({', '.join(f'x{n}' for n in range(len(takes)))})",
            names,
        )
        function = names[do.name]
        options = dict(do.options)
        if "trigger" in options:
            options["trigger"] = self.types[options["trigger"]]
        if do.in_state:
            function.__qualname__ = f"{takes[0]}.{do.name}"
        function = action(**options)(function)
        if do.goal:
            function = achieves_goal(do.name, value=1)(function)
        if do.in_state:
            setattr(self.types[takes[0]], do.name, function)
            return self.types[takes[0]]
        return function

    def condition(self, name, form, test):
        names = {"Form": self.types[form], "test": test}
        exec(f"def {name}(item: Form) -> bool: return test(item.text)", names)
        return condition(names[name])

    def agent(self):
        parts = [self.action(do) for do in self.case.actions]
        parts += [self.condition(name, *given) for name, given in self.case.conditions.items()]
        return Agent("peer", parts, goals=[self.types[name] for name in self.case.goals])


def holds(board, text):
    name, _, value = text.partition(": ")
    return any(entry.type_name == name and value in ("", entry.value.text) for entry in board.visible)


@pytest.mark.parametrize("case", RUNS, ids=lambda case: f"{case.id} {case.planner}")
def test_a_run_of_the_peer_ends_as_we_say(case):
    world = World(case)
    agent = world.agent()
    process = agent.process(planner=case.planner, options=ProcessOptions(**case.options))
    for item in case.board:
        protected, text = item.startswith("!"), item.removeprefix("!")
        name, bound, rest = text.partition("=")
        value = world.value(rest if bound else text)
        if bound:
            process.board.bind(name, value, protected=protected)
        else:
            process.board.add(value, protected=protected)

    wait(process.run())

    expect, board = case.expect, process.board
    assert process.status == expect["status"], process.reason
    assert [step.action for step in process.history] == expect.get("history", [step.action for step in process.history])
    assert [text for text in expect.get("has", ()) if not holds(board, text)] == []
    assert [text for text in expect.get("lacks", ()) if holds(board, text)] == []
    assert [text for text in expect.get("says", ()) if text not in process.reason] == []
    if "last" in expect:
        newest = board.newest_entry
        assert f"{newest.type_name}: {newest.value.text}" == expect["last"]
    assert len(agent.goals) == expect.get("goals", len(agent.goals))
