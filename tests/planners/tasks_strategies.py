"""Random tasks of integers, and what is true of their delete relaxation by trying every set of operators."""

from hypothesis import strategies as st

from planboard.planners.search.task import Task

LITERALS = 6
NEEDED = st.sampled_from([0, *(1 << n for n in range(LITERALS)), 3, 5, 10, 20, 33, 48])
GIVEN = st.sampled_from([*(1 << n for n in range(LITERALS)), 3, 6, 12, 24, 34, 40, 7])
STATES = st.sampled_from([0, 0, 1, 2, 9, 32])


@st.composite
def tasks(draw, *, most=6, deletes=False):
    """Zero costs and ties are frequent. The last operator never runs; with it every literal is one of the task's."""
    rows = [
        (draw(NEEDED), add := draw(GIVEN), draw(NEEDED) & ~add if deletes else 0)
        for _ in range(draw(st.integers(1, most)))
    ]
    rows.append((1 << LITERALS, 2**LITERALS - 1, 0))
    count = len(rows)
    costs = draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 5]), min_size=count, max_size=count))
    demands = [row[0].bit_count() for row in rows]
    return Task(rows, goal=draw(GIVEN), costs=costs, risks=[0] * count, demands=demands, start=draw(STATES))


def closure(task, state, operators):
    """What the operators reach from a state if nothing is deleted."""
    while True:
        before = state
        for operator in operators:
            if not task.pre[operator] & ~state:
                state |= task.add[operator]
        if state == before:
            return state


def sufficient_sets(task, state):
    """Every set of operators that reaches the goal from a state if nothing is deleted."""
    subsets = ([n for n in range(len(task)) if mask >> n & 1] for mask in range(1 << len(task)))
    return [chosen for chosen in subsets if not task.goal & ~closure(task, state, chosen)]


def weight_in(weights, operators):
    return sum(weights[operator] for operator in operators)


def relaxed_weight(task, state, weights):
    """The true weight of the cheapest set; infinity where there is none."""
    return min((weight_in(weights, chosen) for chosen in sufficient_sets(task, state)), default=task.infinity)
