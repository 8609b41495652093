"""What a step that is made of parts takes and yields, as one action that runs them as children.

Its inputs are what its parts need and none of the earlier ones makes; its outputs are what its parts make. The
function of such a step only runs children, so it may be run again from its beginning whenever one of them had to wait.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import prod
from typing import Any, Union

from pydantic import BaseModel, ConfigDict

from planboard.actions.action import BoundInput
from planboard.actions.context import ActionContext, Addition
from planboard.actions.making import StepAction, step, with_inputs
from planboard.actions.signature import alternatives
from planboard.actions.waiting import Denied
from planboard.blackboard.matching import conforms, members, prospect
from planboard.errors import NotAgreedError
from planboard.runtime.handing import CONTEXT, all_there, handed_over, inputs_of_step, parameters_for
from planboard.steps.part import Part, agents_of
from planboard.types import TypeForm

_WAYS = 8
"""How many ways to turn out a step may have for planning; what is less sure than that is not promised."""


class Done(BaseModel):
    """A step has come to its end that puts nothing else on the board."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    """The name of the action."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one part contributes to what a step yields."""

    form: TypeForm
    """Its type; `None` for nothing."""
    names: tuple[str, ...] = ()
    """The names that it is bound to, by position; "" for none."""

    @property
    def ways(self) -> tuple[tuple[TypeForm, ...], ...]:
        """The alternatives, each a tuple of types."""
        return alternatives(self.form)

    @property
    def width(self) -> int | None:
        """How many entries there are in every case; `None` if that cannot be said."""
        widths = {len(way) for way in self.ways}
        return widths.pop() if len(widths) == 1 else None


Script = Callable[[ActionContext, list[Addition]], Awaitable[Sequence[Sequence[Addition]]]]
"""Runs the parts of a step: it is given what is there at the beginning, and returns what has come of each output."""


def composed(
    kind: str,
    name: str,
    script: Script,
    *,
    inputs: Iterable[BoundInput],
    yields: Sequence[Contribution],
    parts: Sequence[Part],
    options: Mapping[str, Any],
) -> StepAction:
    """Return a step that runs parts.

    Args:
        kind: What it is, for messages.
        name: The name of the action.
        script: Runs the parts.
        inputs: What it takes.
        yields: What each part contributes to its outputs, in order.
        parts: What it is made of.
        options: What `@action` takes beside.
    """
    promised = _promised(yields)
    kept = [one for one, keep in zip(yields, promised, strict=True) if keep]
    forms = tuple(one.form for one in kept if _is_something(one.form))
    returns = Done if not forms else forms[0] if len(forms) == 1 else tuple[forms]  # type: ignore[valid-type]
    reads_all = any(part.reads_board for part in parts)

    async def run(**given: Any) -> Any:
        context: ActionContext = given.pop(CONTEXT)
        handed = handed_over(given, inputs_of_step(made))
        results = await script(context, all_there(context, handed) if reads_all else handed)
        returned = _returned(results, yields, promised, context)
        return Done(step=name) if not forms else returned

    function = with_inputs(run, {**parameters_for(inputs), CONTEXT: ActionContext})
    given = {"idempotent": True, **options}  # running it again takes up the same children
    made = step(
        kind, function, name=name, returns=returns, agents=agents_of(parts),
        output=() if given.get("output") is not None else _names(kept), options=given,
    )  # fmt: skip
    made.reads_board = reads_all
    return made


# What it takes


def unmade(needed: Iterable[BoundInput], made: Sequence[Contribution]) -> list[BoundInput]:
    """Return the inputs that are not made anyway."""
    return [item for item in needed if not any(_is_answered(item, one) for one in made)]


def unmade_in_turn(parts: Iterable[Part], yields: Iterable[Contribution]) -> list[BoundInput]:
    """Return the inputs of parts that are run one after another, without what those before them make."""
    needed: list[BoundInput] = []
    made: list[Contribution] = []
    for part, one in zip(parts, yields, strict=True):
        needed += unmade(part.inputs, made)
        made.append(one)
    return needed


