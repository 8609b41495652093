"""Tools of a server as actions and as tools of models; over memory where a process makes no difference."""

import asyncio
import re
import sys
import types
from pathlib import Path
from typing import Annotated

import pytest
import toys
from mcp.server import Server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool
from pydantic import BaseModel, SecretStr

from planboard import (
    ActionError,
    Agent,
    Ai,
    DefinitionError,
    McpError,
    McpResult,
    McpToolError,
    McpUnavailableError,
    Named,
    Process,
    ProcessFailedError,
    ProcessOptions,
    Retry,
    ScriptedModel,
    SqliteJournal,
    achieves_goal,
    action,
    call,
    from_mcp,
)

PROGRAM = [sys.executable, str(Path(toys.__file__))]


class City(BaseModel):
    city: str
    scale: str | None = None


class Weather(BaseModel):
    city: str
    degrees: float


class Page(BaseModel):
    text: str


@pytest.fixture
def server():
    return from_mcp(toys.server, timeout=20)


def weather_agent(server, **settings):
    return Agent("weather", [server.action("weather", takes=City, returns=Weather, **settings)], goals=[Weather])


# Actions


def test_an_input_is_the_arguments_and_the_structured_content_the_output(go, server):
    assert go(weather_agent(server).arun(City(city="Oslo"), returning=Weather)) == Weather(city="Oslo", degrees=21.5)


def test_arguments_may_be_named_and_some_fixed(go, server):
    asked = server.action("weather", takes={"city": str}, returns=Weather, given={"scale": "F"})

    assert go(Agent("a", [asked], goals=[Weather]).arun("Oslo", returning=Weather)).degrees == 70.7


def test_an_argument_may_be_a_binding(go, server):
    asked = server.action("weather", takes={"city": Annotated[str, Named("home")]}, returns=Weather)

    assert go(Agent("a", [asked], goals=[Weather]).arun(home="Oslo", returning=Weather)).city == "Oslo"


def test_what_is_none_is_left_out(go, server):
    assert go(weather_agent(server).arun(City(city="Oslo", scale=None), returning=Weather)).degrees == 21.5


def test_without_a_type_the_output_is_a_result_under_the_name_of_the_action(go, server):
    @achieves_goal("Read")
    @action
    def read(weather: Annotated[McpResult, Named("weather")]) -> Page:
        return Page(text=f"{weather.server} {weather.tool} {weather.data['degrees']}")

    asked = server.action("weather", takes=City)

    assert go(Agent("a", [asked, read]).arun(City(city="Oslo"), returning=Page)).text == "toys weather 21.5"


def test_a_result_is_kept_and_restored(go, server, tmp_path):
    agent = Agent("a", [server.action("weather", takes=City)], goals=[McpResult])
    journal = SqliteJournal(tmp_path / "runs.db")
    process = agent.process(City(city="Oslo"), options=ProcessOptions(journal=journal), id="run")
    go(process.run())

    restored = Process.restore(agent, journal, "run")
    journal.close()

    assert restored.result(McpResult) == process.result(McpResult)


@pytest.mark.parametrize(
    ("tool", "form", "value"),
    [
        ("cities", list[str], ["Oslo", "Bergen"]),
        ("cities", str, "Oslo\nBergen"),
        ("said", Weather, Weather(city="Oslo", degrees=3)),
        ("said", str, 'Here you are: {"city": "Oslo", "degrees": 3}'),
        ("picture", str, "[image: image/png]"),
    ],
)
def test_an_output_is_read_from_what_there_is(go, server, tool, form, value):
    process = Agent("a", [server.action(tool, returns=form)], goals=[form]).process()
    go(process.run())

    assert process.result(form) == value


def test_an_output_that_does_not_fit_fails_the_action_with_the_fields(go, server):
    asked = server.action("cities", returns=Weather)

    with pytest.raises(ProcessFailedError, match="what it gave is no Weather: city: Field required"):
        go(Agent("a", [asked], goals=[Weather]).arun(returning=Weather))


