"""The lock file: many situations in one, found from anywhere, without secrets, never damaged."""

import json
import os

import pytest

from planboard.cli import lockfile

TIDES = ("plan", "agents.py", "--input", "text=tides")
AGENTS = """
from pydantic import BaseModel, SecretStr
from planboard import Agent, achieves_goal, action

class Account(BaseModel):
    user: str
    api_key: str = ""
    pin: SecretStr = SecretStr("")

class Report(BaseModel): ...

@achieves_goal("A report")
@action
def write(account: Account) -> Report: ...

@achieves_goal("A report of one's own", value=0.1)
@action(pre=["account.api_key.startsWith('own')"])
def write_own(account: Account) -> str: ...

agent = Agent("writer", [write])
picky = Agent("picky", [write, write_own])
"""


@pytest.fixture
def lock(cli, folder):
    """Return a lock file with three situations."""
    for words in (TIDES, ("plan", "agents.py:briefer", "-i", "path=."), ("plan", "agents.py")):
        assert cli(*words, "--lock", "plans.lock").exit_code == 0
    return folder / "plans.lock"


def test_situations_are_kept_in_order_and_all_are_checked(cli, lock):
    targets = [entry["target"] for entry in json.loads(lock.read_text(encoding="utf-8"))["plans"]]

    assert targets == ["agents.py", "agents.py", "agents.py:briefer"]
    assert "3 situations: 3 the same" in cli("plan", "--check", "plans.lock").stderr


def test_locking_one_situation_leaves_the_others(cli, lock):
    before = lock.read_text(encoding="utf-8")

    cli("plan", "agents.py", "--planner", "utility", "--lock", "plans.lock")

    after = json.loads(lock.read_text(encoding="utf-8"))["plans"]
    added = [entry for entry in after if entry.get("planner") == "utility"]
    assert len(added) == 1
    assert [entry for entry in after if entry not in added] == json.loads(before)["plans"]


def test_a_situation_that_is_not_locked_is_wrong_use(cli, lock):
    done = cli("plan", "agents.py", "-i", "text=moon", "--check", "plans.lock")

    assert done.exit_code == 2
    assert "Locked are `agents.py` and `agents.py --input text=tides`" in done.stderr


def test_a_file_is_found_from_any_folder(cli, folder, lock, monkeypatch):
    (folder / "topic.json").write_text('{"text": "tides"}', encoding="utf-8")
    cli("plan", "agents.py", "-i", "Topic=@topic.json", "--lock", "plans.lock")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)

    assert cli("plan", "--check", "../plans.lock").exit_code == 0
    assert cli("plan", "../agents.py", "-i", "Topic=@../topic.json", "--check", "../plans.lock").exit_code == 0
    assert str(folder) not in lock.read_text(encoding="utf-8")


def test_a_target_that_is_gone_is_a_change_and_stays_locked(cli, folder, lock):
    before = lock.read_bytes()
    (folder / "agents.py").unlink()

    checked, locked = cli("plan", "--check", "plans.lock"), cli("plan", "--lock", "plans.lock")

    assert (checked.exit_code, locked.exit_code) == (1, 1)
    assert "agents.py (cannot be planned any more)\n  There is no file 'agents.py'" in checked.stdout
    assert "delete it from the file" in checked.stderr
    assert "with --lock" not in checked.stderr
    assert cli(*TIDES, "--check", "plans.lock").exit_code == 1
    assert lock.read_bytes() == before


def test_inputs_that_no_longer_fit_are_a_change(cli, folder, lock):
    source = (folder / "agents.py").read_text(encoding="utf-8")
    (folder / "agents.py").write_text(source.replace("text: str", "subject: str"), encoding="utf-8")

    done = cli(*TIDES, "--check", "plans.lock")

    assert done.exit_code == 1
    assert "'text' is no type, binding or field" in done.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is not JSON"),
        ("[]", "does not say 'planboard_lock'"),
        ('{"packages": []}', "does not say 'planboard_lock'"),
        ('{"planboard_lock": true, "plans": []}', "does not say 'planboard_lock'"),
        ('{"planboard_lock": 2, "plots": []}', "written by a newer Planboard (format 2; this one knows 1)"),
        ('{"planboard_lock": 1, "plans": [{}]}', "plans.0.target: Field required"),
        ('{"planboard_lock": 1, "plans": [], "plans": []}', "it has 'plans' twice"),
        ("<<<<<<< HEAD\n{}\n", "it holds a merge conflict"),
        ("[" * 100_000, "no lock file that can be used"),
    ],
)
@pytest.mark.parametrize("option", ["--lock", "--check"])
def test_what_is_no_lock_file_is_refused_and_left_untouched(cli, folder, text, said, option):
    file = folder / "plans.lock"
    file.write_text(text, encoding="utf-8")

    one, every = cli(*TIDES, option, "plans.lock"), cli("plan", option, "plans.lock")

    assert (one.exit_code, every.exit_code) == (2, 2)
    assert said in one.stderr
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*TIDES, "--lock", "a", "--check", "b"), "give one of them"),
        (("plan",), "TARGET is missing"),
        (("plan", "-i", "text=tides", "--check", "a"), "TARGET is missing"),
        (("plan", "--check", "missing.lock"), "There is no lock file 'missing.lock'"),
        (("plan", "--lock", "missing.lock"), "There is no lock file 'missing.lock'"),
        ((*TIDES, "--lock", "no/such/plans.lock"), "there is no folder"),
        ((*TIDES, "--lock", "."), "cannot be read"),
        (("plan", "agents.py", "-i", "Topic=@-", "--lock", "a"), "standard input"),
        (("plan", "agents.py:nobody", "--lock", "a"), "There is no 'nobody'"),
    ],
)
def test_wrong_use_is_told_and_writes_nothing(cli, folder, words, said):
    done = cli(*words, stdin='{"text": "tides"}')

    assert done.exit_code == 2
    assert said in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["agents.py"]


