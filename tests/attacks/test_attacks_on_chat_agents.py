"""Chat agents met with tools that are none, secrets, blanks and names."""

import pytest

from planboard import (
    Agent,
    DefinitionError,
    Message,
    ModelOutputError,
    ProcessFailedError,
    ScriptedModel,
    action,
    call,
    chat_agent,
)
from planboard.llm.port import ModelReply, ToolCall


def look_up(task: str) -> str:
    """Looks something up."""
    return f"found {task}"


def answer(text: str) -> str:
    """Is named as the way to answer."""
    return text


@action(approval=True)
def pay(task: str) -> str:
    """Pays."""
    return task


@pytest.mark.parametrize(
    ("tools", "message"),
    [
        ([3], "3 is no tool"),
        ("abc", "'a' is no tool"),
        ([look_up, look_up], "Two tools are named 'look_up'"),
        ([pay], "asks a person before it runs"),
        ([Agent("aimless", [])], "it has no goal with a type"),
    ],
    ids=["number", "text", "twice", "approval", "no goal"],
)
def test_tools_that_cannot_be_called_are_refused_when_the_agent_is_made(tools, message):
    """Cases 130, 170."""
    with pytest.raises(DefinitionError, match=rf"\Achat_agent\('clerk'\): .*{message}"):
        chat_agent("clerk", tools=tools)


def test_a_tool_named_as_the_way_to_answer_is_refused_when_the_agent_is_made():
    """Case 130."""
    with pytest.raises(DefinitionError, match="A tool is named 'answer'"):
        chat_agent("clerk", tools=[answer], returning=int)


def test_a_prompt_is_a_text():
    with pytest.raises(DefinitionError, match=r"chat_agent\('clerk', prompt=3\): it is a text"):
        chat_agent("clerk", 3)


def test_what_is_told_of_a_call_hides_what_is_secret_by_its_name():
    """Case 165."""

    def log_in(user: str, password: str) -> str:
        """Logs in."""
        return "in"

    model = ScriptedModel(call("log_in", user="ada", password="hunter2"), "done")
    inner = chat_agent("clerk", tools=[log_in], llm=model).run("q").board.all(Message)
    assert inner[0].content == 'calls log_in({"user":"ada","password":"***"})'


def test_what_cannot_be_read_of_a_call_is_not_told_either():
    """Case 165."""
    broken = ModelReply(calls=(ToolCall("call_1", "look_up", '{"password": "hunter2'),))
    model = ScriptedModel(broken, "done")
    said = chat_agent("clerk", tools=[look_up], llm=model).run("q").board.all(Message)
    assert said[0].content == "calls look_up(...)"


def test_a_blank_answer_is_asked_for_again():
    """Case 144."""
    model = ScriptedModel("  ", "well")
    assert chat_agent("clerk", llm=model).run("q").result(str) == "well"


def test_blank_answers_only_are_a_failure():
    """Case 144."""
    with pytest.raises(ProcessFailedError) as caught:
        chat_agent("clerk", llm=ScriptedModel(" ", "\n")).run("q")
    assert isinstance(caught.value.process.failure.__cause__, ModelOutputError)


def test_a_tool_is_found_by_its_own_name_where_a_provider_would_not_take_it():
    """Case 129."""

    def näher(task: str) -> str:  # noqa: PLC2401 - what is tested
        """Looks closer."""
        return f"close {task}"

    model = ScriptedModel(call("näher", task="x"), "done")
    said = chat_agent("clerk", tools=[näher], llm=model).run("q").board.all(Message)
    assert said[1].content.endswith('"close x"')


def test_a_text_that_an_agent_takes_is_called_so_among_the_arguments_of_its_tool():
    model = ScriptedModel(call("inner", text="x"), "done")
    inner = chat_agent("inner", llm=ScriptedModel("y"), description="Answers.")
    assert chat_agent("outer", tools=[inner], llm=model).run("q").result(str) == "done"
    assert list(model.requests[0]["tools"][0]["function"]["parameters"]["properties"]) == ["text"]
