"""Promises about agents that are tools of a model and have to ask a person first."""

from asyncio import run as wait
from contextlib import closing

import pytest
from pydantic import BaseModel

from planboard import (
    Agent,
    Ai,
    DefinitionError,
    Deny,
    MemoryJournal,
    Network,
    Process,
    ProcessFailedError,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    SecretNotKeptError,
    SqliteJournal,
    achieves_goal,
    action,
    call,
    chat_agent,
)
from planboard.llm.scripted import ScriptedRequest


class Flight(BaseModel):
    number: str


class Refund(BaseModel):
    text: str


refunded: list[str] = []


@achieves_goal("A flight is refunded")
@action(approval=True)
def refund(flight: Flight) -> Refund:
    """Refund a flight."""
    refunded.append(flight.number)
    return Refund(text=f"{flight.number} is refunded")


desk = Agent("refunds", [refund], description="Refunds flights.")


def reply(request: ScriptedRequest) -> object:
    """Call the tool, then say what it said: the same again when the conversation is held again."""
    said = [message["content"] for message in request.wire["messages"] if message["role"] == "tool"]
    return f"Done: {said[-1]}" if said else call("refunds", flight={"number": "507811"})


@pytest.fixture
def clerk():
    refunded.clear()
    return chat_agent("clerk", "You help.", tools=[desk], llm=ScriptedModel(rules=reply))


def test_a_model_whose_tool_has_to_wait_waits_with_its_request(clerk):
    process = clerk.process("Refund my flight.")

    assert wait(process.run()) is ProcessStatus.WAITING
    assert [(request.action, request.arguments) for request in process.pending] == [
        ("refund", {"flight": {"number": "507811"}})
    ]
    assert refunded == []


def test_an_answer_in_another_program_lets_the_tool_go_on_and_it_is_run_once(clerk):
    journal = MemoryJournal()
    wait(clerk.process("Refund my flight.", options=ProcessOptions(journal=journal), id="talk").run())

    process = Process.restore(clerk, journal, "talk")
    process.respond(process.pending[0].id, True)
    wait(process.run())

    assert process.result(str) == 'Done: {"text":"507811 is refunded"}'
    assert refunded == ["507811"]


def test_after_a_refusal_the_model_is_told_and_nothing_was_done(clerk):
    process = clerk.process("Refund my flight.")
    wait(process.run())
    process.respond(process.pending[0].id, False)
    wait(process.run())

    assert process.result(str).startswith("Done: failed")
    assert refunded == []


def test_an_action_that_asks_a_person_first_is_no_tool_by_itself():
    with pytest.raises(DefinitionError, match=r"chat_agent\('clerk'\): .*asks a person before it runs.*as_tool"):
        chat_agent("clerk", tools=[refund])


def test_nor_is_it_in_a_conversation_of_an_action():
    @achieves_goal("Answered")
    @action
    async def answer(text: str, ai: Ai) -> Refund:
        return Refund(text=await ai.agentic(text, tools=[refund]))

    agent = Agent("answering", [answer], services=[Ai(ScriptedModel())])

    with pytest.raises(ProcessFailedError) as caught:
        agent.run("Refund my flight.")
    assert isinstance(caught.value.process.failure.__cause__, DefinitionError)


deleted: list[str] = []


def delete_file(path: str) -> str:
    """Delete a file."""
    deleted.append(path)
    return "deleted"


@pytest.mark.parametrize("policy", ["delete_*", lambda name, _: Deny("never") if name == "delete_file" else None])
def test_a_function_that_a_policy_objects_to_is_not_called_as_a_tool(policy):
    deleted.clear()
    model = ScriptedModel(call("delete_file", path="/"), "I could not.")
    janitor = chat_agent("janitor", tools=[delete_file], llm=model)

    process = janitor.run("clean up", options=ProcessOptions(approvals=[policy]))

    assert deleted == []
    assert process.result(str) == "I could not."
    assert "not called" in model.requests[-1]["messages"][-1]["content"]


