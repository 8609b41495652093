"""Planning in a fresh interpreter, with a hash seed of one's choice: everything is built there anew.

What is to be planned goes there as JSON on standard input, the answers come back on standard output. Planners and
values are pickled into it: they go from this process to its own child, and nowhere else.
"""

import base64
import json
import os
import pickle
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any

from planboard.blackboard.board import Blackboard
from planboard.errors import DefinitionError
from planboard.planners.base import Planner
from planboard.planners.problem import Problem
from planboard.runtime.agent import Agent
from planboard.testing.asking import Start, agent_at
from planboard.testing.problem_json import from_data, to_data
from planboard.testing.written import written_answers

_REMEDY = "Define it at the top level of a module, or pass seeds=() to leave out fresh interpreters."


class _Fresh:
    """Whether this is such an interpreter, which must not start others: a main program would start itself again."""

    here = False


@dataclass(frozen=True, slots=True)
class Errand:
    """What a fresh interpreter is to plan, as data for JSON."""

    content: Mapping[str, Any]

    @classmethod
    def to_plan(cls, planner: Planner, problems: Sequence[Problem]) -> "Errand":
        """Return the errand to solve problems with a planner.

        Raises:
            DefinitionError: The planner cannot be pickled.
        """
        return cls({"planner": _packed(planner), "problems": [to_data(problem) for problem in problems]})

    @classmethod
    def to_plan_for(cls, start: Start, address: str | None) -> "Errand":
        """Return the errand to plan for an agent.

        Args:
            start: The agent and its board.
            address: Where the agent is, if known.

        Raises:
            DefinitionError: The agent is no name of a module, or something about it cannot be pickled.
        """
        entries = [(entry.name, entry.value, entry.type, entry.protected) for entry in start.board.visible]
        rest = (entries, dict(start.board.conditions), start.planner, start.returning)
        return cls({"agent": address or _address_of(start.agent), "rest": _packed(rest)})


def run_errand(errand: Errand, seeds: Sequence[int]) -> list[list[dict[str, str]]]:
    """Return what interpreters with these hash seeds answer, in order; they run side by side.

    Raises:
        DefinitionError: One of them could not do it; the message holds what it said.
    """
    if _Fresh.here:
        message = 'The check imports the program that calls it: call it under `if __name__ == "__main__":`.'
        raise DefinitionError(message)
    text = json.dumps({**errand.content, "path": [entry or str(Path.cwd()) for entry in sys.path], "files": _files()})
    command = [sys.executable, "-c", "from planboard.testing.fresh import main; main()"]
    running = [
        subprocess.Popen(  # noqa: S603 - this very interpreter, and a fixed program
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
            encoding="utf-8",
        )
        for seed in seeds
    ]
    finished = [(process, *process.communicate(text)) for process in running]
    for process, _, errors in finished:
        if process.returncode:
            said = errors.strip()
            message = f"A fresh interpreter could not plan this: {said.rpartition(chr(10))[2]} {_REMEDY}\n{said}"
            raise DefinitionError(message)
    return [json.loads(output) for _, output, _ in finished]


def main() -> None:
    """Answer the errand on standard input; what is printed meanwhile goes to standard error."""
    _Fresh.here = True
    errand = json.load(sys.stdin)
    sys.path[:] = errand["path"]
    sys.meta_path.append(_FromFiles(errand["files"]))
    with redirect_stdout(sys.stderr):
        answers = [written_answers(planner, problem) for planner, problem in _unpacked(errand)]
    json.dump(answers, sys.stdout)


def _unpacked(errand: Mapping[str, Any]) -> Iterator[tuple[Planner, Problem]]:
    """Yield what is to be planned, rebuilt."""
    if "agent" in errand:
        entries, conditions, planner, returning = _unpack(errand["rest"])
        board = Blackboard()
        for name, value, form, protected in entries:
            if name is None:
                board.add(value, type=form, protected=protected)
            else:
                board.bind(name, value, type=form, protected=protected)
        for name, truth in conditions.items():
            board.set_condition(name, truth)
        question = Start(agent_at(errand["agent"]), board, planner, returning).question()
        yield question.planner, question.problem
        return
    planner = _unpack(errand["planner"])
    for data in errand["problems"]:
        yield planner, from_data(data)


def _packed(value: object) -> str:
    try:
        return base64.b64encode(pickle.dumps(value)).decode()
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        message = f"A fresh interpreter cannot be handed this: {error}. {_REMEDY}"
        raise DefinitionError(message) from error


def _unpack(text: str) -> Any:
    return pickle.loads(base64.b64decode(text))  # noqa: S301 - from the process that started this one


def _address_of(agent: Agent) -> str:
    """Return "module:name" for an agent that is a name of a module, or "file.py:name" for one of the main program."""
    modules = sorted(sys.modules.items(), key=lambda item: (item[0] == "__main__", item[0]))
    for module_name, module in modules:
        for name, value in sorted(getattr(module, "__dict__", {}).items()):
            if value is agent and module_name != "__main__":
                return f"{module_name}:{name}"
            if value is agent and getattr(module, "__file__", None):
                return f"{module.__file__}:{name}"
    message = f"A fresh interpreter cannot import the agent {agent.name!r}: it is no name of a module. {_REMEDY}"
    raise DefinitionError(message)


def _files() -> dict[str, str]:
    """Return the files of the modules that were not installed, so that they can be imported by name there as here."""
    installed = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
    found = {name: getattr(module, "__file__", None) for name, module in sys.modules.items()}
    return {
        name: file
        for name, file in sorted(found.items())
        if file and file.endswith(".py") and not file.startswith(installed) and name != "__main__"
    }


class _FromFiles(MetaPathFinder):
    """Finds modules by the files they came from, when nothing else finds them."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        file = self._files.get(fullname)
        if file is not None:
            folder = [str(Path(file).parent)] if Path(file).name == "__init__.py" else None
            return spec_from_file_location(fullname, file, submodule_search_locations=folder)
        if any(name.startswith(f"{fullname}.") for name in self._files):
            return ModuleSpec(fullname, None, is_package=True)
        return None
