"""An agent served as tools: what is listed, what comes back, what goes wrong. Over memory unless said otherwise."""

import asyncio
import json
import sys

import pytest
import served_agents as served
from mcp import Client, MCPError

from planboard import (
    Agent,
    Budget,
    DefinitionError,
    Goal,
    JournalError,
    Process,
    ProcessOptions,
    achieves_goal,
    action,
    to_mcp,
)

MODES = ["auto", "legacy"]


async def listed(agent, mode="auto"):
    async with Client(to_mcp(agent), mode=mode) as client:
        return {tool.name: tool for tool in (await client.list_tools()).tools}


async def called(agent, tool, arguments, *, mode="auto", **settings):
    async with Client(to_mcp(agent, **settings), mode=mode) as client:
        return await client.call_tool(tool, arguments)


def text_of(result):
    return "\n".join(block.text for block in result.content)


# What is listed


def test_each_goal_is_a_tool_with_its_name_and_description(go):
    tools = go(listed(served.reporter))

    assert {name: tool.description for name, tool in tools.items()} == {"write": "A finished report. Writes reports."}


def test_goals_of_one_type_are_one_tool_named_after_the_type(go):
    assert {name: tool.description for name, tool in go(listed(served.paying)).items()} == {"letter": "It is settled."}


def test_the_arguments_are_what_the_goal_needs_and_not_what_other_goals_need(go):
    schemas = {name: tool.input_schema for name, tool in go(listed(served.many)).items()}

    assert {name: (list(schema["properties"]), schema.get("required", [])) for name, schema in schemas.items()} == {
        "account": (["topic"], ["topic"]),
        "greet": (["people", "host"], ["people"]),
        "names": (["people"], ["people"]),
        "number": ([], []),
        "plant": (["topic"], ["topic"]),
    }


def test_a_field_with_a_default_may_be_left_out(go):
    schema = go(listed(served.reporter))["write"].input_schema

    assert schema["properties"]["topic"]["required"] == ["text"]


@pytest.mark.parametrize("mode", MODES)
def test_every_output_schema_is_that_of_an_object(go, mode):
    schemas = [tool.output_schema for tool in go(listed(served.many, mode)).values()]

    assert [schema["type"] for schema in schemas] == ["object"] * 5


def test_the_names_of_tools_are_valid_everywhere(go):
    agent = Agent("a", [served.write], goals=[Goal(served.Findings, name="Ergebnis: schön, " + "lang " * 30)])

    (name,) = set(go(listed(agent))) - {"write"}

    assert len(name) <= 64
    assert name.isascii()


def test_an_agent_without_a_goal_about_a_type_is_refused():
    with pytest.raises(DefinitionError, match="'a' has nothing to serve"):
        to_mcp(Agent("a", [served.research]))


def test_an_input_that_json_cannot_hold_is_refused_by_name():
    class Handle:
        pass

    @achieves_goal("Done")
    @action
    def use(handle: Handle) -> served.Letter: ...

    with pytest.raises(DefinitionError, match="'use' cannot be served: it has to be given a Handle"):
        to_mcp(Agent("a", [use]))


# What comes back


@pytest.mark.parametrize("mode", MODES)
def test_a_result_is_structured_and_a_text(go, mode):
    result = go(called(served.reporter, "write", {"topic": {"text": "tides", "depth": 2}}, mode=mode))

    assert result.structured_content == {"title": "tides", "body": "tides; tides"}
    assert json.loads(text_of(result)) == result.structured_content


