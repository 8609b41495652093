"""What is suspicious about an agent, before it runs: each finding with its place and a remedy."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from planboard._text import listed, suggest
from planboard.actions.action import Action
from planboard.blackboard.index import Query
from planboard.blackboard.matching import members, prospect
from planboard.types import Location, TypeForm, type_name

if TYPE_CHECKING:
    from planboard.runtime.agent import Agent


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong or looks like a slip."""

    severity: Literal["error", "warning"]
    """An error makes a goal or action useless for sure; a warning may be meant."""
    code: str
    """A stable word for the kind of finding, such as `"unreachable-goal"`."""
    message: str
    """What is suspicious."""
    remedy: str
    """What to do about it."""
    where: Location | None = None
    """The place, if it has one."""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.severity} [{self.code}] {self.message} {self.remedy}"


def check(agent: "Agent") -> list[Finding]:
    """Return the findings about an agent, errors first, then by kind and text.

    A type that no action produces is taken to be an input of the run, unless its name is close to that of a type that
    is produced.
    """
    look = _Look(agent)
    found = [
        *look.unreachable_goals(),
        *look.impossible_actions(),
        *look.unread_outputs(),
        *look.ambiguous_inputs(),
        *look.unknown_conditions(),
        *look.self_feeding_actions(),
    ]
    return sorted(found, key=lambda finding: (finding.severity != "error", finding.code, finding.message))


