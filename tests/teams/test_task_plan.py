"""A plan is sound or is not made, and editing one returns another that is checked as well."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from planboard import TaskPlan, TaskStep, UnknownNameError
from planboard.teams.plans.task_plan import MAX_DEPTH, MAX_STEPS


def step(id: str, *needs: str, steps: tuple[TaskStep, ...] = (), tags: tuple[str, ...] = ()) -> TaskStep:
    return TaskStep(id=id, task=f"do {id}", needs=needs, steps=steps, tags=tags)


def plan(*steps: TaskStep) -> TaskPlan:
    return TaskPlan(goal="it is done", steps=steps)


def nested(depth: int) -> TaskStep:
    made = step(f"s{depth}")
    for level in reversed(range(depth)):
        made = step(f"s{level}", steps=(made,))
    return made


# What is refused


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ((), "at least 1 item"),
        ((step("a"), step("a")), "two steps have the id 'a': 'do a' and 'do a'"),
        ((step("a", steps=(step("b"),)), step("b")), "two steps have the id 'b'"),
        ((step("tides"), step("chart", "tide")), "step 'chart' needs 'tide', which is no step of the plan. Did you mean 'tides'?"),
        ((step("a", "a"),), "the steps wait for each other: 'a' needs 'a'"),
        ((step("a", "b"), step("b", "c"), step("c", "a")), "'a' needs 'b', 'b' needs 'c', 'c' needs 'a'"),
        ((step("d", "b"), step("b", "c"), step("c", "b")), "wait for each other: 'b' needs 'c', 'c' needs 'b'"),
        ((step("p", steps=(step("c", "p"),)),), "'c' needs 'p', 'p' comes after its sub-step 'c'"),
        (
            (step("p", "x", steps=(step("c"),)), step("x", "c")),
            "'c' is part of 'p', which needs 'x', 'x' needs 'c'",
        ),
        ((nested(MAX_DEPTH),), f"nested too deep; {MAX_DEPTH} levels are the limit"),
        (tuple(step(f"s{number}") for number in range(MAX_STEPS + 1)), f"has {MAX_STEPS + 1} steps; {MAX_STEPS} are"),
    ],
    ids=[
        "empty", "twice", "twice in the tree", "unknown", "itself", "cycle", "cycle ahead", "parent", "inherited",
        "deep", "large",
    ],
)  # fmt: skip
def test_a_plan_that_is_not_sound_is_refused(steps, message):
    with pytest.raises(ValidationError, match=r"(?s).*") as error:
        TaskPlan(goal="it is done", steps=steps)

    assert message in str(error.value)


@pytest.mark.parametrize(
    ("id", "message"),
    [
        ("tide tables", "as in 'tide_tables'"),
        ("1", "as in 'step_1'"),
        ("", "as in 'first_step'"),
        ("class", "as in 'step_class'"),
        ("a" * 65, "at most 64"),
        ("reset_password", "a secret and is not kept"),
    ],
)
def test_the_id_of_a_step_can_be_bound_to_its_result(id, message):
    with pytest.raises(ValidationError) as error:
        TaskStep(id=id, task="x")

    assert message in str(error.value)


@pytest.mark.parametrize("text", ["", "  "])
def test_a_task_says_something(text):
    with pytest.raises(ValidationError, match="must not be empty"):
        TaskStep(id="a", task=text)


def test_all_that_is_wrong_is_said_at_once():
    with pytest.raises(ValidationError) as error:
        plan(step("a", "x"), step("b", "y"), step("b"))

    assert all(text in str(error.value) for text in ("needs 'x'", "needs 'y'", "two steps have the id 'b'"))


def test_unknown_fields_are_refused():
    with pytest.raises(ValidationError, match="worker"):
        TaskStep(id="a", task="x", worker="w")


def test_a_plan_cannot_be_changed_in_place():
    with pytest.raises(ValidationError, match="frozen"):
        plan(step("a")).goal = "another"


# What depends on what


def test_a_step_comes_after_what_it_needs_and_after_its_sub_steps():
    made = plan(step("sum", "b"), step("a", steps=(step("a1"), step("a2"))), step("b", "a"))

    assert made.order == ("a1", "a2", "a", "b", "sum")


def test_steps_that_do_not_need_each_other_stay_as_written():
    assert plan(step("z"), step("a"), step("m")).order == ("z", "a", "m")


def test_sub_steps_need_what_the_step_needs_that_they_are_part_of():
    made = plan(step("report", "data", steps=(step("draft"),)), step("data"))

    assert made.order == ("data", "draft", "report")
    assert made.dependencies().before["draft"] == ("data",)


def test_to_need_ones_own_sub_step_says_nothing_new():
    made = plan(step("a", "b", steps=(step("b"), step("c"))))

    assert made.dependencies().before == {"b": (), "c": (), "a": ("b", "c")}


def test_upstream_is_all_that_a_step_depends_on_in_order():
    made = plan(step("c", "b"), step("b", "a"), step("a"), step("d"))

    assert made.dependencies().upstream("c") == ("a", "b")


# Editing


def test_a_step_is_added_last_before_another_or_within_another():
    made = (
        plan(step("a"), step("b")).with_step(step("c")).with_step(step("d"), before="b").with_step(step("e"), under="d")
    )

    assert made.ids == ("a", "d", "e", "b", "c")


def test_a_step_is_taken_away_with_its_sub_steps():
    assert plan(step("a"), step("b", steps=(step("c"),))).without("b").ids == ("a",)


def test_a_step_that_another_needs_is_not_taken_away():
    with pytest.raises(ValidationError, match="step 'b' needs 'a'"):
        plan(step("a"), step("b", "a")).without("a")


def test_steps_that_need_each_other_are_taken_away_together():
    assert plan(step("a"), step("b", "a"), step("c")).without("a", "b").ids == ("c",)


def test_the_last_step_is_not_taken_away():
    with pytest.raises(ValidationError, match="at least 1 item"):
        plan(step("a")).without("a")


def test_fields_of_a_step_are_changed_at_any_depth():
    made = plan(step("a", steps=(step("b"),))).replace("b", task="other", tags=["code"])

    assert made.step("b") == TaskStep(id="b", task="other", tags=("code",))


def test_what_needs_a_step_follows_its_new_id():
    made = plan(step("a"), step("b", "a", steps=(step("c"),))).replace("a", id="z")

    assert made.step("b").needs == ("z",)


def test_a_step_is_put_in_the_place_of_another():
    made = plan(step("a"), step("b", "a")).replace("a", step("x", steps=(step("y"),)))

    assert made.order == ("y", "x", "b")


def test_a_change_is_checked_like_a_new_plan():
    with pytest.raises(ValidationError, match="'a' needs 'b', 'b' needs 'a'"):
        plan(step("a"), step("b", "a")).replace("a", needs=["b"])


@pytest.mark.parametrize(
    "edit",
    [
        lambda made: made.step("tide"),
        lambda made: made.without("tide"),
        lambda made: made.replace("tide", task="x"),
        lambda made: made.replace("tides", tasc="x"),
        lambda made: made.with_step(step("x"), under="tide"),
        lambda made: made.with_step(step("x"), before="tide"),
    ],
    ids=["step", "without", "replace", "field", "under", "before"],
)
def test_a_name_that_is_not_there_is_told_with_the_nearest_one(edit):
    with pytest.raises(UnknownNameError, match="Did you mean 'ta?ides|Did you mean 'tas?k'|Did you mean 'tides'"):
        edit(plan(step("tides")))


def test_editing_leaves_the_plan_as_it_was():
    made = plan(step("a"))

    made.with_step(step("b"))

    assert made == plan(step("a"))


# Showing


def test_the_outline_has_a_line_for_each_step():
    made = plan(step("a", steps=(step("b", tags=("code", "fast")),)), step("c", "a", "b"))

    assert made.outline() == "it is done\n- a: do a\n  - b: do b [code, fast]\n- c: do c, after a and b"


def test_a_text_of_several_lines_is_one_line_of_the_outline():
    made = TaskPlan(goal="one\ntwo", steps=[TaskStep(id="a", task="three\n- four")])

    assert made.outline() == "one two\n- a: three - four"


def test_the_diagram_has_needs_and_sub_steps():
    text = plan(step("a", steps=(step("b"),)), step("c", "a")).mermaid()

    assert text.splitlines()[-2:] == ["    n0 --> n2", "    n1 -.-> n0"]


# For any plan


@st.composite
def plans(draw: st.DrawFn) -> TaskPlan:
    count = draw(st.integers(1, 9))
    ids = [f"s{number}" for number in range(count)]
    made: list[TaskStep] = []
    for number, id in enumerate(ids):
        inner = [draw(st.sampled_from(made))] if made and draw(st.integers(0, 3)) == 0 else []
        for taken in inner:
            made.remove(taken)
        needs = draw(st.lists(st.sampled_from(ids[:number]), max_size=3)) if number else []
        made.append(TaskStep(id=id, task=f"do {id}", needs=tuple(needs), steps=tuple(inner)))
    try:
        return plan(*draw(st.permutations(made)))
    except ValidationError:  # nested too deep, or a sub-step is needed before what it is of
        return plan(step("s0"))


@settings(deadline=None)
@given(plans())
def test_the_order_has_each_step_once_after_all_that_it_depends_on(made):
    place = {id: number for number, id in enumerate(made.order)}

    assert sorted(place) == sorted(made.ids)
    assert all(place[need] < place[one] for one, needs in made.dependencies().before.items() for need in needs)


@settings(deadline=None)
@given(plans())
def test_a_plan_is_the_same_after_json(made):
    assert TaskPlan.model_validate_json(made.model_dump_json()) == made
