"""Promises about secrets (case 165): what is secret by type or by name is in no error, event text or explanation."""

from asyncio import run as wait

import pytest
from pydantic import BaseModel, SecretStr

from planboard import Agent, Blackboard, EntryTypeError, action, condition
from planboard.events import event_to_dict

HUSH = "sk-hush-123"


class Login(BaseModel):
    user: str = "ada"
    password: SecretStr = SecretStr(HUSH)
    api_key: str = HUSH
    headers: dict[str, str] = {"access_token": HUSH}


class Strict(BaseModel):
    api_key: str
    level: int


class Report(BaseModel):
    pass


def texts(process):
    shown = [repr(event) for event in process.events]
    return "\n".join(
        [*shown, process.reason, repr(process), repr(process.board), str(process.failure), repr(process.failure)]
    )


def ended(parts, *inputs):
    process = Agent("it", parts).process(*inputs, returning=Report)
    wait(process.run())
    return process


def test_events_do_not_show_what_entries_hold():
    @action
    def make(login: Login) -> Report:
        return Report()

    process = ended([make], Login())

    assert HUSH not in texts(process)


def test_a_wrong_output_is_described_without_its_secrets():
    @action
    def make(login: Login) -> Report:
        return login

    process = ended([make], Login())

    assert "but declares Report" in process.reason
    assert HUSH not in texts(process)


def test_a_validation_error_inside_an_action_is_told_without_its_input():
    @action
    def make(login: Login) -> Report:
        Strict.model_validate({"api_key": HUSH})
        return Report()

    process = ended([make], Login())

    assert "level: Field required" in process.reason
    assert HUSH not in texts(process)


def test_a_stuck_process_explains_itself_without_secrets():
    @condition
    def ready(login: Login) -> bool:
        return False

    @action(pre=[ready])
    def make(login: Login) -> Report: ...

    process = ended([ready, make], Login())

    assert "user='ada'" in process.reason
    assert HUSH not in texts(process)


def test_a_refused_entry_is_described_without_its_secrets():
    with pytest.raises(EntryTypeError) as caught:
        Blackboard().add(Login(), type=int)

    assert HUSH not in str(caught.value)


def test_events_as_display_data_hide_secrets():
    @action
    def make(login: Login) -> Report:
        return Report()

    process = ended([make], Login())

    assert HUSH not in str([event_to_dict(event) for event in process.events])
