"""The blackboard: ordered, typed, append-only.

Entries are only ever appended. Hiding and clearing change what is visible, never the history. The newest visible
match answers a look-up, which takes the same time however many entries there are.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast, overload

from pydantic import ValidationError

from planboard._text import brief, listed, suggest
from planboard.blackboard.changes import Added, Change, ConditionSet, Hidden
from planboard.blackboard.entry import INPUT, Entry
from planboard.blackboard.index import Matcher, Query
from planboard.blackboard.integrity import same, watch
from planboard.blackboard.matching import conforms
from planboard.blackboard.schema import StoredBoard, describe, structural_problem
from planboard.errors import EntryNotFoundError, EntryTypeError, MutatedEntryError
from planboard.types import TypeForm, type_name

T = TypeVar("T")

Recorder = Callable[[Change], None]


class Blackboard:
    """The shared memory of one run.

    Example:
        >>> board = Blackboard()
        >>> _ = board.add(3)
        >>> _ = board.bind("name", "Ada")
        >>> board.last(int), board["name"]
        (3, 'Ada')
    """

    __slots__ = ("_conditions", "_entries", "_found", "_hidden", "_indexed", "_parent", "_recorder", "matcher")

    def __init__(
        self, *, matcher: Matcher | None = None, parent: "Blackboard | None" = None, recorder: Recorder | None = None
    ) -> None:
        self.matcher: Matcher = matcher or (parent.matcher if parent is not None else Matcher())
        """The queries known for this board; shared by the boards of one agent."""
        self._parent = parent
        self._recorder = recorder
        self._entries: list[Entry] = []
        self._hidden: set[Entry] = set()
        self._found: dict[Query, list[Entry]] = {}
        self._indexed = self.matcher.known
        self._conditions: dict[str, bool] = {}

    # Writing

    def add(self, value: object, *, type: TypeForm | None = None, protected: bool = False) -> Entry:  # noqa: A002
        """Append an unnamed entry and return it.

        Args:
            value: The object. `None` is no entry.
            type: What it is declared to be, where its class does not tell, as for `list[Item]`.
            protected: Keep it visible when the board is cleared or a state is entered.

        Raises:
            EntryTypeError: The value is `None`, is not of the declared type, or violates its own model.
        """
        return self._append(None, value, type, protected=protected)

    def bind(
        self, name: str, value: object, *, type: TypeForm | None = None, protected: bool = False  # noqa: A002
    ) -> Entry:  # fmt: skip
        """Append an entry under a name; the newest entry of a name is the one it stands for."""
        if not name.isidentifier():
            message = f"{name!r} cannot be a binding name; use a Python identifier, as 'gh_issue' is."
            raise EntryTypeError(message)
        return self._append(name, value, type, protected=protected)

    def __setitem__(self, name: str, value: object) -> None:
        self.bind(name, value)

    def hide(self, *objects: object) -> None:
        """Make entries invisible, given as entries or as the very objects; what is not there is ignored.

        Objects are recognised by identity: an equal object that is added later is visible.
        """
        wanted = {id(item) for item in objects}
        self._hide(entry for entry in self.visible if id(entry) in wanted or id(entry.value) in wanted)

    def clear(self) -> None:
        """Hide every entry that is not protected."""
        self._hide(entry for entry in self.visible if not entry.protected)

    def set_condition(self, name: str, value: bool) -> None:  # noqa: FBT001 - the value is the point
        """Give a free condition a value; until then it is false."""
        if not isinstance(value, bool):
            message = f"Condition {name!r} is set to {brief(value)}; a condition is True or False."
            raise EntryTypeError(message)
        self._commit(ConditionSet(name, value))

    # Reading

    def last(self, form: type[T]) -> T | None:
        """Return the newest visible value of a type, or `None`."""
        found = self.newest(self.matcher.query(form))
        return None if found is None else cast("T", found.value)

    def all(self, form: type[T]) -> list[T]:
        """Return every visible value of a type, oldest first."""
        return [entry.value for entry in self.matches(self.matcher.query(form))]

    @overload
    def get(self, name: str) -> Any: ...
    @overload
    def get(self, name: str, form: type[T]) -> T | None: ...
    def get(self, name: str, form: TypeForm = None) -> Any:
        """Return the newest visible value bound to a name (and of a type), or `None`."""
        found = self.newest(self.matcher.query(form, name))
        return None if found is None else found.value

    def __getitem__(self, name: str) -> Any:
        found = self.newest(self.matcher.query(None, name))
        if found is None and not isinstance(name, str):
            message = (
                f"board[...] takes the name of a binding. For the newest of a type write board.last({type_name(name)})."
            )
            raise TypeError(message)
        if found is None:
            names = [entry.name for entry in self.visible if entry.name]
            message = f"Nothing visible is bound to {name!r}. {suggest(name, names)}"
            raise EntryNotFoundError(message)
        return found.value

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.newest(self.matcher.query(None, name)) is not None

    def __len__(self) -> int:
        return len(self.visible)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The whole history, hidden entries included, oldest first."""
        inherited = self._parent.entries if self._parent is not None else ()
        return (*inherited, *self._entries)

    @property
    def visible(self) -> tuple[Entry, ...]:
        """The visible entries, oldest first."""
        inherited = self._parent.visible if self._parent is not None else ()
        return tuple(entry for entry in (*inherited, *self._entries) if entry not in self._hidden)

    @property
    def newest_entry(self) -> Entry | None:
        """The newest visible entry of all."""
        for entry in reversed(self._entries):
            if entry not in self._hidden:
                return entry
        return next((entry for entry in reversed(self.visible)), None) if self._parent is not None else None

    @property
    def conditions(self) -> Mapping[str, bool]:
        """The free conditions that were set, by name."""
        inherited = self._parent.conditions if self._parent is not None else {}
        return {**inherited, **self._conditions}

    def newest(self, query: Query) -> Entry | None:
        """Return the newest visible entry that answers a query."""
        found = self._found.get(query)
        if found is None:
            found = self._collect(query)
        if found:
            return found[-1]  # `_conceal` keeps it visible; reading changes nothing, since threads read at once
        if self._parent is not None:
            inherited = reversed(self._parent.matches(query))
            return next((entry for entry in inherited if entry not in self._hidden), None)
        return None

    def matches(self, query: Query) -> list[Entry]:
        """Return the visible entries that answer a query, oldest first."""
        found = self._found.get(query)
        if found is None:
            found = self._collect(query)
        inherited = self._parent.matches(query) if self._parent is not None else []
        return [entry for entry in (*inherited, *found) if entry not in self._hidden]

    # Copies

    def spawn(self) -> "Blackboard":
        """Return a child that reads what is visible here and writes to itself."""
        return Blackboard(parent=self)

    def snapshot(self) -> "Blackboard":
        """Return an independent board with the same history, visibility and conditions."""
        copied = Blackboard(matcher=self.matcher)
        seen = set(self.visible)
        for entry in self.entries:
            position = copied.next_position  # it differs where a child's entries follow those of its parent
            kept = entry if entry.position == position else replace(entry, position=position)
            copied._entries.append(kept)
            if entry not in seen:
                copied._hidden.add(kept)
        copied._indexed = 0
        copied._conditions = dict(self.conditions)
        return copied

    def verify(self, entries: Iterable[Entry] | None = None, *, action: str | None = None) -> None:
        """Check that objects still are what was stored; bring back the stored ones if not.

        Raises:
            MutatedEntryError: An object was changed in place. The board again holds what was stored.
        """
        changed: list[Entry] = []  # all of them are brought back before anything is said
        for entry in self._entries if entries is None else entries:
            if entry.watch is not None and not entry.watch.is_intact(entry.value):
                self._restore(entry)
                changed.append(entry)
        if changed:
            culprit = f"Action {action!r} changed" if action else "Something outside any action changed"
            what = listed([f"the {entry} (entry {entry.position}, from {entry.producer!r})" for entry in changed])
            message = (
                f"{culprit} {what} in place. What is on the board does not change: return a changed copy instead, "
                "such as `value.model_copy(update=...)`."
            )
            raise MutatedEntryError(message, action=action)

    # JSON

    def to_json(self, *, types: Iterable[TypeForm] = ()) -> str:
        """Return the whole board as JSON: history, visibility, conditions. `types` names what `Any` fields hold.

        Raises:
            EntryTypeError: A value would not come back equal; the message says which.
        """
        from planboard.blackboard.codec import Codec, to_text
        from planboard.blackboard.registry import TypeRegistry

        entries, hidden = self.entries, set(self.entries) - set(self.visible)
        registry = TypeRegistry((*(entry.type or type(entry.value) for entry in entries), *types))
        codec = Codec(registry)
        stored_entries = [
            {
                "type": None if entry.type is None else registry.form_name(entry.type),
                "value": codec.encode(entry.value, name=entry.name),
                "name": entry.name,
                "producer": entry.producer,
                "protected": entry.protected,
                "visible": entry not in hidden,
            }
            for entry in entries
        ]
        stored = {"entries": stored_entries, "conditions": dict(sorted(self.conditions.items()))}
        return to_text(stored)

    @classmethod
    def from_json(
        cls, text: str, *, types: Iterable[TypeForm] = (), secrets: Mapping[str, object] | None = None
    ) -> "Blackboard":
        """Return the board that `to_json` wrote. Only the given types, and standard values, are restored.

        Args:
            text: What was written.
            types: The types that may be restored, with all that their fields are made of.
            secrets: Values that are never written, such as `{"Login.password": "..."}`.

        Raises:
            SecretMissingError: Secrets have to be given.
            EntryTypeError: The data is no board, names a type that is not given, or does not fit its type.
        """
        from planboard.blackboard.codec import Codec, from_text
        from planboard.blackboard.registry import TypeRegistry

        registry = TypeRegistry(types)
        codec = Codec(registry, secrets=secrets)
        try:
            stored = StoredBoard.model_validate(from_text(text))
        except ValueError as error:
            message = f"This is no stored board: {describe(error) if isinstance(error, ValidationError) else error}"
            raise EntryTypeError(message) from None
        board = cls()
        for item in stored.entries:
            declared = None if item.type is None else registry.form_named(item.type)
            value = codec.decode(item.value, declared)
            entry = Entry(board.next_position, value, declared, item.name, item.producer, item.protected, watch(value))
            board.apply(Added(entry))
            if not item.visible:
                board.apply(Hidden((entry.position,)))
        for name, condition in stored.conditions.items():
            board.apply(ConditionSet(name, condition))
        return board

    # The fold

    def apply(self, change: Change) -> None:
        """Make a change that was recorded, or is being replayed."""
        match change:
            case Added(entry):
                self.append(entry)
            case Hidden(positions):
                self._conceal([self._entries[position] for position in positions])
            case ConditionSet(name, value):
                self._conditions[name] = value

    def append(self, entry: Entry) -> None:
        """Append a finished entry and note which queries it answers."""
        self._entries.append(entry)
        sure, unsure = self.matcher.answers(entry)
        found = self._found
        for query in sure:
            if query in found:
                found[query].append(entry)
            elif query.serial < self._indexed:
                found[query] = [entry]
        for query in unsure:
            if (query in found or query.serial < self._indexed) and query.admits(entry):
                found.setdefault(query, []).append(entry)

    @property
    def next_position(self) -> int:
        """The position that the next entry will have."""
        return len(self._entries)

    def _append(self, name: str | None, value: object, form: TypeForm | None, *, protected: bool) -> Entry:
        check_value(value, form)
        entry = Entry(self.next_position, value, form, name, INPUT, protected, watch(value))
        self._commit(Added(entry))
        return entry

    def _commit(self, change: Change) -> None:
        if self._recorder is not None:
            self._recorder(change)
        else:
            self.apply(change)

    def _hide(self, entries: Iterable[Entry]) -> None:
        chosen = tuple(entries)
        if self._parent is not None:
            self._conceal(chosen)  # some of them are the parent's, which must not notice
        elif chosen:
            self._commit(Hidden(tuple(entry.position for entry in chosen)))

    def _conceal(self, entries: Collection[Entry]) -> None:
        """Hide entries, and drop them from the ends of what was found, so that they are never passed over again."""
        hidden = self._hidden
        hidden.update(entries)
        for query in {query for entry in entries for query in self.matcher.answered_by(entry)}:
            found = self._found.get(query)
            while found and found[-1] in hidden:
                found.pop()

    def _collect(self, query: Query) -> list[Entry]:
        if query.serial < self._indexed:
            return []  # it was known when this board began, so an answer would have been noted
        found = [entry for entry in self._entries if entry not in self._hidden and query.admits(entry)]
        self._found[query] = found
        return found

    def _restore(self, entry: Entry) -> None:
        assert entry.watch is not None  # noqa: S101 - only watched entries are found changed
        object.__setattr__(entry, "value", entry.watch.restored(entry.value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Blackboard):
            return NotImplemented
        return same(_content(self), _content(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(str(entry) for entry in self.visible[-8:])
        hidden = len(self.entries) - len(self.visible)
        return f"<Blackboard {len(self)} visible, {hidden} hidden: {shown}>"


def check_value(value: object, form: TypeForm | None) -> None:
    """Check a value that is about to be put on a board.

    Raises:
        EntryTypeError: It is `None`, is not of the declared type, or violates its own model.
    """
    if value is None:
        message = "None cannot be put on the board; an entry is an object that others can ask for by type."
        raise EntryTypeError(message)
    if isinstance(value, type):
        message = f"{value.__name__} is a class; put an object of it on the board: {value.__name__}(...)."
        raise EntryTypeError(message)
    if form is not None and not conforms(value, form):
        message = f"{brief(value)} is not a {type_name(form)}."
        raise EntryTypeError(message)
    problem = structural_problem(type(value) if form is None else form, value)
    if problem is not None:
        message = f"{type(value).__name__} violates its own model: {problem}."
        raise EntryTypeError(message)


def _content(board: Blackboard) -> tuple[Any, ...]:
    visible = set(board.visible)
    return (
        [(e.position, e.value, e.type, e.name, e.producer, e.protected, e in visible) for e in board.entries],
        dict(board.conditions),
    )
