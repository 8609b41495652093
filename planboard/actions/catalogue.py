"""A set of actions, conditions, states and goals that belong together, resolved once.

`Catalogue` is what the parts of an agent become: every signature read, every name resolved, every text condition
checked against the models, or an error that says what is wrong and where.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from inspect import iscoroutinefunction
from typing import Any

from planboard._text import brief, listed
from planboard.actions.action import Action, BoundInput, Condition, TypedFunction, root_name
from planboard.actions.context import ActionContext, Injected
from planboard.actions.declarations import ActionDeclaration, ConditionDeclaration, Estimate
from planboard.actions.goal import Goal
from planboard.actions.parts import Found, find_parts
from planboard.actions.preconditions import ConditionTable
from planboard.actions.signature import Input, Signature
from planboard.actions.state import state_of
from planboard.actions.waiting import COMES_OF_WAITING
from planboard.blackboard.index import Matcher, Query
from planboard.blackboard.matching import members, prospect
from planboard.errors import DefinitionError, UnknownNameError
from planboard.types import Location, TypeForm, origin_of, type_name


class Catalogue:
    """Actions, conditions, states and goals, resolved."""

    def __init__(
        self,
        name: str,
        parts: Iterable[Any],
        *,
        goals: Iterable[Goal | TypeForm] = (),
        services: Iterable[object] = (),
        description: str = "",
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            message = f"An agent is named {brief(name)}. Its name is a text, and comes first."
            raise DefinitionError(message)
        self.name = name
        self.description = description
        self.parts = tuple(parts)
        self.services = tuple(services)
        """Objects that are injected into parameters of their types."""
        self.stated_goals = tuple(goals)
        self.matcher = Matcher()
        """The queries of this catalogue, shared by all boards made for it."""
        found = find_parts(self.parts)
        self.states: tuple[type, ...] = tuple(found.states)
        """The `@state` classes, in order of their names."""
        _refuse_duplicates(found)
        signatures = {item.name: (item, item.declaration.reader.read()) for item in found.actions}
        roots = self._known_roots(signatures.values(), found.conditions)
        self._table = ConditionTable(self.matcher, roots, self._condition)
        for declared in found.conditions:
            self._table.adopt(declared.declaration, declared.owner)
        actions = [self._action(item, signature) for item, signature in signatures.values()]
        self.actions: Mapping[str, Action] = {
            action.name: action for action in sorted(actions, key=lambda action: action.name)
        }
        """The actions by name, in order of their names."""
        self.goals: tuple[Goal, ...] = self._goals()
        """The goals, in order of their names."""
        self.goal_conditions: Mapping[str, tuple[tuple[str, bool], ...]] = {
            goal.name: tuple(self._table.resolve(item, f"Goal {goal.name!r}", None, {}) for item in goal.pre)
            for goal in self.goals
        }
        """The conditions of each goal, resolved."""
        self._table.close()
        self.conditions: Mapping[str, Condition] = self._table.conditions
        """Every condition that is named anywhere, by name."""
        self.unpromised = self._table.unpromised
        """The free conditions that are required but that no action promises."""

    @cached_property
    def waits(self) -> bool:
        """Whether an action or a condition may wait for something, so that it takes an event loop to run them."""
        return (
            self.asks_models
            or any(condition.waits for condition in self.conditions.values())
            or any(
                action.is_async or action.timeout is not None or action.retry is not None or action.wait is not None
                for action in self.actions.values()
            )
        )

    @cached_property
    def asks_models(self) -> bool:
        """Whether an action is given something to ask models with."""
        return any(action.body.ai is not None for action in self.actions.values())

    @cached_property
    def given_only(self) -> frozenset[Query]:
        """The queries of inputs that no action's output may answer: only somebody outside can provide them."""
        outputs = [
            (form, action.binding_name(position))
            for action in self.actions.values()
            for alternative in action.outputs
            for position, form in enumerate(alternative)
        ]
        queries = {item.query for action in self.actions.values() for item in action.body.inputs}
        return frozenset(
            query
            for query in queries
            if query.form is not None
            and not any(query.name in (None, name) and prospect(form, query.form) != "never" for form, name in outputs)
        )

    @property
    def needed_inputs(self) -> tuple[Query, ...]:
        """What has to be given from outside, since actions need it and none of them makes it; in order of names."""
        actions = tuple(self.actions.values())
        required = {action.name: {item.query for item in action.body.required} for action in actions}
        given = {query for queries in required.values() for query in queries if query in self.from_outside}
        made = {  # what improves on an earlier one can do without it
            query
            for query in given
            for action in actions
            if _makes(action, query) and query not in required[action.name]
        }
        return tuple(sorted((query for query in given - made if query.form not in COMES_OF_WAITING), key=str))

    @cached_property
    def from_outside(self) -> frozenset[Query]:
        """The queries of inputs that nobody makes, or only actions that need them already."""
        actions = tuple(self.actions.values())
        queries = {item.query for action in actions for item in action.body.inputs if item.query.form is not None}
        return self.given_only | {
            query
            for query in queries
            if all(query in {item.query for item in action.body.inputs} for action in actions if _makes(action, query))
        }

    def action(self, name: str) -> Action:
        """Return an action by its name.

        Raises:
            UnknownNameError: There is none; the message names the closest.
        """
        if name not in self.actions:
            raise UnknownNameError("action", name, self.actions)
        return self.actions[name]

    def _action(self, item: Found[ActionDeclaration], signature: Signature) -> Action:
        declared = item.declaration
        body = self._typed(item, declared.function, signature, declared.where)
        queries = {bound.parameter: (bound.query,) for bound in body.inputs}
        of = f"Action {declared.name!r}"
        pre = [self._table.resolve(given, of, declared.where, queries, item.owner) for given in declared.pre]
        predicates = [self._condition(predicate, item.owner) for predicate in declared.predicates]
        pre += [(self._table.declare(predicate), True) for predicate in predicates]
        post = [self._table.promise(given, of, declared.where, item.owner) for given in declared.post]
        outputs = signature.outputs
        _check_outputs(declared, outputs)
        return Action(
            name=declared.name,
            description=declared.description,
            body=body,
            outputs=outputs,
            output_names=declared.output,
            cost=self._estimate(declared.cost, declared.cost_estimate, item),
            value=self._estimate(declared.value, declared.value_estimate, item),
            pre=tuple(dict.fromkeys(pre)),
            post=tuple(dict.fromkeys(post)),
            rerun="new_inputs" if item.state is not None and not declared.rerun_given else declared.rerun,
            trigger=None if declared.trigger is None else self.matcher.query(declared.trigger),
            consumes=self._consumed(declared, body),
            clear_board=declared.clear_board,
            read_only=declared.read_only,
            idempotent=declared.idempotent,
            retry=declared.retry,
            timeout=declared.timeout,
            approval=declared.approval,
            achieves=declared.achieves,
            wait=declared.wait,
            agents=declared.agents,
            is_async=iscoroutinefunction(declared.function),
            state=item.state,
            has_tuple=any(origin_of(member) is tuple for member in members(signature.returns)),
            only_output=outputs[0][0] if len(outputs) == 1 and len(outputs[0]) == 1 else None,
        )

    def _typed(
        self,
        item: Found[Any],
        function: Any,
        signature: Signature,
        where: Location | None,
        *,
        context: bool = True,
        ai: bool = True,
    ) -> TypedFunction:
        inputs: list[BoundInput] = []
        services: dict[str, TypeForm] = {}
        context_parameter = ai_parameter = None
        if item.state is not None:
            inputs.append(BoundInput("self", self.matcher.query(item.state), positional_only=True))
        elif item.owner is not None:
            function = function.__get__(item.owner)
        for wanted in signature.inputs:
            if wanted.form is ActionContext:
                if not context:
                    message = (
                        f"Parameter {wanted.parameter!r} of {function.__name__!r} is an ActionContext, which only "
                        "actions are given. Conditions, costs and values look at entries."
                    )
                    raise DefinitionError(message, where=where)
                context_parameter = wanted.parameter
            elif _is_injected(wanted.form):
                if not ai:
                    message = (
                        f"Parameter {wanted.parameter!r} of {function.__name__!r} is an {wanted.form.__name__}, but "
                        "costs and values are computed while planning, which waits for nothing."
                    )
                    raise DefinitionError(message, where=where)
                ai_parameter = wanted.parameter
            elif self._is_service(wanted):
                services[wanted.parameter] = wanted.form
            else:
                inputs.append(self._bound(wanted))
        return TypedFunction(function, tuple(inputs), services, context_parameter, ai_parameter, where)

    def _bound(self, wanted: Input) -> BoundInput:
        return BoundInput(
            wanted.parameter,
            self.matcher.query(wanted.form, wanted.name),
            wanted.collects,
            wanted.optional,
            wanted.has_default,
        )

    def _is_service(self, wanted: Input) -> bool:
        form = wanted.form
        if wanted.name is not None or not isinstance(form, type) or origin_of(form) is not None:
            return False
        return any(isinstance(service, form) for service in self.services)

    def _condition(self, declared: ConditionDeclaration, owner: object) -> Condition:
        where = declared.reader.where
        item = Found(declared.name, declared, owner, owner if isinstance(owner, type) else None)
        predicate = self._typed(item, declared.function, declared.reader.read(), where, context=False)
        waits = predicate.ai is not None or iscoroutinefunction(declared.function)
        return Condition(declared.name, predicate=predicate, where=where, waits=waits)

    def _estimate(
        self, static: float, estimate: Estimate | None, item: Found[ActionDeclaration]
    ) -> float | TypedFunction:
        if estimate is None:
            return static
        reader = estimate.reader
        owner = item if reader.skip_first else Found(item.name, item.declaration, None, None)
        return self._typed(owner, estimate.function, reader.read(), reader.where, context=False, ai=False)

    def _consumed(self, declared: ActionDeclaration, body: TypedFunction) -> tuple[Query, ...]:
        by_parameter = {bound.parameter: bound.query for bound in body.inputs}
        found: list[Query] = []
        for item in declared.consumes:
            if isinstance(item, str):
                if item not in by_parameter:
                    raise UnknownNameError(
                        f"parameter of {declared.name!r} to consume", item, by_parameter, where=declared.where
                    )
                found.append(by_parameter[item])
                continue
            matching = [query for query in by_parameter.values() if query.form == item]
            if not matching:
                raise UnknownNameError(
                    f"input of {declared.name!r} to consume",
                    type_name(item),
                    [str(query) for query in by_parameter.values()],
                    where=declared.where,
                )
            found.extend(matching)
        return tuple(dict.fromkeys(found))

    def _goals(self) -> tuple[Goal, ...]:
        goals = [item if isinstance(item, Goal) else Goal(item) for item in self.stated_goals]
        for action in self.actions.values():
            if action.achieves is not None:
                forms = action.output_types
                form = forms[0] if len(forms) == 1 else _union(forms)
                goals.append(Goal.achieved_by(action.name, form, action.achieves))
        names: dict[str, Goal] = {}
        for goal in goals:
            if goal.name in names:
                message = f"Two goals are named {goal.name!r}. Give one of them another `name=`."
                raise DefinitionError(message)
            names[goal.name] = goal
        return tuple(names[name] for name in sorted(names))

    def _known_roots(
        self,
        signatures: Iterable[tuple[Found[ActionDeclaration], Signature]],
        conditions: Iterable[Found[ConditionDeclaration]],
    ) -> dict[str, list[Query]]:
        """Collect the names that text conditions may use: bindings first, then types."""
        bindings: dict[str, list[Query]] = {}
        types: dict[str, list[Query]] = {}
        for item, signature in signatures:
            names = item.declaration.output
            for alternative in signature.outputs:
                for position, form in enumerate(alternative):
                    if position < len(names):
                        bindings.setdefault(names[position], []).append(self.matcher.query(form, names[position]))
            for wanted in signature.inputs:
                if wanted.name is not None:
                    bindings.setdefault(wanted.name, []).append(self.matcher.query(wanted.form, wanted.name))
            forms = [form for alternative in signature.outputs for form in alternative]
            forms += [wanted.form for wanted in signature.inputs if not self._is_service(wanted)]
            for member in (member for form in forms for member in members(form)):
                if not _is_injected(member):
                    types.setdefault(root_name(member), []).append(self.matcher.query(member))
        stated = [item.form if isinstance(item, Goal) else item for item in self.stated_goals]
        looked_at = [wanted for item in conditions for wanted in item.declaration.reader.read().inputs]
        asked = [item.form for item in looked_at if not (self._is_service(item) or _is_injected(item.form))]
        for form in (*self.states, *asked, *(form for form in stated if form is not None)):
            for member in members(form):
                types.setdefault(root_name(member), []).append(self.matcher.query(member))
        known = {**types, **bindings}
        return {name: list(dict.fromkeys(bindings.get(name, []) + types.get(name, []))) for name in known}


