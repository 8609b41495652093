"""Exporting our problems: the text means the same, whatever the names are, and what PDDL cannot say is refused."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planboard import NIRVANA, Goap, NoPlan, Operator, PlanGoal, Problem, TranslationError
from planboard.interop.pddl import from_pddl, from_unified_planning, to_pddl, to_unified_planning

FACTS = ["ready", "Ready", "über", "准备", "and", "a b", "a-b", "9 lives", "x\n(", ";"]
COSTS = st.sampled_from([0, 1, 2, 0.1, 0.25, 1.5])
LITERALS = st.dictionaries(st.sampled_from(FACTS), st.booleans(), max_size=3)


@st.composite
def problems(draw, unknown=(False, True)):
    names = draw(st.lists(st.sampled_from([*FACTS, "go", "GO", "when"]), max_size=6, unique=True))
    operators = [Operator(name, draw(LITERALS), draw(LITERALS), draw(COSTS)) for name in names]
    truths = st.sampled_from([*unknown, None])
    state = draw(st.dictionaries(st.sampled_from(FACTS), truths))
    return Problem(state, operators, [PlanGoal("goal", draw(LITERALS))])


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(problem=problems())
def test_read_back_it_has_the_same_optimum(problem):
    ours = Goap().plan(problem)
    exported = to_pddl(problem)
    grounding = from_pddl(*exported)
    theirs = Goap().plan(grounding.problem)

    if isinstance(ours, NoPlan):
        assert isinstance(theirs, NoPlan)
    else:
        assert grounding.cost_of(theirs) * exported.unit == ours.exact_cost
        assert sorted(exported.actions[name] for name in theirs.steps) == sorted(ours.steps)


TEA = Problem(
    {"kettle": True},
    [
        Operator("boil water", ["kettle"], ["hot water"], 0.5),
        Operator("brew", ["hot water"], {"Tea": True, "hot water": False}, 0.25),
    ],
    [PlanGoal("tea", ["Tea"])],
)


def test_the_text_can_be_read_by_a_person():
    domain, problem = to_pddl(TEA, name="tea time")

    assert (
        domain
        == """\
; A total cost of 1 stands for a cost of 1/4.
(define (domain tea-time)
  (:requirements :strips :negative-preconditions :action-costs)
  (:predicates
    (tea) ; Tea
    (hot-water) ; hot water
    (kettle)
  )
  (:functions (total-cost) - number)
  (:action boil-water ; boil water
    :parameters ()
    :precondition (and (kettle))
    :effect (and (hot-water) (increase (total-cost) 2)))
  (:action brew
    :parameters ()
    :precondition (and (hot-water))
    :effect (and (tea) (not (hot-water)) (increase (total-cost) 1)))
)
"""
    )
    assert (
        problem
        == """\
(define (problem tea-time-problem)
  (:domain tea-time)
  (:init
    (= (total-cost) 0)
    (kettle)
  )
  (:goal (and (tea))) ; tea
  (:metric minimize (total-cost))
)
"""
    )


def test_names_are_never_confused():
    exported = to_pddl(Problem(dict.fromkeys(FACTS, True), [], [PlanGoal("goal", FACTS)]))

    assert len(set(exported.facts.values())) == len(FACTS)
    assert exported.facts["and"] == "and-2"


def test_the_names_lead_back():
    exported = to_pddl(TEA)

    assert exported.actions == {"boil-water": "boil water", "brew": "brew"}
    assert exported.unit == Fraction(1, 4)


def test_a_fact_that_is_unknown_is_neither_true_nor_false():
    """It takes an action to know."""
    look = Operator("look", {}, {"open": False}, 1)
    guess = Operator("guess", {"open": False}, ["in"], 0)
    problem = Problem({"open": None}, [look, guess], [PlanGoal("in", ["in"])])

    plan = Goap().plan(from_pddl(*to_pddl(problem)).problem)

    assert plan.steps == ("look", "guess")


def test_costs_that_are_functions_are_asked_about_the_start():
    dear = Operator("pay", {}, ["paid"], lambda state: 3 if state["rich"] else 1)
    exported = to_pddl(Problem({"rich": True}, [dear], [PlanGoal("paid", ["paid"])]))

    assert "(increase (total-cost) 3)" in exported.domain


def test_it_is_a_unified_planning_problem_too():
    problem = to_unified_planning(TEA)

    assert sorted(action.name for action in problem.actions) == ["boil-water", "brew"]
    assert Goap().plan(from_unified_planning(problem).problem).cost == 3


def test_one_of_several_goals_is_chosen():
    here, there = PlanGoal("here", ["a"]), PlanGoal("there", ["b"])
    problem = Problem({}, [Operator("go", {}, ["b"])], [here, there])

    with pytest.raises(TranslationError, match="choose one with `goal=`: 'here', 'there'"):
        to_pddl(problem)
    assert "(:goal (and (b)))" in to_pddl(problem, there).problem


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (Operator("draft", {}, {"good": None}), "Operator 'draft' leaves 'good' unknown"),
        (Operator("sort", {}, ["bug"], outcome="Bug"), "Operator 'sort → Bug' is one outcome"),
    ],
)
def test_an_assumption_cannot_be_exported(operator, message):
    with pytest.raises(TranslationError, match=message):
        to_pddl(Problem({}, [operator], [PlanGoal("goal", ["bug"])]))


def test_nobody_can_be_asked():
    problem = Problem({"open": None}, [], [PlanGoal("in", ["open"])], resolve=lambda _: True)

    with pytest.raises(TranslationError, match="PDDL cannot ask"):
        to_pddl(problem)


def test_nirvana_is_no_goal():
    with pytest.raises(TranslationError, match="never reached"):
        to_pddl(Problem({}, [], [NIRVANA]))
