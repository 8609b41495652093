"""Who may hand over to whom in a network."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from planboard._diagram import Edge, Node, mermaid
from planboard._text import suggest
from planboard.errors import DefinitionError


@dataclass(frozen=True, slots=True)
class Topology:
    """The hand-offs that a network allows."""

    allowed: Mapping[str, tuple[str, ...]]
    """To whom each member may hand over, in order."""
    otherwise: Mapping[str, str]
    """Who goes on after a member that hands over to nobody; without an entry the network has its answer."""

    def target(self, by: str, wanted: str) -> str | None:
        """Return who goes on when a member wants another one to; `None` if nobody may.

        What is not allowed is rewritten: to whoever goes on after the member anyway, else to the first that it may hand
        over to.
        """
        allowed = self.allowed.get(by, ())
        if wanted in allowed:
            return wanted
        return self.otherwise.get(by) or (allowed[0] if allowed else None)

    def mermaid(self) -> str:
        """Return it as a Mermaid flowchart; what goes on by itself is dotted."""
        edges = [
            Edge(by, other)
            for by, others in self.allowed.items()
            for other in others
            if other != self.otherwise.get(by)
        ]
        edges += [Edge(by, to, dashed=True) for by, to in self.otherwise.items()]
        return mermaid([Node(name, name) for name in self.allowed], edges)


Shape: TypeAlias = Callable[[Sequence[str]], Topology]
"""Makes a topology of the names of members."""

Wiring: TypeAlias = Literal["mesh", "line"] | Shape | Topology | Mapping[str, Any]
"""How the hand-offs of a network are declared."""


def mesh(members: Sequence[str]) -> Topology:
    """Let everybody hand over to everybody else; who hands over to nobody gives the answer."""
    return Topology({name: tuple(other for other in members if other != name) for name in members}, {})


def line(members: Sequence[str]) -> Topology:
    """Let each hand over to the next one, which goes on in any case; the last one gives the answer."""
    pairs = dict(pairwise(members))
    return Topology({name: (pairs[name],) if name in pairs else () for name in members}, pairs)


def star(center: str) -> Shape:
    """Let everybody hand over to the center only, which goes on after each of them and gives the answer.

    Raises:
        DefinitionError: When the network is made: the center is no member of it.
    """

    def shape(members: Sequence[str]) -> Topology:
        if center not in members:
            message = f"star({center!r}): there is no such member. {suggest(center, members)}"
            raise DefinitionError(message)
        others = tuple(name for name in members if name != center)
        return Topology({center: others, **dict.fromkeys(others, (center,))}, dict.fromkeys(others, center))

    return shape


def as_topology(given: Wiring, members: Sequence[str], *, within: str) -> Topology:
    """Return a topology over members.

    Args:
        given: How it is declared.
        members: Their names.
        within: The network that they are of, for messages.

    Raises:
        DefinitionError: It names somebody who is no member, or is nothing of the kind.
    """
    try:
        return _as_topology(given, members)
    except DefinitionError as error:
        message = f"Network({within!r}): {error}"
        raise DefinitionError(message) from None


def _as_topology(given: Wiring, members: Sequence[str]) -> Topology:
    if isinstance(given, Topology):
        found = given
    elif isinstance(given, Mapping):
        wanted = {name: _several(name, others) for name, others in given.items()}
        _refuse_unknown(wanted, members)
        found = Topology({name: wanted.get(name, ()) for name in members}, {})
    elif given == "mesh":
        found = mesh(members)
    elif given == "line":
        found = line(members)
    elif callable(given):
        found = given(members)
        if not isinstance(found, Topology):
            message = f"topology={given!r} makes no Topology of the names of members, but {found!r}."
            raise DefinitionError(message)
    else:
        message = (
            f'topology={given!r}: it is "mesh", "line", star("center"), or a mapping from members to those that they '
            "may hand over to."
        )
        raise DefinitionError(message)
    _refuse_unknown(found.allowed, members)
    _refuse_unknown({name: (to,) for name, to in found.otherwise.items()}, members)
    return found


def _several(by: str, others: object) -> tuple[str, ...]:
    """Return the names of members: one alone stands for itself."""
    if isinstance(others, str):
        return (others,)
    if not isinstance(others, Iterable):
        message = f"The topology lets {by!r} hand over to {others!r}. Give a list of names."
        raise DefinitionError(message)
    return tuple(others)


def _refuse_unknown(edges: Mapping[str, Sequence[str]], members: Sequence[str]) -> None:
    for by, others in edges.items():
        for name in (by, *others):
            if name not in members:
                message = f"The topology names {name!r}, which is no member. {suggest(str(name), members)}"
                raise DefinitionError(message)
        if by in others:
            message = f"The topology lets {by!r} hand over to itself."
            raise DefinitionError(message)
