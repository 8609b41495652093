"""Is the answer always the same? Asked again, registered in another order, in interpreters with other hash seeds."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from planboard.planners.base import Planner
from planboard.planners.problem import Problem
from planboard.runtime.agent import Agent
from planboard.testing.asking import Question, Start, Target, found, questions, start_of
from planboard.testing.fresh import Errand, run_errand
from planboard.testing.written import written_answers
from planboard.types import TypeForm

T = TypeVar("T")


def check_determinism(
    target: Target,
    *given: object,
    planner: Planner | str | None = None,
    returning: TypeForm = None,
    repeats: int = 2,
    shuffles: int = 3,
    seeds: Iterable[int] = (0, 1),
    **bindings: object,
) -> None:
    """Check that plans and their fingerprints depend on the problem alone.

    The planner is asked again, then with operators, facts and goals (or an agent's parts and goals) registered in
    other orders, then in a fresh interpreter for each hash seed, where everything is built anew. One interpreter
    answers all problems, so pass many at once; within `@given` pass `seeds=()`.

    Args:
        target: A planner, or an agent, also as "module:name" or "file.py:name". In a fresh interpreter an agent is
            imported, so it must be a name of a module; a planner is pickled.
        given: For a planner: problems. For an agent: a `Blackboard`, or inputs.
        planner: For an agent: which planner chooses.
        returning: For an agent: the type wanted.
        repeats: How often it is asked again.
        shuffles: How many other orders are tried.
        seeds: The values of PYTHONHASHSEED, each tried in an interpreter of its own.
        bindings: For an agent: named inputs.

    Raises:
        AssertionError: An answer differs; the message says which variation changed which plan into what.
        DefinitionError: The target cannot be built in a fresh interpreter.
    """
    subject = found(target)
    hash_seeds = tuple(seeds)
    if isinstance(subject, Agent):
        start = start_of(subject, given, bindings, planner, returning)
        asked, variations = [start.question()], _agent_variations(start, repeats, shuffles)
        errand = Errand.to_plan_for(start, target if isinstance(target, str) else None) if hash_seeds else None
    else:
        asked = questions(subject, given, bindings, planner, returning)
        variations = _problem_variations(asked, repeats, shuffles)
        problems = [question.problem for question in asked]
        errand = Errand.to_plan(subject, problems) if hash_seeds else None
    before = [_answers(question) for question in asked]
    for number, what, question in variations:
        _compare(what, before[number], _answers(question), asked[number])
    for seed, found_there in zip(hash_seeds, [] if errand is None else run_errand(errand, hash_seeds), strict=True):
        for one, other, question in zip(before, found_there, asked, strict=True):
            _compare(f"a fresh interpreter with PYTHONHASHSEED={seed}", one, other, question)


def _problem_variations(asked: list[Question], repeats: int, shuffles: int) -> Iterator[tuple[int, str, Question]]:
    for number, question in enumerate(asked):
        for _ in range(repeats):
            for goal in question.problem.goals[:1]:  # so that one who alternates is not met at the same turn each time
                question.planner.plan_to(question.problem, goal)
            yield number, "asking again", question
        problem = question.problem
        for seed in range(shuffles):
            shuffled = _shuffler(seed)
            state = dict(shuffled(list(problem.state.items())))
            other = Problem(state, shuffled(problem.operators), shuffled(problem.goals), problem.resolve)
            what = "registering operators, facts and goals in another order"
            yield number, what, Question(question.planner, other, "")


def _agent_variations(start: Start, repeats: int, shuffles: int) -> Iterator[tuple[int, str, Question]]:
    for _ in range(repeats):
        yield 0, "asking again", start.question()
    agent = start.agent
    for seed in range(shuffles):
        shuffled = _shuffler(seed)
        other = Agent(
            agent.name,
            shuffled(agent.parts),
            goals=shuffled(agent.stated_goals),
            services=agent.services,
            planner=agent.planner,
            description=agent.description,
        )
        other_start = Start(other, start.board, start.planner, start.returning)
        yield 0, "registering the agent's parts and goals in another order", other_start.question()


def _shuffler(seed: int) -> Callable[[Sequence[T]], list[T]]:
    chance = random.Random(seed)  # noqa: S311 - an order to try, not a secret

    def shuffled(items: Sequence[T]) -> list[T]:
        others = list(items)
        if seed == 0:
            others.reverse()  # the one order that differs for sure
        else:
            chance.shuffle(others)
        return others

    return shuffled


def _answers(question: Question) -> dict[str, str]:
    return written_answers(question.planner, question.problem)


def _compare(what: str, before: Mapping[str, str], after: Mapping[str, str], question: Question) -> None:
    for name in sorted({*before, *after}, key=lambda name: (name != "plan", name)):
        one, other = before.get(name, "none"), after.get(name, "none")
        if one != other:
            lines = [f"Not deterministic: {what} changes the {name}.", f"  planner: {question.planner!r}"]
            raise AssertionError("\n".join([*lines, f"  before: {one}", f"  after:  {other}", question.shown]))
