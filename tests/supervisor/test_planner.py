"""The Supervisor as a planner: pure, deterministic, forced where there is one way, and replayed from its events."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from supervised_agents import INPUT, KITCHEN, NEWSROOM, Cook, Meal, Order, kinds, supervised

from planboard import Goap, Operator, Plan, PlanGoal, Problem, ProcessStatus, ScriptedModel, Supervisor, call
from planboard.errors import PlanningError
from planboard.planners import Ask, NoPlan, planner_named
from planboard.planners.ask import settled
from planboard.planners.compile import Compilation
from planboard.planners.world import Bits
from planboard.runtime.state import fold

HOUSE = [
    Operator("dig", effects=["hole"]),
    Operator("pour", pre=["hole"], effects=["base"]),
    Operator("order_wood", effects=["wood"]),
    Operator("build", pre=["base", "wood"], effects=["house"]),
    Operator("dance", effects=["joy"]),
]
GOAL = PlanGoal("house", pre=["house"])


def plan(state, operators=HOUSE, **settings):
    return Supervisor(llm=ScriptedModel(), **settings).plan(Problem(state, operators, [GOAL]))


def test_the_name_stands_for_the_planner():
    assert planner_named("supervisor") == Supervisor()


def test_a_goal_that_holds_needs_nothing():
    assert plan({"house": True}).complete


def test_one_way_is_a_plan_and_no_question():
    found = plan({"hole": True, "wood": True})

    assert isinstance(found, Plan)
    assert found.steps == ("pour",)
    assert found.proof.engine == "forced"


def test_several_ways_are_a_question():
    found = plan({})

    assert isinstance(found, Ask)
    assert [offer.action for offer in found.offers.values()] == ["dig", "order_wood"]


def test_a_plain_problem_tells_the_facts_that_hold():
    assert "hole" in plan({"hole": True}).request.messages[1].content


def test_no_way_is_no_plan_that_says_what_is_missing():
    found = plan({}, operators=[Operator("dance", effects=["joy"])])

    assert isinstance(found, NoPlan)
    assert found.missing == ("house",)


def test_a_goal_that_is_out_of_reach_asks_nobody():
    operators = [Operator("dig", effects=["hole"]), Operator("build", pre=["hole", "permit"], effects=["house"])]

    assert isinstance(plan({}, operators=operators), NoPlan)


SITE = [
    Operator("burn", pre=["wood"], effects={"wood": False, "mortar": True}),
    Operator("build", pre=["wood"], effects=["house"]),
    Operator("build_well", pre=["wood", "mortar"], effects=["house"]),
]


def test_what_would_put_the_goal_out_of_reach_is_hidden():
    assert plan({"wood": True}, operators=SITE).steps == ("build",)


def test_what_would_put_the_goal_out_of_reach_is_shown_on_demand():
    found = plan({"wood": True}, operators=SITE, show_irrelevant=True)

    assert {offer.action for offer in found.offers.values()} == {"burn", "build"}


def test_a_question_explains_itself():
    assert "- dig: ready" in plan({}).explain()


def test_what_a_model_will_say_cannot_be_foreseen():
    with pytest.raises(PlanningError, match="ask a model to choose from dig, order_wood"):
        settled(plan({}))


def test_each_goal_has_an_answer_of_its_own():
    other = PlanGoal("joy", pre=["joy"])
    answers = Supervisor(llm=ScriptedModel()).plans(Problem({}, HOUSE, [GOAL, other]))

    assert isinstance(answers[0], Ask)
    assert answers[1].steps == ("dance",)


def test_something_that_is_taken_away_and_needed_again_can_be_made_again():
    """A fact that holds now needs its producer if something on the way takes it away."""
    operators = [
        Operator("lend_tool", pre=["tool"], effects={"tool": False, "help": True}),
        Operator("make_tool", effects=["tool"]),
        Operator("build", pre=["tool", "help"], effects=["house"]),
    ]
    found = plan({"tool": True, "help": False}, operators=operators)

    assert {offer.action for offer in found.offers.values()} == {"lend_tool", "make_tool"}


@given(order=st.permutations(range(len(HOUSE))), facts=st.sets(st.sampled_from(["hole", "base", "wood", "joy"])))
def test_the_answer_depends_on_no_order(order, facts):
    state = dict.fromkeys(sorted(facts), True)

    there, back = plan(state), plan(dict(reversed(state.items())), operators=[HOUSE[index] for index in order])

    assert str(there) == str(back)
    if isinstance(there, Ask):
        assert there.request == back.request


@given(facts=st.sets(st.sampled_from(["hole", "base", "wood", "joy"])))
def test_everything_that_the_cheapest_plan_needs_is_offered(facts):
    """Relevance never hides what is needed: the first step of an optimal plan is among the offers, or forced."""
    problem = Problem(dict.fromkeys(facts, True), HOUSE, [GOAL])
    first = Goap().plan(problem).steps[0]
    found = Supervisor(llm=ScriptedModel()).plan(problem)

    offered = found.steps if isinstance(found, Plan) else [offer.action for offer in found.offers.values()]
    assert first in offered


@given(data=st.data())
def test_some_sequence_of_offers_reaches_every_goal_that_can_be_reached(data):
    """Whatever is chosen among the offers, there are offers until the goal is there (nothing is taken away here)."""
    facts = ["a", "b", "c", "d", "e", "goal"]
    operators = [
        Operator(
            f"op{index}",
            pre=data.draw(st.sets(st.sampled_from(facts[:-1]), max_size=2)),
            effects=data.draw(st.sets(st.sampled_from(facts), min_size=1, max_size=2)),
        )
        for index in range(data.draw(st.integers(1, 6)))
    ]
    goal = PlanGoal("goal", pre=["goal"])
    state = {}
    if isinstance(Goap().plan(Problem(state, operators, [goal])), NoPlan):
        return

    for _ in range(len(operators) + len(facts)):
        found = Supervisor(llm=ScriptedModel()).plan(Problem(state, operators, [goal]))
        if isinstance(found, Plan) and found.complete:
            return
        assert not isinstance(found, NoPlan)
        names = found.steps if isinstance(found, Plan) else [offer.action for offer in found.offers.values()]
        chosen = data.draw(st.sampled_from(sorted(names)))
        state |= next(operator for operator in operators if operator.name == chosen).effects
    raise AssertionError("the goal was not reached")


def test_the_state_of_a_run_is_the_fold_of_its_events():
    script = [call("bake"), [call("choose_cook"), call("take_order")]]
    process, _ = supervised(KITCHEN, INPUT, script=script)
    compilation = Compilation(KITCHEN, KITCHEN.goals)

    state = fold(compilation, Bits(compilation), process.events, greedy=True)

    assert state.board == process.board
    assert state.usage == process.usage
    assert [turn.decision for turn in state.conversation.turns] == [1, 2]


@pytest.mark.parametrize("context", ["digest", "transcript"])
def test_a_run_that_is_taken_up_elsewhere_asks_what_it_would_have_asked(context):
    """What was decided is not asked again: the next question follows from the events alone."""
    script = [call("choose_cook"), call("take_order"), call("prepare_meal")]
    process, model = supervised(KITCHEN, INPUT, script=script, context=context, ask_when_forced=True)
    third = next(
        index for index, event in enumerate(process.events) if event.kind == "model_asked" and event.decision == 3
    )
    compilation = Compilation(KITCHEN, KITCHEN.goals)

    state = fold(compilation, Bits(compilation), process.events[:third], greedy=True)
    planner = Supervisor(llm=ScriptedModel(), context=context, ask_when_forced=True)
    ask = planner.plan(state.world.problem(compilation.plan_goals))

    assert ask.decision == 3
    assert ask.request.to_wire() == model.requests[2]


def test_a_decision_that_was_made_is_carried_out_wherever_the_run_goes_on():
    process, _ = supervised(KITCHEN, INPUT, script=[[call("choose_cook"), call("take_order")]])
    made = next(index for index, event in enumerate(process.events) if event.kind == "decision_made")
    compilation = Compilation(KITCHEN, KITCHEN.goals)

    state = fold(compilation, Bits(compilation), process.events[: made + 1], greedy=True)

    assert [exchange.call.name for exchange in state.conversation.open] == ["choose_cook", "take_order"]


def test_the_events_of_a_run_are_the_same_each_time():
    script = [call("bake"), [call("take_order"), call("choose_cook")]]

    runs = [supervised(KITCHEN, INPUT, script=script)[0] for _ in range(2)]

    assert kinds(runs[0]) == kinds(runs[1])
    assert [str(event) for event in runs[0].events if event.kind != "entry_added"][:3] == [
        str(event) for event in runs[1].events if event.kind != "entry_added"
    ][:3]


def test_looking_ahead_asks_nobody():
    model = ScriptedModel()
    answer = NEWSROOM.plan(planner=Supervisor(llm=model))

    assert isinstance(answer, Ask)
    assert model.requests == []


def test_the_same_actions_run_under_goap_and_supervisor():
    tested = KITCHEN.run(INPUT, returning=Meal)
    deployed, _ = supervised(KITCHEN, INPUT, script=[[call("choose_cook"), call("take_order")]])

    assert tested == deployed.result(Meal)


def test_with_the_request_given_nothing_is_left_to_ask():
    """GOAP and Supervisor meet where types alone fix the order."""
    process, model = supervised(KITCHEN, INPUT, Cook(name="A"), Order(dish="pie", quantity=3))

    assert process.status is ProcessStatus.COMPLETED
    assert model.requests == []


@pytest.mark.parametrize("agent", [KITCHEN, NEWSROOM], ids=lambda agent: agent.name)
def test_what_is_asked_is_deterministic(agent):
    """The check that users have for plans holds for questions too: order of registration, hash seeds, repetition."""
    from planboard.testing import check_determinism

    check_determinism(agent, INPUT, planner=Supervisor(ask_when_forced=True), seeds=(0, 7))


def test_the_order_of_goals_does_not_change_the_question():
    goals = [PlanGoal("house", pre=["house"]), PlanGoal("joy", pre=["joy"])]
    planner = Supervisor(llm=ScriptedModel())

    there, back = (planner.plan(Problem({}, HOUSE, order)) for order in (goals, goals[::-1]))

    assert there.request == back.request
