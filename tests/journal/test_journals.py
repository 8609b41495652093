"""Promises of every journal, in memory and in a file alike.

- What is kept comes back as it was, in order; records follow on one another or are refused.
- Ids that are not known, known already, claimed or answered give typed errors.
- What is handed out shares nothing with what is kept (case 055).
"""

import threading
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from records import MANIFEST, RUNNING, begin, records, run

from planboard import (
    AlreadyAnsweredError,
    CorruptJournalError,
    MemoryJournal,
    RunClaimedError,
    RunExistsError,
    SqliteJournal,
    StaleRunError,
    UnknownRunError,
)
from planboard.journal import Record, RunInfo, Standing

WAITING = Standing("WAITING", "waits for pay", 99.5, ("r1:3", "r1:4"))


def test_an_empty_journal_has_no_runs(journal):
    assert journal.runs() == []


def test_the_first_records_come_back(journal):
    begin(journal, events=3)

    assert journal.read("r1") == records(1, 3)


def test_a_run_may_begin_without_records(journal):
    begin(journal, events=0)
    journal.append("r1", records(1, 1), RUNNING)

    assert journal.read("r1") == records(1, 1)


def test_what_is_known_of_a_run_follows_its_records(journal):
    begin(journal)
    journal.append("r1", records(2, 5), WAITING)

    assert journal.info("r1") == replace(run(), standing=WAITING, seq=5, updated_at=105.0)


def test_a_run_without_records_was_last_changed_when_it_was_created(journal):
    begin(journal, events=0)

    assert journal.info("r1") == replace(run(), standing=RUNNING, seq=0, updated_at=10.0)


def test_parent_and_target_are_kept(journal):
    begin(journal, parent_id="r0", target="shop.py:agent")

    assert (journal.info("r1").parent_id, journal.info("r1").target) == ("r0", "shop.py:agent")


def test_records_are_read_from_any_number_on(journal):
    begin(journal, events=5)

    assert [record.seq for record in journal.read("r1", after=3)] == [4, 5]
    assert len(journal.read("r1", after=-1)) == 5
    assert journal.read("r1", after=9) == []


def test_appending_nothing_changes_where_the_run_stands_only(journal):
    begin(journal)
    journal.append("r1", [], WAITING)

    assert journal.info("r1") == replace(run(), standing=WAITING, seq=1, updated_at=101.0)


def test_records_of_runs_do_not_mix(journal):
    begin(journal, "a")
    begin(journal, "b")
    journal.append("b", records(2, 2, '"b"'), RUNNING)
    journal.append("a", records(2, 2, '"a"'), RUNNING)

    assert [journal.read(name)[1].body for name in "ab"] == ['"a"', '"b"']


@pytest.mark.parametrize("numbers", [(1,), (3,), (2, 4), (2, 2), (0,)])
def test_records_that_do_not_follow_are_refused_as_a_whole(journal, numbers):
    begin(journal)

    with pytest.raises(StaleRunError, match="continued elsewhere") as caught:
        journal.append("r1", [Record(number, "x", 1.0, "{}") for number in numbers], WAITING)

    assert caught.value.run_id == "r1"
    assert journal.read("r1") == records(1, 1)
    assert journal.info("r1").standing == RUNNING


def test_the_first_records_have_to_begin_at_one(journal):
    with pytest.raises(StaleRunError):
        journal.create(run(), MANIFEST, records(2, 3), RUNNING)

    assert journal.runs() == []


def test_a_run_is_created_once(journal):
    begin(journal)

    with pytest.raises(RunExistsError, match=r"'r1' already.*Process\.restore"):
        begin(journal, events=2)

    assert len(journal.read("r1")) == 1


USES = {
    "append": lambda journal, name: journal.append(name, records(1, 1), RUNNING),
    "append nothing": lambda journal, name: journal.append(name, [], RUNNING),
    "read": lambda journal, name: journal.read(name),
    "info": lambda journal, name: journal.info(name),
    "claim": lambda journal, name: journal.claim(name),
    "answer": lambda journal, name: journal.answer(name, "q", "1", 1.0),
    "answers": lambda journal, name: journal.answers(name),
}


@pytest.mark.parametrize("use", USES)
def test_an_unknown_run_is_refused_with_the_closest_id(journal, use):
    begin(journal, "expenses-17")

    with pytest.raises(UnknownRunError, match="'expences-17' is kept. Did you mean 'expenses-17'") as caught:
        USES[use](journal, "expences-17")

    assert caught.value.run_id == "expences-17"


