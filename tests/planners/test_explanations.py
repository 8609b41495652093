"""A plan says what each step needs and where that comes from; no plan says what is missing and who could help."""

from itertools import combinations

from hypothesis import given
from planning_strategies import MODEST, cases

from planboard.planners import NIRVANA, Domain, Goap, Hybrid, NoPlan, Operator, PlanGoal, Problem, Utility
from planboard.planners.why_not import unblocking

OPERATORS = [
    Operator("research", {"Topic": True, "ran research": False}, {"Findings": True, "ran research": True}, 0.2, 0.6),
    Operator("write", ["Topic", "Findings"], {"Report": True, "good": None, "Topic": False}, 0.3),
    Operator("publish", ["Report", "good"], ["Published"]),
    Operator("buy", ["Topic"], ["Findings"], 0.9),
    Operator("dance", (), ["Fun"]),
    Operator("ask around", ["Topic", "Friends"], ["Findings"], 0.1),
]
KINDS = {
    "Topic": "type",
    "Findings": "type",
    "Report": "type",
    "good": "condition",
    "ran research": "bookkeeping",
}
PUBLISHED = PlanGoal("published", ["Published"], 0.9)
PUBLISH = Goap().plan(Problem({"Topic": True}, Domain(OPERATORS, kinds=KINDS), [PUBLISHED]))

EXPLAINED = """\
Plan for 'published': research → write → publish (cost 0.5)
1. research (cost 0.2, value 0.6)
   inputs Topic (given)
   gives Findings
2. write (cost 0.3)
   inputs Findings (from research), Topic (given)
   gives Report
   undoes Topic
   leaves open good
3. publish (cost 0)
   inputs Report (from write)
   conditions good (assumed)
   gives Published
Goal 'published', worth 0.9: Published (from publish)
Net value 1; optimal: the cheapest set of actions, in an order that works
Assumed: good"""

NOT_CHOSEN = """
Not chosen:
   ask around: gives Findings too, but also needs Friends
   buy: gives Findings too, but costs 0.9, more than research
   dance: not needed"""


def test_a_plan_is_explained_step_by_step():
    """Case 027: inputs, outputs, conditions and who produced them; bookkeeping is left out."""
    assert PUBLISH.explain() == EXPLAINED


def test_what_was_not_chosen_is_mentioned_if_asked():
    """Case 027."""
    assert PUBLISH.explain(alternatives=True) == EXPLAINED + NOT_CHOSEN


def test_the_rest_of_a_plan_takes_what_is_done_as_given():
    rest = PUBLISH.rest(PUBLISH.predicted)

    assert "Findings (given)" in rest.explain()
    assert rest.explain().startswith("Plan for 'published': write → publish")


def test_a_plan_is_drawn_with_what_links_its_steps():
    drawn = PUBLISH.mermaid()

    assert drawn.startswith("flowchart LR\n")
    assert '-->|"Findings"|' in drawn
    assert '{{"good"}}' in drawn
    assert "-.->" in drawn
    assert "ran research" not in drawn


@MODEST
@given(case=cases(goals=2, valued=True))
def test_every_answer_can_be_explained_and_reads_the_same_twice(case):
    for planner in (Goap(), Hybrid()):
        one, other = (planner.plan(case.problem()) for _ in range(2))

        assert one.explain() == other.explain()
        assert str(one) in one.explain()
        assert isinstance(one, NoPlan) or one.mermaid().startswith("flowchart")


def no_plan(state, operators, goal):
    result = Goap().plan(Problem(state, operators, [goal]))
    assert isinstance(result, NoPlan)
    return result


def test_a_goal_that_nobody_produces_is_met_with_the_closest_names():
    """Case 022: the goal, the condition and the closest producing names."""
    text = no_plan(
        {}, [Operator("sign", (), ["approved"]), Operator("x", (), ["y"])], PlanGoal("done", ["aproved"])
    ).explain()

    assert "'done'" in text
    assert "'aproved'" in text
    assert "Closest: 'approved' (by sign)." in text


