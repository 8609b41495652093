"""`sequence`, `parallel`, `loop` and `branch`: steps that are made of others."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, Optional, TypeAlias, Union

from planboard.actions.action import root_name
from planboard.actions.context import ActionContext, Addition
from planboard.actions.making import StepAction
from planboard.actions.waiting import Denied
from planboard.errors import ActionError, DefinitionError
from planboard.steps.composing import composed, inputs_of, names_of, part_forms
from planboard.steps.deciding import Decider
from planboard.steps.failing import StepFailed, failed
from planboard.steps.gathering import gather
from planboard.steps.part import Part, as_part, as_parts
from planboard.types import TypeForm

OnError: TypeAlias = Literal["fail", "collect"]
"""What a failure of one part does to the whole: it fails, or has a `StepFailed` in its place."""


def sequence(*parts: Any, name: str | None = None, **options: Any) -> StepAction:
    """Return an action that runs parts one after another. Each is given what it needs of what is there by then.

    It yields what all of its parts yield, in their order. Where a person does not agree to a part, the rest is not run
    and the action fails, unless the next part takes a `Denied`.

    Args:
        parts: Agents, actions, steps, or functions with types.
        name: The name of the action; made from those of the parts by default.
        **options: What `@action` takes: `cost`, `value`, `pre`, `post`, `rerun`, `approval`, `description` and so on.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    given = _flat(parts)
    called = name or _joined(given, "_then_")
    made = as_parts(given, within=called)

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        results: list[tuple[Addition, ...]] = []
        for place, part in enumerate(made):
            found = await part.results(context, part.chosen(there))
            results.append(found)
            there = [*there, *found]
            _refuse_denied(called, part, found, made[place + 1 :])
        return results

    options.setdefault("description", f"Runs {', then '.join(part.name for part in made)}.")
    return composed(
        "sequence", called, script, inputs=inputs_of(made, in_turn=True), outputs=[part.returning for part in made],
        output_names=names_of(made), parts=made, options=options,
    )  # fmt: skip


def parallel(
    *parts: Any, name: str | None = None, on_error: OnError = "fail", at_once: int | None = None, **options: Any
) -> StepAction:
    """Return an action that runs parts at once. It yields what they yield, in their order, not in that of time.

    What waits for a person does not hold up the others. If a part fails, those that have begun come to their end.

    Args:
        parts: Agents, actions, steps, or functions with types.
        name: The name of the action; made from those of the parts by default.
        on_error: `"fail"`: if a part fails, so does the action. `"collect"`: a `StepFailed` stands in its place.
        at_once: How many may run at once; all by default.
        **options: What `@action` takes.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    given = _flat(parts)
    called = name or _joined(given, "_and_")
    made = as_parts(given, within=called)
    check_gathering(called, on_error, at_once)

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        jobs = [partial(_agreed, called, part, context, part.chosen(there)) for part in made]
        outcomes = await gather(jobs, at_once=at_once, collect=on_error == "collect")
        return [
            [Addition(failed(part.name, place, outcome))] if isinstance(outcome, Exception) else outcome
            for place, (part, outcome) in enumerate(zip(made, outcomes, strict=True))
        ]

    outputs = [part.returning for part in made]
    if on_error == "collect":
        outputs = [StepFailed if form is None else Union[form, StepFailed] for form in outputs]  # noqa: UP007
    options.setdefault("description", f"Runs {', '.join(part.name for part in made)} at once.")
    return composed(
        "parallel step", called, script, inputs=inputs_of(made, in_turn=False), outputs=outputs,
        output_names=names_of(made), parts=made, options=options,
    )  # fmt: skip


def loop(
    body: Any,
    *,
    until: Callable[..., Any] | None = None,
    max: int = 10,  # noqa: A002 - the word of the field
    at_max: Literal["stop", "fail"] = "stop",
    name: str | None = None,
    **options: Any,
) -> StepAction:
    """Return an action that runs a part again and again, each time with what the time before has made.

    It yields what the last round has made. It ends only itself, never a loop around it.

    Args:
        body: An agent, an action, a step, or a function with types.
        until: A typed function over what is there after a round, which ends the loop by returning `True`. A lambda
            names what it looks at: `lambda draft: draft.score > 0.8`.
        max: How many rounds there are at most.
        at_max: What happens when `until` does not hold after the last round: `"stop"`: the last round counts;
            `"fail"`: the action fails.
        name: The name of the action; made from that of the body by default.
        **options: What `@action` takes.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    called = name or f"loop_{_name_of(body)}"
    if isinstance(max, bool) or not isinstance(max, int) or max < 1:
        message = f"{called!r} has max={max!r}; a loop has a whole number of rounds, at least 1."
        raise DefinitionError(message)
    if at_max not in ("stop", "fail"):
        message = f'{called!r} has at_max={at_max!r}; it is "stop" or "fail".'
        raise DefinitionError(message)
    part = as_part(body, within=called)
    ends = None if until is None else Decider(until, within=called, role="until", known=_known(part))

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        found: tuple[Addition, ...] = ()
        for _ in range(max):
            found = await part.results(context, part.chosen(there))
            there = [*there, *found]
            _refuse_denied(called, part, found, ())
            if ends is not None and await ends.decide(context, there):
                return [found]
        if ends is not None and at_max == "fail":
            message = f"Loop {called!r} went {max} rounds, and what it waits for does not hold: {ends.name}."
            raise ActionError(called, message)
        return [found]

    deciders = [] if ends is None else [ends]
    options.setdefault("description", f"Runs {part.name} until it is enough, at most {max} times.")
    return composed(
        "loop", called, script, inputs=_inputs_with(deciders, [part], made=part), outputs=[part.returning],
        output_names=names_of([part]), parts=_with_deciders([part], deciders), options=options,
    )  # fmt: skip


