"""Attacks by several threads on one process: servers answer from whatever thread a request comes in."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from expenses import Expense, effects
from test_approvals import PARALLEL
from test_children_wait import LIBRARY

from planboard import AlreadyAnsweredError, Approve, ConcurrentRunError, Process, ProcessStatus


def run(process: Process) -> None:
    asyncio.run(process.run())


@pytest.mark.parametrize("turn", range(5))
def test_answers_from_many_threads_while_it_is_run_are_taken_once_each(kept, elsewhere, turn):
    process = PARALLEL.process(Expense(), options=kept(concurrency=3))
    run(process)
    barrier = Barrier(7)

    def answer(request: str) -> bool:
        barrier.wait()
        try:
            process.respond(request, Approve())
        except AlreadyAnsweredError:
            return False
        return True

    def go_on(_: object) -> None:
        barrier.wait()
        for _ in range(3):
            run(process)

    with ThreadPoolExecutor(7) as pool:
        running = pool.submit(go_on, turn)
        taken = list(pool.map(answer, [request.id for request in process.pending] * 2))
        running.result()
    run(process)
    assert taken.count(True) == 3
    assert process.status is ProcessStatus.COMPLETED
    assert effects == {"one": 1, "two": 1, "three": 1, "join": 1}
    assert elsewhere(PARALLEL, process).board.to_json() == process.board.to_json()


@pytest.mark.parametrize("turn", range(5))
def test_a_question_of_a_grandchild_is_answered_from_another_thread(kept, elsewhere, turn):
    process = LIBRARY.process(Expense(), options=kept(), id=f"run-{turn}")
    run(process)
    barrier = Barrier(2)

    def answer() -> None:
        barrier.wait()
        process.respond(f"run-{turn}.1.2:2", Approve())

    with ThreadPoolExecutor(1) as pool:
        answered = pool.submit(answer)
        barrier.wait()
        for _ in range(3):
            run(process)
        answered.result()
    run(process)
    assert process.status is ProcessStatus.COMPLETED
    assert effects["polish"] == 1
    assert elsewhere(LIBRARY, process).usage == process.usage


def test_only_one_thread_runs_it(kept):
    process = PARALLEL.process(Expense(), options=kept(concurrency=3))
    barrier = Barrier(6)

    def go_on(_: object) -> bool:
        barrier.wait()
        try:
            run(process)
        except ConcurrentRunError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert any(pool.map(go_on, range(6)))
    assert [event.kind for event in process.events].count("request_made") == 3


@pytest.mark.parametrize("turn", range(5))
def test_cancelling_from_another_thread_leaves_one_end(kept, elsewhere, turn):
    process = LIBRARY.process(Expense(), options=kept(), id=f"run-{turn}")
    run(process)
    barrier = Barrier(2)

    def cancel() -> None:
        barrier.wait()
        process.cancel("enough")

    with ThreadPoolExecutor(1) as pool:
        cancelled = pool.submit(cancel)
        barrier.wait()
        run(process)
        cancelled.result()
    run(process)
    assert process.status is ProcessStatus.CANCELLED
    assert process.pending == ()
    assert elsewhere(LIBRARY, process).status is ProcessStatus.CANCELLED
    assert {one.standing.status for one in kept().journal.runs()} == {"CANCELLED"}