def test_an_error_of_the_tool_is_an_error_of_the_action_with_the_server_s_text(go, server):
    agent = Agent("a", [server.action("broken", takes={"text": str}, returns=Page)], goals=[Page])

    with pytest.raises(ProcessFailedError, match="the bank is closed") as failed:
        go(agent.arun("the bank is closed", returning=Page))

    assert isinstance(failed.value.process.failure, ActionError)
    assert isinstance(failed.value.process.failure.__cause__, McpToolError)
    assert failed.value.process.failure.__cause__.tool == "broken"


def test_a_secret_goes_to_the_server_as_it_is(go, server):
    class Login(BaseModel):
        user: str
        password: SecretStr

    process = Agent("a", [server.action("login", takes=Login, returns=str)], goals=[str]).process(
        Login(user="ada", password="sesame")
    )
    go(process.run())

    assert process.result(str) == "ada:sesame"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"takes": str}, r'Name the argument: takes=\{"name": str\}'),
        ({"takes": {"a-b": str}}, "no Python identifier"),
        ({"takes": {"a": 3}}, "must be the type of an argument"),
        ({"takes": 3}, "takes=3 is no type"),
        ({"returns": 3}, "returns=3 is no type"),
        ({"cost": 3}, "cost=3"),
    ],
)
def test_an_action_that_cannot_work_is_refused_where_it_is_declared(server, settings, message):
    with pytest.raises(DefinitionError, match=message) as refused:
        server.action("weather", **settings)

    assert "test_using.py" in str(refused.value)


def test_an_agent_made_of_a_module_finds_its_own_actions_of_servers(server, monkeypatch):
    module = types.ModuleType("weather_module")
    module.server = server
    exec("asked = server.action('cities', returns=list[str])", vars(module))

    assert list(Agent("a", [module]).actions) == ["cities"]


def test_a_server_says_nothing_about_what_an_action_does(server):
    (made,) = Agent("a", [server.action("weather", takes=City, returns=Weather)]).actions.values()

    assert (made.description, made.read_only, made.idempotent) == (
        "Calls the tool weather of the MCP server toys.", False, False,
    )  # fmt: skip


# Tools of models


def test_a_model_uses_tools_with_the_schema_of_the_server(go, server):
    model = ScriptedModel(call("weather", city="Rome"), "It is warm.")

    async def ask():
        async with server:
            tool = next(tool for tool in server.tools if tool.tool.name == "weather")
            return tool, await Ai(model).agentic("How is Rome?", tools=server.tools, returning=str)

    tool, answer = go(ask())

    assert answer == "It is warm."
    assert tool.tool.parameters == toys.server._tool_manager.get_tool("weather").parameters
    assert model.requests[-1]["messages"][-1]["content"] == '{"city":"Rome","degrees":21.5}'


def test_a_model_that_calls_a_tool_wrongly_is_told_the_fault_and_nothing_is_called(go, server):
    model = ScriptedModel(call("weather", cty="Rome"), call("weather", city=3), "Sorry.")

    async def ask():
        async with server:
            return await Ai(model).agentic("How is Rome?", tools=server.tools, returning=str)

    go(ask())
    told = [request["messages"][-1]["content"] for request in model.requests[1:]]

    assert told[0] == "not called: arguments: 'city' is a required property"
    assert told[1] == "not called: city: 3 is not of type 'string'"


def test_a_model_is_told_what_a_tool_reports(go, server):
    model = ScriptedModel(call("broken"), "Sorry.")

    async def ask():
        async with server:
            return await Ai(model).agentic("Go.", tools=server.tools, returning=str)

    go(ask())

    assert "out of order" in model.requests[1]["messages"][-1]["content"]


def test_a_null_that_may_be_left_out_is(go, server):
    async def read():
        async with server:
            (tool,) = [tool for tool in server.tools if tool.remote == "weather"]
            return tool.read({"city": "Oslo", "scale": None})

    assert go(read()) == {"city": "Oslo"}


