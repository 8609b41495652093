"""Random planning problems, small enough for the slow planner."""

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st

from planboard.planners import NIRVANA, Operator, PlanGoal, Problem

FACTS = ("a", "b", "c", "d", "e")
MODEST = settings(max_examples=60, deadline=None, derandomize=True)
"""The same examples on every run, few enough for every commit."""

TRUTHS = st.sampled_from([True, False, None])
COSTS = st.sampled_from([0, 0, 0.1, 0.1, 0.2, 0.3])
VALUES = st.sampled_from([0, 0, 0, 0.1, 0.5, -0.2])


def literals(values, least=0, most=3):
    return st.dictionaries(st.sampled_from(FACTS), values, min_size=least, max_size=most)


@dataclass(frozen=True)
class Case:
    """A random problem, in parts."""

    state: dict
    operators: tuple
    goals: tuple
    truth: dict
    """What an unknown fact turns out to be."""

    @property
    def full_state(self):
        """Every fact, false where the state does not say."""
        return {name: self.state.get(name, False) for name in FACTS}

    @property
    def resolved_state(self):
        """Every fact, with every unknown one evaluated."""
        return {name: self.truth[name] if truth is None else truth for name, truth in self.full_state.items()}

    def problem(self, resolve=None, *, resolved=False):
        return Problem(self.resolved_state if resolved else self.state, self.operators, self.goals, resolve)


@st.composite
def operators(draw, *, valued=False):
    chosen = {}
    for _ in range(draw(st.integers(1, 6))):
        name, pre = draw(st.sampled_from("pqrstuvw")), draw(literals(st.booleans(), most=2))
        cost, value = draw(COSTS), draw(VALUES) if valued else 0
        for outcome in draw(st.sampled_from([("",), ("",), ("",), ("X", "Y")])):
            effects = draw(literals(TRUTHS, least=1))
            chosen[name, outcome] = Operator(name, pre, effects, cost, value, outcome=outcome)
    return tuple(chosen.values())


@st.composite
def cases(draw, *, goals=1, valued=False, nirvana=False):
    wanted = [
        PlanGoal(f"goal{n}", draw(literals(st.booleans(), least=1)), draw(st.sampled_from([0, 0.1, 1])))
        for n in range(draw(st.integers(1, goals)))
    ]
    if nirvana:
        wanted.insert(draw(st.integers(0, len(wanted))), NIRVANA)
    return Case(
        state=draw(literals(TRUTHS, most=4)),
        operators=draw(operators(valued=valued)),
        goals=tuple(wanted),
        truth=draw(st.fixed_dictionaries(dict.fromkeys(FACTS, TRUTHS))),
    )
