"""How facts and operators are called: `at(truck, depot)`, and never two of them alike."""

import re

from planboard.interop.pddl.formula import Atom, Facts

_PLAIN = re.compile(r"[^\s(),\[\]'\"\\]+")


def spelled(name: str, *objects: str) -> str:
    """Return a call with its arguments; a name that could be misread, such as one with a comma, is quoted."""
    plain = [part if _PLAIN.fullmatch(part) else repr(part) for part in (name, *objects)]
    return f"{plain[0]}({', '.join(plain[1:])})" if objects else plain[0]


def numbered(name: str, number: int) -> str:
    """Return the name of one of several; the first has the name itself."""
    return name if number == 1 else f"{name} [{number}]"


class Spelling:
    """Spells facts, each once."""

    def __init__(self) -> None:
        self._known: dict[Atom, str] = {}

    def fact(self, atom: Atom) -> str:
        """Return the name of a fact."""
        name = self._known.get(atom)
        if name is None:
            name = self._known[atom] = spelled(*atom)
        return name

    def facts(self, facts: Facts) -> dict[str, bool]:
        """Return facts by name."""
        return {self.fact(atom): value for atom, value in facts.items()}