def _makes(action: Action, query: Query) -> bool:
    """Tell whether an action may put on the board what a query asks for."""
    return any(
        query.name in (None, action.binding_name(position)) and prospect(form, query.form) != "never"
        for alternative in action.outputs
        for position, form in enumerate(alternative)
    )


def _is_injected(form: TypeForm) -> bool:
    """Tell whether a parameter of a type is filled by the process."""
    return isinstance(form, type) and origin_of(form) is None and issubclass(form, Injected)


def _check_outputs(declared: ActionDeclaration, outputs: Sequence[tuple[TypeForm, ...]]) -> None:
    of, where = f"Action {declared.name!r}", declared.where
    forms = [form for alternative in outputs for form in alternative]
    if declared.achieves is not None:
        if not forms:
            message = f"{of} achieves a goal but returns nothing. A goal is met by what is on the board."
            raise DefinitionError(message, where=where)
        for form in forms:
            if state_of(form) is not None:
                message = (
                    f"{of} achieves a goal, but its output {type_name(form)} is a state; a run would never end there. "
                    "Return the final result instead."
                )
                raise DefinitionError(message, where=where)
    longest = max((len(alternative) for alternative in outputs), default=0)
    if len(declared.output) > longest:
        message = f"{of} names {len(declared.output)} outputs but returns {longest or 'none'}."
        raise DefinitionError(message, where=where)


def _refuse_duplicates(found: Any) -> None:
    for kind, items in (("actions", found.actions), ("conditions", found.conditions)):
        seen: dict[str, Found[Any]] = {}
        for item in items:
            if item.name in seen:
                places = [str(other.where or "a place unknown") for other in (seen[item.name], item)]
                message = (
                    f"Two {kind} are named {item.name!r}, declared at {listed(places)}. "
                    f"{_what_to_do(seen[item.name].state, item.state)}"
                )
                raise DefinitionError(message)
            seen[item.name] = item


def _what_to_do(first: type | None, second: type | None) -> str:
    """Say how two actions of one name come apart, of which each may be a method of a state."""
    if (
        first is None
        or second is None
        or first is second
        or (first.__module__, first.__qualname__) != (second.__module__, second.__qualname__)
    ):
        return "Give one of them another `name=`."
    return (
        f"The state {type_name(first)} was defined twice, and there is still something that means the first of them: "
        "define that again, too."
    )


def _union(forms: Sequence[TypeForm]) -> TypeForm:
    from typing import Union

    return Union[tuple(forms)]  # noqa: UP007 - made at run time
