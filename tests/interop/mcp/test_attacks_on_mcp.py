"""MCP met with secrets in odd places, and with arguments of wrong kinds."""

import asyncio
import json

import pytest
from mcp import Client
from pydantic import BaseModel, SecretStr

from planboard import Agent, DefinitionError, achieves_goal, action, from_mcp, to_mcp
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
