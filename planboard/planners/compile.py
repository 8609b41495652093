"""From a catalogue to a planning problem: actions become operators over facts.

The facts of an agent are: an entry of a type (or name) is visible, a condition holds, an action has run, an action is
left out, the newest entry is of a type. An action with several ways to turn out (`A | B`, `T | None`, a base class
whose subclasses others want) becomes one operator for each way.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from planboard.actions.action import Action, TypedFunction
from planboard.actions.catalogue import Catalogue
from planboard.actions.goal import Goal
from planboard.actions.state import state_of
from planboard.blackboard.index import Query
from planboard.blackboard.matching import prospect
from planboard.planners.domain import Domain, FactKind
from planboard.planners.operator import Operator, PlanGoal
from planboard.types import TypeForm, type_name

if TYPE_CHECKING:
    from planboard.planners.world import World


@dataclass(frozen=True, slots=True)
class Way:
    """One way an action may turn out."""

    label: str
    """What tells it from the others; empty for the one that can be counted on."""
    forms: tuple[TypeForm, ...]
    provided: tuple[frozenset[Query], ...]
    """For each output, the queries that it answers."""
    touched: frozenset[Query]
    """The queries that any output answers or may answer."""


class Compilation:
    """What planning knows of a catalogue and a choice of goals."""

    def __init__(self, catalogue: Catalogue, goals: tuple[Goal, ...]) -> None:
        self.catalogue = catalogue
        self.goals = goals
        matcher = catalogue.matcher
        self.goal_queries: Mapping[str, Query] = {
            goal.name: matcher.query(goal.form, None, goal.producers) for goal in goals if goal.form is not None
        }
        """The query of each goal that is about a type, by the goal's name."""
        self.fact_of: Mapping[Query, str] = _name_queries(self._queries())
        """The name of the fact "an entry that answers this is visible"."""
        self.newest_of: Mapping[Query, str] = {
            action.trigger: f"newest({action.trigger})" for action in catalogue.actions.values() if action.trigger
        }
        """The name of the fact "the newest entry answers this", for triggers."""
        self.consumed: frozenset[Query] = frozenset(
            query for action in catalogue.actions.values() for query in action.consumes
        )
        """The queries whose entries are consumed by some action."""
        self._domains: dict[tuple[frozenset[Query], frozenset[Query]], Domain] = {}
        self.domain = self.domain_where(frozenset())
        """The domain when no protected entries are on the board."""
        self.plan_goals: tuple[PlanGoal, ...] = tuple(self._plan_goal(goal) for goal in goals)
        """The goals as planners know them, in order of their names."""

    def domain_where(self, lasting: frozenset[Query], plenty: frozenset[Query] = frozenset()) -> Domain:
        """Return the domain for boards of some kind.

        Args:
            lasting: Queries that protected entries answer, whatever is cleared.
            plenty: Consumed queries that several entries answer, so that one may be left after one is consumed.
        """
        key = (lasting, plenty)
        if key not in self._domains:
            operators = [
                operator
                for action in self.catalogue.actions.values()
                for operator in self._operators(action, lasting, plenty)
            ]
            self._domains[key] = Domain(operators, facts=self._facts, kinds=self._kinds)
        return self._domains[key]

    @cached_property
    def meaning(self) -> Mapping[str, str]:
        """What the facts about the run itself mean, when they hold an action back."""
        words: dict[str, str] = {}
        for action in self.catalogue.actions.values():
            inputs = " with these inputs" if action.rerun == "new_inputs" else ""
            words[has_run(action.name)] = f"has run already{inputs}"
            words[is_idle(action.name)] = "has run, and nothing that it reads has changed since"
            words[is_excluded(action.name)] = "is left out, because it failed, asked for another plan, or was denied"
        return words

    @cached_property
    def _facts(self) -> tuple[str, ...]:
        return tuple(self._kinds)

    @cached_property
    def _kinds(self) -> Mapping[str, FactKind]:
        kinds: dict[str, FactKind] = dict.fromkeys(self.fact_of.values(), "type")
        kinds.update(dict.fromkeys(self.catalogue.conditions, "condition"))
        kinds.update(dict.fromkeys(self.newest_of.values(), "type"))
        for name in self.catalogue.actions:
            kinds.update({has_run(name): "bookkeeping", is_idle(name): "bookkeeping", is_excluded(name): "bookkeeping"})
        return kinds

    def _queries(self) -> list[Query]:
        found: dict[Query, None] = {}
        for action in self.catalogue.actions.values():
            found.update(dict.fromkeys(item.query for item in action.body.inputs))
        for condition in self.catalogue.conditions.values():
            found.update(dict.fromkeys(condition.queries))
        found.update(dict.fromkeys(self.goal_queries.values()))
        return list(found)

    def _plan_goal(self, goal: Goal) -> PlanGoal:
        pre = dict(self.catalogue.goal_conditions.get(goal.name, ()))
        query = self.goal_queries.get(goal.name)
        if query is not None:
            pre[self.fact_of[query]] = True
        return PlanGoal(goal.name, pre, goal.value)

    def _operators(self, action: Action, lasting: frozenset[Query], plenty: frozenset[Query]) -> Iterator[Operator]:
        pre = self._pre(action)
        for way in self.ways(action):
            effects = self._effects(action, way, lasting)
            effects.update((self.fact_of[query], None) for query in self._left_over(action, plenty, effects))
            yield Operator(action.name, pre, effects, _price(action.cost), _price(action.value), outcome=way.label)

    def _pre(self, action: Action) -> dict[str, bool]:
        pre = {self.fact_of[item.query]: True for item in action.body.required}
        for name, wanted in action.pre:
            pre[name] = wanted
            for group in self.catalogue.conditions[name].required:
                if len(group) == 1:
                    pre[self.fact_of[group[0]]] = True
        if action.trigger is not None:
            pre[self.newest_of[action.trigger]] = True
        pre[is_idle(action.name) if action.rerun == "always" else has_run(action.name)] = False
        pre[is_excluded(action.name)] = False
        return pre

    def ways(self, action: Action) -> list[Way]:
        """Return the ways an action may turn out, as far as they differ for others."""
        several = len(action.outputs) > 1
        found: dict[str, Way] = {}
        for forms in action.outputs:
            choices = [self._choices(action, position, form) for position, form in enumerate(forms)]
            touched = frozenset(query for options in choices for _, provided in options for query in provided)
            for chosen in product(*choices):
                narrowed = any(label for label, _ in chosen)
                named = [label or type_name(form) for (label, _), form in zip(chosen, forms, strict=True)]
                label = ", ".join(named) or "nothing" if several or narrowed else ""
                found.setdefault(label, Way(label, forms, tuple(provided for _, provided in chosen), touched))
        return list(found.values())

    def _choices(self, action: Action, position: int, form: TypeForm) -> list[tuple[str, frozenset[Query]]]:
        """Return what one output may turn out to answer: what is sure, and each narrower type that is wanted."""
        sure: set[Query] = set()
        perhaps: dict[TypeForm, None] = {}
        asked = [query for query in (*self.fact_of, *self.newest_of) if _may_concern(query, action, position)]
        for query in asked:
            chance = "always" if query.form is None else prospect(form, query.form)
            if chance == "always":
                sure.add(query)
            elif chance == "perhaps":
                perhaps[query.form] = None
        choices = [("", frozenset(sure))]
        for narrower in sorted(perhaps, key=type_name):
            implied = {query for query in asked if query.form is None or prospect(narrower, query.form) == "always"}
            choices.append((type_name(narrower), frozenset(sure | implied)))
        return choices

    def _effects(self, action: Action, way: Way, lasting: frozenset[Query]) -> dict[str, bool | None]:
        effects: dict[str, bool | None] = {}
        touched = set(way.touched)
        hidden = self._hidden(action, way, lasting)
        touched |= hidden
        effects.update((self.fact_of[query], False) for query in hidden)
        if action.clear_board:
            effects.update((has_run(name), False) for name in self.catalogue.actions)
        elif action.rerun != "always":
            effects[has_run(action.name)] = True
        for other in self.catalogue.actions.values():
            if other.rerun == "new_inputs" and not way.touched.isdisjoint(item.query for item in other.body.inputs):
                effects[has_run(other.name)] = False
        if way.forms:
            effects.update((name, query in way.provided[-1]) for query, name in self.newest_of.items())
        for provided in way.provided:
            effects.update((self.fact_of[query], True) for query in provided if query in self.fact_of)
        for condition in self.catalogue.conditions.values():
            if not touched.isdisjoint(condition.queries):
                effects[condition.name] = None
        effects.update(action.post)
        return effects

    def _left_over(
        self, action: Action, plenty: frozenset[Query], effects: Mapping[str, bool | None]
    ) -> Iterator[Query]:
        """Yield what an action consumes one of while there are more; whether one is left is found out afterwards."""
        if not action.clear_board:
            for query in self.fact_of:
                consumed = any(_implies(item, query) for item in action.consumes if item in plenty)
                if consumed and effects.get(self.fact_of[query]) is False:
                    yield query

    def _hidden(self, action: Action, way: Way, lasting: frozenset[Query]) -> set[Query]:
        entered = [found for found in map(state_of, way.forms) if found is not None]
        if action.clear_board or entered:
            kept = [form for found in entered for form in found.keep]
            return {
                query
                for query in self.fact_of
                if query not in lasting and not any(_holds(form, query) for form in kept)
            }
        return {query for query in self.fact_of for consumed in action.consumes if _implies(consumed, query)}


