"""Promises of a journal in a file that several programs use.

- Programs and threads write at once without a lock error, and nothing of it is lost (case 070).
- One program at a time goes on with a run; one that ends lets go, however it ends.
- A program that ends in the middle of a change leaves the file as it was before.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from program import APPENDED
from records import RUNNING, begin, records

from planboard import RunClaimedError, SqliteJournal, StaleRunError

PROGRAM = Path(__file__).with_name("program.py")
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(file: Path) -> Iterator[Start]:
    """Start another program on the same file; what runs at the end of the test is killed."""
    running: list[subprocess.Popen[str]] = []

    def begun(what: str, *arguments: str, ready: bool = True) -> "subprocess.Popen[str]":
        command = [sys.executable, str(PROGRAM), what, str(file), *arguments]
        program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.append(program)
        if ready:
            assert program.stdout.readline() == "ready\n", program.stderr.read()
        return program

    yield begun
    for program in running:
        program.kill()
        program.communicate()


def finished(*programs: "subprocess.Popen[str]") -> None:
    for program in programs:
        _, errors = program.communicate()
        assert program.returncode == 0, errors


def killed(program: "subprocess.Popen[str]") -> None:
    program.kill()
    program.wait()


def test_two_programs_begin_fifty_runs_each_in_one_new_file(start, file):
    """Case 070."""
    finished(*[start("write", name, "50", ready=False) for name in ("a", "b")])

    with_all = SqliteJournal(file)
    infos = with_all.runs()
    assert sorted(info.id for info in infos) == sorted(f"{name}{number}" for name in "ab" for number in range(50))
    assert all(with_all.read(info.id) == records(1, 1 + APPENDED) for info in infos)
    assert all(with_all.answers(info.id) == {"q": "1"} for info in infos)
    with_all.close()


def test_a_reader_sees_whole_records_while_others_write(start, kept):
    """Case 070."""
    writers = [start("write", name, "50", ready=False) for name in ("a", "b")]

    looks = 0
    while any(writer.poll() is None for writer in writers):
        for info in kept.runs():
            seen = kept.read(info.id)
            assert seen == records(1, len(seen))
            assert len(seen) >= info.seq
        looks += 1

    finished(*writers)
    assert looks > 0
    assert len(kept.runs()) == 100


def test_many_programs_open_a_new_file_at_the_same_moment(start, file):
    finished(*[start("write", f"p{number}-", "1", ready=False) for number in range(6)])

    opened = SqliteJournal(file)
    assert len(opened.runs()) == 6
    opened.close()


def test_threads_with_journals_of_their_own_write_at_once(file):
    """Case 070."""

    def work(name: str) -> None:
        own = SqliteJournal(file)
        for number in range(10):
            begin(own, f"{name}{number}")
            own.append(f"{name}{number}", records(2, 3), RUNNING)
        own.close()

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    opened = SqliteJournal(file)
    assert [info.seq for info in opened.runs()] == [3] * 40
    opened.close()


def test_of_two_that_go_on_with_a_run_one_is_told_to_look_again(kept, file):
    begin(kept)
    other = SqliteJournal(file)
    other.append("r1", records(2, 2), RUNNING)

    with pytest.raises(StaleRunError, match="event 2 does not follow on event 2"):
        kept.append("r1", records(2, 2), RUNNING)
    other.close()


# Claims


def test_a_claim_names_the_program_that_holds_it(start, kept):
    begin(kept)
    holder = start("hold", "r1")

    with pytest.raises(RunClaimedError, match=rf"'r1' is being run by process {holder.pid} on"):
        kept.claim("r1")


def test_a_program_that_was_killed_lets_go(start, kept):
    begin(kept)
    killed(start("hold", "r1"))

    kept.claim("r1")


def test_the_lock_of_a_program_that_was_killed_is_cleared_away(start, kept, file):
    begin(kept)
    killed(start("hold", "r1"))
    kept.claim("r1")
    kept.close()

    assert list(file.with_name("runs.db-owners").iterdir()) == []


def test_a_second_journal_in_the_same_program_is_another_owner(kept, file):
    begin(kept)
    other = SqliteJournal(file)
    other.claim("r1")

    with pytest.raises(RunClaimedError, match=f"process {os.getpid()} on"):
        kept.claim("r1")
    other.close()
    kept.claim("r1")


def test_a_journal_that_never_held_a_claim_cannot_release_it(kept, file):
    begin(kept)
    kept.claim("r1")
    other = SqliteJournal(file)
    other.release("r1")

    with pytest.raises(RunClaimedError):
        other.claim("r1")
    other.close()


def test_the_claim_is_no_lock_on_the_file(start, kept):
    begin(kept)
    start("hold", "r1")

    kept.answer("r1", "q", "1", 1.0)
    begin(kept, "r2")
    kept.claim("r2")

    assert kept.answers("r1") == {"q": "1"}


# Sudden ends


def test_a_change_that_was_cut_short_did_not_happen(start, kept):
    begin(kept, events=3)
    killed(start("transact"))

    assert kept.read("r1") == records(1, 3)
    kept.append("r1", records(4, 4), RUNNING)


def test_a_file_that_a_killed_program_leaves_behind_can_be_opened(start, file):
    first = SqliteJournal(file)
    begin(first)
    first.close()
    killed(start("append", "r1"))

    opened = SqliteJournal(file)
    seen = opened.read("r1")
    assert [record.seq for record in seen] == list(range(1, opened.info("r1").seq + 1))
    assert len(seen) >= 20
    opened.close()


@pytest.mark.parametrize("lost", [1, 100, 5000, 60_000])
def test_a_log_that_was_torn_off_costs_the_last_records_only(start, file, lost):
    """What the system did not write to the disk when the machine went down."""
    first = SqliteJournal(file)
    begin(first)
    first.close()
    killed(start("append", "r1"))
    log = file.with_name("runs.db-wal")
    os.truncate(log, max(0, log.stat().st_size - lost))

    opened = SqliteJournal(file)
    seen = [record.seq for record in opened.read("r1")]
    assert seen == list(range(1, opened.info("r1").seq + 1))
    opened.append("r1", records(len(seen) + 1, len(seen) + 1), RUNNING)
    opened.close()


# Forks

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process .*is multi-threaded")


def in_a_fork(work: Callable[[], None]) -> int:
    """Return 0 if work succeeds in a process that was forked from this one."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@forks