@pytest.mark.parametrize("use", USES)
def test_an_empty_journal_says_that_it_knows_no_run(journal, use):
    with pytest.raises(UnknownRunError, match="None are known"):
        USES[use](journal, "r1")


# Lists of runs


def test_runs_are_listed_oldest_first_then_by_id(journal):
    for name, created_at in [("c", 2.0), ("b", 1.0), ("a", 2.0), ("ä", 2.0), ("B", 2.0)]:
        begin(journal, name, created_at=created_at)

    assert [info.id for info in journal.runs()] == ["b", "B", "a", "c", "ä"]


def test_runs_are_chosen_by_status_and_by_parent(journal):
    begin(journal, "a")
    begin(journal, "b", parent_id="a", standing=WAITING)
    begin(journal, "c", parent_id="a")

    assert [info.id for info in journal.runs(status="WAITING")] == ["b"]
    assert [info.id for info in journal.runs(parent_id="a")] == ["b", "c"]
    assert [info.id for info in journal.runs(status="RUNNING", parent_id="a")] == ["c"]
    assert journal.runs(status="FAILED") == []


def test_lists_say_the_same_as_info(journal):
    begin(journal, standing=WAITING)

    assert journal.runs() == [journal.info("r1")]


# Definitions


def test_a_definition_is_kept_once_for_each_fingerprint(journal):
    journal.create(run("a"), "first", [], RUNNING)
    journal.create(run("b"), "second", [], RUNNING)
    journal.create(replace(run("c"), fingerprint="print-2"), "third", [], RUNNING)

    assert (journal.manifest("print-1"), journal.manifest("print-2")) == ("first", "third")


def test_a_definition_that_is_missing_says_so(journal):
    with pytest.raises(CorruptJournalError, match="'print-9'"):
        journal.manifest("print-9")


# Claims


def test_a_run_is_claimed_once(journal):
    begin(journal)
    journal.claim("r1")

    with pytest.raises(RunClaimedError, match="'r1' is being run by this program"):
        journal.claim("r1")


def test_a_run_that_was_let_go_can_be_claimed(journal):
    begin(journal)
    journal.claim("r1")
    journal.release("r1")

    journal.claim("r1")


def test_claims_of_runs_are_apart(journal):
    begin(journal, "a")
    begin(journal, "b")
    journal.claim("a")
    journal.release("b")

    journal.claim("b")


def test_letting_go_of_what_is_not_held_does_nothing(journal):
    journal.release("nobody")