def has_run(action: str) -> str:
    """Return the fact that an action has run, with the inputs it would have now."""
    return f"ran({action})"


def is_idle(action: str) -> str:
    """Return the fact that running an action again would be blind: nothing that it reads has changed since."""
    return f"idle({action})"


def is_excluded(action: str) -> str:
    """Return the fact that an action is left out because it failed, or asked for another plan."""
    return f"excluded({action})"


def _may_concern(query: Query, action: Action, position: int) -> bool:
    if query.producers is not None and action.name not in query.producers:
        return False
    return query.name is None or query.name == action.binding_name(position)


def _holds(form: TypeForm, query: Query) -> bool:
    return query.form is None or prospect(form, query.form) == "always"


def _implies(consumed: Query, query: Query) -> bool:
    return (query.name is None or query.name == consumed.name) and _holds(consumed.form, query)


def _price(given: float | TypedFunction) -> Any:
    if isinstance(given, TypedFunction):
        function = given
        return lambda state: cast("World", state).estimate(function)
    return given


def _name_queries(queries: Iterable[Query]) -> dict[Query, str]:
    """Name each query as briefly as tells it from the others."""
    named: dict[str, list[Query]] = {}
    for query in queries:
        named.setdefault(_brief_name(query), []).append(query)
    facts: dict[Query, str] = {}
    for name, group in named.items():
        for query in group:
            facts[query] = name if len(group) == 1 else f"{name} of {getattr(query.form, '__module__', query.form)}"
    if len(set(facts.values())) < len(facts):
        seen: dict[str, int] = {}
        for query, name in facts.items():
            seen[name] = seen.get(name, 0) + 1
            facts[query] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return facts


def _brief_name(query: Query) -> str:
    return f"{query} from {' or '.join(sorted(query.producers))}" if query.producers else str(query)