def test_a_forked_process_reads_and_writes_with_a_connection_of_its_own(kept):
    begin(kept)

    def work() -> None:
        assert kept.read("r1") == records(1, 1)
        kept.append("r1", records(2, 2), RUNNING)
        kept.close()

    assert in_a_fork(work) == 0
    kept.append("r1", records(3, 3), RUNNING)
    assert kept.read("r1") == records(1, 3)


@forks
def test_a_forked_process_does_not_inherit_claims(kept):
    begin(kept)
    kept.claim("r1")

    def work() -> None:
        with pytest.raises(RunClaimedError, match=f"process {os.getppid()} on"):
            kept.claim("r1")
        kept.release("r1")
        kept.close()

    assert in_a_fork(work) == 0


@forks
def test_the_end_of_a_forked_process_leaves_the_claim_of_the_first(kept, file):
    begin(kept)
    kept.claim("r1")
    assert in_a_fork(kept.close) == 0
    other = SqliteJournal(file)

    with pytest.raises(RunClaimedError):
        other.claim("r1")
    other.close()


@forks
def test_a_fork_while_a_thread_writes_is_not_stuck(kept):
    begin(kept)
    writing, done = threading.Event(), threading.Event()

    def write() -> None:
        with kept._writing():
            writing.set()
            done.wait()

    thread = threading.Thread(target=write)
    thread.start()
    writing.wait()
    code = in_a_fork(lambda: kept.read("r1"))
    done.set()
    thread.join()

    assert code == 0
