"""Random planning problems: small, full of ties and dead ends, and readable when one of them fails."""

from typing import Any

from hypothesis import strategies as st

from planboard.errors import DefinitionError
from planboard.planners.operator import NIRVANA, Operator, PlanGoal, Truth
from planboard.planners.problem import Problem
from planboard.testing.written import written

_COSTS = (0.1, 0.2, 0.3, 1)
_VALUES = (0, 0.1, 0.5, -0.2)
_LETTERS = "abcdefghijklm"
_OTHER_LETTERS = "pqrstuvwxyz"


class ShownProblem(Problem):
    """A problem that is shown as the Python that makes it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return written(self)


def problems(  # noqa: PLR0913 - each is a kind of problem to leave out or to bring in
    *,
    facts: int = 5,
    operators: int = 6,
    goals: int = 1,
    unknowns: bool = True,
    deletes: bool = True,
    negative: bool = True,
    zero_costs: bool = True,
    values: bool = False,
    outcomes: bool = True,
    resolve: bool = False,
    nirvana: bool = False,
) -> st.SearchStrategy[Problem]:
    """Return a strategy of problems.

    Costs are few and repeat, so plans often tie; some goals cannot be reached. They shrink to few operators with few
    facts each, and are shown as Python.

    Args:
        facts: How many facts there are at most.
        operators: How many actions there are at most.
        goals: How many goals there are at most.
        unknowns: Facts may be unknown at the start, and effects may leave them unknown.
        deletes: Effects may make facts false.
        negative: Preconditions and goals may demand that a fact is false.
        zero_costs: Some actions are free.
        values: Actions and goals may be worth something; values of actions may be negative.
        outcomes: Some actions have two outcomes, as two operators of one name.
        resolve: Unknown facts can be evaluated; the answer may be UNKNOWN still.
        nirvana: `NIRVANA` is among the goals.

    Raises:
        DefinitionError: A number is too small.
    """
    for name, number in (("facts", facts), ("operators", operators), ("goals", goals)):
        if number < 1:
            message = f"problems({name}={number!r}): it is a whole number of at least 1."
            raise DefinitionError(message)
    names = st.sampled_from(_names(_LETTERS, facts))
    costs = st.sampled_from((0, *_COSTS) if zero_costs else _COSTS)
    worths = st.sampled_from(_VALUES) if values else st.just(0)
    demands = st.sampled_from([True, True, False] if negative else [True])
    effects = st.sampled_from([True, True, *([False] if deletes else []), *([None] if unknowns else [])])

    def literals(truths: st.SearchStrategy[Any], least: int, most: int) -> st.SearchStrategy[dict[str, Any]]:
        return st.dictionaries(names, truths, min_size=least, max_size=max(least, min(most, facts)))

    ways = st.tuples(literals(effects, 1, 3))
    if outcomes:
        ways = ways | ways | st.tuples(literals(effects, 1, 3), literals(effects, 1, 3))
    pre = literals(demands, 0, 2) | literals(demands, 1, 2)
    actions = st.tuples(pre, ways, costs, worths)
    wishes = st.tuples(literals(demands, 1, 3), worths)
    beginnings = st.sampled_from([True, *([None] if unknowns else [])])
    parts = st.tuples(
        literals(beginnings, 0, 2),
        st.lists(actions, max_size=operators),
        st.lists(wishes, min_size=1, max_size=goals),
        st.integers(0, goals) if nirvana else st.none(),
        literals(st.sampled_from([True, False, None]), 0, facts) if resolve else st.none(),
    )

    @st.composite
    def shown(draw: st.DrawFn) -> Problem:  # what `builds` makes is shown as the call of `_problem`
        return _problem(*draw(parts))

    return shown()


def _problem(
    state: dict[str, Truth],
    actions: list[tuple[dict[str, bool], tuple[dict[str, Truth], ...], float, float]],
    wishes: list[tuple[dict[str, bool], float]],
    nirvana: int | None,
    answers: dict[str, Truth] | None,
) -> Problem:
    """Name the parts by their places, so that one can be taken out without touching the others."""
    operators = [
        Operator(name, pre, effects, cost, value, outcome="" if len(ways) == 1 else f"{name.upper()}{number}")
        for name, (pre, ways, cost, value) in zip(_names(_OTHER_LETTERS, len(actions)), actions, strict=True)
        for number, effects in enumerate(ways, 1)
    ]
    goals = [PlanGoal(f"goal{number}", pre, value) for number, (pre, value) in enumerate(wishes, 1)]
    if nirvana is not None:
        goals.insert(nirvana, NIRVANA)
    return ShownProblem(state, operators, goals, None if answers is None else answers.get)


def _names(letters: str, count: int) -> list[str]:
    return list(letters[:count]) if count <= len(letters) else [f"{letters[0]}{number}" for number in range(count)]