def test_an_input_that_is_no_text_is_refused(cli, folder):
    done = cli("plan", "agents.py", "-i", "text=\udcff", "--lock", "plans.lock")

    assert done.exit_code == 2
    assert sorted(path.name for path in folder.iterdir()) == ["agents.py"]


def test_an_agent_without_goals_is_refused(cli, module_file):
    module_file("idle.py", 'from planboard import Agent\nagent = Agent("idle", [])\n')

    done = cli("plan", "idle.py", "--lock", "plans.lock")

    assert done.exit_code == 2
    assert "has no goal" in done.stderr


@pytest.mark.parametrize(
    "inputs",
    [
        ("account.user=bob", "account.api_key=hunter2", "account.pin=p4ss"),
        ('Account={"user": "bob", "api_key": "hunter2", "pin": "p4ss"}',),
        ('{"user": "bob", "api_key": "hunter2", "pin": "p4ss"}',),
    ],
)
def test_secrets_are_not_written_and_not_needed(cli, folder, module_file, inputs):
    module_file("writer.py", AGENTS)
    words = ["plan", "writer.py", *(word for given in inputs for word in ("-i", given))]

    done = cli(*words, "--lock", "plans.lock")

    text = (folder / "plans.lock").read_text(encoding="utf-8")
    assert "bob" in text
    assert not any(secret in text + done.output for secret in ("hunter2", "p4ss"))
    assert cli("plan", "--check", "plans.lock").exit_code == 0
    assert cli(*words, "--check", "plans.lock").exit_code == 0


def test_a_plan_that_depends_on_a_secret_takes_it_from_a_file(cli, folder, module_file):
    module_file("writer.py", AGENTS)
    (folder / "account.json").write_text('{"user": "bob", "api_key": "own-key"}', encoding="utf-8")

    refused = cli("plan", "writer.py:picky", "-i", "user=bob", "-i", "api_key=own-key", "--lock", "plans.lock")
    taken = cli("plan", "writer.py:picky", "-i", "Account=@account.json", "--lock", "plans.lock")

    assert refused.exit_code == 2
    assert "the plans cannot be made" in refused.stderr
    assert taken.exit_code == 0
    assert "own-key" not in (folder / "plans.lock").read_text(encoding="utf-8")
    assert cli("plan", "--check", "plans.lock").exit_code == 0


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(cli, folder, lock, monkeypatch):
    before = sorted(folder.iterdir()), lock.read_bytes()

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(lockfile.Path, "replace", refuse)
    done = cli("plan", "agents.py:packer", "--lock", "plans.lock")

    assert done.exit_code == 2
    assert "No space left on device" in done.stderr
    assert (sorted(folder.iterdir()), lock.read_bytes()) == before


@pytest.mark.skipif(os.name == "nt", reason="links and modes differ there")
def test_a_link_stays_a_link_and_the_mode_stays(cli, folder, lock):
    lock.chmod(0o640)
    (folder / "link.lock").symlink_to("plans.lock")

    cli("plan", "agents.py:packer", "--lock", "link.lock")

    assert (folder / "link.lock").is_symlink()
    assert lock.stat().st_mode & 0o777 == 0o640
    assert "agents.py:packer" in lock.read_text(encoding="utf-8")


def test_a_linked_target_keeps_its_name(cli, folder):
    (folder / "link.py").symlink_to("agents.py")

    cli("plan", "link.py", "--lock", "plans.lock")

    assert '"target": "link.py"' in (folder / "plans.lock").read_text(encoding="utf-8")
    assert cli("plan", "--check", "plans.lock").exit_code == 0


def test_a_module_is_locked_by_its_name(cli, folder):
    (folder / "planboard_lock_target.py").write_text(
        (folder / "agents.py").read_text(encoding="utf-8"), encoding="utf-8"
    )

    assert cli("plan", "planboard_lock_target:briefer", "--lock", "plans.lock").exit_code == 0
    assert '"target": "planboard_lock_target:briefer"' in (folder / "plans.lock").read_text(encoding="utf-8")
