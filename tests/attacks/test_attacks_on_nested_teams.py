"""Teams in teams, met with people, forks, budgets and programs that end."""

import asyncio
from collections import Counter

import pytest

from planboard import (
    Approve,
    Budget,
    Crew,
    Deny,
    Edit,
    MemoryJournal,
    Process,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    action,
    call,
)

effects: Counter[str] = Counter()


@pytest.fixture(autouse=True)
def _fresh() -> None:
    effects.clear()


@action(approval="Pay {task}?")
def pay(task: str) -> str:
    """Pays somebody."""
    effects["pay"] += 1
    return f"paid {task}"


def look_up(task: str) -> str:
    """Looks something up."""
    effects["look_up"] += 1
    return f"found {task}"


def boss_of(worker: str, task: str, letter: str) -> ScriptedModel:
    """Return a model that gives work to a worker and to another one, and then says what the worker has said."""

    def reply(request: object) -> object:
        texts = [str(message["content"]) for message in request.wire["messages"]]
        said = [text for text in texts if text.startswith(f"[{worker}]")]
        if said:
            return f"{letter}: {said[-1]}"
        return [call(f"transfer_to_{worker}", task=task), call("transfer_to_look_up", task=letter)]

    return ScriptedModel(rules=reply)


def house() -> Crew:
    """Return a crew in a crew in a crew, the innermost of which pays."""
    inner = Crew("inner", [pay, look_up], llm=boss_of("pay", "Ada", "I"))
    middle = Crew("middle", [inner, look_up], llm=boss_of("inner", "pay Ada", "M"))
    return Crew("outer", [middle, look_up], llm=boss_of("middle", "have Ada paid", "O"))


def begun(journal: MemoryJournal, **options: object) -> Process:
    process = house().process("q", options=ProcessOptions(journal=journal, **options))
    asyncio.run(process.run())
    return process


PAID = "O: [middle] M: [inner] I: [pay] paid Ada"
NOT_PAID = "O: [middle] M: [inner] I: [pay] It did not work: A person did not agree to 'pay': no."


@pytest.mark.parametrize(
    ("answer", "ending", "paid"),
    [(Approve(), PAID, 1), (Edit(task="Bob"), PAID.replace("Ada", "Bob"), 1), (Deny("no"), NOT_PAID, 0)],
    ids=["approve", "edit", "deny"],
)
def test_three_deep_each_answer_counts_in_another_program_and_nothing_is_done_twice(answer, ending, paid):
    """Cases 086, 097."""
    journal = MemoryJournal()
    first = begun(journal)
    again = Process.restore(house(), journal, first.id)
    again.respond(again.pending[0].id, answer)
    asyncio.run(again.run())
    assert again.result(str) == ending
    assert (effects["pay"], effects["look_up"]) == (paid, 3)


def test_forks_of_a_run_that_waits_three_deep_go_their_own_ways():
    """Case 083."""
    process = begun(MemoryJournal())
    yes, no = process.fork(), process.fork()
    for fork, answer in ((yes, Approve()), (no, Deny("no"))):
        fork.respond(fork.pending[0].id, answer)
        asyncio.run(fork.run())
    assert (yes.result(str), no.result(str)) == (PAID, NOT_PAID)
    assert (process.status, len(process.pending)) == (ProcessStatus.WAITING, 1)


@pytest.mark.parametrize("calls", range(1, 7))
def test_wherever_a_budget_stops_a_run_a_larger_one_ends_it_and_repeats_nothing(calls):
    """Case 158."""
    journal = MemoryJournal()
    begun(journal, budget=Budget(llm_calls=calls))
    again = Process.restore(house(), journal, journal.runs()[0].id, options=ProcessOptions(budget=Budget(llm_calls=99)))
    asyncio.run(again.run())
    for request in again.pending:
        again.respond(request.id, Approve())
    asyncio.run(again.run())
    assert again.result(str) == PAID
    assert (effects["pay"], effects["look_up"], again.usage.llm_calls) == (1, 3, 6)


def test_runs_of_one_crew_at_once_share_nothing():
    """Case 091."""
    crew = house()

    async def all_of_them() -> list[str]:
        processes = [crew.process(f"q{number}") for number in range(6)]
        await asyncio.gather(*(process.run() for process in processes))
        for number, process in enumerate(processes):
            process.respond(process.pending[0].id, Deny("no") if number % 2 else Approve())
        await asyncio.gather(*(process.run() for process in processes))
        return [process.result(str) for process in processes]

    assert asyncio.run(all_of_them()) == [PAID, NOT_PAID] * 3
    assert effects["pay"] == 3
