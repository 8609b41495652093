"""Runs that need a person: the client asks its user, in both ways that the protocol has; or the run is kept."""

import asyncio
import re
from datetime import timedelta

import pytest
import served_agents as served
from mcp import Client
from mcp.types import ElicitResult, ErrorData
from typer.testing import CliRunner

from planboard import Agent, Deny, MemoryJournal, Process, ProcessOptions, SqliteJournal, human, to_mcp
from planboard.cli.app import app

MODES = ["auto", "legacy"]


class User:
    """Fills in forms, one after the other."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def __call__(self, context, params):
        self.asked.append(params)
        answer = self.answers.pop(0)
        return ElicitResult(action=answer) if isinstance(answer, str) else ElicitResult(action="accept", content=answer)


async def called(agent, tool, arguments, user, mode, **settings):
    async with Client(to_mcp(agent, **settings), mode=mode, elicitation_callback=user) as client:
        return await client.call_tool(tool, arguments)


def text_of(result):
    return "\n".join(block.text for block in result.content)


EXPENSE = {"expense": {"amount": 7}}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"approve": True}, "paid 7"),
        ({"approve": False, "reason": "too much"}, "not paid: too much"),
        ("decline", "not paid: declined"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("agent", [served.paying, served.boss], ids=["alone", "as a child"])
def test_consent_is_asked_for_with_the_arguments(go, mode, answer, text, agent):
    user = User(answer)
    tool = "letter" if agent is served.paying else "Letter"

    result = go(called(agent, tool, EXPENSE, user, mode))

    assert result.structured_content == {"text": text}
    assert [params.message for params in user.asked] == ["May 'pay' run?\nexpense: {\"amount\":7}"]
    assert list(user.asked[0].requested_schema["properties"]) == ["approve", "reason"]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"approved": True}, "True 10 None"),
        ({"approved": False, "limit": 3, "note": "no"}, "False 3 no"),
        ({"approved": True, "note": None}, "True 10 None"),
        ("decline", "not paid: declined"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_a_flat_type_is_a_form_of_its_fields(go, mode, answer, text):
    user = User(answer)

    result = go(called(served.asking, "letter", EXPENSE, user, mode))

    assert result.structured_content == {"text": text}
    schema = user.asked[0].requested_schema
    assert user.asked[0].message == "Pay 7?"
    assert {name: field["type"] for name, field in schema["properties"].items()} == {
        "approved": "boolean", "limit": "integer", "note": "string",
    }  # fmt: skip
    assert schema["required"] == ["approved"]


@pytest.mark.parametrize("mode", MODES)
def test_what_no_flat_form_holds_is_asked_for_as_json(go, mode):
    user = User({"json": '{"stops": ["Oslo", "Bergen"], "length": {"km": 463}}'})

    result = go(called(served.routing, "routed", {}, user, mode))

    assert result.structured_content == {"text": "Oslo to Bergen"}
    assert list(user.asked[0].requested_schema["properties"]) == ["json"]


@pytest.mark.parametrize("mode", MODES)
def test_an_answer_that_does_not_fit_is_asked_for_again_with_the_fault(go, mode):
    user = User({"json": "north"}, {"json": '{"stops": 3}'}, {"json": '{"stops": ["Oslo"], "length": {}}'})

    result = go(called(served.routing, "routed", {}, user, mode))

    assert result.structured_content == {"text": "Oslo"}
    assert [params.message.splitlines()[0][:40] for params in user.asked] == [
        "Which way?",
        "That does not answer it: json: this is n",
        "That does not answer it: That does not a",
    ]


@pytest.mark.parametrize("mode", MODES)
def test_somebody_who_never_fits_is_not_asked_for_ever(go, mode):
    user = User(*[{"json": "north"}] * 9)

    result = go(called(served.routing, "routed", {}, user, mode))

    assert result.is_error
    assert len(user.asked) == 4


@pytest.mark.parametrize("mode", MODES)
def test_a_question_that_is_put_aside_gives_the_run_up(go, mode):
    result = go(called(served.paying, "letter", EXPENSE, User("cancel"), mode))

    assert result.is_error
    assert "The person has put the question aside" in text_of(result)
    assert "given up" in text_of(result)


@pytest.mark.parametrize("mode", MODES)
def test_a_secret_is_never_asked_for_in_a_form(go, mode):
    user = User()

    result = go(called(served.entering, "enter", {}, user, mode))

    assert result.is_error
    assert "secret" in text_of(result)
    assert user.asked == []


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cannot_ask_is_told_what_to_do(go, mode):
    result = go(called(served.paying, "letter", EXPENSE, None, mode))

    assert result.is_error
    assert "May 'pay' run?" in text_of(result)
    assert "--journal FILE" in text_of(result)


def test_a_client_that_breaks_while_it_asks_is_told_what_to_do(go):
    async def refuse(context, params):
        return ErrorData(code=-32600, message="no window")

    result = go(called(served.paying, "letter", EXPENSE, refuse, "legacy"))

    assert result.is_error
    assert "could not ask a person: no window" in text_of(result)


def test_an_answer_from_elsewhere_lets_the_call_go_on(go, tmp_path):
    journal = SqliteJournal(tmp_path / "runs.db")

    async def answer_elsewhere(context, params):
        (run,) = journal.runs()
        Process.restore(served.paying, journal, run.id).respond(f"{run.id}:1", Deny("not today"))
        return ElicitResult(action="accept", content={"approve": True})

    options = ProcessOptions(journal=journal)
    result = go(called(served.paying, "letter", EXPENSE, answer_elsewhere, "auto", options=options))
    journal.close()

    assert result.structured_content == {"text": "not paid: not today"}


def test_a_question_nobody_answers_in_time_counts_as_denied(go):
    async def think(context, params):
        await asyncio.Event().wait()

    quick = human(served.Decision, "Now?", expires=timedelta(milliseconds=20))
    agent = Agent("quick", [quick, served.decided, served.regret])

    result = go(called(agent, "letter", {}, think, "legacy"))

    assert result.structured_content == {"text": "not paid: nobody answered in time"}


def test_a_client_that_cancels_while_its_user_thinks_cancels_the_run(go):
    journal = MemoryJournal()
    asked = asyncio.Event()

    async def think(context, params):
        asked.set()
        await asyncio.Event().wait()

    async def call():
        server = to_mcp(served.paying, options=ProcessOptions(journal=journal))
        async with Client(server, mode="legacy", elicitation_callback=think) as client:
            running = asyncio.create_task(client.call_tool("letter", EXPENSE))
            await asked.wait()
            running.cancel()
            await asyncio.wait({running})
            while [run.standing.status for run in journal.runs()] != ["CANCELLED"]:
                await asyncio.sleep(0)

    go(call())


def test_an_answer_counts_once_though_it_is_sent_twice(go):
    async def call():
        async with Client(to_mcp(served.paying), elicitation_callback=User()) as client:
            first = await client.session.call_tool("letter", EXPENSE, allow_input_required=True)
            answers = {name: ElicitResult(action="accept", content={"approve": True}) for name in first.input_requests}
            settings = {"input_responses": answers, "request_state": first.request_state}
            return [await client.call_tool("letter", EXPENSE, **settings) for _ in range(2)]

    once, twice = go(call())

    assert once.structured_content == {"text": "paid 7"}
    assert twice.is_error
    assert "does not wait here any more" in text_of(twice)


def test_an_answer_of_one_call_does_not_release_another(go):
    async def call():
        async with Client(to_mcp(served.paying), elicitation_callback=User()) as client:
            first = await client.session.call_tool("letter", EXPENSE, allow_input_required=True)
            answers = {name: ElicitResult(action="accept", content={"approve": True}) for name in first.input_requests}
            other = {"expense": {"amount": 7000}}
            await client.call_tool("letter", other, input_responses=answers, request_state=first.request_state)

    with pytest.raises(Exception, match="Invalid or expired requestState"):
        go(call())


# Runs that are kept


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("answers", [None, ["cancel"]], ids=["cannot ask", "put aside"])
def test_a_kept_run_waits_and_the_result_says_so(go, mode, answers):
    journal = MemoryJournal()
    user = None if answers is None else User(*answers)

    result = go(called(served.paying, "letter", EXPENSE, user, mode, options=ProcessOptions(journal=journal)))

    assert result.is_error
    (run,) = journal.runs()
    assert run.standing.status == "WAITING"
    assert f"run {run.id} waits for a person" in text_of(result)


def test_a_kept_run_is_answered_by_the_commands_that_its_result_names(go, planboard, tmp_path, monkeypatch):
    async def call():
        async with Client(planboard("paying", "--journal", "runs.db")) as client:
            return await client.call_tool("letter", EXPENSE)

    said = text_of(go(call()))
    monkeypatch.chdir(tmp_path)
    approve = re.search(r"\$ planboard (approve .*)", said)[1].split()
    resume = re.search(r"\$ planboard (resume .*)", said)[1].split()
    done = [CliRunner().invoke(app, words) for words in (approve, resume)]

    assert [result.exit_code for result in done] == [0, 0], [result.output for result in done]
    assert "paid 7" in done[1].output


def test_runs_of_calls_are_kept_with_their_end(go, tmp_path):
    journal = SqliteJournal(tmp_path / "runs.db")
    options = ProcessOptions(journal=journal)

    go(called(served.paying, "letter", EXPENSE, User({"approve": True}), "auto", options=options))
    kept = [(run.agent, run.standing.status) for run in journal.runs()]
    journal.close()

    assert kept == [("paying", "COMPLETED")]


def test_the_run_that_has_waited_longest_makes_room(go, monkeypatch):
    from planboard.interop.mcp import calls

    monkeypatch.setattr(calls, "_HELD", 2)

    async def call():
        async with Client(to_mcp(served.paying), elicitation_callback=User()) as client:
            waiting = [await client.session.call_tool("letter", EXPENSE, allow_input_required=True) for _ in range(3)]
            results = []
            for one in waiting:
                answers = {
                    name: ElicitResult(action="accept", content={"approve": True}) for name in one.input_requests
                }
                results.append(
                    await client.call_tool("letter", EXPENSE, input_responses=answers, request_state=one.request_state)
                )
            return [result.is_error for result in results]

    assert go(call()) == [True, False, False]
