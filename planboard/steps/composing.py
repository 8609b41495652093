"""What a step that is made of parts takes and yields, as one action that runs them as children.

Its inputs are what its parts need and none of the earlier ones makes; its outputs are what its parts make. The
function of such a step only runs children, so it may be run again from its beginning whenever one of them had to wait.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Annotated, Any, Optional

from pydantic import BaseModel, ConfigDict

from planboard.actions.action import BoundInput, root_name
from planboard.actions.context import ActionContext, Addition
from planboard.actions.declarations import MARK, ActionDeclaration
from planboard.actions.making import StepAction, step, with_inputs
from planboard.actions.signature import Input, alternatives
from planboard.blackboard.matching import prospect
from planboard.steps.part import Part, agents_of, declared_as
from planboard.types import All, Named, TypeForm

CONTEXT = "planboard_context"
"""The parameter by which a step gets its context."""

_WAYS = 8
"""How many ways to turn out a step may have for planning; what is less sure than that is not promised."""


class Done(BaseModel):
    """A step has come to its end that puts nothing else on the board."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: str
    """The name of the action."""


Script = Callable[[ActionContext, list[Addition]], Awaitable[Sequence[Sequence[Addition]]]]
"""Runs the parts of a step: it is given what is there at the beginning, and returns what has come of each output, then
what else shall be put on the board."""


def composed(  # noqa: PLR0913 - a step has so many sides
    kind: str,
    name: str,
    script: Script,
    *,
    inputs: Mapping[str, TypeForm],
    outputs: Sequence[TypeForm],
    parts: Sequence[Part],
    output_names: Sequence[str] = (),
    reads_board: bool = False,
    options: Mapping[str, Any],
) -> StepAction:
    """Return a step that runs parts.

    Args:
        kind: What it is, for messages.
        name: The name of the action.
        script: Runs the parts.
        inputs: The types of its inputs by parameter.
        outputs: The type of what each part contributes to its outputs, in order; `None` for nothing.
        parts: What it is made of.
        output_names: The names of the outputs by position; "" for none.
        reads_board: Whether the script is given all that is on the board.
        options: What `@action` takes beside.
    """
    promised = _promised(outputs)
    forms = tuple(form for form, kept in zip(outputs, promised, strict=True) if kept and _is_something(form))
    returns = Done if not forms else forms[0] if len(forms) == 1 else tuple[forms]  # type: ignore[valid-type]
    reads_all = reads_board or any(part.reads_board for part in parts)

    async def run(**given: Any) -> Any:
        context: ActionContext = given.pop(CONTEXT)
        there = _all_there(context) if reads_all else _handed_over(given, declared_inputs(made))
        results = await script(context, there)
        returned = _returned(results, promised, context)
        return Done(step=name) if not forms else returned

    function = with_inputs(run, {**inputs, CONTEXT: ActionContext})
    options = {"idempotent": True, **options}  # running it again takes up the same children
    made = step(
        kind, function, name=name, returns=returns, agents=agents_of(parts),
        output=tuple(output_names) if all(promised) else (), options=options,
    )  # fmt: skip
    made.reads_board = reads_all
    return made


def declared_inputs(made: StepAction) -> tuple[Input, ...]:
    """Return what a step takes from the board."""
    declaration: ActionDeclaration = getattr(made, MARK)
    return tuple(item for item in declaration.reader.read().inputs if item.parameter != CONTEXT)


def inputs_of(parts: Iterable[Part], *, in_turn: bool, given: Iterable[TypeForm] = ()) -> dict[str, TypeForm]:
    """Return what parts need, by parameter.

    Args:
        parts: The parts.
        in_turn: Whether a part is given what those before it made.
        given: What is there anyway.
    """
    needed: dict[str, TypeForm] = {}
    made: list[tuple[TypeForm, str | None]] = [(form, None) for form in given]
    for part in parts:
        for item in part.inputs:
            if not _is_made(item, made):
                _note(needed, item)
        if in_turn:
            ways = [set(way) for way in part.outputs]
            sure = set.intersection(*ways) if ways else set()
            made += [(form, None) for form in part_forms(part) if form in sure]
            made += [
                (form, name) for way in part.outputs for form, name in zip(way, part.output_names, strict=False) if name
            ]
    return needed


def part_forms(part: Part) -> tuple[TypeForm, ...]:
    """Return every type that may come of a part."""
    return tuple(dict.fromkeys(form for way in part.outputs for form in way))


def names_of(parts: Iterable[Part]) -> tuple[str, ...]:
    """Return the names of the outputs of parts by position, as far as each part turns out in one way only."""
    names: list[str] = []
    for part in parts:
        if len(part.outputs) != 1:
            break
        width = len(part.outputs[0])
        names += (*part.output_names, *("" for _ in range(width)))[:width]
    return tuple(names) if any(names) else ()


def _is_something(form: TypeForm) -> bool:
    return form is not None and form is not type(None)


def _is_made(item: BoundInput, made: Sequence[tuple[TypeForm, str | None]]) -> bool:
    return any(
        item.query.name in (None, name) and item.query.form is not None and prospect(form, item.query.form) == "always"
        for form, name in made
    )


def _note(needed: dict[str, TypeForm], item: BoundInput) -> None:
    """Add an input, unless the same is needed already; what one part can do without, another may not."""
    form: TypeForm = item.query.form
    if item.collects:
        form = Annotated[list[form], All]
    if item.query.name is not None:
        form = Annotated[form, Named(item.query.name)]
    name = item.query.name or root_name(item.query.form)
    name = f"all_{name}" if item.collects else name
    optional: TypeForm = Optional[form]  # noqa: UP045 - made at run time
    while name in needed and needed[name] not in (form, optional):
        name += "_"
    if item.optional:
        needed.setdefault(name, optional)
    else:
        needed[name] = form


def _promised(outputs: Sequence[TypeForm]) -> list[bool]:
    """Tell which outputs a plan may count on: all, unless they leave too many ways open for how it turns out."""
    ways = [len(alternatives(form)) for form in outputs]
    kept = [True] * len(ways)
    for place, count in enumerate(ways):
        if prod(number for number, keep in zip(ways, kept, strict=True) if keep) <= _WAYS:
            break
        kept[place] = count == 1
    return kept


def _handed_over(given: Mapping[str, Any], inputs: Sequence[Input]) -> list[Addition]:
    """Return the arguments as things that can be given to a child, with their types and names."""
    found: list[Addition] = []
    for item in inputs:
        value = given.get(item.parameter)
        if value is not None:
            values = value if item.collects else [value]
            found += [Addition(one, declared_as(one, item.form), item.name) for one in values]
    return found


def _all_there(context: ActionContext) -> list[Addition]:
    return [Addition(entry.value, entry.type, entry.name) for entry in context.visible]


def _returned(made: Sequence[Sequence[Addition]], promised: Sequence[bool], context: ActionContext) -> Any:
    """Return what is promised as the action's output, and put the rest on the board beside it."""
    kept: list[Addition] = []
    for place, items in enumerate(made):
        if place < len(promised) and promised[place]:
            kept += items
        else:
            _add(items, context)
    values = tuple(item.value for item in kept)
    return values if len(values) > 1 else values[0] if values else None


def _add(made: Iterable[Addition], context: ActionContext) -> None:
    for item in made:
        if item.name is None:
            context.add(item.value, type=item.type)
        else:
            context.bind(item.name, item.value, type=item.type)
