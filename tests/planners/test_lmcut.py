"""LM-cut: a sum over landmarks that every plan hits, which never exceeds what remains, cut anew or inherited."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tasks_strategies import STATES, relaxed_weight, sufficient_sets, tasks

from planboard.planners.search.cuts import cuts
from planboard.planners.search.heuristics import HMax
from planboard.planners.search.lmcut import LMCut
from planboard.planners.search.relaxation import relaxation_of

MANY = settings(max_examples=50, deadline=None, derandomize=True)


@MANY
@given(task=tasks(), state=STATES)
def test_the_estimate_never_exceeds_the_cheapest_set(task, state):
    assert LMCut().bind(task)(state) <= relaxed_weight(task, state, task.weights)


@MANY
@given(task=tasks(), state=STATES)
def test_the_estimate_is_at_least_hmax(task, state):
    """Cutting goes on until nothing of hmax is left, so it can only be closer."""
    assert LMCut().bind(task)(state) >= HMax().bind(task)(state)


@MANY
@given(task=tasks(), state=STATES)
def test_nothing_is_estimated_at_the_goal_and_infinity_at_a_dead_end(task, state):
    estimate = LMCut().bind(task)(state)

    assert (estimate == 0) is not bool(task.goal & ~state)
    assert (estimate == task.infinity) is (not sufficient_sets(task, state))


@MANY
@given(task=tasks(), state=STATES)
def test_every_plan_has_an_operator_of_each_landmark(task, state):
    weights = [*task.weights, 0]

    landmarks = [landmark for landmark in cuts(relaxation_of(task), state, weights) if landmark is not None]

    for _, operators in landmarks:
        assert all(set(operators) & set(chosen) for chosen in sufficient_sets(task, state))


@MANY
@given(task=tasks(), state=STATES)
def test_landmarks_share_out_the_weights_and_no_more(task, state):
    left = [*task.weights, 0]

    found = list(cuts(relaxation_of(task), state, left))

    landmarks = [landmark for landmark in found if landmark is not None]
    for operator, weight in enumerate(task.weights):
        taken = sum(share for share, operators in landmarks if operator in operators)
        assert left[operator] == weight - taken >= 0
    assert all(share > 0 for share, _ in landmarks)
    assert (None in found) is (not sufficient_sets(task, state))


@MANY
@given(task=tasks(), state=STATES, data=st.data())
def test_landmarks_without_some_operators_hold_for_plans_without_them(task, state, data):
    excluded = set(data.draw(st.lists(st.sampled_from(range(len(task))), max_size=3)))

    found = list(cuts(relaxation_of(task), state, [*task.weights, 0], excluded))

    without = [chosen for chosen in sufficient_sets(task, state) if not excluded & set(chosen)]
    assert (None in found) is (not without)
    for landmark in found:
        assert landmark is None or all(set(landmark[1]) & set(chosen) for chosen in without)


@MANY
@given(task=tasks(deletes=True), data=st.data())
def test_what_a_state_inherits_never_exceeds_what_remains(task, data):
    """Along random walks, so that landmarks are handed down several times."""
    estimate = LMCut().bind(task)
    state = task.start
    estimate(state)
    for _ in range(5):
        steps = [n for n in range(len(task)) if not task.pre[n] & ~state]
        if not steps or estimate(state) >= task.infinity:
            return
        step = data.draw(st.sampled_from(steps))
        following = task.after(state, [step])
        whole, lowered = estimate.inherited(state)
        remains = relaxed_weight(task, following, task.weights)

        assert whole - lowered.get(step, 0) <= remains
        assert estimate.after(following, state, (step,)) <= remains
        state = following


@MANY
@given(task=tasks(deletes=True), data=st.data())
def test_several_steps_at_once_inherit_as_soundly(task, data):
    """A move is an action after the assumptions it relies on."""
    estimate = LMCut().bind(task)
    if estimate(task.start) >= task.infinity:
        return
    first = data.draw(st.sampled_from(range(len(task))))
    second = data.draw(st.sampled_from(range(len(task))))
    middle = task.after(task.start, [first])
    following = task.after(middle, [second])
    if task.pre[first] & ~task.start or task.pre[second] & ~middle:
        return

    whole, lowered = estimate.inherited(task.start)
    remains = relaxed_weight(task, following, task.weights)

    assert whole - lowered.get(first, 0) - lowered.get(second, 0) <= remains
    assert estimate.after(following, task.start, (first, second)) <= remains


@MANY
@given(task=tasks(deletes=True), data=st.data())
def test_a_step_lowers_what_is_inherited_by_no_more_than_its_weight(task, data):
    estimate = LMCut().bind(task)
    if estimate(task.start) >= task.infinity:
        return

    _, lowered = estimate.inherited(task.start)

    assert all(0 < amount <= task.weights[operator] for operator, amount in lowered.items())


@MANY
@given(task=tasks(), other=STATES)
def test_what_was_cut_serves_a_task_from_another_start(task, other):
    first = LMCut().bind(task)
    first(task.start)

    again = LMCut().bind(task.starting_at(other))

    assert again is first
    assert set(again.found) == {task.start}
    assert again(other) <= relaxed_weight(task, other, task.weights)
