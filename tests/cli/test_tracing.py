"""`planboard trace`: a run as one tree of spans, without its agent."""

import json


def test_a_run_is_shown_as_one_tree(kept, cli):
    cli("run", "kept.py:paying", "-i", "amount=7", "--id", "pay-1")
    cli("approve", "pay-1", "--resume")

    lines = cli("trace", "pay-1").stdout.splitlines()

    assert lines[0].startswith("[paying] agent")
    assert "completed" in lines[0]
    assert lines[1:]
    assert all(line.startswith("  ") for line in lines[1:])


def test_a_pause_is_no_error(kept, cli):
    cli("run", "kept.py:paying", "-i", "amount=7", "--id", "pay-1")

    text = cli("trace", "pay-1").stdout

    assert "waiting" in text
    assert "error" not in text


def test_json_has_ids_of_the_sizes_that_tracing_systems_take(kept, cli):
    cli("run", "kept.py:paying", "-i", "amount=7", "--id", "pay-1")

    found = json.loads(cli("trace", "pay-1", "--json").stdout)

    assert (len(found["id"]), len(found["root"]["id"])) == (32, 16)


def test_an_unknown_run_is_met_with_the_closest(kept, cli):
    cli("run", "kept.py:paying", "-i", "amount=7", "--id", "pay-1")

    assert "Did you mean 'pay-1'?" in cli("trace", "pay-2").stderr