def test_names_are_valid_everywhere_and_have_the_prefix(go):
    tools = [tool("a.b"), tool("a b"), tool("a/b" * 40), tool("ü")]

    async def names():
        async with from_mcp(listing((tools, None)), prefix="t.") as server:
            return [tool.tool.name for tool in server.tools]

    found = go(names())

    assert all(len(name) <= 64 and re.fullmatch("t[a-zA-Z0-9_-]+", name) for name in found)
    assert len(set(found)) == 4


def test_tools_of_one_name_from_two_servers_are_refused_with_both_origins(go):
    async def ask():
        async with from_mcp(toys.server, name="one") as one, from_mcp(toys.server, name="two") as two:
            await Ai(ScriptedModel("x")).agentic("Go.", tools=[*one.tools, *two.tools], returning=str)

    with pytest.raises(
        DefinitionError, match=r"tool 'weather' of MCP server 'one' and tool 'weather' of MCP server 'two'"
    ):
        go(ask())


def test_only_the_tools_that_are_chosen_are_there(go):
    async def names():
        async with from_mcp(toys.server, only=["cities", "weather"]) as server:
            return [tool.remote for tool in server.tools]

    assert go(names()) == ["cities", "weather"]


def test_a_chosen_tool_that_is_not_there_is_refused_with_the_closest(go):
    with pytest.raises(DefinitionError, match=r"'toys' has no tool 'wether'. Did you mean 'weather'"):
        go(from_mcp(toys.server, only=["wether"]).__aenter__())


def test_an_action_of_a_tool_that_is_not_chosen_is_refused():
    with pytest.raises(DefinitionError, match="not among only"):
        from_mcp(toys.server, only=["cities"]).action("weather")


# What servers do wrong


def listing(*pages, called=None):
    """Return a server that lists tools page by page."""

    async def list_tools(context, params):
        number = int(params.cursor) if params is not None and params.cursor else 0
        tools, following = pages[number]
        return ListToolsResult(tools=tools, next_cursor=following)

    async def call_tool(context, params):
        return called or CallToolResult(content=[TextContent(text=params.name)])

    return Server("pages", on_list_tools=list_tools, on_call_tool=call_tool)


def tool(name, description=None, output=None):
    return Tool(name=name, description=description, input_schema={"type": "object"}, output_schema=output)


async def names_of(server):
    async with from_mcp(server) as opened:
        return [found.remote for found in opened.tools]


def test_all_pages_of_tools_are_read(go):
    assert go(names_of(listing(([tool("a")], "1"), ([tool("b")], "2"), ([tool("c")], None)))) == ["a", "b", "c"]


def test_a_list_that_begins_anew_is_not_followed_for_ever(go):
    assert go(names_of(listing(([tool("a")], "1"), ([tool("a"), tool("b")], "1")))) == ["a", "b"]


def test_two_tools_of_one_name_are_refused(go):
    with pytest.raises(McpError, match="lists two different tools named 'a'"):
        go(names_of(listing(([tool("a"), tool("a", "another")], None))))


def test_a_description_is_cut_and_without_control_characters(go):
    async def described():
        async with from_mcp(listing(([tool("a", "\x1b[31m" + "x" * 5000)], None))) as server:
            return server.tools[0].tool.description

    said = go(described())

    assert len(said) == 2000
    assert "\x1b" not in said


