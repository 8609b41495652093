"""What is wrong with the graph of a state machine, each in a sentence that says where and what to do."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from planboard._text import listed
from planboard.teams.machines.state_graph import Graph, StateName, Transition, declared_graph
from planboard.types import TypeForm, type_name


def problems_of(graph: Graph) -> list[str]:
    """Return what is wrong with a graph; nothing if a run can reach every state, and the end from every state."""
    if not graph.initial:
        return [
            "No state is the first. Name it, as in initial=Draft, or add an action that returns one and takes none."
        ]
    if not graph.final:
        idle = [state.__name__ for state in graph.states.leaves if not graph.after(state)]
        which = f"final={idle[0]}" if idle else "final=Done"
        message = (
            f"Nothing is final. Name the states that end a run, as in {which}, "
            "or mark an action of the last one with @achieves_goal."
        )
        return [message]
    return [*_unreachable(graph), *_dead_ends(graph), *_traps(graph), *_never_taken(graph), *_never_made(graph)]


def _unreachable(graph: Graph) -> Iterator[str]:
    ended = {state for state in graph.states.leaves if state in graph.final}
    reached = _closure(graph.initial, lambda state: () if state in ended else _followers(graph, state))
    for state in graph.states.leaves:
        if state in reached:
            continue
        entering = [arrow for arrow in graph.transitions if arrow.target is state and arrow.source is not state]
        why = f"only {listed(_by(entering))} could enter it" if entering else "no action returns it"
        begun = listed([one.__name__ for one in graph.initial])
        yield f"State {state.__name__} cannot be reached from {begun}: {why}."


def _dead_ends(graph: Graph) -> Iterator[str]:
    for state in _idle(graph):
        stands = "" if not _has_kinds(state, graph) else " If it only stands for its subclasses, leave it out."
        yield (
            f"State {state.__name__} is a dead end: it is not final, and no action leads out of it. "
            f"Add it to final=, or give it an action that returns another state.{stands}"
        )


def _traps(graph: Graph) -> Iterator[str]:
    """A state from which neither a final state nor a dead end, which is told already, can be reached."""
    ends = {state for state in graph.states.leaves if state in graph.final} | set(_idle(graph))
    ends |= {arrow.source for arrow in graph.transitions if arrow.source and arrow.target in graph.final}
    for state in graph.states.leaves:
        around = _closure((state,), lambda one: _followers(graph, one))
        if not any(one in ends for one in around):
            ways = listed(_by(graph.after(state)))
            yield f"From state {state.__name__} no end can be reached: {ways} only ever come back. Add a way out."


def _never_taken(graph: Graph) -> Iterator[str]:
    leaving: dict[str, list[Transition]] = {}
    for arrow in graph.transitions:
        if arrow.source is not None and arrow.action is not None:
            leaving.setdefault(arrow.action, []).append(arrow)
    for action, arrows in leaving.items():
        if all(arrow.source in graph.final for arrow in arrows):  # what is inherited has its use in other states
            states = listed(dict.fromkeys(arrow.source.__name__ for arrow in arrows if arrow.source is not None))
            yield (
                f"State {states} is final, so {action} ({arrows[0].where}) never runs. "
                f"Take {states} out of final=, or {action} out of the machine."
            )


def _never_made(graph: Graph) -> Iterator[str]:
    made = {arrow.target for arrow in graph.transitions}
    for form in graph.final:
        if form not in made and form not in graph.states.leaves:
            yield f"{type_name(form)} is final, but no action of a state returns it."


def disagreements(graph: Graph, declared: Mapping[StateName, Any]) -> list[str]:
    """Return where `transitions=` says other than the actions do, both sides of each.

    Results may be left out of it.

    Raises:
        DefinitionError: It names a state that is none of the machine's.
    """
    said = declared_graph(graph.states, declared)
    found: list[str] = []
    for state in graph.states.leaves:
        followers, written = said.get(state, ()), graph.after(state)
        entered = [arrow.target for arrow in written]
        unwritten = [type_name(target) for target in followers if target not in entered]
        undeclared = [
            arrow for arrow in written if arrow.target in graph.states.leaves and arrow.target not in followers
        ]
        wrong = [f"no action of it returns {listed(unwritten, conjunction='or')}"] if unwritten else []
        wrong += [f"transitions= does not have {listed(_by(undeclared, target=True))}"] if undeclared else []
        if wrong:
            declares = listed(map(type_name, followers)) or "nothing"
            returns = listed(_by(written, target=True)) or "nothing"
            found.append(f"State {state.__name__}: {', and '.join(wrong)}. Declared: {declares}. Returned: {returns}.")
    return found


def _by(arrows: Iterable[Transition], *, target: bool = False) -> list[str]:
    """Name arrows by their actions, with their places."""
    told = []
    for arrow in arrows:
        place = f" ({arrow.where})" if arrow.where else ""
        of = f"{arrow.source.__name__}." if arrow.source is not None and not target else ""
        told.append(f"{type_name(arrow.target)} by {arrow.action}{place}" if target else f"{of}{arrow.action}{place}")
    return list(dict.fromkeys(told))


def _followers(graph: Graph, state: type) -> tuple[TypeForm, ...]:
    return tuple(arrow.target for arrow in graph.after(state) if arrow.target in graph.states.leaves)


def _closure(start: Iterable[type], after: Any) -> set[type]:
    found: set[type] = set()
    pending = list(start)
    while pending:
        state = pending.pop()
        if state not in found:
            found.add(state)
            pending.extend(after(state))
    return found


def _idle(graph: Graph) -> tuple[type, ...]:
    """Return the states that are not final and that no action leaves."""
    return tuple(state for state in graph.states.leaves if state not in graph.final and not graph.after(state))


def _has_kinds(state: type, graph: Graph) -> bool:
    return any(other is not state and issubclass(other, state) for other in graph.states.leaves)
