"""Progress is told in words that need no terminal, and shown live where there is one."""

import asyncio
import io

from pydantic import BaseModel
from rich.console import Console

from planboard import ActionContext, Agent, ProcessOptions, Replan, Retry, achieves_goal, action
from planboard.observe.console import console_progress
from planboard.observe.progress import Progress, one_line, sequence


class Seed(BaseModel):
    n: int


class Plant(BaseModel):
    n: int


class Fruit(BaseModel):
    n: int


@action(cost=0.25, consumes=[Seed])
def grow(seed: Seed) -> Plant:
    return Plant(n=seed.n)


@achieves_goal("Fruit")
@action(cost=0.5)
def pick(plant: Plant) -> Fruit:
    return Fruit(n=plant.n)


gardener = Agent("gardener", [grow, pick])


def told(agent, *inputs):
    lines = []
    progress = Progress()
    options = ProcessOptions(listeners=[lambda event: lines.extend(progress.tell(event))])
    asyncio.run(agent.process(*inputs, options=options).run())
    return lines, progress


def test_a_run_reads_as_a_story():
    lines, progress = told(gardener, Seed(n=1))

    assert lines == [
        "gardener starts with goap, for pick",
        "+ Seed (input)",
        "plan for pick: grow → pick (cost 0.75)",
        "> grow",
        "✓ grow: + Plant, - Seed (cost 0.25)",
        "> pick",
        "✓ pick: + Fruit (cost 0.5)",
        "completed (2 actions, cost 0.75): goal 'pick' is met",
    ]
    assert progress.ended


def test_the_standing_tells_what_runs_and_what_remains():
    standings = []
    progress = Progress()

    def follow(event):
        progress.tell(event)
        standings.append(progress.standing.lines())

    asyncio.run(gardener.process(Seed(n=1), options=ProcessOptions(listeners=[follow])).run())

    assert ["gardener · goap · tick 1 · cost 0", "  now:  grow", "  then: pick"] in standings
    assert ["gardener · goap · tick 2 · cost 0.25", "  now:  pick"] in standings
    assert standings[-1] == ["gardener · goap · tick 2 · cost 0.75"]


def test_a_child_is_told_indented_and_leaves_the_standing_to_its_parent():
    @achieves_goal("Jam")
    @action
    async def cook(seed: Seed, context: ActionContext) -> str:
        return f"jam of {await context.run(gardener, seed, returning=Fruit)}"

    lines, progress = told(Agent("cook", [cook]), Seed(n=1))

    assert "  gardener starts with goap, for pick" in lines
    assert "  ✓ pick: + Fruit (cost 0.5)" in lines
    assert progress.standing.agent == "cook"
    assert progress.standing.cost == 0.75


def test_trouble_is_told():
    @achieves_goal("x")
    @action(retry=Retry(attempts=2, on=(OSError,), wait=0.0))
    def fetch(context: ActionContext) -> str:
        raise OSError("line\nbreak")

    lines, _ = told(Agent("fetcher", [fetch]))

    assert "↻ fetch: attempt 1 failed, again in 0 s: OSError: line break" in lines
    assert "✗ fetch failed: OSError: line break" in lines
    assert lines[-1].startswith("failed (0 actions, cost 0): action 'fetch' failed")


def test_another_plan_asked_for_is_told():
    tries = []

    @achieves_goal("x")
    @action
    def waver() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise Replan("not yet", seed=Seed(n=1))
        return "done"

    lines, _ = told(Agent("waverer", [waver]))

    assert "↻ waver asks for another plan: not yet; + seed: Seed" in lines


def test_a_console_that_is_no_terminal_gets_plain_lines():
    stream = io.StringIO()

    gardener.run(Seed(n=1), options=ProcessOptions(listeners=[console_progress(Console(file=stream, width=40))]))

    assert stream.getvalue().splitlines()[-1] == "completed (2 actions, cost 0.75): goal 'pick' is met"
    assert "\x1b" not in stream.getvalue()


def test_a_terminal_gets_a_view_that_is_gone_at_the_end():
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=60, no_color=True, _environ={"TERM": "xterm"})

    with console_progress(console) as progress:
        gardener.run(Seed(n=1), options=ProcessOptions(listeners=[progress]))

    assert "gardener · goap · tick 1 · cost 0" in stream.getvalue()
    assert "now:  grow" in stream.getvalue()
    assert stream.getvalue().rstrip().endswith("\x1b[2K")


def test_text_from_outside_cannot_control_the_terminal():
    assert one_line("a\x1b[2J\nb") == "a [2J b"
    assert len(one_line("x" * 1000)) == 200


def test_a_long_plan_is_cut():
    assert sequence(tuple("abcdefgh")) == "a → b → c → d → e → f → … 2 more"
    assert sequence(()) == "nothing to do"
