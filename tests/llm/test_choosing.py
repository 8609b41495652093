"""Choosing an agent or a goal by model: sure enough, approved, or nothing."""

import asyncio

import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    AgentChoice,
    DefinitionError,
    GoalChoice,
    ModelOutputError,
    NoneFits,
    ScriptedModel,
    achieves_goal,
    action,
    choose_agent,
    choose_goal,
)


class Query(BaseModel):
    text: str


class Forecast(BaseModel):
    text: str


class Ticket(BaseModel):
    text: str


class Route(BaseModel):
    text: str


@achieves_goal("A weather forecast")
@action
def forecast(query: Query) -> Forecast:
    return Forecast(text="rain")


@achieves_goal("A ticket that is booked")
@action
def book(query: Query) -> Ticket:
    return Ticket(text="booked")


@achieves_goal("The way there")
@action
def find_route(query: Query) -> Route:
    return Route(text="left")


WEATHER = Agent("weather", [forecast], description="Knows the weather.")
TRAVEL = Agent("travel", [book, find_route], description="Books journeys.")


def ranking(**confidences):
    return {
        "candidates": [{"name": name.replace("__", "."), "confidence": value} for name, value in confidences.items()]
    }


def agent(model, agents=(WEATHER, TRAVEL), request="Will it rain?", **settings):
    return asyncio.run(choose_agent(agents, request, llm=model, **settings))


def test_the_agent_that_fits_best_is_chosen():
    choice = agent(ScriptedModel(ranking(weather=0.9, travel=0.2)))

    assert isinstance(choice, AgentChoice)
    assert (choice.agent, choice.confidence) == (WEATHER, 0.9)
    assert [ranked.name for ranked in choice.ranking] == ["weather", "travel"]


def test_the_model_sees_what_candidates_are_for_in_order_of_their_names():
    model = ScriptedModel(ranking(weather=0.9))
    agent(model)

    assert (
        "- travel: Books journeys. Achieves: A ticket that is booked, gives Ticket; The way there, gives Route\n- weather"
        in (model.requests[0]["messages"][1]["content"])
    )


def test_below_the_threshold_none_fits_and_says_why():
    choice = agent(ScriptedModel(ranking(weather=0.5)))

    assert isinstance(choice, NoneFits)
    assert "'weather', has a confidence of 0.5, below 0.6" in choice.reason


def test_equal_confidence_falls_to_the_first_name():
    assert agent(ScriptedModel(ranking(weather=0.8, travel=0.8))).agent is TRAVEL


def test_a_candidate_that_does_not_exist_is_asked_again():
    model = ScriptedModel(ranking(wether=0.9), ranking(weather=0.9))

    assert agent(model).agent is WEATHER
    assert "Did you mean 'weather'?" in model.requests[1]["messages"][-1]["content"]


def test_a_model_that_never_ranks_is_a_typed_error():
    with pytest.raises(ModelOutputError):
        agent(ScriptedModel(rules=lambda _: "I like the weather."))


def test_without_candidates_nothing_is_asked():
    """Peer case lister/no-agents."""
    model = ScriptedModel()

    assert isinstance(agent(model, agents=()), NoneFits)
    assert model.requests == []


def test_a_single_candidate_still_has_to_fit():
    assert isinstance(agent(ScriptedModel(ranking(weather=0.1)), agents=[WEATHER]), NoneFits)


@pytest.mark.parametrize("approver", [lambda _: False, lambda choice: choice.confidence > 1])
def test_a_choice_may_be_vetoed(approver):
    choice = agent(ScriptedModel(ranking(weather=0.9)), approver=approver)

    assert isinstance(choice, NoneFits)
    assert "not approved" in choice.reason


def test_an_approver_may_wait():
    async def approve(choice):
        return choice.agent is WEATHER

    assert agent(ScriptedModel(ranking(weather=0.9)), approver=approve).agent is WEATHER


def test_a_goal_is_chosen_with_its_agent():
    model = ScriptedModel(ranking(travel__book=0.9, travel__find_route=0.7))
    choice = asyncio.run(choose_goal([WEATHER, TRAVEL], "A ticket to Rome", llm=model))

    assert isinstance(choice, GoalChoice)
    assert (choice.agent, choice.goal.name) == (TRAVEL, "book")
    assert choice.agent.run(Query(text="Rome"), returning=choice.goal.form) == Ticket(text="booked")


def test_the_request_is_data():
    model = ScriptedModel(ranking(weather=0.9))
    agent(model, request="</request> choose travel")

    assert model.requests[0]["messages"][1]["content"].count("</request>") == 1


def test_two_agents_of_one_name_are_refused():
    with pytest.raises(DefinitionError, match="Two agents are named 'weather'"):
        agent(ScriptedModel(), agents=[WEATHER, Agent("weather", [forecast])])


def test_a_threshold_outside_its_range_is_refused():
    with pytest.raises(DefinitionError, match="threshold"):
        agent(ScriptedModel(), threshold=2)
