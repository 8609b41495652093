"""Inputs find their type: by its name, by a binding's name, or because nothing else fits."""

import json

import pytest


def report(done):
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "given",
    [
        'Topic={"text": "tides"}',
        'topic={"text": "tides"}',
        "topic.text=tides",
        "Topic.text=tides",
        "text=tides",
        '{"text": "tides"}',
        '{"Topic": {"text": "tides"}}',
        '[{"text": "tides"}]',
    ],
)
def test_these_all_mean_the_same(cli, given):
    assert report(cli("run", "agents.py", "-q", "--input", given)) == {"title": "tides", "body": "tides"}


def test_pairs_become_one_object(cli):
    done = cli("run", "agents.py", "-q", "-i", "text=tides", "-i", "depth=2")

    assert report(done)["body"] == "tides; tides"


def test_a_file_holds_json(cli, folder):
    (folder / "topic.json").write_text('{"text": "tides"}')

    assert report(cli("run", "agents.py", "-q", "-i", "@topic.json"))["title"] == "tides"
    assert report(cli("run", "agents.py", "-q", "-i", "Topic=@topic.json"))["title"] == "tides"


def test_standard_input_is_a_file_too(cli):
    assert report(cli("run", "agents.py", "-q", "-i", "@-", stdin='{"text": "ebb"}'))["title"] == "ebb"


def test_text_stays_text_for_a_text_field(cli):
    assert report(cli("run", "agents.py", "-q", "-i", "text=42"))["title"] == "42"


def test_text_is_read_as_json_where_the_field_is_a_list(cli):
    done = cli("run", "agents.py:briefer", "-q", "-i", "path=src", "-i", 'tags=["a", "b"]')

    assert done.stdout == "# Brief of src ['a', 'b']\n"


def test_a_binding_is_given_by_its_name(cli):
    words = ("run", "agents.py:make_assigner", "-q", "-i", 'Person={"name": "Ada"}')

    assert cli(*words, "-i", "gh_issue.title=Leak").stdout == "Leak → Ada\n"
    assert cli(*words, "-i", 'gh_issue={"title": "Leak"}').stdout == "Leak → Ada\n"
    assert cli(*words, "-i", '{"title": "Leak"}').stdout == "Leak → Ada\n"


def test_several_objects_of_a_type_are_given_one_by_one_or_as_an_array(cli):
    words = ("run", "agents.py:make_assigner", "-q", "-i", "gh_issue.title=Leak")

    one_by_one = cli(*words, "-i", 'Person={"name": "Ada"}', "-i", 'Person={"name": "Bob"}')
    array = cli(*words, "-i", 'Person=[{"name": "Ada"}, {"name": "Bob"}]')

    assert one_by_one.stdout == array.stdout == "Leak → Ada, Bob\n"


def test_a_type_that_actions_produce_can_be_given_by_name(cli):
    done = cli("run", "agents.py", "-q", "-i", "text=tides", "-i", 'Findings={"notes": ["mine"]}')

    assert report(done)["body"] == "mine"


def test_what_fits_two_types_is_refused_with_both(cli):
    done = cli("run", "agents.py:petter", "-i", '{"name": "Mia"}')

    assert done.exit_code == 2
    assert "fits Cat and Dog" in done.stderr
    assert "--input Cat=… or --input Dog=…" in done.stderr


def test_a_field_that_only_one_type_has_decides(cli):
    assert cli("run", "agents.py:petter", "-q", "-i", '{"name": "Mia", "lives": 3}').stdout == "purr\n"


def test_what_fits_no_type_is_refused_with_each_reason(cli):
    done = cli("run", "agents.py:petter", "-i", '{"nam": "Mia"}')

    assert done.exit_code == 2
    assert "Cat(name: str, lives: int = …)" in done.stderr
    assert "name: this field is required" in done.stderr
    assert "nam: there is no such field. Did you mean 'name'?" in done.stderr


def test_an_invalid_value_is_told_with_its_path(cli):
    done = cli("run", "agents.py", "-i", "topic.text=tides", "-i", "topic.depth=deep")

    assert done.exit_code == 2
    assert "depth: Input should be a valid integer" in done.stderr
    assert 'not "deep"' in done.stderr


def test_an_unknown_key_is_met_with_the_closest(cli):
    done = cli("run", "agents.py", "-i", "topc.text=tides")

    assert done.exit_code == 2
    assert "'topc' is no type, binding or field" in done.stderr
    assert "Did you mean 'Topic'?" in done.stderr


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ("{text}", "is not JSON"),
        ("@nowhere.json", "cannot be read: No such file"),
        ("5", "5 is no valid Topic"),
        ("Topic=5", "is no valid Topic"),
    ],
)
def test_what_cannot_be_read_is_refused(cli, given, complaint):
    done = cli("run", "agents.py", "-i", given)

    assert done.exit_code == 2
    assert complaint in done.stderr


def test_a_field_given_twice_is_refused(cli):
    done = cli("run", "agents.py", "-i", "text=ebb", "-i", "text=flood")

    assert done.exit_code == 2
    assert "'text' is given twice" in done.stderr


def test_an_action_that_passes_its_input_on_under_a_name_is_not_skipped(cli, module_file):
    module_file(
        "saving.py",
        """
        from typing import Annotated
        from pydantic import BaseModel
        from planboard import Agent, Named, achieves_goal, action

        class Issue(BaseModel):
            title: str

        @action(output="saved")
        def save(issue: Issue) -> Issue:
            return Issue(title=issue.title + ", saved")

        @achieves_goal("Told")
        @action
        def tell(issue: Annotated[Issue, Named("saved")]) -> str:
            return issue.title

        agent = Agent("saver", [save, tell])
        """,
    )

    assert cli("run", "saving.py", "-q", "-i", "title=Leak").stdout == "Leak, saved\n"
    assert cli("run", "saving.py", "-q", "-i", "saved.title=Leak").stdout == "Leak\n"
