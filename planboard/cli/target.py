"""From the word TARGET to an agent: `package.module:name`, `path/file.py:name`, or without the name.

A file is loaded under a name of its own, so it can be called like any module without getting in its way, and
`if __name__ == "__main__"` blocks do not run. Its folder is importable until the command is done; the modules that
came from there are forgotten then.
"""

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

from planboard._text import listed, suggest
from planboard.runtime.agent import Agent

_FORMS = "TARGET is `path/file.py:name`, `package.module:name`, or either without the name."


@dataclass(frozen=True, slots=True)
class Target:
    """An agent, and the module it was found in."""

    agent: Agent
    namespace: Mapping[str, Any]
    """The names of the module, for types that are given by name."""


@contextmanager
def loaded(text: str) -> Iterator[Target]:
    """Load what TARGET names and keep its folder importable.

    Raises:
        typer.BadParameter: There is no such file, module or agent.
    """
    where, _, name = _split(text)
    path = Path(where)
    is_file = _is_file(where)
    folder = path.resolve().parent if is_file else Path.cwd()
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        module = _load_file(path) if is_file else _load_module(where)
        yield Target(_agent_in(module, name, where), vars(module))
    finally:
        if str(folder) in sys.path:
            sys.path.remove(str(folder))
        if is_file:
            _forget_modules_of(folder, before)


def seen_from(folder: Path, text: str, start: Path) -> str:
    """Return TARGET, given in the folder `start`, as it is written in another folder; modules stay as they are."""
    where, colon, name = _split(text)
    if not _is_file(where, start):
        return text
    path = path_from(folder, where, start)
    return f"{path if _is_file(path, folder) else f'./{path}'}{colon}{name}"


def path_from(folder: Path, path: str, start: Path) -> str:
    """Return a path, given in the folder `start`, as it is written in another folder, with slashes."""
    return Path(os.path.relpath(start.absolute() / path, folder.absolute())).as_posix()


def _is_file(where: str, folder: Path | None = None) -> bool:
    path = (folder or Path()) / where
    return path.suffix == ".py" or path.exists() or "/" in where or "\\" in where


def _split(text: str) -> tuple[str, str, str]:
    """Split off the name; the colon of a Windows drive splits nothing."""
    where, colon, name = text.rpartition(":")
    if colon and all(part.isidentifier() for part in name.split(".")):
        return where, colon, name
    if colon and text.endswith(":"):
        return where, "", ""
    return text, "", ""


def _load_file(path: Path) -> ModuleType:
    if path.is_dir():
        message = f"{str(path)!r} is a folder. {_FORMS}"
        raise typer.BadParameter(message)
    if not path.is_file():
        parent = path.parent
        files = [str(found) for found in parent.glob("*.py")] if parent.is_dir() else []
        message = f"There is no file {str(path)!r}. {suggest(str(path), files) if files else _FORMS}"
        raise typer.BadParameter(message)
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]
    name = f"_planboard_target_{path.stem}_{digest}"
    if name in sys.modules:
        return sys.modules[name]  # another TARGET of the same command: its agents must be the same objects
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        message = f"{str(path)!r} is no Python file. {_FORMS}"
        raise typer.BadParameter(message)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # postponed annotations are looked up there, also while it runs
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, ImportError) and "relative import" in str(error):
            message = f"{str(path)!r} belongs to a package ({error}). Name it as a module: `package.{path.stem}:name`."
            raise typer.BadParameter(message) from error
        raise
    return module


def _load_module(name: str) -> ModuleType:
    if not name or not all(part.isidentifier() for part in name.split(".")):
        message = f"{name!r} is neither a file nor a module. {_FORMS}"
        raise typer.BadParameter(message)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name != missing and not name.startswith(f"{missing}."):
            raise  # the module is there; something that it imports is not
        file = Path(f"{name.replace('.', '/')}.py")
        hint = f"Did you mean '{Path(f'{name}.py')}'?" if Path(f"{name}.py").is_file() else _FORMS
        message = f"There is no module {name!r}, nor a file {str(file)!r}. {hint}"
        raise typer.BadParameter(message) from error


def _forget_modules_of(folder: Path, before: set[str]) -> None:
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if name.partition(".")[0] in before:
            continue  # a part of a package that is in use, such as planboard itself
        if file and folder in Path(file).resolve().parents and "site-packages" not in Path(file).parts:
            del sys.modules[name]


def _agent_in(module: ModuleType, name: str, where: str) -> Agent:
    agents = {key: value for key, value in vars(module).items() if isinstance(value, Agent)}
    makers = [key for key, value in vars(module).items() if _makes_agent(value, module)]
    if name:
        return _as_agent(_named(module, name, [*agents, *makers], where), f"{where}:{name}")
    if "agent" in agents or "agent" in makers:
        return _as_agent(vars(module)["agent"], f"{where}:agent")
    unique = {id(value): key for key, value in reversed(agents.items())}
    if len(unique) == 1:
        return next(iter(agents.values()))
    if not agents and len(makers) == 1:
        return _as_agent(vars(module)[makers[0]], f"{where}:{makers[0]}")
    names = sorted(unique.values()) or sorted(makers)
    if not names:
        message = f'There is no Agent in {where!r}. Define one at the top level: agent = Agent("name", [...]).'
    else:
        message = f"There are several agents in {where!r}: {listed(names)}. Say which, as in {f'{where}:{names[0]}'!r}."
    raise typer.BadParameter(message)


def _makes_agent(value: object, module: ModuleType) -> bool:
    if not inspect.isfunction(value) or value.__module__ != module.__name__ or inspect.signature(value).parameters:
        return False
    returns = value.__annotations__.get("return")
    return returns is Agent or (isinstance(returns, str) and returns.strip("'\"").rpartition(".")[2] == "Agent")


def _named(module: ModuleType, name: str, known: list[str], where: str) -> object:
    found: object = module
    for part in name.split("."):
        if not hasattr(found, part):
            others = known or [key for key in vars(module) if not key.startswith("_")]
            message = f"There is no {name!r} in {where!r}. {suggest(name, others)}"
            raise typer.BadParameter(message)
        found = getattr(found, part)
    return found


def _as_agent(found: object, shown: str) -> Agent:
    if isinstance(found, Agent):
        return found
    if not callable(found):
        message = f"{shown!r} is of type {type(found).__name__}, not an Agent or a function that returns one."
        raise typer.BadParameter(message)
    required = [
        parameter.name
        for parameter in inspect.signature(found).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if required:
        message = f"{shown!r} needs the arguments {listed(required)}; only a function without any can be a TARGET."
        raise typer.BadParameter(message)
    made = found()
    if not isinstance(made, Agent):
        if inspect.iscoroutine(made):
            made.close()
        message = f"{shown!r} returned {type(made).__name__}, not an Agent."
        raise typer.BadParameter(message)
    return made