def _is_answered(item: BoundInput, by: Contribution) -> bool:
    """Tell whether an input is there in any case, once a part has been run."""
    return all(
        any(
            item.query.name in (None, name) and prospect(form, item.query.form) == "always"
            for form, name in zip_longest(way, by.names[: len(way)])
        )
        for way in by.ways
    )


# What it yields


def agreed(part: Part, then: Part | None = None) -> Contribution:
    """Return what a part yields if a person agreed to it, as far as they are asked: otherwise nothing goes on.

    Args:
        part: The part.
        then: What is run next, and may be what follows a refusal.
    """
    if part.returning is None:
        return Contribution(None, part.output_names)
    if then is not None and then.takes(Denied):
        form: TypeForm = Union[part.returning, Denied] if part.runs_agents else part.returning  # noqa: UP007
        return Contribution(form, part.output_names)
    rest = tuple(form for form in members(part.returning) if not (isinstance(form, type) and issubclass(form, Denied)))
    return Contribution(Union[rest] if rest else None, part.output_names)  # noqa: UP007 - made at run time


def refuse_denied(called: str, part: Part, found: Sequence[Addition]) -> None:
    """Raise if what came of a part is that a person did not agree to it.

    Raises:
        NotAgreedError: It is.
    """
    denied = next((item.value for item in found if isinstance(item.value, Denied)), None)
    if denied is not None:
        why = f": {denied.reason}" if denied.reason else ""
        message = f"{part.name!r} in {called!r} was not agreed to{why}. What follows it was not run."
        raise NotAgreedError(called, message, denied)


def values_of(found: Sequence[Addition]) -> Any:
    """Return what came of a part as an action would: a tuple of several, `None` for nothing."""
    values = tuple(item.value for item in found)
    return values if len(values) > 1 else values[0] if values else None


def _is_something(form: TypeForm) -> bool:
    return form is not None and form is not type(None)


def _promised(yields: Sequence[Contribution]) -> list[bool]:
    """Tell what a plan may count on: all, unless it leaves too many ways open, or hides where a named one stands."""
    ways = [len(one.ways) for one in yields]
    last_named = max((place for place, one in enumerate(yields) if any(one.names)), default=0)
    kept = [one.width is not None or place >= last_named for place, one in enumerate(yields)]
    for place, count in enumerate(ways):
        if prod(number for number, keep in zip(ways, kept, strict=True) if keep) <= _WAYS:
            break
        kept[place] = kept[place] and count == 1
    return kept


def _names(yields: Sequence[Contribution]) -> tuple[str, ...]:
    """Return the names of outputs by position."""
    names: list[str] = []
    for one in yields:
        width = one.width if one.width is not None else len(one.names)
        names += (*one.names, *("" for _ in range(width)))[:width]
    return tuple(names) if any(names) else ()


def _returned(
    results: Sequence[Sequence[Addition]],
    yields: Sequence[Contribution],
    promised: Sequence[bool],
    context: ActionContext,
) -> Any:
    """Return what is promised as the action's output, and put the rest on the board among it, in its place."""
    kept: list[Addition] = []
    for items, one, keep in zip(results, yields, promised, strict=True):
        outputs = _outputs_among(items, one) if keep else frozenset()
        for place, item in enumerate(items):
            if place in outputs:
                kept.append(item)
            else:
                context._effects.additions.append(replace(item, after=len(kept)))  # noqa: SLF001
    return values_of(kept)


def _outputs_among(items: Sequence[Addition], one: Contribution) -> frozenset[int]:
    """Return the places of what a part has returned; it may have put more on its board beside."""
    if one.width is None or len(items) <= one.width:
        return frozenset(range(len(items)))
    for way in one.ways:
        places: list[int] = []
        for form in way:
            start = places[-1] + 1 if places else 0
            places += [place for place in range(start, len(items)) if conforms(items[place].value, form)][:1]
        if len(places) == len(way):
            return frozenset(places)
    return frozenset(range(len(items)))
