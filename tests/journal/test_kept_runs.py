"""Promises about what a run leaves in its journal.

- What cannot be stored, or violates its own model, is refused where it comes from; what was kept before is whole.
- No secret is anywhere in the file (case 165), and letters are written as they are (case 146).
"""

from asyncio import run as wait

import pytest
from pydantic import BaseModel, SecretStr

from planboard import (
    Agent,
    EntryTypeError,
    Process,
    ProcessOptions,
    ProcessStatus,
    SecretNotKeptError,
    SqliteJournal,
    achieves_goal,
    action,
)

HUSH = "sk-hush-123"
made: list[object] = []


class Wish(BaseModel):
    text: str = "pie"


class Dough(BaseModel):
    grams: int = 500


class Meal(BaseModel):
    grams: int
    extra: object = None


class Login(BaseModel):
    password: SecretStr = SecretStr(HUSH)
    api_key: str = HUSH


@action
def knead(wish: Wish) -> Dough:
    return Dough()


@achieves_goal("A meal")
@action
def bake(dough: Dough) -> Meal:
    return made[-1]


BAKERY = Agent("bakery", [knead, bake])


def baked(journal, meal: object) -> Process:
    made.append(meal)
    process = BAKERY.process(Wish(), options=ProcessOptions(journal=journal))
    wait(process.run())
    return process


BAD = {
    "a field of a wrong type": (Meal.model_construct(grams="many"), "Meal.*grams"),
    "what cannot be stored": (Meal(grams=1, extra={"f": [lambda: 1]}), r"Meal.*extra\['f'\]\[0\].*function"),
}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_kept_fails_the_run_at_that_action(journal, what):
    """Cases 048 and 053."""
    meal, reason = BAD[what]
    process = baked(journal, meal)

    assert process.status is ProcessStatus.FAILED
    with pytest.raises(AssertionError, match=f"(?s)bake.*{reason}"):
        raise AssertionError(process.reason)


@pytest.mark.parametrize("what", BAD)
def test_what_was_kept_before_is_whole_and_can_be_gone_on_with(journal, what):
    """Cases 048 and 053."""
    process = baked(journal, BAD[what][0])

    restored = Process.restore(BAKERY, journal, process.id)
    assert restored.status is ProcessStatus.FAILED
    assert restored.board.last(Dough) == Dough()
    kneaded = next(event.seq for event in restored.events if event.kind == "action_succeeded")
    made.append(Meal(grams=450))
    fork = restored.fork(kneaded)
    wait(fork.run())
    assert fork.result(Meal) == Meal(grams=450)


def test_an_input_that_cannot_be_kept_is_refused_and_no_run_begins(journal):
    """Case 048."""
    with pytest.raises(EntryTypeError, match=r"dict from 'input' cannot be kept.*\['f'\].*function"):
        BAKERY.process(Wish(), {"f": lambda: 1}, options=ProcessOptions(journal=journal))

    assert all(Process.restore(BAKERY, journal, run.id) for run in journal.runs())


@pytest.mark.parametrize("value", [float("nan"), 2**70, -0.0])
def test_numbers_that_json_lacks_come_back_exactly(journal, value):
    """Case 049."""
    process = baked(journal, Meal(grams=1, extra=value))

    restored = Process.restore(BAKERY, journal, process.id).result(Meal)

    assert repr(restored.extra) == repr(value)


def test_models_inside_what_may_be_anything_are_models_again(journal):
    """Case 052."""
    process = baked(journal, Meal(grams=1, extra={"who": [Wish(text="x")]}))

    restored = Process.restore(BAKERY, journal, process.id).result(Meal)

    assert restored.extra == {"who": [Wish(text="x")]}


def test_no_secret_is_in_the_file(file):
    """Case 165."""
    opened = SqliteJournal(file)

    @achieves_goal("A meal")
    @action
    def deliver(login: Login, api_key: str) -> Meal:
        message = f"no answer, api_key='{HUSH}'"
        raise ValueError(message)

    shop = Agent("shop", [deliver])
    process = shop.process(Login(), api_key=HUSH, options=ProcessOptions(journal=opened))
    wait(process.run())
    beside = b"".join(path.read_bytes() for path in file.parent.iterdir() if path.is_file())

    assert b"deliver" in beside
    assert HUSH.encode() not in beside
    with pytest.raises(SecretNotKeptError) as caught:
        Process.restore(shop, opened, process.id)
    assert set(caught.value.secrets) == {"Login.password", "Login.api_key", "api_key"}
    given = dict.fromkeys(caught.value.secrets, HUSH)
    assert Process.restore(shop, opened, process.id, secrets=given).board["api_key"] == HUSH
    opened.close()


def test_letters_of_all_alphabets_are_in_the_file_as_they_are(file):
    """Case 146."""
    opened = SqliteJournal(file)
    made.append(Meal(grams=1, extra="漢字 عربى 🚀"))
    process = BAKERY.process(Wish(text="é"), options=ProcessOptions(journal=opened))
    wait(process.run())
    opened.close()

    assert "漢字 عربى 🚀".encode() in file.read_bytes()
    again = SqliteJournal(file)
    assert Process.restore(BAKERY, again, process.id).result(Meal).extra == "漢字 عربى 🚀"
    again.close()


def test_half_a_character_in_an_error_does_not_spoil_the_run(journal):
    @achieves_goal("A meal")
    @action
    def bake(wish: Wish) -> Meal:
        message = "no file 'caf\udce9'"
        raise ValueError(message)

    agent = Agent("bakery", [bake])
    process = agent.process(Wish(), options=ProcessOptions(journal=journal))
    wait(process.run())

    assert Process.restore(agent, journal, process.id).reason == process.reason
