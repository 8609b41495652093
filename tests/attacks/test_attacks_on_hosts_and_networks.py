"""Hosts, networks and flows met with calls that come twice, earlier talks, and names that there are not."""

import pytest

from planboard import (
    DefinitionError,
    Flow,
    Host,
    Message,
    Network,
    ProcessFailedError,
    ScriptedModel,
    Specialist,
    call,
    chat_agent,
    star,
)


def look_up(task: str) -> str:
    """Looks something up."""
    if task == "nothing":
        raise ValueError("there is nothing")
    return f"found {task}"


def other(task: str) -> str:
    """Does something else."""
    return f"other {task}"


def host_of(*replies: object, **options: object) -> Host:
    return Host("host", [Specialist("finds", "Finds.", look_up), Specialist("other", "Else.", other)],
                llm=ScriptedModel(*replies), **options)  # fmt: skip


def asks(*calls: tuple[str, str]) -> list[object]:
    return [call(name, task=task) for name, task in calls]


def test_of_two_questions_to_one_specialist_a_failure_does_not_lose_the_other_answer():
    """Case 112."""
    answer = host_of(asks(("finds", "this"), ("finds", "nothing"))).run("q").result(str)
    assert answer.splitlines()[0] == "[finds]: found this"
    assert answer.splitlines()[1].startswith("[finds]: failed: ")


def test_answers_are_in_the_order_of_the_calls_where_one_specialist_is_called_twice():
    answer = host_of(asks(("finds", "a"), ("other", "b"), ("finds", "c"))).run("q").result(str)
    assert answer == "[finds]: found a\n[other]: other b\n[finds]: found c"


def test_two_answers_of_one_specialist_are_summarised_too():
    assert host_of(asks(("finds", "a"), ("finds", "b")), "both", summarize=True).run("q").result(str) == "both"


def test_where_both_questions_to_one_specialist_fail_so_does_the_host():
    with pytest.raises(ProcessFailedError, match="No specialist has an answer"):
        host_of(asks(("finds", "nothing"), ("finds", "nothing"))).run("q")


def test_an_earlier_talk_is_told_to_a_host():
    model = ScriptedModel("fine")
    Host("host", [look_up], llm=model).run([Message(author="user", content="hi")], "and now?")
    assert [message["content"] for message in model.requests[0]["messages"][1:]] == ["hi", "and now?"]


@pytest.mark.parametrize("name", ["", " ", "user"], ids=["empty", "blank", "user"])
def test_a_specialist_has_a_name_of_its_own(name):
    with pytest.raises(DefinitionError, match="A specialist of 'host' is named"):
        Host("host", [Specialist(name, "Finds.", look_up)])


def history(talk: list[Message]) -> str:
    """Says what it has heard."""
    return " | ".join(map(str, talk))


EARLIER = [Message(author="user", content="hi"), Message(author="history", content="hello")]


@pytest.mark.parametrize("given", [(*EARLIER, "and now?"), (EARLIER, "and now?")], ids=["messages", "list"])
def test_members_of_a_network_hear_an_earlier_talk(given):
    heard = Network("network", [history]).run(*given).result(str)
    assert heard == "user: hi | history: hello | user: and now?"


def test_the_last_message_of_an_earlier_talk_is_the_task_where_there_is_no_other():
    answered = Network("network", [look_up]).run([*EARLIER, Message(author="user", content="it")])
    assert answered.result(str) == "found it"


@pytest.mark.parametrize(
    "topology", ["ring", star("nobody"), {"look_up": ["lookup"]}, 5], ids=["word", "center", "edge", "number"]
)
def test_a_wrong_topology_is_refused_with_the_network_that_it_is_of(topology):
    with pytest.raises(DefinitionError, match=r"\ANetwork\('network'\): "):
        Network("network", [look_up, other], topology=topology)


def test_a_flow_that_is_given_no_name_is_refused():
    with pytest.raises(DefinitionError, match="Its name is a text, and comes first"):
        Flow.sequence(look_up, other)


def test_the_model_of_a_flow_is_that_of_its_members():
    model = ScriptedModel("a draft", "a text")
    flow = Flow.sequence("flow", chat_agent("drafts", "Draft."), chat_agent("polishes", "Polish."), llm=model)
    assert flow.run("q").result(str) == "a text"


def test_a_member_of_a_flow_that_has_a_model_keeps_it():
    own, shared = ScriptedModel("its own"), ScriptedModel()
    assert Flow.sequence("flow", chat_agent("member", llm=own), llm=shared).run("q").result(str) == "its own"
