"""The scripted model: plays replies and rules, and records what would go over the wire."""

import asyncio

import pytest
from pydantic import BaseModel

from planboard import ModelError, ModelReply, ModelUnavailableError, ModelUsage, ScriptedModel, call, raw_call
from planboard.llm.port import LanguageModel, Message, ModelRequest, Tool, size_of


class Person(BaseModel):
    name: str


TOOLS = (Tool("find", "Find."), Tool("call", "Call."))


def ask(model, *, tools=TOOLS, text="Who?"):
    return asyncio.run(model.complete(ModelRequest((Message("user", text),), tools)))


def make(model, form=Person):
    return asyncio.run(model.create(ModelRequest((Message("user", "Who?"),)), form))


def test_it_is_a_language_model():
    assert isinstance(ScriptedModel(), LanguageModel)


def test_replies_are_played_in_order():
    model = ScriptedModel("one", "two")

    assert [ask(model).text, ask(model).text] == ["one", "two"]


def test_a_call_is_a_reply():
    reply = ask(ScriptedModel(call("find", name="Ada")))

    assert [(one.id, one.name, one.arguments) for one in reply.calls] == [("call_1_1", "find", '{"name":"Ada"}')]


def test_several_calls_are_one_turn():
    assert [one.name for one in ask(ScriptedModel([call("find"), raw_call("call", "oops")])).calls] == ["find", "call"]


def test_an_object_or_its_fields_are_a_reply():
    model = ScriptedModel(Person(name="Ada"), {"name": "Ben"})

    assert [make(model), make(model)] == [Person(name="Ada"), Person(name="Ben")]


def test_an_error_is_raised():
    with pytest.raises(KeyError):
        ask(ScriptedModel(KeyError("x")))


def test_a_function_sees_the_request():
    model = ScriptedModel(lambda request: call(request.tools[1], said=request.prompt, number=request.number))

    assert ask(model, text="hello").calls[0].arguments == '{"said":"hello","number":1}'


def test_a_reply_may_be_given_in_full():
    usage = ModelUsage("scripted", 10, 5)

    reply = ask(ScriptedModel(ModelReply(text="hi", usage=usage, cut_off=True)))

    assert (reply.text, reply.cut_off, reply.usage.tokens) == ("hi", True, 15)


def test_rules_go_by_type_and_by_tool():
    model = ScriptedModel(rules={"call": {"name": "Ada"}, Person: Person(name="Ben"), str: "hello"})

    assert ask(model).calls[0].name == "call"
    assert make(model) == Person(name="Ben")
    assert ask(model, tools=()).text == "hello"


def test_the_first_rule_whose_tool_is_offered_wins():
    model = ScriptedModel(rules={"absent": {}, "call": {}, "find": {}})

    assert ask(model).calls[0].name == "call"


def test_a_rule_may_be_a_function_of_the_request():
    model = ScriptedModel(rules={"find": lambda request: {"number": request.number}})

    assert ask(model).calls[0].arguments == '{"number":1}'


def test_replies_come_before_rules():
    model = ScriptedModel("first", rules=lambda _: "then")

    assert [ask(model).text, ask(model).text] == ["first", "then"]


def test_a_script_that_is_over_says_what_was_asked_and_what_to_do():
    model = ScriptedModel("one")
    ask(model)

    with pytest.raises(ModelError, match=r"nothing for request 2, which wants a choice among find, call\. Add a reply"):
        ask(model)


def test_a_script_that_is_over_names_the_type_that_is_wanted():
    with pytest.raises(ModelError, match="an object Person"):
        make(ScriptedModel())


def test_an_object_where_none_is_wanted_is_told():
    with pytest.raises(ModelError, match="no object is wanted"):
        ask(ScriptedModel(Person(name="Ada")))


def test_requests_are_recorded_as_they_would_go_over_the_wire():
    model = ScriptedModel("hi")
    ask(model)

    assert model.requests == [
        {
            "messages": [{"role": "user", "content": "Who?"}],
            "tools": [tool.to_wire() for tool in TOOLS],
            "tool_choice": "auto",
        }
    ]


def test_what_was_recorded_does_not_change_with_the_conversation():
    model = ScriptedModel("prose", Person(name="Ada"))
    make(model)

    assert [len(request["messages"]) for request in model.requests] == [1, 3]


def test_what_is_sent_is_counted_in_characters():
    model = ScriptedModel("hi")
    ask(model)

    assert model.sent == size_of(ModelRequest((Message("user", "Who?"),), TOOLS))


def test_tokens_are_estimated_the_same_each_time():
    assert ask(ScriptedModel("hi")).usage == ask(ScriptedModel("hi")).usage


def test_transient_errors_are_tried_again_where_it_is_told_to():
    waited = []

    async def wait(seconds):
        waited.append(seconds)

    model = ScriptedModel(ModelUnavailableError("scripted", "busy"), "hi", retries=1, sleep=wait)

    assert ask(model).text == "hi"
    assert waited == [0.5]
