"""`map_each` and `for_each`: a part that is run for every item, all at once or one after another."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from inspect import isasyncgenfunction
from typing import Any, Union

from pydantic import BaseModel

from planboard._text import brief, is_secret
from planboard.actions.action import BoundInput
from planboard.actions.context import ActionContext, Addition
from planboard.actions.making import StepAction, with_inputs
from planboard.blackboard.matching import members, prospect
from planboard.errors import ActionError, DefinitionError, ProcessFailedError, ProcessStuckError
from planboard.runtime.handing import declared_as
from planboard.steps.composing import Contribution, agreed, composed, refuse_denied, values_of
from planboard.steps.deciding import Decider, element_of, known_to, return_of
from planboard.steps.failing import StepFailed, failed
from planboard.steps.gathering import gather
from planboard.steps.labels import item_label
from planboard.steps.part import Part, as_part
from planboard.steps.sequence import OnError, check_gathering
from planboard.types import TypeForm, is_type, location_of, origin_of, type_name


def map_each(
    items: Any,
    worker: Any,
    *,
    name: str | None = None,
    on_error: OnError = "fail",
    concurrency: int | None = None,
    **options: Any,
) -> StepAction:
    """Return an action that runs a worker for every item at once, and yields the list of results.

    The results are in the order of the items. No items, no results: the list is empty. Items whose workers wait for a
    person do not hold up the others, and each waits by itself.

    Args:
        items: A collection on the board, by its type, such as `list[Order]`; a typed function over the board that
            returns the items; or the items themselves.
        worker: An agent, an action, a step, or a function with types. One of its inputs is the item; the others come
            from the board. A `subagent` that is told the state is told of the item there.
        name: The name of the action; made from that of the worker by default.
        on_error: `"fail"`: if an item fails, no other begins, and the action fails once those that have begun are at
            their end. `"collect"`: a `StepFailed` stands in the place of each result that failed.
        concurrency: How many may run at once; all by default.
        **options: What `@action` takes: `cost`, `value`, `pre`, `post`, `output`, `rerun` and so on.

    Example:
        >>> @action
        ... def price(order: Order) -> Price: ...
        >>> map_each(list[Order], price, concurrency=4)
        <step 'map_price'>

    Raises:
        DefinitionError: Something about it cannot work.
    """
    return _over("map_each", items, worker, name or f"map_{_name_of(worker)}", on_error, concurrency, options)


def for_each(
    items: Any, worker: Any, *, name: str | None = None, on_error: OnError = "fail", **options: Any
) -> StepAction:
    """Return an action that runs a worker for one item after another, and yields the list of results.

    An item begins when the one before it is at its end, also if that takes a person some days. With
    `on_error="collect"` it begins also if that one has failed.

    Args:
        items: As for `map_each`.
        worker: As for `map_each`.
        name: The name of the action; made from that of the worker by default.
        on_error: As for `map_each`.
        **options: What `@action` takes.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    return _over("for_each", items, worker, name or f"for_each_{_name_of(worker)}", on_error, None, options)


def _over(
    kind: str, items: Any, worker: Any, called: str, on_error: OnError, concurrency: int | None, options: dict[str, Any]
) -> StepAction:
    check_gathering(called, on_error, concurrency)
    part = as_part(worker, within=called)
    source = _Source(items, part, called)
    rest = [item for item in part.inputs if not _is_item(item.query.form, source.element)]
    if len(rest) == len(part.inputs) and not part.reads_board:
        wanted = ", ".join(str(item) for item in part.inputs) or "nothing"
        message = (
            f"{called!r} hands {type_name(source.element)} to {part.name!r}, which takes {wanted}. "
            "One of its inputs must be an item."
        )
        raise DefinitionError(message)

    secret = any(is_secret(item.parameter) for item in part.inputs if _is_item(item.query.form, source.element))

    async def do(context: ActionContext, there: Sequence[Addition], place: int, item: object) -> Any:
        given = Addition(item, declared_as(item, source.element))
        others = [one for one in there if not _is_item(one.type or type(one.value), source.element)]
        labelled = context.labelled(item_label(place, item, secret=secret))
        try:
            found = await part.results(labelled, (*part.chosen(others), given))
            refuse_denied(called, part, found)
        except (ActionError, ProcessFailedError, ProcessStuckError) as error:
            if on_error == "collect":
                raise  # its place is told beside
            message = f"{called}[{place}]: {error}"
            raise ActionError(called, message) from error
        return values_of(found)

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        found = await source.items(context, there)
        jobs = [partial(do, context, there, place, item) for place, item in enumerate(found)]
        if kind == "map_each":
            outcomes = await gather(jobs, concurrency=concurrency, collect=on_error == "collect")
        else:
            outcomes = []
            for job in jobs:  # what waits is raised here, before the next one begins
                outcomes += await gather([job], collect=on_error == "collect")
        results = [
            failed(part.name, place, outcome) if isinstance(outcome, Exception) else outcome
            for place, outcome in enumerate(outcomes)
        ]
        return [() if returns is None else (Addition(results, returns),)]

    form = agreed(part).form
    if on_error == "collect":
        form = Union[type(None) if form is None else form, StepFailed]  # noqa: UP007 - made at run time
    returns: TypeForm = None if form is None else list[form]  # type: ignore[valid-type]
    asked = None if source.decider is None else source.decider.part
    options.setdefault("description", f"Runs {part.name} for each item.")
    return composed(
        kind, called, script, inputs=[*source.inputs, *rest], yields=[Contribution(returns)],
        parts=[part] if asked is None else [part, asked], options=options,
    )  # fmt: skip