@pytest.mark.parametrize(
    ("tool", "arguments", "structured"),
    [
        ("greet", {"people": [{"name": "Ada"}, {"name": "Bob"}], "host": "Eve"}, {"result": "Eve greets Ada, Bob"}),
        ("names", {"people": [{"name": "Ada"}]}, {"result": ["Ada"]}),
        (
            "plant",
            {"topic": {"text": "oak"}},
            {"result": {"name": "oak", "children": [{"name": "leaf", "children": []}]}},
        ),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_what_is_no_object_is_wrapped(go, mode, tool, arguments, structured):
    assert go(called(served.many, tool, arguments, mode=mode)).structured_content == structured


def test_a_type_that_json_cannot_describe_has_no_schema_and_is_shown(go):
    class Odd:
        def __repr__(self):
            return "<Odd>"

    @achieves_goal("Odd")
    @action
    def find() -> Odd:
        return Odd()

    agent = Agent("odd", [find])

    assert go(listed(agent))["find"].output_schema is None
    assert go(called(agent, "find", {})).structured_content == {"result": "<Odd>"}


def test_a_result_of_a_subclass_is_shown_as_what_was_promised(go):
    class Long(served.Letter):
        pages: int

    @achieves_goal("Sent")
    @action
    def send() -> served.Letter:
        return Long(text="x", pages=3)

    assert go(called(Agent("a", [send]), "send", {})).structured_content == {"text": "x"}


def test_a_text_is_told_as_it_is(go):
    assert text_of(go(called(served.many, "greet", {"people": [{"name": "Ada"}]}))) == "nobody greets Ada"


def test_secrets_in_results_are_hidden(go):
    result = go(called(served.many, "account", {"topic": {"text": "Ada"}}))

    assert result.structured_content == {"owner": "Ada", "api_key": "***", "token": "**********"}
    assert "sesame" not in text_of(result)


def test_a_number_that_json_lacks_is_an_error_that_shows_the_result(go):
    result = go(called(served.many, "number", {}))

    assert result.is_error
    assert "a number that JSON lacks" in text_of(result)


def test_a_run_that_sleeps_is_waited_for(go):
    assert go(called(served.resting, "wake", {})).structured_content == {"text": "rested"}


def test_progress_tells_each_action_and_how_many_are_done(go):
    told = []

    async def note(progress, total, message):
        told.append((progress, message))

    async def call():
        async with Client(to_mcp(served.reporter)) as client:
            await client.call_tool("write", {"topic": {"text": "tides"}}, progress_callback=note)

    go(call())

    assert told == [
        (1.0, "research has started"),
        (2.0, "research is done (1 action so far)"),
        (3.0, "write has started"),
        (4.0, "write is done (2 actions so far)"),
    ]


def test_a_client_that_fails_to_take_progress_gets_its_result(go):
    async def note(progress, total, message):
        raise RuntimeError("full")

    async def call():
        async with Client(to_mcp(served.reporter)) as client:
            return await client.call_tool("write", {"topic": {"text": "tides"}}, progress_callback=note)

    assert go(call()).structured_content == {"title": "tides", "body": "tides"}


def test_two_calls_at_once_are_two_runs(go):
    async def call():
        async with Client(to_mcp(served.reporter)) as client:
            calls = [client.call_tool("write", {"topic": {"text": text}}) for text in "abc"]
            return [result.structured_content["title"] for result in await asyncio.gather(*calls)]

    assert go(call()) == ["a", "b", "c"]


# What goes wrong


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, "topic: it is needed, a Topic"),
        ({"topic": None}, "topic: "),
        ({"topic": {"text": 3}}, "topic.text: "),
        ({"topic": {"text": "x", "depth": "deep"}}, "topic.depth: "),
        ({"topic": {"text": "x"}, "topics": 1}, "topics: there is no such argument (Did you mean 'topic'?)"),
        ({"topic": "x"}, "topic: "),
    ],
)
def test_arguments_that_do_not_fit_are_an_error_with_the_place_and_nothing_runs(go, arguments, fault):
    result = go(called(served.lingering, "linger", arguments))

    assert result.is_error
    assert text_of(result).startswith(f"Not called: {fault}")


def test_a_list_that_needs_an_item_is_refused_without_any(go):
    assert text_of(go(called(served.many, "names", {"people": []}))) == "Not called: people: at least one is needed"


def test_an_unknown_tool_is_an_error_of_the_protocol_that_names_the_closest(go):
    with pytest.raises(MCPError, match="Did you mean 'write'"):
        go(called(served.reporter, "wrote", {}))


def test_a_failed_run_is_an_error_that_says_why_without_secrets_or_places(go):
    result = go(called(served.failing, "fail", {"topic": {"text": "tides"}}))

    assert result.is_error
    assert "no luck" in text_of(result)
    assert "tides" in text_of(result)
    assert "sesame" not in text_of(result)
    assert ".py" not in text_of(result)


