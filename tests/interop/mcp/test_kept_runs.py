"""Runs that are kept: listed, gone on with and answered by tools, also when the server's program is another one."""

import asyncio
import json

import pytest
import served_agents as served
from mcp import Client
from mcp.types import ElicitResult

from planboard import (
    Agent,
    Approval,
    DefinitionError,
    Deny,
    MemoryJournal,
    Process,
    ProcessOptions,
    SqliteJournal,
    achieves_goal,
    action,
    to_mcp,
)

EXPENSE = {"expense": {"amount": 7}}


@pytest.fixture
def journal():
    return MemoryJournal()


def server_of(agent, journal, **settings):
    return to_mcp(agent, options=ProcessOptions(journal=journal), **settings)


async def agree(context, params):
    return ElicitResult(action="accept", content={"approve": True})


async def put_aside(context, params):
    return ElicitResult(action="cancel")


def text_of(result):
    return "\n".join(block.text for block in result.content)


async def called(server, tool, arguments=None, user=None, mode="auto"):
    async with Client(server, elicitation_callback=user, mode=mode) as client:
        return await client.call_tool(tool, arguments or {})


async def waiting(agent, journal, tool="letter", arguments=EXPENSE):
    """Begin a run that waits, and return it as it is listed."""
    await called(server_of(agent, journal), tool, arguments)
    return (await called(server_of(agent, journal), "list_runs")).structured_content["runs"][-1]


# What there is


