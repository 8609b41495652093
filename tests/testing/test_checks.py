"""The checks hold of what is right, and each one finds the fault that it is for, in words that say what it is."""

import faulty_planners as faulty
import pytest
from faulty_planners import Counter, Report, Topic, writer

from planboard import (
    Agent,
    DefinitionError,
    Goap,
    Hybrid,
    NoPlan,
    Operator,
    Plan,
    PlanGoal,
    Problem,
    ProcessStatus,
    Utility,
    achieves_goal,
    action,
)
from planboard.testing import check_determinism, check_optimality, check_plans_valid, check_swap, process_on


@pytest.fixture
def problem():
    """Two ways to "end": p then q for 0.2, or r for 0.3; "start" holds, and s would bring it about."""
    operators = [
        Operator("p", {"start": True}, {"half": True}, 0.1),
        Operator("q", {"half": True}, {"end": True}, 0.1),
        Operator("r", {"start": True}, {"end": True}, 0.3),
        Operator("s", {}, {"start": True}, 0.1),
    ]
    return Problem(
        {"start": True}, operators, [PlanGoal("ended", {"start": True, "end": True}), PlanGoal("b", {"half": True})]
    )


def fault(check, *arguments, **options):
    with pytest.raises(AssertionError) as found:
        check(*arguments, **options)
    return str(found.value)


# Validity


@pytest.mark.parametrize("planner", [Goap(), Goap(engine="simpleai:greedy"), Utility(), Hybrid(), "goap"], ids=str)
def test_right_planners_pass(planner, problem):
    check_plans_valid(planner, problem, problem)


def test_a_step_that_cannot_be_done_is_found(problem):
    first, *facts = fault(check_plans_valid, faulty.Rash(), problem).splitlines()

    assert first == "Not a valid plan: step 1, 'q', needs 'half', which is false there."
    assert "  planner: Rash()" in facts
    assert "  plan to 'ended': q (cost 0.1)" in facts
    assert "      {'start': True}," in facts


def test_a_goal_that_is_not_reached_is_found(problem):
    assert "at its end the goal 'b' needs 'half', which is false there" in fault(
        check_plans_valid, faulty.Hasty(), problem
    )


def test_an_answer_to_another_question_is_found(problem):
    text = fault(check_plans_valid, faulty.Elsewhere(), problem)

    assert "asked for the goal 'ended', it is for one of the same name with other facts" in text


def test_a_step_that_can_be_left_out_is_found(problem):
    assert "step 1, 's', can be left out" in fault(check_plans_valid, faulty.Forgetful(), problem)


def test_plans_of_other_operators_are_found(problem):
    class Cheating(faulty.Faulty):
        def spoilt(self, problem):
            operators = [Operator(op.name, op.pre, op.effects, 0.01) for op in problem.operators]
            return Problem(problem.state, operators, problem.goals)

    assert "the problem has no operator 'p' like this one" in fault(check_plans_valid, Cheating(), problem)


def test_what_is_assumed_must_be_listed_and_may_be():
    unsure = Problem(
        {},
        [Operator("ask", (), {"approved": None}), Operator("go", {"approved": True}, ["done"])],
        [PlanGoal("g", ["done"])],
    )

    check_plans_valid(Goap(), unsure)
    check_optimality(Goap(), unsure)


# Optimality


def test_the_cheaper_plan_is_shown(problem):
    text = fault(check_optimality, faulty.Dear(), problem)

    assert text.startswith("Not optimal: the plan to 'ended' costs 0.3, but 0.2 is enough.")
    assert "planned: r (cost 0.3)" in text
    assert "cheaper: p → q (cost 0.2, 0 assumed)" in text


def test_a_plan_that_is_overlooked_is_found(problem):
    assert "no plan to 'ended' is found (unreachable), but there is one" in fault(
        check_optimality, faulty.Hopeless(), problem
    )


def test_ties_are_checked_for_those_who_promise_the_rule():
    twins = Problem({}, [Operator("a", (), ["x"]), Operator("b", (), ["x"])], [PlanGoal("g", ["x"])])

    check_optimality(Goap(), twins)
    check_optimality(faulty.Dear(), twins)
    assert "another one is better by names" in fault(check_optimality, faulty.Dear(), twins, ties=True)


def test_the_order_of_the_actions_is_part_of_the_tie_rule():
    both = Problem({}, [Operator("a", (), ["x"]), Operator("b", (), ["y"])], [PlanGoal("g", ["x", "y"])])

    class Backwards(faulty.Faulty):
        def plan_to(self, problem, goal):
            names = {"a": "b", "b": "a"}
            swapped = [Operator(names[op.name], op.pre, op.effects) for op in problem.operators]
            return Goap().plan_to(Problem({}, swapped, problem.goals), goal)

    assert "no operator" in fault(check_optimality, Backwards(), both, ties=True)


def test_the_best_goal_must_be_chosen(problem):
    text = fault(check_optimality, faulty.FirstCome(), Problem(problem.state, problem.operators, problem.goals))

    assert text.startswith("Not optimal: `plan` does not choose the plan of greatest net value.")
    assert "better: to 'b'" in text