@pytest.mark.parametrize("data", [{"degrees": "warm"}, None])
def test_structured_content_that_does_not_fit_its_own_schema_is_an_error(go, data):
    schema = {"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]}
    result = CallToolResult(content=[], structured_content=data)

    with pytest.raises(McpError, match=r"'pages' \(in this program\) failed at tool 'a'"):
        go(from_mcp(listing(([tool("a", output=schema)], None), called=result)).call("a"))


def test_an_unknown_tool_is_an_error_with_the_closest(go, server):
    with pytest.raises(McpError, match=r"no tool 'wether'. Did you mean 'weather'"):
        go(server.call("wether"))


# Connections


def test_tools_of_a_server_that_is_not_open_are_not_known(server):
    with pytest.raises(McpError, match="is not open"):
        server.tools


def test_a_server_is_opened_once(go, server):
    async def twice():
        async with server, server:
            pass

    with pytest.raises(McpError, match="is open already"):
        go(twice())


def test_a_server_may_be_opened_again(go, server):
    async def again():
        found = []
        for _ in range(2):
            async with server:
                found.append((await server.call("cities")).data)
        return found

    assert go(again()) == [{"result": ["Oslo", "Bergen"]}] * 2


def test_a_server_that_was_opened_by_one_task_may_be_closed_by_another(go, server):
    async def cross():
        await asyncio.create_task(server.__aenter__())
        found = await server.call("cities")
        await asyncio.create_task(server.__aexit__(None, None, None))
        return found.data

    assert go(cross()) == {"result": ["Oslo", "Bergen"]}


def test_servers_may_be_closed_in_any_order(go):
    async def cross():
        one, two = from_mcp(toys.server), from_mcp(toys.server)
        await one.__aenter__()
        await two.__aenter__()
        await one.__aexit__(None, None, None)
        found = await two.call("cities")
        await two.__aexit__(None, None, None)
        return found.data

    assert go(cross()) == {"result": ["Oslo", "Bergen"]}


def test_many_actions_share_one_process(go, is_alive):
    numbers = [f"n{number}" for number in range(5)]

    async def run():
        async with from_mcp(PROGRAM) as server:
            asked = [server.action("process_id", returns=int, name=name, output=name) for name in numbers]
            agents = [Agent(one.name, [one], goals=[int]) for one in asked]
            return await asyncio.gather(*(agent.arun(returning=int) for agent in agents))

    found = go(run())

    assert len(set(found)) == 1
    assert not is_alive(found[0])


def test_an_action_of_a_server_that_is_not_open_connects_for_itself(go, is_alive):
    server = from_mcp(PROGRAM)

    found = go(Agent("a", [server.action("process_id", returns=int)], goals=[int]).arun(returning=int))

    assert not is_alive(found)


def test_a_process_is_given_its_environment_and_folder_and_no_more(go, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")

    async def ask():
        async with from_mcp(PROGRAM, env={"TOY": "ball"}, cwd=tmp_path) as server:
            return (await server.call("environment")).data, (await server.call("place")).text

    environment, place = go(ask())

    assert environment["TOY"] == "ball"
    assert "OPENAI_API_KEY" not in environment
    assert Path(place) == tmp_path


def test_a_server_that_dies_is_told_with_its_command_also_afterwards(go):
    async def ask():
        errors = []
        async with from_mcp(PROGRAM, name="mortal") as server:
            for tool in ("die", "cities"):
                try:
                    await server.call(tool)
                except McpUnavailableError as error:
                    errors.append(str(error))
        return errors

    for error in go(ask()):
        assert error.startswith("MCP server 'mortal' (`")
        assert "toys.py`) has ended." in error


def test_a_call_that_takes_too_long_is_stopped_at_the_server_too(go, tmp_path):
    async def ask():
        async with from_mcp(PROGRAM, cwd=tmp_path, timeout=0.2) as server:
            with pytest.raises(McpUnavailableError, match=r"tool 'slow' did not answer within 0.2 s"):
                await server.call("slow")
            while not (tmp_path / "stopped").exists():
                await asyncio.sleep(0.01)
            return (await server.call("cities")).data

    assert go(ask()) == {"result": ["Oslo", "Bergen"]}


def test_a_run_that_is_cancelled_stops_the_call(go, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def ask():
        async with from_mcp(toys.server) as server:
            process = Agent("a", [server.action("slow", returns=str)], goals=[str]).process()
            running = asyncio.create_task(process.run())
            while not (tmp_path / "begun").exists():
                await asyncio.sleep(0.01)
            process.cancel()
            await running
            while not (tmp_path / "stopped").exists():
                await asyncio.sleep(0.01)
            return process.status

    assert go(ask()) == "CANCELLED"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-command-anywhere"], "No such file or directory"),
        ([sys.executable, "-c", "raise SystemExit('the key is wrong')"], "ended before it was ready. Its last words: the key is wrong"),
    ],
)  # fmt: skip
def test_a_server_that_does_not_start_is_told_with_its_command(go, command, message):
    with pytest.raises(McpUnavailableError) as failed:
        go(from_mcp(command).__aenter__())

    assert message in str(failed.value)
    assert command[0] in str(failed.value)


def test_a_server_that_never_answers_is_given_up(go, monkeypatch):
    from mcp.client import stdio

    monkeypatch.setattr(stdio, "PROCESS_TERMINATION_TIMEOUT", 0.01)

    with pytest.raises(McpUnavailableError, match="did not answer within 0.2 s"):
        go(from_mcp([sys.executable, "-c", "input()\nimport time\ntime.sleep(60)"], start_timeout=0.2).__aenter__())


def test_who_stops_waiting_for_a_start_leaves_no_process_behind(go, monkeypatch, tmp_path, is_alive):
    from mcp.client import stdio

    monkeypatch.setattr(stdio, "PROCESS_TERMINATION_TIMEOUT", 0.01)
    program = f"import os, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid())); time.sleep(60)"

    async def ask():
        opening = asyncio.create_task(from_mcp([sys.executable, "-c", program]).__aenter__())
        while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()):
            await asyncio.sleep(0.01)
        opening.cancel()
        await asyncio.wait({opening})
        return opening.cancelled()

    assert go(ask())
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_an_address_nobody_listens_at_is_unavailable(go):
    with pytest.raises(McpUnavailableError, match=r"'127.0.0.1' \(http://127.0.0.1:9/mcp\) cannot be reached"):
        go(from_mcp("http://ada:sesame@127.0.0.1:9/mcp?key=sesame").__aenter__())


