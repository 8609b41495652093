"""Which tools the model is offered, and what it has to give: currying, READY, building, filtering."""

from enum import Enum
from typing import Annotated

import pytest
from pydantic import BaseModel
from supervised_agents import (
    INPUT,
    KITCHEN,
    NEWSROOM,
    Cook,
    Meal,
    Notes,
    NotesRequest,
    Order,
    Report,
    ReportRequest,
    Topic,
    UserInput,
    prepare_meal,
    supervised,
    tool_of,
    tools_of,
)

from planboard import (
    ActionContext,
    Agent,
    All,
    Denied,
    Named,
    Not,
    ScriptedModel,
    Supervisor,
    achieves_goal,
    action,
    call,
    condition,
    state,
)


def offered(agent, *inputs, **settings):
    """Return the first request that a supervisor would send."""
    settings = {"ask_when_forced": True, **settings}
    answer = agent.plan(*inputs, planner=Supervisor(llm=ScriptedModel(), **settings))
    return answer.request.to_wire()


def test_a_tool_whose_inputs_are_on_the_board_is_ready_and_takes_no_arguments():
    request = offered(KITCHEN, INPUT)

    assert tool_of(request, "choose_cook")["parameters"]["properties"] == {}
    assert "READY: all inputs available." in tool_of(request, "choose_cook")["description"]


def test_a_tool_is_not_offered_before_what_other_actions_produce_is_there():
    assert tools_of(offered(KITCHEN, INPUT)) == ["choose_cook", "take_order"]


def test_a_tool_is_offered_once_what_other_actions_produce_is_there():
    request = offered(KITCHEN, INPUT, Cook(name="Ann"), Order(dish="pie", quantity=1))

    assert "prepare_meal" in tools_of(request)


def test_a_type_that_nothing_produces_is_exposed_with_its_schema():
    parameters = tool_of(offered(NEWSROOM, Topic(text="tides")), "gather_notes")["parameters"]

    assert parameters["properties"]["request"]["properties"]["question"] == {"type": "string"}
    assert parameters["required"] == ["request"]


def test_what_is_on_the_board_is_curried_away():
    request = offered(NEWSROOM, NotesRequest(question="tides?"))

    assert tool_of(request, "gather_notes")["parameters"]["properties"] == {}


def test_parameters_keep_the_names_that_their_author_gave_them():
    @achieves_goal("A meal")
    @action
    def cook_it(my_input_1: Cook, my_input_2: Order) -> Meal: ...

    parameters = tool_of(offered(Agent("a", [cook_it])), "cook_it")["parameters"]

    assert list(parameters["properties"]) == ["my_input_1", "my_input_2"]


def test_a_description_tells_what_comes_of_a_tool_with_its_fields():
    assert "Notes {lines: list[str]}" in tool_of(offered(NEWSROOM), "gather_notes")["description"]


def test_what_cannot_help_the_goal_is_hidden():
    @action
    def paint(user_input: UserInput) -> Topic: ...

    agent = Agent("kitchen", [*KITCHEN.parts, paint])

    assert "paint" not in tools_of(offered(agent, INPUT))


def test_what_cannot_help_the_goal_is_shown_on_demand():
    @action
    def paint(user_input: UserInput) -> Topic: ...

    agent = Agent("kitchen", [*KITCHEN.parts, paint])

    assert "paint" in tools_of(offered(agent, INPUT, show_irrelevant=True))


def test_what_is_there_already_needs_no_tool():
    assert tools_of(offered(KITCHEN, INPUT, Cook(name="Ann"))) == ["take_order"]


def test_while_the_model_has_something_to_build_all_findings_may_help_it():
    @action
    def ask_the_archive(topic: Topic) -> Cook: ...

    agent = Agent("newsroom", [*NEWSROOM.parts, ask_the_archive])

    assert "ask_the_archive" in tools_of(offered(agent, Topic(text="tides")))


