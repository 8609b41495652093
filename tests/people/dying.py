"""A chain of two actions, and programs that end within the second one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from expenses import effects, go
from pydantic import BaseModel

from planboard import ActionContext, Agent, ProcessOptions, achieves_goal, action
from planboard.journal.port import Journal


class Died(BaseException):
    """Stands for the end of the program."""


class A(BaseModel):
    n: int = 0


class B(BaseModel):
    n: int


class C(BaseModel):
    n: int


class Mortal:
    """A journal of a program that ends once the second action has begun: a dead program writes nothing."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def append(self, *given: Any) -> None:
        if not effects["second"]:
            self.journal.append(*given)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.journal, name)


@action
def first(a: A) -> B:
    """Do the first."""
    effects["first"] += 1
    return B(n=a.n + 1)


def chain(second: Callable[..., Any]) -> Agent:
    return Agent("chain", [first, second])


def dying(**options: Any) -> Callable[..., Any]:
    """Make an action in which the program ends the first time it runs."""

    @achieves_goal("there is a C")
    @action(**options)
    def second(b: B, context: ActionContext) -> C:
        """Do the second."""
        effects["second"] += 1
        effects[context.idempotency_key] += 1
        if effects["second"] == 1:
            raise Died
        return C(n=b.n)

    return second


def dead(agent: Agent, options: ProcessOptions) -> str:
    """Begin a run in a program that ends within its second action, without a chance to write anything."""
    process = agent.process(A(), options=replace(options, journal=Mortal(options.journal)), id="run")
    with pytest.raises(Died):
        go(process)
    return "run"