def test_a_server_at_an_address_is_sent_the_headers(go):
    async def ask():
        process = await asyncio.create_subprocess_exec(*PROGRAM, "http", stderr=asyncio.subprocess.PIPE)
        try:
            address = (await process.stderr.readline()).decode().strip()
            async with from_mcp(address, headers={"X-Key": "sesame"}) as server:
                return (await server.call("header")).text, (await server.call("cities")).data
        finally:
            process.kill()
            await process.communicate()

    assert go(ask()) == ("sesame", {"result": ["Oslo", "Bergen"]})


def test_an_unavailable_server_may_be_tried_again(go):
    server = from_mcp(["no-such-command-anywhere"])
    asked = server.action("cities", returns=list[str], retry=Retry(attempts=2, on=McpUnavailableError))
    process = Agent("a", [asked], goals=[list[str]]).process()

    go(process.run())

    assert [event.kind for event in process.events].count("action_retried") == 1


@pytest.mark.parametrize(
    ("server", "settings", "message"),
    [
        ("uvx mcp-server-git", {}, "a command as a list"),
        ([], {}, "a command is a list of texts"),
        (None, {}, "give an address"),
        (3, {}, "give an address"),
        ("http://here", {"env": {}}, "started by a command"),
        (["x"], {"headers": {}}, "at an address"),
        (["x"], {"timeout": 0}, "timeout=0"),
        (["x"], {"start_timeout": None}, "start_timeout=None"),
        (["x"], {"only": "cities"}, r"only=\['cities'\]"),
    ],
)
def test_what_cannot_be_a_server_is_refused_at_once(server, settings, message):
    with pytest.raises(DefinitionError, match=message):
        from_mcp(server, **settings)


def test_a_command_is_shown_without_its_secrets():
    server = from_mcp(["serve", "--api_key=sesame"], env={"TOKEN": "sesame"})

    assert repr(server) == "<McpServer 'serve': `serve --api_key=***`>"