def test_what_feeds_an_action_that_looks_at_the_whole_board_may_help():
    @achieves_goal("A report")
    @action
    def write(topic: Topic, context: ActionContext) -> Report: ...

    @action
    def look_up(topic: Topic) -> Notes: ...

    assert tools_of(offered(Agent("a", [write, look_up]), Topic(text="tides"))) == ["look_up", "write"]


def test_a_condition_that_is_false_withholds_a_tool():
    @condition
    def is_open(user_input: UserInput) -> bool:
        return False

    @action(pre=[is_open])
    def order_in(user_input: UserInput) -> Order: ...

    agent = Agent("kitchen", [order_in, *KITCHEN.parts])

    assert "order_in" not in tools_of(offered(agent, INPUT))


def test_a_negated_condition_offers_a_tool():
    @condition
    def is_open(user_input: UserInput) -> bool:
        return False

    @action(pre=[Not(is_open)])
    def order_in(user_input: UserInput) -> Order: ...

    agent = Agent("kitchen", [order_in, *KITCHEN.parts])

    assert "order_in" in tools_of(offered(agent, INPUT))


def test_an_optional_input_that_nothing_produces_may_be_given_or_left_out():
    class Tone(Enum):
        WARM = "warm"
        DRY = "dry"

    @achieves_goal("A report")
    @action
    def write(topic: Topic, tone: Tone | None, limit: int = 10) -> Report: ...

    parameters = tool_of(offered(Agent("a", [write]), Topic(text="x")), "write")["parameters"]

    assert set(parameters["properties"]) == {"tone", "limit"}
    assert parameters["properties"]["limit"] == {"type": ["integer", "null"]}


def test_an_optional_input_that_an_action_produces_is_not_invented():
    @achieves_goal("A report")
    @action
    def write(topic: Topic, notes: Notes | None) -> Report: ...

    @action
    def look_up(topic: Topic) -> Notes: ...

    request = offered(Agent("a", [write, look_up]), Topic(text="x"))

    assert tool_of(request, "write")["parameters"]["properties"] == {}


def test_what_is_collected_is_exposed_as_a_list():
    @achieves_goal("A report")
    @action
    def write(topics: Annotated[list[Topic], All]) -> Report: ...

    parameters = tool_of(offered(Agent("a", [write])), "write")["parameters"]

    assert parameters["properties"]["topics"]["type"] == "array"


def test_a_state_is_entered_and_never_built():
    @state
    class Waiting(BaseModel):
        @achieves_goal("A report")
        @action
        def finish(self) -> Report: ...

    @action
    def wait(topic: Topic) -> Waiting: ...

    assert tools_of(offered(Agent("a", [wait]), Topic(text="x"))) == ["wait"]


def test_a_type_without_a_schema_is_never_asked_of_the_model():
    class Connection:
        pass

    @achieves_goal("A report")
    @action
    def write(connection: Connection) -> Report: ...

    answer = Agent("a", [write]).plan(planner=Supervisor(llm=ScriptedModel()))

    assert answer.reason == "nothing_achievable"
    assert answer.missing == ("Report from write",)


def test_tools_come_in_the_order_of_their_names_whatever_was_registered_first():
    there = offered(Agent("a", list(KITCHEN.parts)), INPUT)
    back = offered(Agent("a", list(reversed(KITCHEN.parts))), INPUT)

    assert there == back


def test_names_that_differ_only_in_what_providers_forbid_stay_apart():
    """Case 128."""

    def made(name):
        @action(name=name)
        def act(topic: Topic) -> Notes: ...

        return act

    @achieves_goal("A report")
    @action
    def write(notes: Notes, request: ReportRequest) -> Report: ...

    names = ("foo-bar", "foo_bar", "foo.bar")
    request = offered(Agent("a", [write, *map(made, names)]), Topic(text="x"))

    assert len(set(tools_of(request))) == 3


def test_a_tool_whose_name_had_to_change_tells_its_name():
    @achieves_goal("A report")
    @action(name="报告")
    def write(topic: Topic) -> Report: ...

    request = offered(Agent("a", [write]), Topic(text="x"))

    assert "报告" in request["tools"][0]["function"]["description"]