def branch(
    when: Callable[..., Any],
    then: Any,
    otherwise: Any = None,
    *,
    name: str | None = None,
    **options: Any,
) -> StepAction:
    """Return an action that runs one of several parts.

    Args:
        when: A typed function over what is there, which says which.
        then: What is run when it returns `True`; or a mapping from what it may return to parts.
        otherwise: What is run when it returns `False`, or what is not in the mapping; nothing by default.
        name: The name of the action; made from those of the parts by default.
        **options: What `@action` takes.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    ways: dict[Any, Any] = dict(then) if isinstance(then, Mapping) else {True: then}
    rest = [] if otherwise is None else [otherwise]
    called = name or _joined([*ways.values(), *rest], "_or_")
    made = as_parts([*ways.values(), *rest], within=called)
    chosen: dict[Any, Part | None] = dict(zip(ways, made, strict=False))
    fallback = made[-1] if rest else None
    known = {key: form for part in made for key, form in _known(part).items()}
    decider = Decider(when, within=called, role="when", known=known, returns=bool if True in ways else str)

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        answer = await decider.decide(context, there)
        key = bool(answer) if set(chosen) == {True} else answer
        part = chosen.get(key, fallback)
        return [()] if part is None else [await part.results(context, part.chosen(there))]

    forms = [form for part in made for form in ([part.returning] if part.returning is not None else [type(None)])]
    if fallback is None:
        forms.append(type(None))
    outputs = Union[tuple(dict.fromkeys(forms))]  # noqa: UP007 - made at run time
    options.setdefault("description", f"Runs one of {', '.join(part.name for part in made)}.")
    inputs = _inputs_with([decider], [], made=None)
    for key, form in inputs_of(made, in_turn=False).items():
        inputs.setdefault(key, form if len(made) == 1 and fallback is not None else Optional[form])  # noqa: UP045
    return composed(
        "branch", called, script, inputs=inputs, outputs=[outputs], parts=_with_deciders(made, [decider]),
        options=options,
    )  # fmt: skip


async def _agreed(called: str, part: Part, context: ActionContext, given: Sequence[Addition]) -> tuple[Addition, ...]:
    """Run a part beside others; that a person did not agree to it is a failure of it, unless it says so itself."""
    found = await part.results(context, given)
    if Denied not in part_forms(part):
        _refuse_denied(called, part, found, ())
    return found


def _refuse_denied(called: str, part: Part, found: Sequence[Addition], later: Sequence[Part]) -> None:
    denied = next((item.value for item in found if isinstance(item.value, Denied)), None)
    if denied is None or (later and later[0].takes(Denied)):
        return
    why = f": {denied.reason}" if denied.reason else ""
    message = f"{part.name!r} in {called!r} was not agreed to{why}. What follows it was not run."
    raise ActionError(called, message)


def check_gathering(called: str, on_error: object, at_once: object) -> None:
    """Refuse what says nothing about how several things are run at once.

    Raises:
        DefinitionError: It is neither a policy nor a number.
    """
    if on_error not in ("fail", "collect"):
        message = f'{called!r} has on_error={on_error!r}; it is "fail" or "collect".'
        raise DefinitionError(message)
    if at_once is not None and (isinstance(at_once, bool) or not isinstance(at_once, int) or at_once < 1):
        message = f"{called!r} has at_once={at_once!r}; it is a whole number of at least 1, or None for all at once."
        raise DefinitionError(message)


def _inputs_with(deciders: Sequence[Decider], parts: Sequence[Part], *, made: Part | None) -> dict[str, TypeForm]:
    """Return what parts and deciders need; what `made` yields is there when the deciders are asked."""
    inputs = inputs_of(parts, in_turn=True)
    there = part_forms(made) if made is not None else ()
    stand_ins = [_Looking(decider.inputs) for decider in deciders]
    for key, form in inputs_of(stand_ins, in_turn=False, given=there).items():  # type: ignore[arg-type]
        inputs.setdefault(key, form)
    return inputs


class _Looking:
    """Stands for a part that only has inputs."""

    def __init__(self, inputs: Sequence[Any]) -> None:
        self.inputs = inputs


def _with_deciders(parts: Sequence[Part], deciders: Sequence[Decider]) -> list[Part]:
    return [*parts, *(decider.part for decider in deciders if decider.part is not None)]


def _known(part: Part) -> dict[str, TypeForm]:
    """Return the types that a lambda may look at, by their names."""
    forms = [*(item.query.form for item in part.inputs), *part_forms(part)]
    named = {item.query.name: item.query.form for item in part.inputs if item.query.name}
    return {**{root_name(form): form for form in forms if form is not None}, **named}


def _flat(parts: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(parts[0]) if len(parts) == 1 and isinstance(parts[0], list | tuple) else tuple(parts)


def _joined(parts: Sequence[Any], word: str) -> str:
    """Return a name made of names."""
    names = [_name_of(part) for part in parts]
    text = word.join(names)
    return text if len(text) <= _LONGEST else f"{names[0]}{word}{len(names) - 1}_more"


def _name_of(part: Any) -> str:
    return str(getattr(part, "name", None) or getattr(part, "__name__", None) or type(part).__name__)


_LONGEST = 60