def test_a_policy_for_all_actions_does_not_keep_members_from_handing_over():
    ann = chat_agent("ann", llm=ScriptedModel(call("transfer_to_bob", task="go on")))
    bob = chat_agent("bob", llm=ScriptedModel("Done."))
    process = Network("pair", [ann, bob]).process("hello", options=ProcessOptions(approvals=["transfer_*"]))

    wait(process.run())

    assert process.result(str) == "Done."


looked: list[str] = []


def look_up(customer: str) -> str:
    """Look up the flight of a customer."""
    looked.append(customer)
    return "507811"


def begun_clerk(*replies: object) -> Agent:
    return chat_agent("clerk", "You help.", tools=[look_up, desk], llm=ScriptedModel(*replies))


def test_after_a_pause_no_model_is_asked_and_no_function_called_again():
    refunded.clear()
    looked.clear()
    journal = MemoryJournal()
    before = begun_clerk(call("look_up", customer="Ada"), call("refunds", flight={"number": "507811"}))
    wait(before.process("Refund my flight.", options=ProcessOptions(journal=journal), id="talk").run())

    process = Process.restore(begun_clerk("Done."), journal, "talk")
    process.respond(process.pending[0].id, True)
    wait(process.run())

    assert process.result(str) == "Done."
    assert (looked, refunded) == (["Ada"], ["507811"])


def test_what_a_function_raises_is_told_to_the_model_beside_tools_that_may_wait():
    def fail(customer: str) -> str:
        """Fail."""
        raise LookupError(customer)

    model = ScriptedModel(call("fail", customer="Ada"), "Sorry.")
    clerk = chat_agent("clerk", tools=[fail, desk], llm=model)

    assert clerk.run("Refund my flight.", returning=str) == "Sorry."
    assert "failed: LookupError: Ada" in model.requests[-1]["messages"][-1]["content"]


def test_usage_of_turns_that_are_kept_counts_once():
    clerk = begun_clerk(call("look_up", customer="Ada"), "Done.")

    process = clerk.run("Where is my flight?")

    assert process.usage.llm_calls == 2


def test_a_policy_is_asked_about_functions_beside_tools_that_may_wait():
    looked.clear()
    clerk = begun_clerk(call("look_up", customer="Ada"), "Sorry.")

    process = clerk.run("Where is my flight?", options=ProcessOptions(approvals=["look_*"]))

    assert (process.result(str), looked) == ("Sorry.", [])


def test_an_object_is_made_beside_tools_that_may_wait():
    model = ScriptedModel(call("look_up", customer="Ada"), call("answer", number="507811"))
    clerk = chat_agent("clerk", tools=[look_up, desk], llm=model, returning=Flight)

    assert clerk.run("Where is my flight?", returning=Flight) == Flight(number="507811")


def log_in(api_key: str) -> str:
    """Log in."""
    looked.append(api_key)
    return "logged in"


def secretive_clerk(*replies: object) -> Agent:
    return chat_agent("clerk", tools=[log_in, desk], llm=ScriptedModel(*replies))


@pytest.fixture
def secretive(tmp_path):
    """A file with a run that was told a secret and waits."""
    refunded.clear()
    looked.clear()
    clerk = secretive_clerk(call("log_in", api_key="s3cret-99"), call("refunds", flight={"number": "7"}))
    with closing(SqliteJournal(tmp_path / "runs.db")) as journal:
        wait(clerk.process("Refund it.", options=ProcessOptions(journal=journal), id="talk").run())
    return tmp_path


def test_a_secret_that_a_model_hands_to_a_function_is_never_written(secretive):
    """Case 165."""
    assert looked == ["s3cret-99"]
    assert not any(b"s3cret-99" in file.read_bytes() for file in secretive.iterdir() if file.is_file())


def test_such_a_conversation_is_taken_up_with_the_secret(secretive):
    with closing(SqliteJournal(secretive / "runs.db")) as journal:
        with pytest.raises(SecretNotKeptError, match="api_key"):
            Process.restore(secretive_clerk("Done."), journal, "talk")
        process = Process.restore(secretive_clerk("Done."), journal, "talk", secrets={"api_key": "s3cret-99"})
        process.respond(process.pending[0].id, True)
        wait(process.run())

        assert (process.result(str), looked, refunded) == ("Done.", ["s3cret-99"], ["7"])
