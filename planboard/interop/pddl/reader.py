"""Reads PDDL, by unified-planning's reader."""

import warnings
from os import PathLike
from pathlib import Path
from typing import Any

from unified_planning.environment import get_environment
from unified_planning.io import PDDLReader

from planboard.errors import TranslationError
from planboard.interop.pddl.export import to_pddl
from planboard.interop.pddl.grounding import Grounding, from_unified_planning
from planboard.planners.operator import PlanGoal
from planboard.planners.problem import Problem


def from_pddl(domain: str | PathLike[str], problem: str | PathLike[str]) -> Grounding:
    """Ground a PDDL domain and problem, each a path or the text itself.

    Raises:
        TranslationError: If the text cannot be read, or for what cannot be planned with.
    """
    return from_unified_planning(read_pddl(_text(domain), _text(problem)))


def read_pddl(domain: str, problem: str, environment: Any = None) -> Any:
    """Return the unified-planning problem that two texts state.

    Raises:
        TranslationError: If they cannot be read.
    """
    environment = environment or get_environment()
    strict = environment.error_used_name
    environment.error_used_name = False  # PDDL lets an object and a type have one name
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about such names, and about how the reader calls its parser
            return PDDLReader(environment).parse_problem_string(domain, problem)
    except Exception as error:  # the reader lets the errors of its parts through
        raise TranslationError(f"The PDDL cannot be read: {type(error).__name__}: {error}") from error
    finally:
        environment.error_used_name = strict


def _text(source: str | PathLike[str]) -> str:
    if isinstance(source, str) and "(" in source:
        return source
    return Path(source).read_text(encoding="utf-8-sig")


def to_unified_planning(problem: Problem, goal: PlanGoal | None = None, environment: Any = None) -> Any:
    """Return a problem of ours as a unified-planning problem: `to_pddl`, read back.

    Raises:
        TranslationError: As `to_pddl` does.
    """
    domain, task = to_pddl(problem, goal)
    return read_pddl(domain, task, environment)
