"""The package as a whole: what it exports, what it loads, and what it leaves alone.

Promises: `__all__` is exactly what can be imported; heavy modules are loaded only when used; running opens no socket
and prints nothing; the changelog knows the version; no module is a catch-all.
"""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import planboard

ROOT = Path(__file__).parents[1]
HEAVY = ["openai", "instructor", "rich", "typer", "opentelemetry", "simpleai", "cel", "anyio", "asyncio", "tenacity"]
PROGRAM = """
import sys
from pydantic import BaseModel
from planboard import *
import planboard.planners, planboard.runtime.core
print([name for name in {heavy} if name in sys.modules])
"""


def run_python(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout.strip()


def test_every_exported_name_exists():
    missing = [name for name in planboard.__all__ if not hasattr(planboard, name)]

    assert missing == []


def test_every_exported_name_has_a_home_and_the_other_way_round():
    from_table = {name for names in planboard._HOMES.values() for name in names}

    assert {*planboard.__all__} - {"__version__"} == from_table


def test_exported_names_come_from_where_the_table_says():
    for home, names in planboard._HOMES.items():
        for name in names:
            assert getattr(import_module(home), name) is getattr(planboard, name)


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(planboard, "Supervisr")


def test_importing_everything_public_loads_no_heavy_module():
    assert run_python(PROGRAM.format(heavy=HEAVY)) == "[]"


def test_running_an_agent_prints_nothing_and_opens_no_socket():
    program = """
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("a socket was opened")
socket.socket = refuse
from pydantic import BaseModel
from planboard import Agent, achieves_goal, action, run
class A(BaseModel): x: int
class B(BaseModel): x: int
@achieves_goal("b")
@action
def make(a: A) -> B: return B(x=a.x)
run(Agent("a", [make]), A(x=1), returning=B)
"""

    assert run_python(program) == ""


def test_the_version_is_the_one_of_the_metadata():
    metadata = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    assert f'version = "{planboard.__version__}"' in metadata


def test_files_stay_small():
    sizes = {
        path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines())
        for path in ROOT.glob("planboard/**/*.py")
    }

    assert {str(path): lines for path, lines in sizes.items() if lines > 420} == {}


def test_errors_live_in_one_tree():
    pattern = re.compile(r"^class (\w+)\((?:\w*Error|Exception|BaseException)\b", re.MULTILINE)

    elsewhere = [
        (path.name, found)
        for path in ROOT.glob("planboard/**/*.py")
        if path.name != "errors.py"
        for found in pattern.findall(path.read_text(encoding="utf-8"))
        if not found.startswith("_")
    ]

    assert elsewhere == []


def test_the_package_never_imports_its_own_root():
    pattern = re.compile(r"^\s*(?:from planboard import|import planboard$)", re.MULTILINE)

    assert [path.name for path in ROOT.glob("planboard/**/*.py") if pattern.search(path.read_text())] == []
