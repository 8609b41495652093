"""The cheapest set of operators without deletes: exactly the one that brute force finds, and honest if interrupted."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tasks_strategies import STATES, sufficient_sets, tasks, weight_in

from planboard.planners.domain import bits_of
from planboard.planners.search.cheapest_set import CheapestSet, Node
from planboard.planners.search.engine import Allowance, Limit
from planboard.planners.search.relaxation import mask_of_operators
from planboard.planners.search.relaxed import forced
from planboard.planners.search.task import Task

MANY = settings(max_examples=80, deadline=None, derandomize=True)
FEW = settings(max_examples=25, deadline=None, derandomize=True)


class Whole(CheapestSet):
    """The same, without deciding independent parts apart."""

    splits = False


def searched(task, *, nodes=100_000, kind=CheapestSet, root=None):
    search = kind(task, task.start, root or Node(0, 0), Allowance(Limit(nodes)))
    search.run()
    return search


def optima(task):
    """All cheapest sets."""
    sets = sufficient_sets(task, task.start)
    least = min((weight_in(task.set_weights, chosen) for chosen in sets), default=None)
    return [chosen for chosen in sets if weight_in(task.set_weights, chosen) == least]


@MANY
@given(task=tasks(), start=STATES)
def test_the_cheapest_set_is_found(task, start):
    task = task.starting_at(start)

    search, best = searched(task), optima(task)

    assert search.proven
    if not best:
        assert search.best is None
    else:
        assert [bits_of(search.best)] == best, "the one cheapest set: there are no ties"
        assert search.bound == search.best_weight == weight_in(task.set_weights, best[0])


@FEW
@given(task=tasks(most=10))
def test_it_is_found_among_more_operators(task):
    search, best = searched(task), optima(task)

    assert search.proven
    assert (search.best is None) is (not best)
    assert search.best is None or [bits_of(search.best)] == best


@MANY
@given(task=tasks())
def test_what_is_forced_may_be_given_from_the_beginning(task):
    plain, given_some = searched(task), searched(task, root=Node(mask_of_operators(forced(task)), 0))

    assert given_some.best == plain.best
    assert given_some.bound == plain.bound


@st.composite
def side_by_side(draw):
    """Two or three tasks in one that share no literal."""
    parts = [draw(tasks(most=3)) for _ in range(draw(st.integers(2, 3)))]
    rows, costs, goal, start = [], [], 0, 0
    for position, part in enumerate(parts):
        shift = 7 * position
        rows += [(pre << shift, add << shift, 0) for pre, add in zip(part.pre, part.add, strict=True)]
        costs += part.costs
        goal |= part.goal << shift
        start |= part.start << shift
    zeros = [0] * len(rows)
    return Task(rows, goal=goal, costs=costs, risks=zeros, demands=zeros, start=start)


@FEW
@given(task=side_by_side())
def test_parts_decided_apart_make_up_the_whole(task):
    apart, whole, best = searched(task), searched(task, kind=Whole), optima(task)

    assert apart.proven
    assert whole.proven
    assert apart.best == whole.best == (mask_of_operators(best[0]) if best else None)
    assert apart.bound == whole.bound


@st.composite
def covers(draw):
    """Weighted set cover, for which the first bound is seldom the answer."""
    pairs = draw(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 8)), min_size=12, max_size=16))
    rows = [(0, 1 << one | 1 << two | 1 << three, 0) for one, two, three in pairs]
    costs = draw(st.lists(st.integers(2, 4), min_size=len(rows), max_size=len(rows)))
    zeros = [0] * len(rows)
    return Task(rows, goal=mask_of_literals(rows), costs=costs, risks=zeros, demands=zeros)


def mask_of_literals(rows):
    mask = 0
    for _, add, _ in rows:
        mask |= add
    return mask


def cheapest_cover(task):
    """The least weight, operator by operator, for every set of literals that some operators give."""
    least = {0: 0}
    for add, weight in zip(task.add, task.set_weights, strict=True):
        for covered, paid in list(least.items()):
            least[covered | add] = min(paid + weight, least.get(covered | add, task.infinity))
    return least[task.goal]


@MANY
@given(task=covers())
def test_the_cheapest_cover_is_found(task):
    search = searched(task)

    assert search.proven
    assert search.best_weight == cheapest_cover(task)


@MANY
@given(task=covers())
def test_an_allowance_that_runs_out_leaves_bounds_on_both_sides(task):
    optimum = cheapest_cover(task)
    for nodes in range(6):
        search = searched(task, nodes=nodes)

        assert search.bound <= optimum <= search.best_weight
        assert search.proven is (search.bound == optimum == search.best_weight)
        if search.best is not None:
            assert weight_in(task.set_weights, bits_of(search.best)) == search.best_weight


@MANY
@given(task=tasks(), data=st.data())
def test_what_is_out_from_the_beginning_stays_out(task, data):
    excluded = data.draw(st.integers(0, 2 ** len(task) - 1))

    search = searched(task, root=Node(0, excluded))

    allowed = [chosen for chosen in sufficient_sets(task, task.start) if not mask_of_operators(chosen) & excluded]
    least = min((weight_in(task.set_weights, chosen) for chosen in allowed), default=None)
    assert (search.best is None) is (least is None)
    assert search.best is None or search.best_weight == least