def test_agents_are_checked_as_problems_are():
    check_optimality(writer, Topic(text="tides"))
    check_plans_valid(writer, Topic(text="tides"), planner="hybrid", returning=Report)


# Determinism


def test_repeats_are_compared(problem):
    text = fault(check_determinism, faulty.Moody(), problem, seeds=())

    assert text.startswith("Not deterministic: asking again changes the plan")
    assert "before: " in text
    assert "fingerprint" in text


def test_the_order_of_registration_is_varied(problem):
    text = fault(check_determinism, faulty.FirstCome(), problem, seeds=())

    assert text.startswith(
        "Not deterministic: registering operators, facts and goals in another order changes the plan."
    )


def test_hash_seeds_are_tried_in_fresh_interpreters(problem):
    many = [Operator(f"way{n}", (), ["x"], 0.1) for n in range(40)]
    wide = Problem({}, many, [PlanGoal("g", ["x"])])

    assert "a fresh interpreter with PYTHONHASHSEED=" in fault(check_determinism, faulty.Hashing(), wide, seeds=[0, 1])


def test_right_planners_plan_the_same_in_fresh_interpreters(problem):
    priced = Problem(
        {"a": None}, [Operator("p", ["a"], ["b"], lambda state: 0.5)], [PlanGoal("g", ["b"])], {"a": True}.get
    )

    check_determinism(Goap(), problem, priced, seeds=[0])


def test_agents_are_built_anew_in_fresh_interpreters():
    check_determinism(writer, Topic(text="tides"), seeds=[7])

    text = fault(check_determinism, faulty.hashing_agent, Topic(text=""), seeds=[0, 1])
    assert "PYTHONHASHSEED" in text
    assert "agent: 'hashing'\n  board: Topic(text='')" in text


def test_what_cannot_be_built_anew_is_refused_with_a_remedy(problem):
    class Local(faulty.Faulty):
        pass

    with pytest.raises(DefinitionError, match="seeds=()"):
        check_determinism(Local(), problem)
    with pytest.raises(DefinitionError, match="no name of a module"):
        check_determinism(Agent("local", [faulty.write]), Topic(text=""))


# Swapping


def test_planners_are_swapped_without_a_trace():
    check_swap(writer, [Goap(), "utility", Hybrid()], Topic(text="tides"), returning=Report)
    check_swap(writer, ["goap", "hybrid"])  # nothing on the board: the runs are stuck, which is an end as well


def test_runs_that_share_something_are_found():
    text = fault(check_swap, Agent("counting", [Counter()]), ["goap", "hybrid"], Topic(text=""))

    assert text.startswith("Runs influence one another: under Goap(")
    assert "Report(number=1)" in text
    assert "Report(number=3)" in text


def test_a_planner_that_touches_actions_is_found():
    text = fault(check_swap, Agent("writer", [faulty.write]), [faulty.Meddling()], Topic(text=""))

    assert text.startswith("Swapping planners changes declarations: Meddling() changed write (cost: 0.5 became 0.0).")


def test_agents_that_cannot_run_twice_can_still_be_planned_for():
    check_swap(Agent("counting", [Counter()]), ["goap", "hybrid"], Topic(text=""), run=False)


def test_endless_runs_end_by_themselves():
    @action(rerun="always", value=0.5)
    def again(topic: Topic) -> Topic:
        return topic

    check_swap(Agent("endless", [again], goals=[Report]), ["utility"], Topic(text=""), max_ticks=5)


def test_async_actions_can_be_swapped_too():
    @achieves_goal("A report")
    @action
    async def write(topic: Topic) -> Report:
        return Report(number=1)

    check_swap(Agent("async", [write]), ["goap", "utility"], Topic(text=""))


# What is given


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((Goap,), "Write Goap(), with parentheses"),
        ((Goap(), Topic(text="")), "asked problems"),
        ((Goap(),), "asked problems"),
        (("gaop",), "Did you mean 'goap'"),
        (("faulty_planners:writr",), "Did you mean 'writer'"),
        (("nowhere.py:agent",), "no Python file"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, says):
    with pytest.raises(DefinitionError, match=says.replace("(", r"\(").replace(")", r"\)")):
        check_plans_valid(*arguments)


def test_an_agent_can_be_named_by_where_it_is():
    check_plans_valid("faulty_planners:writer", Topic(text=""))


def test_a_process_starts_on_a_copy_of_a_board():
    from planboard import Blackboard

    board = Blackboard()
    board.bind("topic", Topic(text="tides"), protected=True)
    board.set_condition("calm", True)
    process = process_on(writer, board, planner="hybrid")

    assert process.status is ProcessStatus.NOT_STARTED
    assert (process.board["topic"], dict(process.board.conditions)) == (Topic(text="tides"), {"calm": True})
    assert isinstance(process.next_plan(), Plan)
    assert isinstance(process_on(writer, Blackboard()).next_plan(), NoPlan)
