"""Where runs are kept: a file or a server, as typed or as the environment says."""

import sys

import pytest

NOWHERE = "127.0.0.1:1"


@pytest.mark.parametrize(
    "words",
    [
        ("runs",),
        ("show", "x"),
        ("pending",),
        ("events", "x"),
        ("answer", "x", "1"),
        ("approve", "x"),
        ("deny", "x"),
        ("resume", "x"),
        ("cancel", "x"),
        ("fork", "x"),
    ],
)
def test_a_file_and_a_server_exclude_each_other(folder, cli, words):
    done = cli(*words, "--journal", "runs.db", "--temporal", NOWHERE)

    assert (done.exit_code, done.stderr) == (
        2,
        "Error: --journal is a file and --temporal a server; give the one that keeps the runs.\n",
    )


def test_an_environment_that_names_both_is_ambiguous(kept, cli, monkeypatch):
    monkeypatch.setenv("PLANBOARD_TEMPORAL", NOWHERE)

    done = cli("runs")

    assert done.exit_code == 2
    assert done.stderr == (
        "Error: Both PLANBOARD_JOURNAL and PLANBOARD_TEMPORAL are set. "
        "Say which is meant: --journal FILE or --temporal ADDRESS.\n"
    )


def test_a_file_that_is_typed_counts_for_more_than_the_environment(kept, cli, monkeypatch):
    monkeypatch.setenv("PLANBOARD_TEMPORAL", NOWHERE)
    cli("run", "kept.py:paying", "-i", "amount=7", "--id", "pay-1")

    done = cli("pending", "--journal", "runs.db")

    assert "  $ planboard approve pay-1:2 --journal runs.db\n" in done.stdout


def test_a_namespace_without_a_server_is_refused(kept, cli):
    done = cli("runs", "--namespace", "mine")

    assert done.stderr == "Error: --namespace is a part of a Temporal server; add --temporal ADDRESS.\n"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("resume", "x"), "Runs on Temporal go on by themselves wherever a worker is"),
        (("resume", "--all"), "`planboard worker TARGET --temporal ADDRESS` starts one"),
        (("fork", "x"), "A run on Temporal cannot be forked"),
        (("answer", "x", "1", "--resume"), "--resume is for runs in a file"),
        (("approve", "x", "--resume"), "--resume is for runs in a file"),
        (("deny", "x", "--resume"), "--resume is for runs in a file"),
    ],
)
def test_what_makes_no_sense_on_a_server_is_refused_without_asking_it(folder, cli, words, why):
    done = cli(*words, "--temporal", NOWHERE)

    assert done.exit_code == 2
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("worker", "agents.py"), ("submit", "agents.py"), ("runs", "--temporal", NOWHERE)])
def test_without_the_extra_one_line_says_what_to_install(folder, cli, monkeypatch, words):
    for name in [name for name in sys.modules if name.startswith("planboard.durable.temporal")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "temporalio", None)

    done = cli(*words)

    assert (done.exit_code, done.stderr) == (
        2,
        "Error: For runs on Temporal the extra is needed: pip install 'planboard[temporal]'\n",
    )


def test_help_shows_the_commands_in_groups(folder, cli):
    told = cli("--help").stdout

    groups = ("Commands", "Runs that are kept", "Runs on many machines, with Temporal")
    assert sorted(groups, key=told.index) == list(groups)