@pytest.mark.parametrize(
    ("settings", "tools"),
    [({}, ["letter", "list_runs", "resume_run"]), ({"clients_answer": True}, ["letter", "list_runs", "resume_run", "answer_request"])],
    ids=["by default", "clients answer"],
)  # fmt: skip
def test_with_a_journal_there_are_tools_for_the_runs(go, journal, settings, tools):
    async def names():
        async with Client(server_of(served.paying, journal, **settings)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert go(names()) == tools


def test_without_a_journal_clients_cannot_answer():
    with pytest.raises(DefinitionError, match="without a journal no run waits"):
        to_mcp(served.paying, clients_answer=True)


def test_a_goal_that_is_called_like_one_of_the_tools_keeps_its_name(go, journal):
    @achieves_goal("Resumed", name="resume_run")
    @action
    def resume(topic: served.Topic) -> served.Letter:
        return served.Letter(text=topic.text)

    agent = Agent("resumer", [resume])

    assert go(called(server_of(agent, journal), "resume_run", {"topic": {"text": "mine"}})).structured_content == {
        "text": "mine"
    }
    assert "no run 'nix'" in text_of(go(called(server_of(agent, journal), "resume_run_2", {"run": "nix"})))


# Listing


def test_a_run_that_waits_is_listed_with_what_it_asks(go, journal):
    run = go(waiting(served.paying, journal))

    assert (run["tool"], run["status"]) == ("letter", "WAITING")
    assert [(asked["action"], asked["prompt"], asked["arguments"]) for asked in run["asks"]] == [
        ("pay", "May 'pay' run?", EXPENSE)
    ]


def test_runs_that_have_ended_are_listed_apart(go, journal):
    go(called(server_of(served.paying, journal), "letter", EXPENSE, agree))
    server = server_of(served.paying, journal)

    found = [go(called(server, "list_runs", {"ended": ended})).structured_content["runs"] for ended in (False, True)]

    assert [[run["status"] for run in runs] for runs in found] == [[], ["COMPLETED"]]


def test_runs_of_other_agents_are_neither_listed_nor_gone_on_with(go, journal):
    run = go(waiting(served.paying, journal))
    other = server_of(served.asking, journal, clients_answer=True)
    request = run["asks"][0]["request"]

    results = [
        go(called(other, "list_runs")),
        go(called(other, "resume_run", {"run": run["run"]})),
        go(called(other, "answer_request", {"request": request, "answer": True})),
    ]

    assert results[0].structured_content == {"runs": []}
    assert [text_of(result).partition(" of asking")[0] for result in results[1:]] == [
        f"Not called: There is no run {run['run']!r}",
        f"Not called: There is no request {request!r}",
    ]


def test_a_run_that_was_begun_for_something_else_is_not_gone_on_with(go, journal):
    process = served.paying.process(served.Expense(amount=7), options=ProcessOptions(journal=journal))
    go(process.run())

    result = go(called(server_of(served.paying, journal), "resume_run", {"run": process.id}))

    assert "something else than what is served here" in text_of(result)
    assert process.status == "WAITING"


def test_only_the_newest_runs_are_listed_and_how_many_are_older(go, journal, monkeypatch):
    from planboard.interop.mcp import kept

    monkeypatch.setattr(kept, "_LISTED", 2)
    ids = [go(waiting(served.paying, journal))["run"] for _ in range(3)]

    found = go(called(server_of(served.paying, journal), "list_runs")).structured_content

    assert [run["run"] for run in found["runs"]] == ids[1:]
    assert found["older"] == 1


def test_a_run_that_cannot_be_read_is_listed_with_the_reason(go, journal):
    run = go(waiting(served.paying, journal))

    @action(approval=True, cost=0.1)
    def pay(expense: served.Topic) -> served.Payment: ...

    changed = server_of(Agent("paying", [pay, served.confirm, served.regret]), journal)
    (listed,) = go(called(changed, "list_runs")).structured_content["runs"]

    assert listed["run"] == run["run"]
    assert "was begun with another 'paying'" in listed["broken"]


# Going on


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(("agent", "tool"), [(served.paying, "letter"), (served.boss, "Letter")], ids=["run", "child"])
def test_a_client_that_can_ask_is_asked_when_the_run_goes_on(go, journal, mode, agent, tool):
    run = go(waiting(agent, journal, tool))

    result = go(called(server_of(agent, journal), "resume_run", {"run": run["run"]}, agree, mode))

    assert result.structured_content == {"text": "paid 7"}


def test_a_run_that_was_answered_elsewhere_gives_its_result(go, journal):
    run = go(waiting(served.paying, journal))
    Process.restore(served.paying, journal, run["run"]).respond(run["asks"][0]["request"], Deny("not today"))

    result = go(called(server_of(served.paying, journal), "resume_run", {"run": run["run"]}))

    assert result.structured_content == {"text": "not paid: not today"}


def test_a_run_that_has_ended_gives_its_result_again_and_nothing_runs(go, journal):
    run = go(waiting(served.paying, journal))
    server = server_of(served.paying, journal)
    go(called(server, "resume_run", {"run": run["run"]}, agree))
    records = journal.read(run["run"])

    result = go(called(server, "resume_run", {"run": run["run"]}))

    assert result.structured_content == {"text": "paid 7"}
    assert journal.read(run["run"]) == records


def test_a_run_that_still_waits_says_so_again(go, journal):
    run = go(waiting(served.paying, journal))

    result = go(called(server_of(served.paying, journal), "resume_run", {"run": run["run"]}, put_aside))

    assert result.is_error
    assert f"resume_run with run {run['run']!r}" in text_of(result)


def test_the_policies_of_the_server_hold_for_runs_that_were_begun_without(go, journal):
    @achieves_goal("Sent")
    @action(cost=0.1)
    def send(payment: served.Payment) -> served.Letter:
        return served.Letter(text="sent")

    agent = Agent("sending", [served.pay, send])
    run = go(waiting(agent, journal, "send"))
    options = ProcessOptions(journal=journal, approvals=[Approval("send", prompt="Send it?")])
    asked = []

    async def note(context, params):
        asked.append(params.message.partition("\n")[0])
        return await agree(context, params)

    go(called(to_mcp(agent, options=options), "resume_run", {"run": run["run"]}, note))

    assert asked == ["May 'pay' run?", "Send it?"]


def test_the_policies_of_a_run_hold_though_a_server_has_one_that_is_a_function(go, journal):
    @achieves_goal("Sent")
    @action(cost=0.1)
    def send(payment: served.Payment) -> served.Letter:
        return served.Letter(text="sent")

    agent = Agent("sending", [served.pay, send])
    strict = ProcessOptions(journal=journal, approvals=[Approval("send", prompt="Send it?")])
    lenient = ProcessOptions(journal=journal, approvals=[Approval(lambda name, arguments: None)])
    asked = []

    async def note(context, params):
        asked.append(params.message.partition("\n")[0])
        return await agree(context, params)

    go(called(to_mcp(agent, options=strict), "send", EXPENSE))
    (run,) = journal.runs()
    go(called(to_mcp(agent, options=lenient), "resume_run", {"run": run.id}, note))

    assert asked == ["May 'pay' run?", "Send it?"]


def test_an_answer_that_comes_after_the_run_went_on_elsewhere_gives_what_came_of_it(go, journal):
    async def call():
        async with Client(server_of(served.paying, journal), elicitation_callback=agree) as client:
            first = await client.session.call_tool("letter", EXPENSE, allow_input_required=True)
            (run,) = journal.runs()
            elsewhere = Process.restore(served.paying, journal, run.id)
            elsewhere.respond(f"{run.id}:1", Deny("no"))
            await elsewhere.run()
            answers = {name: ElicitResult(action="accept", content={"approve": True}) for name in first.input_requests}
            settings = {"input_responses": answers, "request_state": first.request_state}
            return await client.call_tool("letter", EXPENSE, **settings)

    assert go(call()).structured_content == {"text": "not paid: no"}


def test_a_run_that_somebody_goes_on_with_just_now_is_not_gone_on_with_twice(go, journal):
    begun = asyncio.Event()
    enough = asyncio.Event()

    @achieves_goal("Late")
    @action
    async def wait(topic: served.Topic) -> served.Letter:
        begun.set()
        await enough.wait()
        return served.Letter(text=topic.text)

    async def call():
        async with Client(server_of(Agent("waiter", [wait]), journal)) as client:
            first = asyncio.create_task(client.call_tool("wait", {"topic": {"text": "x"}}))
            await begun.wait()
            (run,) = journal.runs()
            second = await client.call_tool("resume_run", {"run": run.id})
            enough.set()
            return await first, second

    first, second = go(call())

    assert first.structured_content == {"text": "x"}
    assert second.is_error


@pytest.mark.parametrize(
    ("tool", "arguments", "fault"),
    [
        ("list_runs", {"ended": "yes"}, "ended: it is no truth value"),
        ("resume_run", {}, "run: it is needed"),
        ("resume_run", {"run": 3}, "run: it is no text"),
        ("resume_run", {"runs": "x", "run": "x"}, "runs: there is no such argument (Did you mean 'run'?)"),
        ("answer_request", {"request": "x"}, "answer: either it is given, or deny with a reason"),
        ("answer_request", {"request": "x", "answer": 1, "deny": "no"}, "answer: either it is given"),
        ("answer_request", {"request": "", "answer": 1}, "There is no request ''"),
    ],
)
def test_arguments_that_do_not_fit_are_told(go, journal, tool, arguments, fault):
    result = go(called(server_of(served.paying, journal, clients_answer=True), tool, arguments))

    assert result.is_error
    assert text_of(result).startswith(f"Not called: {fault}")


# Answering


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"answer": True}, "paid 7"),
        ({"answer": {"decision": "edit", "arguments": {"expense": {"amount": 3}}}}, "paid 3"),
        ({"deny": "too much"}, "not paid: too much"),
    ],
    ids=["approve", "edit", "deny"],
)
@pytest.mark.parametrize(("agent", "tool"), [(served.paying, "letter"), (served.boss, "Letter")], ids=["run", "child"])
def test_a_client_that_may_answer_answers_and_has_the_result(go, journal, agent, tool, answer, text):
    run = go(waiting(agent, journal, tool))
    server = server_of(agent, journal, clients_answer=True)

    result = go(called(server, "answer_request", {"request": run["asks"][0]["request"], **answer}))

    assert result.structured_content == {"text": text}


