"""Traces and texts of runs met with secrets in the middle of what actions say (case 165)."""

import json
from asyncio import run as wait
from dataclasses import dataclass

import pytest
from pydantic import BaseModel, SecretStr

from planboard import (
    Agent,
    MemoryJournal,
    ProcessOptions,
    Retry,
    StepFailed,
    Tracer,
    action,
    approval,
    human,
    map_each,
    run,
    sequence,
    subagent,
    trace_of,
)

HUSH = "open-sesame"


class Login(BaseModel):
    user: str = "ada"
    password: SecretStr = SecretStr(HUSH)
    api_key: str = HUSH
    headers: dict[str, str] = {"access_token": HUSH}


@dataclass(frozen=True)
class Account:
    secret: str = HUSH


class Report(BaseModel):
    text: str


def told(login: Login, account: Account) -> str:
    return f"{login.password.get_secret_value()} {login.api_key} {login.headers['access_token']} {account.secret}"


@action(retry=Retry(attempts=2, on=ConnectionError))
def enter(login: Login, account: Account) -> Report:
    raise ConnectionError(f"cannot enter with {told(login, account)}")


def kept_run(*parts):
    """Run something that fails or waits, two agents deep, and return all that is said and kept of it."""
    journal, tracer = MemoryJournal(), Tracer()
    inner = Agent("inner", [*parts], types=[Login, Account])
    options = ProcessOptions(journal=journal, listeners=[tracer])
    process = Agent("outer", [subagent(inner, returning=Report)], types=[Login, Account]).process(
        Login(), Account(), returning=Report, options=options, id="r"
    )
    wait(process.run())
    return process, journal, tracer


def texts(process, journal, tracer):
    events = [record.body for one in journal.runs() for record in journal.read(one.id)]
    traces = [json.dumps(tracer.trace().to_dict()), json.dumps(trace_of(journal, "r").to_dict())]
    return "\n".join([*events, *traces, process.reason, str(process.failure), *(ask.prompt for ask in process.pending)])


@pytest.mark.parametrize(
    "parts",
    [
        [enter],
        [sequence(enter, name="step")],
        [approval("Enter with {login.api_key}?", needs=[Login]), enter],
        [human(Report, prompt="What is {login.api_key}?", needs=[Login])],
    ],
    ids=["action", "step", "approval", "human"],
)
def test_a_secret_in_the_middle_of_a_text_is_neither_kept_nor_shown(parts):
    assert HUSH not in texts(*kept_run(*parts))


def test_the_rest_of_an_error_is_told():
    process, *_ = kept_run(enter)

    assert "cannot enter with *** *** *** ***" in process.reason


def test_a_failure_that_is_collected_is_told_without_the_secret():
    def try_it(login: Login) -> Report:
        raise ValueError(f"bad key {login.api_key}")

    found = run(Agent("a", [map_each([Login()], try_it, on_error="collect")]), returning=list[Report | StepFailed])

    assert "bad key ***" in found[0].error


def test_a_short_secret_does_not_tear_texts_apart():
    def try_it(login: Login) -> Report:
        raise ValueError("a banana")

    with pytest.raises(Exception, match="a banana"):
        run(Agent("a", [action(try_it)]), Login(api_key="a", password=SecretStr("")), returning=Report)
