"""`map_each` and `for_each`: a part that is run for every item, all at once or one after another."""

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from functools import partial
from inspect import isasyncgenfunction
from typing import Any, Union

from planboard._text import brief
from planboard.actions.context import ActionContext, Addition
from planboard.actions.making import StepAction
from planboard.actions.waiting import Denied
from planboard.blackboard.matching import prospect
from planboard.errors import ActionError, DefinitionError
from planboard.steps.composing import composed, inputs_of
from planboard.steps.deciding import Decider, element_of
from planboard.steps.failing import StepFailed, failed
from planboard.steps.gathering import gather
from planboard.steps.part import Part, as_part, declared_as
from planboard.steps.sequence import OnError, check_gathering
from planboard.types import TypeForm, is_type, type_name


def map_each(
    items: Any,
    worker: Any,
    *,
    name: str | None = None,
    on_error: OnError = "fail",
    at_once: int | None = None,
    **options: Any,
) -> StepAction:
    """Return an action that runs a worker for every item at once, and yields the list of results.

    The results are in the order of the items. No items, no results: the list is empty. Items whose workers wait for a
    person do not hold up the others, and each waits by itself.

    Args:
        items: A collection on the board, by its type, such as `list[Order]`; a typed function over the board that
            returns the items; or the items themselves.
        worker: An agent, an action, a step, or a function with types. One of its inputs is the item; the others come
            from the board.
        name: The name of the action; made from that of the worker by default.
        on_error: `"fail"`: if an item fails, no other begins, and the action fails once those that have begun are at
            their end. `"collect"`: a `StepFailed` stands in the place of each result that failed.
        at_once: How many may run at once; all by default.
        **options: What `@action` takes: `cost`, `value`, `pre`, `post`, `output`, `rerun` and so on.

    Example:
        >>> @action
        ... def price(order: Order) -> Price: ...
        >>> map_each(list[Order], price, at_once=4)
        <step 'map_price'>

    Raises:
        DefinitionError: Something about it cannot work.
    """
    return _over("map_each", items, worker, name or f"map_{_name_of(worker)}", on_error, at_once, options)


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
    kind: str, items: Any, worker: Any, called: str, on_error: OnError, at_once: int | None, options: dict[str, Any]
) -> StepAction:
    check_gathering(called, on_error, at_once)
    part = as_part(worker, within=called)
    source = _Source(items, part, called)
    rest = [item for item in part.inputs if not _is_item(item.query.form, source.element)]
    if len(rest) == len(part.inputs):
        wanted = ", ".join(str(item) for item in part.inputs) or "nothing"
        message = (
            f"{called!r} hands {type_name(source.element)} to {part.name!r}, which takes {wanted}. "
            "One of its inputs must be an item."
        )
        raise DefinitionError(message)

    async def do(context: ActionContext, there: Sequence[Addition], item: object) -> tuple[Addition, ...]:
        given = Addition(item, declared_as(item, source.element))
        others = [one for one in there if not _is_item(one.type or type(one.value), source.element)]
        found = await part.results(context, (*part.chosen(others), given))
        denied = next((one.value for one in found if isinstance(one.value, Denied)), None)
        if denied is not None:
            message = f"{part.name!r} was not agreed to{f': {denied.reason}' if denied.reason else ''}"
            raise ActionError(part.name, message)
        return found

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        found = await source.items(context, there)
        jobs = [partial(do, context, there, item) for item in found]
        if kind == "map_each":
            outcomes = await gather(jobs, at_once=at_once, collect=on_error == "collect")
        else:
            outcomes = []
            for job in jobs:  # what waits is raised here, before the next one begins
                outcomes += await gather([job], collect=on_error == "collect")
        results = [
            failed(part.name, place, outcome) if isinstance(outcome, Exception) else _value_of(outcome)
            for place, outcome in enumerate(outcomes)
        ]
        return [()] if part.returning is None and on_error == "fail" else [[Addition(results, returns)]]

    form = _result_of(part)
    if on_error == "collect":
        form = Union[form, StepFailed]  # noqa: UP007 - made at run time
    returns: TypeForm = list[form]  # type: ignore[valid-type]
    nothing = part.returning is None and on_error == "fail"
    stand_in = Part(part.name, "", part.agent, None, tuple(rest), part.reads_board, part.action)
    inputs = {**source.inputs, **inputs_of([stand_in], in_turn=False)}
    asked = source.decider.part if source.decider is not None else None
    parts = [part] if asked is None else [part, asked]
    output = options.pop("output", None)
    options.setdefault("description", f"Runs {part.name} for each item.")
    return composed(
        kind, called, script, inputs=inputs, outputs=[None if nothing else returns],
        output_names=() if output is None else (output,), parts=parts, options=options,
    )  # fmt: skip


class _Source:
    """Where the items come from."""

    def __init__(self, given: Any, part: Part, called: str) -> None:
        self._called = called
        self._literal: tuple[Any, ...] | None = None
        self._form: TypeForm = None
        self.decider: Decider | None = None
        self.inputs: dict[str, TypeForm] = {}
        if is_type(given):
            self._form = given
            self.element = element_of(given)
            self.inputs = {"items": given}
            if self.element is None:
                message = f"{called!r} goes over {type_name(given)}; say what is in it, as in list[Order]."
                raise DefinitionError(message)
        elif callable(given):
            if isasyncgenfunction(given):
                message = f"{called!r} gets its items from an asynchronous generator; return a list from it instead."
                raise DefinitionError(message)
            self.decider = Decider(given, within=called, role="items", known={}, returns=list[Any])
            self.inputs = inputs_of([self.decider], in_turn=False)  # type: ignore[list-item]
            self.element = element_of(_return_of(given)) or _only_input(part, called)
        elif isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping):
            self._literal = tuple(given)
            self.element = _element_of_values(self._literal) or _only_input(part, called)
        else:
            message = (
                f"{called!r} has no items: {brief(given)}. Give the type of a collection on the board, such as "
                "list[Order], a typed function that returns the items, or the items themselves."
            )
            raise DefinitionError(message)

    async def items(self, context: ActionContext, there: Sequence[Addition]) -> tuple[Any, ...]:
        """Return the items."""
        if self._literal is not None:
            return self._literal
        if self.decider is not None:
            found = await self.decider.decide(context, there)
        else:
            found = next((one.value for one in reversed(there) if _admits(self._form, one)), None)
        if found is None or isinstance(found, str | bytes | Mapping | AsyncIterable) or not isinstance(found, Iterable):
            message = f"{self._called!r} needs a collection of items and was given {brief(found)}. Give an empty one?"
            raise ActionError(self._called, message)
        return tuple(found)


def _admits(form: TypeForm, item: Addition) -> bool:
    from planboard.blackboard.matching import satisfies

    return satisfies(item.value, item.type, form)


def _return_of(function: Any) -> TypeForm:
    import typing

    try:
        return typing.get_type_hints(function).get("return")
    except (NameError, TypeError):  # the type is local to a function, or the object is no function
        found = getattr(function, "__annotations__", {}).get("return")
        return None if isinstance(found, str) else found


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


def _result_of(part: Part) -> TypeForm:
    return part.returning if part.returning is not None else type(None)


def _value_of(found: Sequence[Addition]) -> Any:
    values = tuple(item.value for item in found)
    return values if len(values) > 1 else values[0] if values else None


def _name_of(worker: Any) -> str:
    return str(getattr(worker, "name", None) or getattr(worker, "__name__", None) or type(worker).__name__)