class _Source:
    """Where the items come from."""

    def __init__(self, given: Any, part: Part, called: str) -> None:
        self._called = called
        self._literal: tuple[Any, ...] | None = None
        self.decider: Decider | None = None
        self.inputs: tuple[BoundInput, ...] = ()
        element: TypeForm = None
        if is_type(given):
            element = element_of(given)
            if element is None or _is_of_sets(given):
                why = "a set has no order, so use a list" if element is not None else "say what is in it, list[Order]"
                message = f"{called!r} goes over {type_name(given)}: {why}."
                raise DefinitionError(message)
            self.decider = Decider(with_inputs(_itself, {"items": given}), within=called, role="items", known={})
        elif callable(given):
            if isasyncgenfunction(given):
                message = f"{called!r} gets its items from an asynchronous generator; return a list from it instead."
                raise DefinitionError(message)
            element = _returned_by(given, called)
            self.decider = Decider(given, within=called, role="items", known=known_to(part), returns=list[Any])
        elif _has_order(given):
            self._literal = tuple(given)
            element = _element_of_values(self._literal)
        else:
            message = (
                f"{called!r} has no items: {brief(given)}. Give the type of a collection on the board, such as "
                "list[Order], a typed function that returns the items, or the items themselves in their order."
            )
            raise DefinitionError(message)
        self.element: TypeForm = _only_input(part, called) if element is None else element
        if self.decider is not None:
            self.inputs = self.decider.inputs

    async def items(self, context: ActionContext, there: Sequence[Addition]) -> tuple[Any, ...]:
        """Return the items.

        Raises:
            ActionError: They are no collection, or one that has no order.
        """
        if self.decider is None:
            return self._literal or ()
        found = await self.decider.decide(context, there)
        if not _has_order(found):
            message = (
                f"{self._called!r} goes over items in their order, and was given {brief(found)}. "
                "It takes a list; one that is empty, if there are none."
            )
            raise ActionError(self._called, message)
        return tuple(found)


_NO_ITEMS = (str, bytes, Mapping, AbstractSet, BaseModel)
"""What can be gone over, and yet has no items in an order of their own."""


def _itself(**given: Any) -> Any:
    return given["items"]


def _has_order(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, _NO_ITEMS)


def _is_of_sets(form: TypeForm) -> bool:
    origins = map(origin_of, members(form))
    return any(isinstance(origin, type) and issubclass(origin, AbstractSet) for origin in origins)


def _returned_by(function: Any, called: str) -> TypeForm:
    """Return the type of the items that a function returns, or `None` if it does not say.

    Raises:
        DefinitionError: What it returns is no collection.
    """
    form = return_of(function)
    if form is None:
        return None
    element = element_of(form)
    plain = [member for member in members(form) if isinstance(member, type)] if element is None else []
    if any(not issubclass(member, Iterable) or issubclass(member, _NO_ITEMS) for member in plain):
        message = (
            f"{called!r} gets its items from a function that returns {type_name(form)}, which is no collection. Let it "
            "return a list, as in `-> list[Order]`."
        )
        raise DefinitionError(message, where=location_of(function))
    return element


def _only_input(part: Part, called: str) -> TypeForm:
    """Return the type of the one input that a worker has, which then is the item."""
    needed = [item.query.form for item in part.inputs if not item.optional]
    if len(needed) != 1:
        message = (
            f"{called!r} cannot tell which input of {part.name!r} is the item. Say what the items are: annotate the "
            "function that returns them, as in `-> list[Order]`."
        )
        raise DefinitionError(message)
    return needed[0]


def _element_of_values(values: Sequence[Any]) -> TypeForm:
    kinds = tuple(dict.fromkeys(type(value) for value in values))
    if not kinds or any(issubclass(kind, list | tuple | set | frozenset | dict) for kind in kinds):
        return None  # their classes do not say what is in them
    return Union[kinds]  # noqa: UP007 - made at run time


def _is_item(form: TypeForm, element: TypeForm) -> bool:
    return form is not None and prospect(element, form) != "never"


def _name_of(worker: Any) -> str:
    return str(getattr(worker, "name", None) or getattr(worker, "__name__", None) or type(worker).__name__)