def test_a_client_that_may_not_answer_has_no_way_to(go, journal):
    run = go(waiting(served.paying, journal))
    arguments = {"request": run["asks"][0]["request"], "answer": True}

    with pytest.raises(Exception, match="There is no tool 'answer_request'"):
        go(called(server_of(served.paying, journal), "answer_request", arguments))

    assert Process.restore(served.paying, journal, run["run"]).status == "WAITING"


def test_an_answer_that_does_not_fit_names_the_field_and_the_run_waits_on(go, journal):
    run = go(waiting(served.asking, journal))
    server = server_of(served.asking, journal, clients_answer=True)
    request = run["asks"][0]["request"]

    refused = go(called(server, "answer_request", {"request": request, "answer": {"approved": "perhaps"}}))
    taken = go(called(server, "answer_request", {"request": request, "answer": {"approved": True, "limit": 3}}))

    assert "approved" in text_of(refused)
    assert taken.structured_content == {"text": "True 3 None"}


def test_an_answer_is_taken_once(go, journal):
    run = go(waiting(served.paying, journal))
    server = server_of(served.paying, journal, clients_answer=True)
    arguments = {"request": run["asks"][0]["request"], "answer": True}

    results = [go(called(server, "answer_request", arguments)) for _ in range(2)]

    assert [result.is_error for result in results] == [False, True]
    assert "answered already" in text_of(results[1])


