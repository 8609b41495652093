"""The repository brief: real directories in, Markdown out, the same every time, whatever is in them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from planboard import ProcessOptions

ROOT = Path(__file__).parents[2]
AUTHORS = (("Ada", "ada@example.org", "2024-01-05"), ("Bob", "bob@example.org", "2024-02-06"))
SECRET = "hunter2-hunter2"  # also looked for in all that is printed
RESEARCH_WORTH_IT = {
    "find_automation", "find_documentation", "find_largest", "find_licence", "find_loose_ends", "find_risks", "find_tests",
    "read_dependencies", "read_history",
}  # fmt: skip
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def example(load):
    return load("repo_brief")


@pytest.fixture
def process(example):
    def process(path, planner="hybrid"):
        return example.agent.run(example.RepoRequest(path=path), planner=planner)

    return process


@pytest.fixture
def brief(example, process):
    def brief(path, planner="hybrid"):
        return process(path, planner).result(example.Brief).markdown

    return brief


def write(root, **files):
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def git(root, *arguments, author=AUTHORS[0]):
    name, email, day = author
    when = f"{day}T12:00:00+0000"
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", name), ("EMAIL", email), ("DATE", when))
    }
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "-C", str(root), *arguments], check=True, capture_output=True, env={**os.environ, **who, **quiet}
    )


@pytest.fixture
def project(tmp_path):
    """A small project with something of everything."""
    root = tmp_path / "project"
    write(
        root,
        README_dot_md="# Project\n\nCounts the tides, [twice](x) a day.\n\nMore.\n",
        LICENSE="Permission is hereby granted, free of charge, to any person\n",
        CHANGELOG_dot_md="# 1.0\n",
        pyproject_dot_toml='[project]\nname = "p"\ndependencies = ["httpx>=0.27", "rich"]\n[dependency-groups]\ndev = ["pytest"]\n',
        uv_dot_lock="",
        _dot_github__workflows__ci_dot_yml="on: push\n",
        src__app_dot_py=f"import pickle as p\n\n# TODO: less\nvalue = p.loads(b'')\neval('1')\npassword = '{SECRET}'\n",
        src__web_dot_js="// eval(x)\nelement.innerHTML = text\n",
        src__fine_dot_py="password = os.environ['PASSWORD']\n'eval(1)'  # eval(1)\n",
        tests__test_app_dot_py="import subprocess\n\ndef test_it():\n    subprocess.run('ls', shell=True)\n",
        node_modules__lib__index_dot_js="eval(1)\n",
    )
    return root


@pytest.fixture
def repository(project):
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    for number in (1, 2):
        write(project, src__web_dot_js=f"element.innerHTML = text{number}\n")
        git(project, "commit", "-qam", "more", author=AUTHORS[1])
    return project


@needs_git
def test_tells_the_history_that_git_knows(repository, brief):
    text = brief(repository)

    assert "3 commits by 2 contributors from 2024-01-05 to 2024-02-06; under MIT." in text
    assert "the most active of whom made 67 % of the commits" in text


@needs_git
def test_a_folder_of_a_repository_has_the_history_of_that_folder(repository, brief):
    assert "1 commit by 1 contributor on 2024-01-05" in brief(repository / "tests")


@needs_git
def test_git_is_asked_of_this_directory_whatever_the_environment_says(repository, tmp_path, brief, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    write(tmp_path / "other", a_dot_py="x = 1\n")

    assert "History: no commits" in brief(tmp_path / "other")


def test_without_git_installed_the_brief_is_written_all_the_same(project, brief, monkeypatch):
    monkeypatch.setenv("PATH", "")

    text = brief(project)

    assert "- History: no commits that git could tell of here" in text
    assert "- [x] **Licence**: MIT in `LICENSE`" in text


def test_the_checklist_gives_its_evidence(project, brief):
    text = brief(project)

    assert "> Counts the tides, \\[twice\\](x) a day." in text
    assert "- [x] **README**: `README.md`, 5 lines; 2 pages of text in all" in text
    assert "- [x] **Tests**: 1 test case in 1 file, such as `tests/test_app.py`" in text
    assert "- [x] **Continuous integration**: GitHub Actions (`.github/workflows/ci.yml`)" in text
    assert "- [ ] **Versions of dependencies are bounded**: any version will do for `rich`" in text
    assert "- [x] **Dependencies are locked**: `uv.lock`" in text
    assert "- [ ] **Contribution guide**: none" in text
    assert "| Python | 3 | 12 |" in text


def test_risky_places_are_named_by_line_and_secrets_never_shown(project, brief):
    text = brief(project)

    found = text.split("## Worth a look\n\n")[1].split("\n\n")[0].splitlines()
    assert found == [
        "- `src/app.py:4` unpickling, which can run code",
        "- `src/app.py:5` eval of text as code",
        "- `src/app.py:6` possible secret: hard-coded password or key",
        "- `src/web.js:2` innerHTML is assigned",
        "- `tests/test_app.py:4` subprocess through a shell (in tests)",
        "- `src/app.py:3` TODO comment",
    ]
    assert SECRET not in text


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "package.json",
            '{"dependencies": {"vue": "^3", "left": "*"}, "devDependencies": {"vite": "1"}}',
            "2 dependencies; 1 optional",
        ),
        ("Cargo.toml", '[dependencies]\nserde = {version = "1"}\n', "1 dependency (`serde`)"),
        (
            "go.mod",
            "module m\n\nrequire (\n\tgolang.org/x/net v0.1.0\n\tgolang.org/x/sys v0.2.0 // indirect\n)\n",
            "1 dependency; 1 optional",
        ),
        (
            "requirements.txt",
            "# c\n-r other.txt\nflask[async]>=3 # web\nDjango ; python_version > '3'\n",
            "2 dependencies (`django`, `flask`)",
        ),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "3"\nhttpx = "*"\n', "1 dependency (`httpx`)"),
    ],
)
def test_reads_the_manifests_of_several_languages(name, text, expected, tmp_path, brief):
    (tmp_path / name).write_text(text, encoding="utf-8")

    assert f"- `{name}`: {expected}" in brief(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"dependencies": []}', "[" * 100_000])
def test_a_broken_manifest_is_reported(text, tmp_path, brief):
    (tmp_path / "package.json").write_text(text, encoding="utf-8")

    assert "- [ ] **Manifest can be read**: `package.json`: " in brief(tmp_path)


def test_an_empty_directory_gets_a_brief_too(tmp_path, brief):
    (tmp_path / "void").mkdir()

    assert brief(tmp_path / "void").startswith("# void\n\nvoid is an empty directory.\n")


def test_survives_what_is_found_in_the_wild(tmp_path, brief):
    root = tmp_path / "wild"
    write(
        root,
        bad_dot_py="def (:\n",
        latin_dot_py="x = 1\n",
        sub__ok_dot_py="eval(x)\n",
        big_dot_js="//" + "x" * 1_000_001,
    )
    (root / "latin.py").write_bytes("# caf\u00e9\neval('1')\n".encode("latin-1"))
    (root / "picture.png").write_bytes(b"\x89PNG\0")
    (root / "blob").write_bytes(b"\0" * 10)
    (root / "nul.py").write_bytes(b"x = 1\n" * 1000 + b"\0eval(1)\n")
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "broken").symlink_to(root / "nowhere")
    (root / "od`d | *name*.py").write_text("eval(1)\n", encoding="utf-8")
    (root / "line\nbreak.py").write_text("eval(1)\n", encoding="utf-8")
    os.mkfifo(root / "pipe")
    Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text("eval(1)\n", encoding="utf-8")
    (root / "locked.py").write_text("x\n", encoding="utf-8")
    (root / "locked.py").chmod(0)

    text = brief(root)

    assert "- `latin.py:2` eval of text as code" in text
    assert "- `line?break.py:1` eval of text as code" in text
    assert "- `` od`d ¦ *name*.py:1 `` eval of text as code" in text
    assert "- The text of 1 file larger than 1,000,000 bytes" in text
    assert "- The contents of 2 binary files" in text
    assert "- 2 symbolic links, which are not followed" in text
    assert "- 1 socket, pipe or device" in text
    assert "- 1 entry whose name is no valid UTF-8" in text
    assert os.geteuid() == 0 or "- 1 file or folder that could not be read" in text


def test_a_limit_that_is_hit_is_told(project, example, brief, monkeypatch):
    monkeypatch.setattr(example.walk, "MAX_FILES", 5)
    monkeypatch.setattr(example.walk, "MAX_READ_BYTES", 100)

    text = brief(project)

    assert "project has 5 files" in text
    assert "- Everything after the first 5 files, shallow ones first" in text
    assert "100 bytes were read" in text


def test_says_the_same_every_time(project, example, brief):
    assert brief(project) == brief(project)

    concurrent = example.agent.run(example.RepoRequest(path=project), options=ProcessOptions(concurrency=4))

    assert concurrent.result(example.Brief).markdown == brief(project)


def test_a_path_that_is_no_directory_is_a_clear_error(example, tmp_path):
    with pytest.raises(example.ProcessFailedError, match=r"nothing to read at '.*nope': it does not exist"):
        example.agent.run(example.RepoRequest(path=tmp_path / "nope"), returning=example.Brief)


def test_a_relative_path_is_taken_from_the_working_directory(project, example, brief, monkeypatch):
    monkeypatch.chdir(project)

    assert example.RepoRequest(path=".").path == project
    assert brief("src").startswith("# src\n")


def test_goap_takes_the_cheapest_way_to_a_brief(project, process):
    assert [run.action for run in process(project, "goap").history] == ["scan", "measure", "synthesise", "wrap_up"]


def test_hybrid_does_the_research_that_pays_then_stops_at_the_brief(project, process):
    *research, synthesise, wrap_up = (run.action for run in process(project).history)

    assert research[:2] == ["scan", "measure"]
    assert set(research[2:]) == RESEARCH_WORTH_IT
    assert (synthesise, wrap_up) == ("synthesise", "wrap_up")


@needs_git
def test_utility_goes_on_and_writes_a_fuller_brief(repository, process, brief):
    write(repository, copy_dot_py="x = 1\n", copied_dot_py="x = 1\n")

    hybrid = [run.action for run in process(repository).history]
    utility = [run.action for run in process(repository, "utility").history]

    assert utility[: len(hybrid)] == hybrid
    again = ["synthesise", "wrap_up"]
    assert utility[len(hybrid) :] == ["find_duplicates", *again, "find_hotspots", *again]
    assert "- `src/web.js` changed in 3 commits" in brief(repository, "utility")
    assert "- The same content: `copied.py`, `copy.py`" in brief(repository, "utility")


def test_reads_this_repository(brief):
    text = brief(ROOT)

    assert text.startswith(f"# {ROOT.name}\n")
    assert "| Python |" in text
    assert "- [x] **Licence**: Apache-2.0 in `LICENSE`" in text
    assert "- [x] **Versions of dependencies are bounded**: all are" in text
    assert "## What we did not look at" in text


def test_runs_as_a_script_from_anywhere(project, python):
    done = python(str(ROOT / "examples" / "repo_brief.py"), ".", "--planner", "goap", cwd=project)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("# project\n")


def test_runs_from_the_command_line_in_another_directory(project, python):
    target = f"{ROOT / 'examples' / 'repo_brief.py'}:agent"

    done = python("-m", "planboard", "run", target, "--input", "path=.", cwd=project)

    assert done.returncode == 0, done.stderr
    assert "# project\n" in done.stdout