class _Look:
    def __init__(self, agent: "Agent") -> None:
        self._agent = agent
        self._actions = list(agent.actions.values())
        self._producers: dict[TypeForm, list[Action]] = {}
        for action in self._actions:
            for form in action.output_types:
                self._producers.setdefault(form, []).append(action)
        self._runnable = self._fixpoint()

    def unreachable_goals(self) -> Iterator[Finding]:
        for goal in self._agent.goals:
            if goal.producers is not None:
                if not any(name in self._runnable for name in goal.producers):
                    message = f"Goal {goal.name!r} cannot be reached: no action that achieves it can run."
                    where = self._agent.actions[goal.producers[0]].where
                    yield Finding("error", "unreachable-goal", message, "See what these actions lack.", where)
            elif goal.form is not None and not self._producers_of(goal.form):
                wanted = type_name(goal.form)
                message = f"Goal {goal.name!r} cannot be reached: no action yields {wanted}."
                hint = suggest(wanted, [type_name(form) for form in self._producers])
                yield Finding("error", "unreachable-goal", message, f"Add an action that returns it. {hint}")
            for name, truth in self._agent.goal_conditions[goal.name]:
                if truth and name in self._agent.unpromised:
                    yield self._unknown(name, f"Goal {goal.name!r}", None)

    def impossible_actions(self) -> Iterator[Finding]:
        for action in self._actions:
            clashing = sorted(name for name, wanted in action.pre if (name, not wanted) in action.pre and wanted)
            if clashing:
                message = f"Action {action.name!r} can never run: it requires {listed(clashing)} and its negation."
                yield Finding("error", "impossible-action", message, "Drop one of the two.", action.where)
            elif action.name not in self._runnable:
                needed = [item.query for item in action.body.required]
                missing = [str(query) for query in needed if not self._obtainable(query, self._runnable)]
                message = (
                    f"Action {action.name!r} can never run: {listed(missing)} comes only from actions "
                    "that cannot run before it."
                )
                remedy = "Break the circle: make an input optional, or add an action that starts it."
                yield Finding("error", "impossible-action", message, remedy, action.where)

    def unread_outputs(self) -> Iterator[Finding]:
        wanted = [query for action in self._actions for query in self._queries(action)]
        wanted += [query for condition in self._agent.conditions.values() for query in condition.queries]
        goals = [goal.form for goal in self._agent.goals if goal.form is not None]

        def is_wanted(form: TypeForm) -> bool:
            read = any(query.form is None or prospect(form, query.form) != "never" for query in wanted)
            return read or any(prospect(form, goal) != "never" for goal in goals)

        for form, producers in self._producers.items():
            if is_wanted(form):
                continue
            for action in producers:
                if action.agents and any(map(is_wanted, action.output_types)):
                    continue  # a step that is made of others yields also what only they had a use for
                message = f"Nobody reads the {type_name(form)} of action {action.name!r}, and no goal asks for it."
                remedy = "Use it, make it a goal with @achieves_goal, or drop it."
                yield Finding("warning", "unread-output", message, remedy, action.where)

    def ambiguous_inputs(self) -> Iterator[Finding]:
        for action in self._actions:
            seen: dict[Query, str] = {}
            for item in action.body.inputs:
                other = seen.setdefault(item.query, item.parameter)
                if other != item.parameter:
                    message = (
                        f"Parameters {other!r} and {item.parameter!r} of action {action.name!r} are both {item.query}, "
                        "so both get the newest one."
                    )
                    remedy = "Tell them apart with Annotated[..., Named(...)]."
                    yield Finding("warning", "ambiguous-input", message, remedy, action.where)
            yield from self._ambiguous_unions(action)

    def unknown_conditions(self) -> Iterator[Finding]:
        for name, (of, where) in self._agent.unpromised.items():
            if not of.startswith("Goal "):
                yield self._unknown(name, of, where)

    def self_feeding_actions(self) -> Iterator[Finding]:
        for action in self._actions:
            if action.rerun == "never" or action.state is not None:
                continue
            fed = [
                item.query
                for item in action.body.required
                if item.query not in action.consumes and any(_yields(form, item.query) for form in action.output_types)
            ]
            if fed and not action.pre:
                message = (
                    f"Action {action.name!r} produces its own input {listed(str(query) for query in fed)}, "
                    "so it may rerun without end."
                )
                remedy = "Add a precondition that ends it, or rely on a budget."
                yield Finding("warning", "self-feeding", message, remedy, action.where)

    def _ambiguous_unions(self, action: Action) -> Iterator[Finding]:
        alternatives = [way[0] for way in action.outputs if len(way) == 1]
        for index, one in enumerate(alternatives):
            for other in alternatives[index + 1 :]:
                if "always" in (prospect(one, other), prospect(other, one)):
                    message = (
                        f"Action {action.name!r} returns {type_name(one)} | {type_name(other)}, "
                        "but what is one of them is the other too."
                    )
                    remedy = "Declare the wider type alone, or make them siblings."
                    yield Finding("warning", "ambiguous-output", message, remedy, action.where)

    def _unknown(self, name: str, of: str, where: Location | None) -> Finding:
        defined = {known for known in self._agent.conditions if known not in self._agent.unpromised}
        message = f"{of} requires the condition {name!r}, which nothing defines or promises."
        remedy = f"{suggest(name, defined)} It can only come true by set_condition({name!r}, True) from outside."
        return Finding("warning", "unknown-condition", message, remedy, where)

    def _fixpoint(self) -> set[str]:
        """Return the actions that can run, given everything that a run might start with."""
        runnable: set[str] = set()
        while True:
            more = {
                action.name
                for action in self._actions
                if action.name not in runnable
                and all(self._obtainable(item.query, runnable) for item in action.body.required)
            }
            if not more:
                return runnable
            runnable |= more

    def _obtainable(self, query: Query, runnable: set[str]) -> bool:
        producers = [
            action
            for action in self._actions
            for way in action.outputs
            for position, form in enumerate(way)
            if _yields(form, query) and query.name in (None, action.binding_name(position))
            if all(item.query is not query for item in action.body.required)  # what it passes on it did not provide
        ]
        if not producers:
            return True  # an input of the run
        return any(action.name in runnable for action in producers)

    def _producers_of(self, form: TypeForm) -> list[Action]:
        return [
            action for made, actions in self._producers.items() if prospect(made, form) != "never" for action in actions
        ]

    @staticmethod
    def _queries(action: Action) -> list[Query]:
        return [item.query for item in action.body.inputs] + ([action.trigger] if action.trigger else [])


def _yields(form: TypeForm, query: Query) -> bool:
    return query.form is None or any(prospect(form, member) != "never" for member in members(query.form))
