"""Orders of operators: found where there is one, denied only where there is none, the smallest by name where asked."""

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from planboard.planners.search.order import canonical, is_executable
from planboard.planners.search.sequencing import Sequencing, orderable
from planboard.planners.search.task import Task

LITERALS = 5
MASKS = st.integers(0, 2**LITERALS - 1)
SPARSE = st.sampled_from([0, *(1 << n for n in range(LITERALS)), 3, 5, 9, 12, 18])


@st.composite
def tasks(draw):
    operators = draw(st.lists(st.tuples(SPARSE, SPARSE, SPARSE), min_size=1, max_size=6))
    rows = [(pre, add, dele & ~add) for pre, add, dele in operators]
    zeros = [0] * len(rows)
    return Task(rows, goal=draw(SPARSE), costs=zeros, risks=zeros, demands=zeros, start=draw(MASKS))


def some_order(task, operators):
    return next((order for order in permutations(operators) if is_executable(task, order)), None)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(task=tasks(), data=st.data())
def test_there_is_an_order_exactly_if_some_permutation_works(task, data):
    operators = data.draw(st.lists(st.sampled_from(range(len(task))), max_size=6))

    assert orderable(task, operators) is (some_order(task, operators) is not None)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(task=tasks(), data=st.data())
def test_an_order_that_is_found_works(task, data):
    operators = tuple(sorted(data.draw(st.lists(st.sampled_from(range(len(task))), max_size=6))))

    found = Sequencing(task, operators).order(task.start, operators)

    if found is not False:
        assert sorted(found) == list(operators)
        assert is_executable(task, found)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(task=tasks(), data=st.data())
def test_the_canonical_order_is_the_smallest_that_works(task, data):
    operators = data.draw(st.lists(st.sampled_from(range(len(task))), max_size=6))

    smallest = min((order for order in permutations(operators) if is_executable(task, order)), default=None)

    assert canonical(task, operators) == smallest


@settings(max_examples=80, deadline=None, derandomize=True)
@given(task=tasks(), granted=MASKS, data=st.data())
def test_granting_literals_never_loses_an_order(task, granted, data):
    operators = data.draw(st.lists(st.sampled_from(range(len(task))), max_size=6))

    if orderable(task, operators):
        assert orderable(task, operators, granted)
