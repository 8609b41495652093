"""What a supervisor of a peer does, restated; the ids are those of its cases.

Where we differ on purpose docs/explanation/differences.md says why: the action that achieves the goal is a tool like
the others, since the model says when there is enough.
"""

import asyncio

import pytest
from pydantic import BaseModel, create_model

from planboard import Agent, ProcessStatus, ScriptedModel, Supervisor, achieves_goal, action, call

TEXT = {"text": (str, "")}
RESEARCH = {
    "gatherMarketData": ("MarketDataRequest", "MarketData"),
    "analyzeCompetitors": ("CompetitorAnalysisRequest", "CompetitorAnalysis"),
    "forecastTrends": ("TrendForecastRequest", "TrendForecast"),
    "writeSection": ("SectionRequest", "ProseSection"),
    "compileReport": ("ReportRequest", "Report"),
}
FROGS = {"turnIntoFrog": ("UserInput", "Frog"), "turnIntoPrince": ("Frog", "Prince")}


def agent_of(actions: dict[str, tuple[str, str]]) -> tuple[Agent, dict[str, type[BaseModel]]]:
    """Build an agent from names of actions, inputs and outputs; the last action achieves the goal."""
    names = {name for pair in actions.values() for name in pair} | {"UserInput"}
    types = {name: create_model(name, **TEXT) for name in sorted(names)}
    made = []
    for name, (takes, gives) in actions.items():

        def work(request, gives=types[gives]):
            return gives(text=request.text)

        work.__annotations__ = {"request": types[takes], "return": types[gives]}
        decorated = action(name=name)(work)
        made.append(achieves_goal("The goal")(decorated) if name == list(actions)[-1] else decorated)
    return Agent("peer", made), types


def tools(agent, *inputs, **settings):
    ask = agent.plan(*inputs, planner=Supervisor(llm=ScriptedModel(), ask_when_forced=True, **settings))
    return {tool["function"]["name"]: tool["function"] for tool in ask.request.to_wire()["tools"]}


def test_curried_no_params():
    """supervisor/curried-no-params, supervisor/metadata."""
    agent, types = agent_of(FROGS)

    offered = tools(agent, types["UserInput"]())

    assert list(offered) == ["turnIntoFrog"]
    assert offered["turnIntoFrog"]["parameters"]["properties"] == {}


def test_explicit_param_names():
    """supervisor/explicit-param-names."""
    _, types = agent_of({"a": ("Cook", "Order"), "b": ("Order", "Meal")})

    def explicit_names(myInput1, myInput2): ...

    explicit_names.__annotations__ = {"myInput1": types["Cook"], "myInput2": types["Order"], "return": types["Meal"]}
    agent = Agent("peer", [achieves_goal("A meal")(action(name="explicitNames")(explicit_names))])

    assert list(tools(agent)["explicitNames"]["parameters"]["properties"]) == ["myInput1", "myInput2"]


@pytest.mark.parametrize("there", [False, True])
def test_progressive_currying(there):
    """supervisor/progressive-currying."""
    agent, types = agent_of(FROGS)

    offered = tools(agent, *[types["UserInput"]()] * there)["turnIntoFrog"]

    assert list(offered["parameters"]["properties"]) == ([] if there else ["request"])


def test_ready_description():
    """supervisor/ready-description."""
    agent, types = agent_of(FROGS)

    assert "all inputs available" in tools(agent, types["UserInput"]())["turnIntoFrog"]["description"]


def test_typed_tools():
    """supervisor/typed-tools; the peer does not offer the action that achieves the goal."""
    agent, types = agent_of(RESEARCH)

    offered = tools(agent, types["UserInput"](text="cloud"))

    assert set(offered) == set(RESEARCH)
    assert "MarketData {text: str}" in offered["gatherMarketData"]["description"]


def test_the_artifacts_line():
    """supervisor/typed-tools: `- key (TypeName): {json}`."""
    agent, types = agent_of(RESEARCH)
    ask = agent.plan(user=types["UserInput"](text="cloud"), planner=Supervisor(llm=ScriptedModel()))

    assert '- user (UserInput): {"text":"cloud"}' in ask.prompt


def test_any_order():
    """supervisor/any-order."""
    agent, types = agent_of(RESEARCH)
    model = ScriptedModel(
        call("analyzeCompetitors", request={"text": "a"}),
        call("gatherMarketData", request={"text": "b"}),
        call("compileReport", request={"text": "c"}),
    )
    process = agent.process(types["UserInput"](text="cloud"), planner=Supervisor(llm=model))
    asyncio.run(process.run())

    assert process.status is ProcessStatus.COMPLETED
    assert [event.action for event in process.history] == ["analyzeCompetitors", "gatherMarketData", "compileReport"]
