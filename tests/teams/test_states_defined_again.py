"""States that are defined again, as when a cell of a notebook is run twice: the second definition replaces the first.

Each source here is run in the same module, as a notebook runs its cells.
"""

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

from planboard.errors import DefinitionError

Cell = Callable[[str], dict[str, Any]]

POSTPONED = """
from __future__ import annotations
from pydantic import BaseModel
from planboard import *

@state
class Ticket(BaseModel):
    text: str

@state
class Open(Ticket):
    @action
    def close(self) -> Closed | Parked: return Closed(text=self.text)

@state
class Parked(Ticket):
    @action
    def reopen(self) -> Open: return Open(text=self.text)

@state
class Closed(Ticket): ...
"""
QUOTED = POSTPONED.replace("from __future__ import annotations", "").replace("Closed | Parked", "'Closed | Parked'")
MACHINE = 'machine = StateMachine("desk", {}, initial=Open, final=Closed)\nfound = run(machine, Open(text="x"), returning=Closed)'


@pytest.fixture
def cell() -> Iterator[Cell]:
    """Run a source in one module, which is the same for all sources of a test."""
    module = sys.modules["a_notebook"] = ModuleType("a_notebook")
    count = 0

    def run_cell(source: str) -> dict[str, Any]:
        nonlocal count
        count += 1
        exec(compile(source, f"<cell {count}>", "exec"), module.__dict__)
        return module.__dict__

    yield run_cell
    del sys.modules["a_notebook"]


@pytest.mark.parametrize("states", ["[Open, Parked, Closed]", "Ticket"])
@pytest.mark.parametrize("source", [POSTPONED, QUOTED], ids=["postponed", "quoted"])
def test_a_machine_whose_states_mean_each_other_can_be_defined_again(cell: Cell, source: str, states: str) -> None:
    first = [str(arrow) for arrow in cell(source + MACHINE.format(states))["machine"].transitions]
    again = cell(source + MACHINE.format(states))

    assert type(again["found"]) is again["Closed"]
    assert [str(arrow) for arrow in again["machine"].transitions] == first


def test_an_agent_finds_the_states_that_were_defined_last(cell: Cell) -> None:
    source = """
from pydantic import BaseModel
from planboard import *

class Done(BaseModel):
    text: str

@state
class Open(BaseModel):
    text: str
    @action
    def close(self) -> "Closed": return Closed(text=self.text)

@state
class Closed(BaseModel):
    text: str
    @achieves_goal("It is done")
    @action
    def finish(self) -> Done: return Done(text=self.text)

@action
def begin(text: str) -> Open: return Open(text=text)

found = run(Agent("desk", [begin]), "x", returning=Done)
"""
    cell(source)

    assert cell(source)["found"].text == "x"


def test_substates_can_be_defined_again_under_a_base_that_stays(cell: Cell) -> None:
    cell(POSTPONED.partition("@state\nclass Open")[0])
    rest = "@state\nclass Open" + POSTPONED.partition("@state\nclass Open")[2]
    rest = f"from __future__ import annotations\n{rest}{MACHINE.format('Ticket')}"
    first = cell(rest)["Open"]

    again = cell(rest)

    assert again["machine"].initial == (again["Open"],)
    assert again["Open"] is not first


def test_a_class_that_a_decorator_makes_anew_counts_once(cell: Cell) -> None:
    made = cell("""
from __future__ import annotations
from dataclasses import dataclass
from planboard import *

@state
class Ticket: ...

@dataclass(slots=True)
class Open(Ticket):
    text: str
    @action
    def close(self) -> Closed: return Closed(self.text)

@dataclass(slots=True)
class Closed(Ticket):
    text: str

found = run(StateMachine("desk", Ticket, initial=Open, final=Closed), Open("x"), returning=Closed)
""")

    assert made["found"] == made["Closed"]("x")


def test_a_function_takes_the_class_that_its_text_means_when_the_agent_is_built(cell: Cell) -> None:
    model = "from pydantic import BaseModel\nclass Order(BaseModel):\n    text: str\n"
    cell(model)
    cell("""
from planboard import *
@achieves_goal("It is told")
@action
def tell(orders: "list[Order]") -> str: return orders[0].text
""")

    made = cell(model + 'found = run(Agent("desk", [tell]), [Order(text="x")], returning=str)')

    assert made["found"] == "x"


def test_a_name_in_a_loop_means_what_it_meant_at_the_decorator(cell: Cell) -> None:
    made = cell("""
from __future__ import annotations
from pydantic import BaseModel
from planboard import *
class A(BaseModel): ...
class B(BaseModel): ...
parts = []
for T in (A, B):
    @action(name=f"to_{T.__name__}")
    def make(number: int) -> T: return T()
    parts.append(make)
agent = Agent("maker", parts, goals=[Goal(A), Goal(B)])
""")

    outputs = {name: action.outputs for name, action in made["agent"].actions.items()}
    assert outputs == {"to_A": ((made["A"],),), "to_B": ((made["B"],),)}


def test_an_action_that_still_means_the_first_definition_is_told_of(cell: Cell) -> None:
    cell(POSTPONED)
    cell("@action\ndef begin(text: str) -> Open: return Open(text=text)")  # an annotation that is no text stays
    cell(POSTPONED)

    with pytest.raises(DefinitionError) as caught:
        cell('Agent("desk", [begin, Open])')

    assert "The state Open was defined twice" in str(caught.value)
    assert "define that again, too" in str(caught.value)
