"""Promises about how Utility and Hybrid processes go on and end (DESIGN 3.6).

- Utility acts while actions remain; Hybrid stops as soon as a real goal is met.
- Out of actions: COMPLETED when there is no goal, or one is met; else STUCK, or TERMINATED when asked for.
"""

from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import Agent, Goal, Hybrid, ProcessOptions, ProcessStatus, Utility, achieves_goal, action


class Frog(BaseModel):
    name: str = "Kermit"


class Person(BaseModel):
    name: str = "Kermit"


class Meal(BaseModel):
    pass


class Seed(BaseModel):
    pass


@action(value=0.2)
def make_frog() -> Frog:
    return Frog()


@achieves_goal("a person")
@action(value=0.1)
def make_person(frog: Frog) -> Person:
    return Person()


@action(value=0.9)
def admire(person: Person) -> None: ...


@action
def make_dull(frog: Frog) -> Meal:
    return Meal()


@action
def also_frog(frog: Frog) -> Frog:
    return Frog(name="other")


@achieves_goal("fed")
@action
def cook(seed: Seed) -> Meal: ...


def ended(parts, planner, *inputs, goals=(), stuck=False, **how):
    options = ProcessOptions(terminate_when_stuck=stuck)
    process = Agent("pond", parts, goals=goals).process(*inputs, planner=planner, options=options, **how)
    wait(process.run())
    return process


def steps(process):
    return [step.action for step in process.history]


def test_utility_goes_on_after_its_goal_and_hybrid_stops():
    parts = [make_frog, make_person, admire]

    utility, hybrid = ended(parts, "utility"), ended(parts, "hybrid")

    assert steps(utility) == ["make_frog", "make_person", "admire"]
    assert steps(hybrid) == ["make_frog", "make_person"]
    assert utility.status is hybrid.status is ProcessStatus.COMPLETED
    assert utility.goal == hybrid.goal == "make_person"


@pytest.mark.parametrize("planner", ["utility", "hybrid"])
def test_without_a_goal_running_out_of_actions_completes(planner):
    process = ended([make_frog], planner)

    assert (process.status, steps(process), process.goal) == (ProcessStatus.COMPLETED, ["make_frog"], None)


@pytest.mark.parametrize("planner", ["utility", "hybrid"])
def test_without_a_goal_it_can_be_terminated_instead(planner):
    assert ended([make_frog], planner, stuck=True).status is ProcessStatus.TERMINATED


@pytest.mark.parametrize("planner", ["utility", "hybrid"])
@pytest.mark.parametrize(("stuck", "status"), [(False, ProcessStatus.STUCK), (True, ProcessStatus.TERMINATED)])
def test_with_an_unmet_goal_it_acts_and_is_stuck_in_the_end(planner, stuck, status):
    """Peer case utility/unsatisfiable-goal-stuck."""
    process = ended([make_frog, cook], planner, stuck=stuck)

    assert (process.status, steps(process)) == (status, ["make_frog"])
    assert "'Seed'" in process.reason


def test_one_goal_that_is_met_is_enough():
    process = ended([make_frog, make_person, cook], "utility")

    assert (process.status, process.goal) == (ProcessStatus.COMPLETED, "make_person")


def test_a_met_goal_completes_also_when_stuck_would_terminate():
    assert ended([make_frog, make_person], "utility", stuck=True).status is ProcessStatus.COMPLETED


@pytest.mark.parametrize("planner", [Utility(nirvana=False), Hybrid(nirvana=False)])
def test_without_nirvana_nothing_carries_the_iteration(planner):
    process = ended([make_frog, make_person], planner)

    assert (process.status, process.history) == (ProcessStatus.STUCK, ())


def test_nirvana_is_known_by_identity_not_by_name():
    process = ended([make_frog], "hybrid", goals=[Goal(Frog, name="Nirvana")])

    assert (process.status, process.goal) == (ProcessStatus.COMPLETED, "Nirvana")


@pytest.mark.parametrize("planner", [Utility(floor=0.15), Hybrid(floor=0.15)])
def test_what_is_worth_less_than_the_floor_is_never_done(planner):
    process = ended([make_frog, make_dull], planner)

    assert (process.status, steps(process)) == (ProcessStatus.COMPLETED, ["make_frog"])


def test_an_action_whose_condition_is_false_is_not_run():
    """Peer cases expr/*."""

    @action(pre=["frog.name == 'Fozzie'"])
    def zoo(frog: Frog) -> Meal: ...

    process = ended([make_frog, zoo], "utility")

    assert (process.status, process.board.last(Meal)) == (ProcessStatus.COMPLETED, None)


def test_two_text_roots_in_one_condition():
    """Peer case expr/two-variables."""

    @action(pre=["frog.name == 'Kermit' && person.name == 'Kermit'"])
    def zoo(frog: Frog, person: Person) -> Meal:
        return Meal()

    assert ended([make_frog, make_person, zoo], "utility").board.last(Meal) == Meal()


def test_an_action_is_not_chosen_again_while_nothing_it_reads_has_changed():
    calls = []

    @action(rerun="always", value=0.9)
    def look(frog: Frog) -> None:
        calls.append(1)

    process = ended([make_frog, look, make_dull], "utility")

    assert len(calls) == 1
    process = Agent("pond", [look, also_frog]).process(Frog(), planner="utility")
    wait(process.run())
    assert len(calls) == 3
