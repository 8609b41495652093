"""Another program that uses the same file; what it does is told by its arguments.

python program.py write FILE NAME RUNS    begin that many runs and append to each, one record at a time
python program.py hold FILE RUN           claim a run, say so, and wait to be ended
python program.py transact FILE           stop in the middle of a change, say so, and wait to be ended
python program.py append FILE RUN         append without end; say so once
"""

import sys
import threading
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from records import RUNNING, begin, records

from planboard import SqliteJournal

APPENDED = 6


def write(journal: SqliteJournal, name: str, runs: str) -> None:
    for number in range(int(runs)):
        run_id = f"{name}{number}"
        begin(journal, run_id)
        journal.claim(run_id)
        for seq in range(2, 2 + APPENDED):
            journal.append(run_id, records(seq, seq), RUNNING)
        journal.answer(run_id, "q", "1", 1.0)
        journal.release(run_id)
    journal.close()


def hold(journal: SqliteJournal, run_id: str) -> None:
    journal.claim(run_id)
    wait_to_be_ended()


def transact(journal: SqliteJournal) -> None:
    with journal._writing() as connection:
        connection.execute("DELETE FROM events")
        connection.execute("DELETE FROM runs")
        wait_to_be_ended()


def append(journal: SqliteJournal, run_id: str) -> None:
    for seq in count(journal.info(run_id).seq + 1):
        journal.append(run_id, records(seq, seq, "x" * 3000), RUNNING)
        if seq == 20:
            say_so()


def wait_to_be_ended() -> None:
    say_so()
    threading.Event().wait()


def say_so() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()


if __name__ == "__main__":
    what, file, *rest = sys.argv[1:]
    globals()[what](SqliteJournal(file), *rest)
