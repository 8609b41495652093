"""MCP met with secrets in odd places, and with arguments of wrong kinds."""

import asyncio
import json

import pytest
import served_agents
from mcp import Client
from mcp.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ElicitResult,
    EmbeddedResource,
    ImageContent,
    ListToolsResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
    Tool,
)
from pydantic import BaseModel, SecretStr

import planboard
from planboard import (
    Agent,
    Ai,
    DefinitionError,
    McpError,
    ScriptedModel,
    achieves_goal,
    action,
    from_mcp,
    to_mcp,
)
from planboard.runtime.fitting import schema_for

HUSH = "open-sesame"


class Account(BaseModel):
    user: str
    api_key: str = HUSH


class Login(BaseModel):
    account: Account = Account(user="ada")
    password: SecretStr = SecretStr(HUSH)
    extra: dict[str, object] = {}


class Report(BaseModel):
    text: str = "fine"
    api_key: str = HUSH


@achieves_goal("A report")
@action
def make(login: Login) -> Report:
    if login.account.user == "nobody":
        raise ValueError(f"no account for {login.account.api_key}")
    return Report()


def served(act):
    async def play():
        async with Client(to_mcp(Agent("reporter", [make]))) as client:
            return await act(client)

    return asyncio.run(play())


def test_no_schema_of_a_tool_shows_the_default_of_a_secret():
    listed = served(lambda client: client.list_tools())

    assert HUSH not in json.dumps([tool.model_dump(mode="json") for tool in listed.tools])


def test_other_defaults_are_shown():
    listed = served(lambda client: client.list_tools())

    assert listed.tools[0].output_schema["properties"]["text"]["default"] == "fine"


def test_no_schema_that_people_are_asked_by_shows_the_default_of_a_secret():
    assert HUSH not in json.dumps(schema_for(Login))


def test_a_failure_is_told_to_clients_without_the_secret_that_was_given():
    given = {"login": {"account": {"user": "nobody", "api_key": "hocus-pocus"}}}

    result = served(lambda client: client.call_tool("make", given))

    assert "no account for ***" in result.content[0].text


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["serve", "--token", HUSH], "`serve --token ***`"),
        (["serve", "--api-key", HUSH, "--port", "80"], "`serve --api-key *** --port 80`"),
        (["serve", f"--access-token={HUSH}", "a b"], "`serve --access-token=*** 'a b'`"),
        (["serve", "--tokens-per-line", "80"], "`serve --tokens-per-line 80`"),
    ],
    ids=["token", "key", "with =", "no secret"],
)
def test_a_command_is_shown_without_what_follows_a_secret_option(words, shown):
    assert repr(from_mcp(words)) == f"<McpServer 'serve': {shown}>"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: to_mcp(3), r"to_mcp\(3\): it is no Agent"),
        (lambda: from_mcp([3]), "a command is a list of texts"),
        (lambda: from_mcp(["serve"], prefix=3), r"prefix=3\): it is a text"),
        (lambda: from_mcp(["serve"]).action("look", cots=1), "no option 'cots' of tool 'look'. Did you mean 'cost'"),
    ],
    ids=["agent", "command", "prefix", "option"],
)
def test_what_cannot_work_is_refused_when_it_is_made(make, said):
    with pytest.raises(DefinitionError, match=said):
        make()


# Odd servers and clients


def test_a_tool_that_a_server_got_since_it_was_opened_is_called():
    server = MCPServer("growing")

    async def play():
        async with from_mcp(server) as growing:
            server.add_tool(lambda: "here", name="late")
            return (await growing.call("late")).text

    assert asyncio.run(play()) == "here"


def test_a_tool_that_a_server_has_lost_is_an_error_of_the_call():
    server = MCPServer("shrinking")
    server.add_tool(lambda: "here", name="early")

    async def play():
        async with from_mcp(server) as shrinking:
            server.remove_tool("early")
            await shrinking.call("early")

    with pytest.raises(McpError, match="early"):
        asyncio.run(play())


@pytest.mark.parametrize("content", [None, {}, {"approved": "x"}, {"nix": 1}], ids=["none", "empty", "wrong", "other"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_form_that_is_never_filled_in_right_ends_the_call_with_the_fault(mode, content):
    asked = []

    async def fill_in(context, params):
        asked.append(params)
        return ElicitResult(action="accept", content=content)

    async def play():
        async with Client(to_mcp(served_agents.asking), mode=mode, elicitation_callback=fill_in) as client:
            return await client.call_tool("letter", {"expense": {"amount": 7}})

    result = asyncio.run(play())

    assert result.is_error
    assert "did not fit, 4 times" in result.content[0].text
    assert "approved: " in result.content[0].text
    assert len(asked) == 4


def low(tools, call):
    """Return a server that lists tools of some names, and answers calls by a function."""

    async def list_tools(context, params):
        return ListToolsResult(tools=[Tool(name=name, input_schema={"type": "object"}) for name in tools])

    return Server("low", on_list_tools=list_tools, on_call_tool=call)


def test_what_is_no_text_is_told_by_what_it_is():
    async def call(context, params):
        return CallToolResult(
            content=[
                ImageContent(data="aGk=", mime_type="image/png"),
                AudioContent(data="aGk=", mime_type="audio/wav"),
                EmbeddedResource(resource=BlobResourceContents(uri="file:///blob", blob="aGk=")),
                EmbeddedResource(resource=TextResourceContents(uri="file:///text", text="hello")),
                ResourceLink(name="link", uri="file:///link"),
            ]
        )

    result = asyncio.run(from_mcp(low(["look"], call)).call("look"))

    assert result.text.splitlines() == [
        "[image: image/png]", "[audio: audio/wav]", "[resource: file:///blob]", "hello", "[resource: file:///link]",
    ]  # fmt: skip


def test_names_that_become_alike_are_told_apart_and_reach_their_tools():
    names = ["a.b", "a b", "a/b", "ü", "x" * 100, "x" * 100 + "y"]
    reached = []

    async def reach(context, params):
        reached.append(params.name)
        return CallToolResult(content=[TextContent(text="ok")])

    async def play():
        async with from_mcp(low(names, reach)) as server:
            model = ScriptedModel(*[planboard.call(tool.tool.name) for tool in server.tools], "done")
            await Ai(model).agentic("?", tools=server.tools, returning=str)

    asyncio.run(play())

    assert reached == names


def test_an_output_of_any_size_is_cut_before_a_model_reads_it():
    async def say(context, params):
        return CallToolResult(content=[TextContent(text="x" * 5_000_000)])

    model = ScriptedModel(planboard.call("say"), "done")

    async def play():
        async with from_mcp(low(["say"], say)) as server:
            await Ai(model).agentic("?", tools=server.tools, returning=str)

    asyncio.run(play())

    assert len(str(model.requests[-1])) < 100_000


def test_an_error_of_a_tool_that_repeats_a_secret_is_told_without_it():
    class Out(BaseModel):
        text: str

    async def refuse(context, params):
        return CallToolResult(content=[TextContent(text=f"bad {params.arguments['password']}")], is_error=True)

    look = from_mcp(low(["look"], refuse)).action("look", takes=Login, returns=Out)
    process = Agent("looker", [look], goals=[Out]).process(Login())

    asyncio.run(process.run())

    assert "bad ***" in process.reason
    assert HUSH not in f"{process.reason} {process.failure!r}"
