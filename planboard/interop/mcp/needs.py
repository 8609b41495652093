"""What an agent has to be given for one of its goals: found by walking back from the goal over what yields what.

An input is offered if some way to the goal may use it and no action makes it; it is needed if there is no way
without it. Costs, and what conditions say, are left aside: what is needed here is needed in every run.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from planboard.actions.action import Action, BoundInput
from planboard.actions.catalogue import Catalogue
from planboard.actions.goal import Goal
from planboard.actions.waiting import COMES_OF_WAITING, AskPerson, Denied, Expired
from planboard.blackboard.index import Query
from planboard.blackboard.matching import prospect


@dataclass(frozen=True, slots=True)
class Need:
    """Something that may be given."""

    query: Query
    collected_as: str | None
    """The parameter that collects all objects of the type, if there is one."""
    needed: bool


def needs_for(agent: Catalogue, goals: Iterable[Goal]) -> tuple[Need, ...]:
    """Return what may be given to an agent for some of its goals, in order of names."""
    search = _Search(agent, tuple(goals))
    leaves = search.leaves()
    if not search.reaches(leaves):  # what is made only of each other has to begin somewhere
        wider = leaves | search.cut_off(leaves)
        leaves = wider if search.reaches(wider) else leaves
    collected = {item.query: item.parameter for item in reversed(search.inputs()) if item.collects}
    possible = search.reaches(leaves)
    return tuple(
        Need(
            leaf,
            collected.get(leaf),
            not search.reaches(leaves - {leaf}) if possible else search.requires(leaf),
        )
        for leaf in sorted(leaves, key=str)
    )


class _Search:
    """The actions that may help towards some goals."""

    def __init__(self, agent: Catalogue, goals: tuple[Goal, ...]) -> None:
        self._agent = agent
        self._goals = goals
        self._relevant = self._walk_back()

    def inputs(self) -> list[BoundInput]:
        """Return the inputs of all actions that may help."""
        return [item for action in self._relevant for item in action.body.inputs]

    def leaves(self) -> frozenset[Query]:
        """Return what these actions ask for and none makes."""
        asked = {query for action in self._relevant for query in self._asks(action)}
        asked |= {query for goal in self._goals for query in self._asks_conditions(self._pre_of(goal))}
        begins = tuple(self._agent.needed_inputs)  # some kinds of agents know what they begin with
        return frozenset(
            query
            for query in asked
            if query.form is not None
            and query.form not in COMES_OF_WAITING
            and (not self._makers(query) or any(_answers(query, first) for first in begins))
        )

    def cut_off(self, given: frozenset[Query]) -> frozenset[Query]:
        """Return what these actions need and cannot have of what is given, but for what the goals are about."""
        runnable = self._runnable(given)
        needed = {item.query for action in self._relevant for item in action.body.required}
        return frozenset(
            query
            for query in needed
            if query.form not in (None, *COMES_OF_WAITING, *(goal.form for goal in self._goals))
            and not self._can_be_had(query, given, runnable)
        )

    def requires(self, leaf: Query) -> bool:
        """Tell whether an action cannot do without something."""
        return any(item.query is leaf for action in self._relevant for item in action.body.required)

    def reaches(self, given: frozenset[Query]) -> bool:
        """Tell whether a goal can be reached from what is given, whatever conditions say."""
        runnable = self._runnable(given)
        return any(
            any(action.name in runnable for action in self._achievers(goal))
            and self._can_hold(self._pre_of(goal), given, runnable)
            for goal in self._goals
        )

    def _runnable(self, given: frozenset[Query]) -> set[str]:
        """Return the names of the actions that may run in the end, whatever conditions say."""
        runnable: set[str] = set()
        while True:
            more = {
                action.name
                for action in self._relevant
                if action.name not in runnable and self._can_run(action, given, runnable)
            }
            if not more:
                return runnable
            runnable |= more

    def _walk_back(self) -> list[Action]:
        found: dict[str, Action] = {}
        pending = [action for goal in self._goals for action in self._achievers(goal)]
        pending += [action for goal in self._goals for action in self._promisers(self._pre_of(goal))]
        while pending:
            action = pending.pop()
            if action.name in found:
                continue
            found[action.name] = action
            pending += [maker for query in self._asks(action) for maker in self._makers(query)]
            pending += self._promisers(action.pre)
        return [found[name] for name in sorted(found)]

    def _achievers(self, goal: Goal) -> list[Action]:
        if goal.producers is not None:
            return [self._agent.actions[name] for name in goal.producers]
        return [
            action
            for action in self._agent.actions.values()
            if any(prospect(form, goal.form) != "never" for form in action.output_types)
        ]

    def _pre_of(self, goal: Goal) -> tuple[tuple[str, bool], ...]:
        return self._agent.goal_conditions[goal.name]

    def _asks(self, action: Action) -> Iterator[Query]:
        yield from (item.query for item in action.body.inputs)
        if action.trigger is not None:
            yield action.trigger
        yield from self._asks_conditions(action.pre)

    def _asks_conditions(self, pre: Iterable[tuple[str, bool]]) -> Iterator[Query]:
        for name, _ in pre:
            yield from self._agent.conditions[name].queries

    def _promisers(self, pre: Iterable[tuple[str, bool]]) -> list[Action]:
        wanted = set(pre)
        return [action for action in self._agent.actions.values() if wanted & set(action.post)]

    def _makers(self, query: Query) -> list[Action]:
        """Return the actions that may make something, but for those that need it themselves."""
        others = [
            action
            for action in self._agent.actions.values()
            if all(item.query is not query for item in action.body.required)
        ]
        if query.form in (Denied, Expired):  # what people, or policies, do not agree to has been planned before
            return [action for action in others if action.approval or isinstance(action.wait, AskPerson)] or others
        return [
            action
            for action in others
            if any(
                query.name in (None, action.binding_name(position)) and prospect(form, query.form) != "never"
                for way in action.outputs
                for position, form in enumerate(way)
            )
        ]

    def _can_run(self, action: Action, given: frozenset[Query], runnable: set[str]) -> bool:
        required = [item.query for item in action.body.required]
        required += [action.trigger] if action.trigger is not None else []
        return all(self._can_be_had(query, given, runnable) for query in required) and self._can_hold(
            action.pre, given, runnable
        )

    def _can_hold(self, pre: Iterable[tuple[str, bool]], given: frozenset[Query], runnable: set[str]) -> bool:
        for name, truth in pre:
            promisers = self._promisers([(name, truth)])
            if any(action.name in runnable for action in promisers):
                continue
            condition = self._agent.conditions[name]
            if condition.is_free and truth and promisers:
                return False
            if not all(
                any(self._can_be_had(query, given, runnable) for query in group) for group in condition.required
            ):
                return False
        return True

    def _can_be_had(self, query: Query, given: frozenset[Query], runnable: set[str]) -> bool:
        if query.form is None or any(_answers(other, query) for other in given):
            return True
        return any(maker.name in runnable for maker in self._makers(query))


def _answers(given: Query, asked: Query) -> bool:
    return asked.name in (None, given.name) and prospect(given.form, asked.form) != "never"