def test_what_producers_lack_is_followed_to_the_end():
    operators = [Operator("write", ["Findings"], ["Report"]), Operator("research", ["Topic"], ["Findings"])]

    text = no_plan({}, operators, PlanGoal("report", ["Report"])).explain(
        lambda fact: "nobody gave one" if fact == "Topic" else None
    )

    assert text == (
        "No plan for 'report': 'Report' cannot be reached. It would take 'Topic'.\n"
        "  'Report' is needed, but it is false. It could come from:\n"
        "    write: lacks 'Findings'\n"
        "  'Findings' is needed, but it is false. It could come from:\n"
        "    research: lacks 'Topic'\n"
        "  'Topic' is needed, but it is false: nobody gave one. Nothing brings it about. "
        "Known: 'Findings', 'Report'.\n"
        "The least that would do: 'Topic'."
    )


def test_the_least_that_would_do_is_the_least():
    operators = [
        Operator("long way", ["a", "b"], ["goal"]),
        Operator("short way", ["c"], ["goal"]),
    ]

    least = unblocking(no_plan({}, operators, PlanGoal("g", ["goal"])))

    assert least.facts == (("c", True),)
    assert least.smallest


def test_what_waits_for_itself_is_found_too():
    operators = [
        Operator("egg", ["hen"], ["egg"]),
        Operator("hen", ["egg"], ["hen"]),
        Operator("cook", ["egg"], ["meal"]),
    ]

    least = unblocking(no_plan({}, operators, PlanGoal("g", ["meal"])))

    assert least.facts in ((("egg", True),), (("hen", True),))


def test_a_small_answer_says_that_it_may_not_be_the_smallest():
    operators = [Operator("finish", [f"part{n}" for n in range(30)], ["goal"])]

    result = no_plan({}, operators, PlanGoal("g", ["goal"]))

    assert not unblocking(result).smallest
    assert len(unblocking(result).facts) == 30
    assert "though less might" in result.explain()


def reaches(case, granted):
    """Whether the goal can be reached if nothing is ever undone, the naive way."""
    held = {(name, truth) for name, truth in case.full_state.items() if truth is not None} | set(granted)
    while True:
        effects = [
            effect
            for operator in case.operators
            if set(operator.pre.items()) <= held
            for effect in operator.effects.items()
        ]
        opened = {(name, way) for name, truth in effects for way in ((True, False) if truth is None else (truth,))}
        if opened <= held:
            return set(case.goals[0].pre.items()) <= held
        held |= opened


@MODEST
@given(case=cases())
def test_the_least_lets_the_goal_be_reached_and_nothing_less_does(case):
    result = Goap().plan(case.problem())
    least = unblocking(result) if isinstance(result, NoPlan) else None

    if least is not None:
        given_by = {effect for operator in case.operators for effect in operator.effects.items()}
        given_by |= {(name, way) for name, truth in given_by if truth is None for way in (True, False)}
        leaves = {need for operator in case.operators for need in operator.pre.items()} | set(case.goals[0].pre.items())
        assert least.smallest
        assert reaches(case, least.facts)
        assert not any(
            reaches(case, fewer)
            for size in range(len(least.facts))
            for fewer in combinations(sorted(leaves - given_by), size)
        )


def test_nirvana_has_words_too():
    assert "no action can be run" in str(Hybrid().plan(Problem({}, [], [NIRVANA])))
    assert "never satisfied" in str(Goap().plan(Problem({}, [], [NIRVANA])))


def test_hybrid_says_what_no_single_action_brings_about():
    result = Hybrid().plan(Problem({}, OPERATORS, [PUBLISHED]))

    assert str(result) == "No plan for 'published': no action that can be run now brings about 'Published'."
    assert "publish: lacks 'Report' and 'good'" in result.explain()


def test_a_plan_for_nirvana_names_no_goal():
    problem = Problem({}, [Operator("look", (), ["seen"], cost=0.1, value=0.5)], [NIRVANA])

    plan = Utility().plan(problem)

    assert plan.explain().startswith("Best now: look (cost 0.1)")
    assert "irvana" not in plan.explain() + plan.mermaid()
