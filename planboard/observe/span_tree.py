"""From the spans of processes to one tree: each process is folded by itself, then put where it was started.

So nothing depends on how the events of several processes come in between each other.
"""

from collections.abc import Iterator, Mapping

from planboard.observe.span_fold import ProcessFold
from planboard.observe.spans import Span, Trace, trace_id_of


class Folds:
    """The folds of any number of processes, and the trees that they make."""

    def __init__(self) -> None:
        self._folds: dict[str, ProcessFold] = {}

    def of(self, process_id: str) -> ProcessFold:
        """Return the fold of a process, an empty one if nothing is known of it."""
        found = self._folds.get(process_id)
        if found is None:
            found = self._folds[process_id] = ProcessFold(process_id)
        return found

    def __contains__(self, process_id: object) -> bool:
        return process_id in self._folds

    def roots(self) -> tuple[str, ...]:
        """Return the processes that no known process has started, in the order in which they were heard of."""
        return tuple(name for name in self._folds if self._parent(name) is None)

    def root_of(self, process_id: str) -> str:
        """Return the outermost process that a process is part of."""
        parent = self._parent(process_id)
        return process_id if parent is None else self.root_of(parent)

    def drop(self, process_id: str) -> None:
        """Forget the trace that a process is part of, if it is known."""
        if process_id in self._folds:
            root = self.root_of(process_id)
            for name in [name for name in self._folds if self.root_of(name) == root]:
                del self._folds[name]

    def trace(self, process_id: str) -> Trace:
        """Return the trace that a process is part of."""
        root = self.root_of(process_id)
        children: dict[str, list[str]] = {}
        for name in tuple(self._folds):
            parent = self._parent(name)
            if parent is not None:
                children.setdefault(parent, []).append(name)
        return Trace(self._span(root, trace_id_of(root), None, children))

    def _span(self, name: str, trace_id: str, parent_id: str | None, children: Mapping[str, list[str]]) -> Span:
        fold = self._folds[name]
        agents: dict[int, list[Span]] = {}
        for child in sorted(children.get(name, ()), key=lambda child: _place(child, name)):
            call = _place(child, name)[0]
            agents.setdefault(call, []).append(self._span(child, trace_id, fold.span_of_call(call), children))
        return fold.span(trace_id, parent_id, agents)

    def _parent(self, process_id: str) -> str | None:
        """Return the process that started one, if it is known; ids of children begin with those of their parents."""
        told = self._folds[process_id].parent_id
        if told is not None:
            return told if told in self._folds else None
        if not self._folds[process_id].missed:
            return None  # it has told its beginning, and that nobody started it
        return next((name for name in _prefixes(process_id) if name in self._folds), None)


def _prefixes(process_id: str) -> Iterator[str]:
    head = process_id
    while "." in head:
        head = head.rpartition(".")[0]
        yield head


def _place(child_id: str, parent_id: str) -> tuple[int, int, int, str]:
    """Return where a child stands among those of its parent: its call, the attempt, and its number within that.

    Ids of children are `parent.CALL`, `parent.CALLrATTEMPT` and, from the second on, `...-NUMBER`.
    """
    rest = child_id.removeprefix(f"{parent_id}.")
    head, _, number = rest.partition("-")
    call, _, attempt = head.partition("r")
    return _number(call, 0), _number(attempt, 1), _number(number, 1), child_id


def _number(digits: str, default: int) -> int:
    return int(digits) if digits.isascii() and digits.isdecimal() else default