@pytest.mark.parametrize("other", ["build", "input"])
def test_a_plain_value_that_was_built_for_one_parameter_fills_no_other(other):
    @action(output="notes")
    def search(query: str) -> Notes:
        return Notes(lines=[query])

    @achieves_goal("A report")
    @action
    def write(title: str, notes: Notes) -> Report:
        return Report(title=title, lines=1)

    agent = Agent("a", [search, write])
    process, _ = supervised(agent, script=[call("search", query="tides"), call("write", title="On tides")])

    assert process.result(Report).title == "On tides"


def test_a_named_input_is_built_under_its_name():
    @achieves_goal("A report")
    @action
    def write(topic: Annotated[Topic, Named("main_topic")]) -> Report:
        return Report(title=topic.text, lines=0)

    process, _ = supervised(Agent("a", [write]), script=[call("write", topic={"text": "tides"})])

    assert process.board["main_topic"] == Topic(text="tides")


def test_the_same_action_again_needs_a_new_request():
    @action(rerun="new_inputs")
    def gather(request: NotesRequest) -> Notes:
        return Notes(lines=[request.question])

    @achieves_goal("A report")
    @action
    def write(notes: Annotated[list[Notes], All], request: ReportRequest) -> Report:
        return Report(title=request.title, lines=len(notes))

    script = [
        call("gather", request={"question": "a"}),
        call("gather", request={"question": "b"}),
        call("write", request={"title": "t"}),
    ]
    process, model = supervised(Agent("a", [gather, write]), script=script)

    assert process.result(Report).lines == 2
    assert "request" in tool_of(model.requests[1], "gather")["parameters"]["properties"]


def test_an_object_that_was_built_serves_other_actions_that_take_its_type():
    @action
    def gather(request: NotesRequest) -> Notes:
        return Notes(lines=[request.question])

    @achieves_goal("A report")
    @action
    def write(notes: Notes, request: NotesRequest) -> Report:
        return Report(title=request.question, lines=1)

    process, model = supervised(Agent("a", [gather, write]), script=[call("gather", request={"question": "a"})])

    assert process.result(Report).title == "a"
    assert len(model.requests) == 1


def test_a_kitchen_that_has_everything_is_asked_nothing():
    request = offered(KITCHEN, INPUT, Cook(name="A"), Order(dish="pie", quantity=1), show_irrelevant=True)

    assert set(tools_of(request)) == {"choose_cook", "take_order", "prepare_meal"}
    assert prepare_meal(Cook(name="A"), Order(dish="pie", quantity=1)).dish == "pie"


def test_what_an_action_on_the_way_can_use_and_do_without_helps():
    @achieves_goal("A report")
    @action
    def write(topic: Topic, notes: Notes | None) -> Report: ...

    @action
    def look_up(topic: Topic) -> Notes: ...

    assert tools_of(offered(Agent("a", [write, look_up]), Topic(text="x"))) == ["look_up", "write"]


def test_what_takes_something_away_and_leaves_a_way_is_offered():
    @action(consumes=[Topic])
    def spend(topic: Topic) -> Cook: ...

    @action(rerun="always")
    def earn() -> Topic: ...

    @achieves_goal("A report")
    @action
    def write(topic: Topic, cook: Cook) -> Report: ...

    assert "spend" in tools_of(offered(Agent("a", [spend, earn, write]), Topic(text="x")))


def test_a_model_cannot_make_a_refusal_up():
    @action(approval=True)
    def cook_meal(order: Order) -> Meal:
        return Meal(dish=order.dish, quantity=order.quantity, cooked_by="Ben")

    @action
    def apologise(denied: Denied) -> Meal:
        return Meal(dish="nothing", quantity=0, cooked_by=denied.reason)

    agent = Agent("kitchen", [cook_meal, apologise], goals=[Meal])

    assert list(tools_of(offered(agent, Order(dish="pie", quantity=1)))) == ["cook_meal"]