def test_a_secret_is_not_answered_by_a_client(go, journal):
    run = go(waiting(served.entering, journal, "enter", {}))
    server = server_of(served.entering, journal, clients_answer=True)
    answer = {"user": "ada", "password": "open-sesame"}

    result = go(called(server, "answer_request", {"request": run["asks"][0]["request"], "answer": answer}))

    assert text_of(result) == "Not called: what is asked for is secret, which clients must not give"
    assert "open-sesame" not in json.dumps([record.body for record in journal.read(run["run"])])


# Another program


def test_a_server_that_was_started_again_goes_on_with_a_run(go, planboard):
    async def call():
        async with Client(planboard("paying", "--journal", "runs.db")) as client:
            await client.call_tool("letter", EXPENSE)
        async with Client(planboard("paying", "--journal", "runs.db"), elicitation_callback=agree) as client:
            (run,) = (await client.call_tool("list_runs")).structured_content["runs"]
            return await client.call_tool("resume_run", {"run": run["run"]})

    assert go(call()).structured_content == {"text": "paid 7"}


def test_a_run_whose_server_was_killed_in_the_middle_asks_how_far_it_got(go, planboard, started, tmp_path):
    words = ("lingering", "--journal", "runs.db", "--clients-answer")

    async def call():
        async with Client(planboard(*words)) as client:
            running = asyncio.create_task(client.call_tool("linger", {"topic": {"text": "x"}}))
            while not (tmp_path / "lingers").exists():
                await asyncio.sleep(0.01)
            started[0].kill()
            await asyncio.wait({running})
        async with Client(planboard(*words)) as client:
            (run,) = (await client.call_tool("list_runs")).structured_content["runs"]
            doubtful = await client.call_tool("resume_run", {"run": run["run"]})
            (run,) = (await client.call_tool("list_runs")).structured_content["runs"]
            answer = {"decision": "finished", "value": {"text": "it got there"}}
            arguments = {"request": run["asks"][0]["request"], "answer": answer}
            return running, doubtful, await client.call_tool("answer_request", arguments)

    running, doubtful, done = go(call())
    journal = SqliteJournal(tmp_path / "runs.db")
    statuses = [run.standing.status for run in journal.runs()]
    journal.close()

    assert running.exception() is not None
    assert doubtful.is_error
    assert done.structured_content == {"text": "it got there"}
    assert statuses == ["COMPLETED"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_two_clients_that_go_on_with_one_run_release_its_action_once(go, journal, mode):
    run = go(waiting(served.paying, journal))
    server = server_of(served.paying, journal)
    asked = []
    both = asyncio.Event()

    async def agree_together(context, params):
        asked.append(params)
        if len(asked) == 2:
            both.set()
        await both.wait()
        return await agree(context, params)

    async def call():
        calls = [called(server, "resume_run", {"run": run["run"]}, agree_together, mode) for _ in range(2)]
        return await asyncio.gather(*calls)

    results = go(call())
    succeeded = [record for record in journal.read(run["run"]) if record.kind == "action_succeeded"]

    assert {"text": "paid 7"} in [result.structured_content for result in results]
    assert len(succeeded) == 2, "pay and confirm, once each"