def test_a_stuck_run_is_an_error_that_says_what_is_missing(go):
    result = go(called(served.stuck, "never", {"topic": {"text": "tides"}}))

    assert result.is_error
    assert text_of(result).startswith("Stuck: ")
    assert "topic.depth > 100" in text_of(result)


def test_a_budget_ends_a_run(go):
    options = ProcessOptions(budget=Budget(actions=1))

    result = go(called(served.reporter, "write", {"topic": {"text": "tides"}}, options=options))

    assert result.is_error
    assert text_of(result).startswith("Terminated: ")


@pytest.mark.parametrize(
    ("error", "said"),
    [(JournalError("run", "the disk is full"), "the disk is full"), (ZeroDivisionError("inside"), "internal error")],
)
def test_a_run_that_breaks_is_an_error_without_what_is_inside(go, monkeypatch, error, said):
    async def broken(self):
        raise error

    monkeypatch.setattr(Process, "run", broken)

    result = go(called(served.reporter, "write", {"topic": {"text": "x"}}))

    assert result.is_error
    assert said in text_of(result)
    assert "inside" not in text_of(result)


def test_a_state_that_nobody_gave_out_is_refused(go):
    async def call():
        async with Client(to_mcp(served.reporter)) as client:
            return await client.call_tool("write", {"topic": {"text": "x"}}, request_state="forged")

    with pytest.raises(MCPError, match="Invalid or expired requestState"):
        go(call())


@pytest.mark.parametrize("mode", MODES)
def test_a_client_that_cancels_a_call_cancels_the_run(go, mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def call():
        async with Client(to_mcp(served.lingering), mode=mode) as client:
            running = asyncio.create_task(client.call_tool("linger", {"topic": {"text": "x"}}))
            while not (tmp_path / "lingers").exists():
                await asyncio.sleep(0)
            running.cancel()
            while not (tmp_path / "cancelled").exists():
                await asyncio.sleep(0)
            await asyncio.wait({running})
            return running.cancelled()

    assert go(call())


# In a process of its own


def test_standard_output_belongs_to_the_protocol(go, planboard, tmp_path):
    async def call(errors):
        async with Client(planboard("reporter", "--planner", "goap", errlog=errors)) as client:
            result = await client.call_tool("write", {"topic": {"text": "tides"}})
            return client.protocol_version, result.structured_content

    with (tmp_path / "errors.txt").open("w+") as errors:
        version, structured = go(call(errors))
        errors.seek(0)
        said = errors.read()

    assert structured == {"title": "tides", "body": "tides"}
    assert version >= "2026-07-28"
    assert said.splitlines() == ["printed by research", "printed by a child"]


def test_the_server_is_gone_when_the_client_is(go, planboard, started, is_alive, tmp_path):
    async def call():
        async with Client(planboard("lingering"), mode="legacy") as client:
            running = asyncio.create_task(client.call_tool("linger", {"topic": {"text": "x"}}))
            while not (tmp_path / "lingers").exists():
                await asyncio.sleep(0.01)
            running.cancel()
            await asyncio.wait({running})

    go(call())

    assert (tmp_path / "cancelled").exists()
    assert [(is_alive(process.pid), process.returncode) for process in started] == [(False, 0)]


def test_many_clients_are_served_over_http(go, tmp_path):
    from mcp_places import HERE, ROOT

    async def call():
        server = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "planboard", "mcp", f"{HERE / 'served_agents.py'}:paying", "--http", "127.0.0.1:0",
            stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        try:
            said = (await server.stderr.readline()).decode()
            address = said.split(" at ")[1].split(". ")[0]
            modern, old = (Client(address, mode=mode, elicitation_callback=agree) for mode in MODES)
            async with modern, old:
                results = [await client.call_tool("letter", {"expense": {"amount": 7}}) for client in (modern, old)]
        finally:
            server.terminate()
            rest, _ = await server.communicate()
        return [result.structured_content for result in results], rest, server.returncode

    structured, out, code = go(call())

    assert structured == [{"text": "paid 7"}] * 2
    assert out == b""
    assert code in (0, -15)


async def agree(context, params):
    from mcp.types import ElicitResult

    return ElicitResult(action="accept", content={"approve": True})