def test_one_thread_of_many_gets_the_claim(journal):
    begin(journal)
    got: list[int] = []

    def claim(number: int) -> None:
        try:
            journal.claim("r1")
        except RunClaimedError:
            return
        got.append(number)

    threads = [threading.Thread(target=claim, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(got) == 1


# Answers


def test_answers_come_back_in_the_order_they_were_given(journal):
    begin(journal)
    for request in ("r1:9", "r1:2", "cancel"):
        journal.answer("r1", request, f'"{request}"', 1.0)

    assert list(journal.answers("r1").items()) == [("r1:9", '"r1:9"'), ("r1:2", '"r1:2"'), ("cancel", '"cancel"')]


def test_a_run_without_answers_has_none(journal):
    begin(journal)

    assert journal.answers("r1") == {}


def test_the_first_answer_stands(journal):
    begin(journal)
    journal.answer("r1", "q", "false", 1.0)

    with pytest.raises(AlreadyAnsweredError, match="'q' was answered already; that answer stands"):
        journal.answer("r1", "q", "true", 2.0)

    assert journal.answers("r1") == {"q": "false"}


def test_answers_of_runs_do_not_mix(journal):
    for name in ("a", "a\nb"):
        begin(journal, name)
    journal.answer("a", "b\nc", "1", 1.0)
    journal.answer("a\nb", "c", "2", 1.0)

    assert (journal.answers("a"), journal.answers("a\nb")) == ({"b\nc": "1"}, {"c": "2"})


# What is handed out


def test_what_is_handed_out_can_be_changed_without_harm(journal):
    """Case 055."""
    begin(journal, events=2)
    journal.answer("r1", "q", "1", 1.0)
    journal.read("r1").clear()
    journal.runs().clear()
    journal.answers("r1").clear()

    assert (len(journal.read("r1")), len(journal.runs()), journal.answers("r1")) == (2, 1, {"q": "1"})


def test_what_was_handed_in_can_be_changed_without_harm(journal):
    """Case 055."""
    first, more = records(1, 2), records(3, 3)
    journal.create(run(), MANIFEST, first, RUNNING)
    journal.append("r1", more, RUNNING)
    first.clear()
    more.append(records(4, 4)[0])

    assert journal.read("r1") == records(1, 3)


def test_records_and_what_is_known_of_runs_are_frozen(journal):
    """Case 055."""
    begin(journal)

    for thing, field in [(journal.read("r1")[0], "body"), (journal.info("r1"), "seq")]:
        with pytest.raises(FrozenInstanceError):
            setattr(thing, field, 1)


# Contents

TEXTS = ["", "漢字 عربى 🚀 é", "a\x00b", "line\nline\r\n", "' OR 1=1 --", "x" * 1_000_000]


@pytest.mark.parametrize("text", TEXTS, ids=["empty", "unicode", "nul", "lines", "quotes", "1 MB"])
def test_any_text_comes_back_as_it_was(journal, text):
    """Case 146."""
    begin(journal)
    journal.append("r1", [Record(2, text[:9], 2.0, text)], Standing("WAITING", text[:9], None, ("a\nb", "c")))
    journal.answer("r1", text[:9], text, 3.0)

    assert journal.read("r1", after=1) == [Record(2, text[:9], 2.0, text)]
    assert journal.info("r1").standing == Standing("WAITING", text[:9], None, ("a\nb", "c"))
    assert journal.answers("r1") == {text[:9]: text}


def test_ids_and_names_are_of_any_letters(journal):
    """Case 146."""
    begin(journal, "走る-🚀")

    assert journal.info("走る-🚀").id == "走る-🚀"


def test_half_a_character_in_a_reason_does_no_harm(journal):
    begin(journal, standing=Standing("FAILED", "no file '\udcff'"))

    assert journal.info("r1").standing.reason.startswith("no file '")


def test_a_journal_can_be_closed_again(journal):
    begin(journal)
    journal.claim("r1")

    journal.close()
    journal.close()


def test_closing_gives_back_claims(journal):
    begin(journal)
    journal.claim("r1")
    journal.close()

    journal.claim("r1")


def test_threads_may_write_at_once(journal):
    def work(name: str) -> None:
        begin(journal, name)
        for number in range(2, 21):
            journal.append(name, records(number, number), RUNNING)
            journal.read(name, after=number - 1)

    threads = [threading.Thread(target=work, args=(f"r{number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {info.id: info.seq for info in journal.runs()} == {f"r{number}": 20 for number in range(6)}
    assert all(journal.read(info.id) == records(1, 20) for info in journal.runs())


# Both alike

NAMES = st.sampled_from(["a", "b", "c"])
STANDINGS = st.builds(
    Standing,
    st.sampled_from(["RUNNING", "WAITING"]),
    st.text(max_size=3),
    st.none() | st.floats(0, 9),
    st.lists(st.text(min_size=1, max_size=3), max_size=2).map(tuple),
)
STEPS = st.one_of(
    st.tuples(st.just("create"), NAMES, st.integers(0, 2), STANDINGS),
    st.tuples(st.just("append"), NAMES, st.integers(1, 4), st.integers(0, 2), STANDINGS),
    st.tuples(st.just("claim"), NAMES),
    st.tuples(st.just("release"), NAMES),
    st.tuples(st.just("answer"), NAMES, st.sampled_from(["q", "p"]), st.text(max_size=3)),
    st.tuples(st.just("look"), NAMES, st.integers(0, 3)),
)


def carried_out(journal, step):
    what, name, *rest = step
    try:
        if what == "create":
            return journal.create(run(name), MANIFEST, records(1, rest[0]), rest[1])
        if what == "append":
            return journal.append(name, records(rest[0], rest[0] + rest[1] - 1), rest[2])
        if what == "answer":
            return journal.answer(name, rest[0], rest[1], 1.0)
        if what == "look":
            seen: RunInfo = journal.info(name)
            return seen, journal.read(name, after=rest[0]), list(journal.answers(name).items()), journal.runs()
        return getattr(journal, what)(name)
    except (UnknownRunError, RunExistsError, StaleRunError, AlreadyAnsweredError, RunClaimedError) as error:
        return type(error), str(error)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=12))
def test_a_journal_in_memory_and_one_in_a_file_say_the_same(steps, tmp_path_factory):
    file = SqliteJournal(tmp_path_factory.mktemp("runs") / "runs.db")
    memory = MemoryJournal()

    for step in steps:
        assert carried_out(file, step) == carried_out(memory, step), step

    file.close()
