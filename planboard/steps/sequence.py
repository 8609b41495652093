"""`sequence`, `parallel`, `loop` and `branch`: steps that are made of others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Any, Literal, TypeAlias, Union

from planboard._text import suggest
from planboard.actions.context import ActionContext, Addition
from planboard.actions.making import StepAction
from planboard.actions.waiting import Denied
from planboard.errors import ActionError, DefinitionError
from planboard.steps.composing import Contribution, agreed, composed, refuse_denied, unmade, unmade_in_turn
from planboard.steps.deciding import Decider, known_to
from planboard.steps.failing import StepFailed, failed
from planboard.steps.gathering import gather
from planboard.steps.part import Part, as_part, as_parts, part_forms
from planboard.types import TypeForm

OnError: TypeAlias = Literal["fail", "collect"]
"""What a failure of one part does to the whole: it fails, or has a `StepFailed` in its place."""


def sequence(*parts: Any, name: str | None = None, **options: Any) -> StepAction:
    """Return an action that runs parts one after another. Each is given what it needs of what is there by then.

    It yields what all of its parts yield, in their order. Where a person does not agree to a part, the rest is not run
    and the action fails, unless the next part takes that too: `outcome: Approved | Denied`.

    Args:
        parts: Agents, actions, steps, or functions with types.
        name: The name of the action; made from those of the parts by default.
        **options: What `@action` takes: `cost`, `value`, `pre`, `post`, `rerun`, `approval`, `description` and so on.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    given = _flat(parts)
    called = name or _joined(given, "_then_") or "sequence"
    made = as_parts(given, within=called)
    steps = list(zip_longest(made, made[1:]))

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        results: list[tuple[Addition, ...]] = []
        for place, (part, then) in enumerate(steps):
            found = await part.results(context.labelled(f"part {place}"), part.chosen(there))
            if then is None or not then.takes(Denied):
                refuse_denied(called, part, found)
            results.append(found)
            there = [*there, *found]
        return results

    yields = [agreed(part, then) for part, then in steps]
    options.setdefault("description", f"Runs {', then '.join(part.name for part in made)}.")
    return composed(
        "sequence", called, script, inputs=unmade_in_turn(made, yields), yields=yields, parts=made, options=options
    )


def parallel(
    *parts: Any, name: str | None = None, on_error: OnError = "fail", concurrency: int | None = None, **options: Any
) -> StepAction:
    """Return an action that runs parts at once. It yields what they yield, in their order, not in that of time.

    What waits for a person does not hold up the others. If a part fails, those that have begun come to their end.

    Args:
        parts: Agents, actions, steps, or functions with types.
        name: The name of the action; made from those of the parts by default.
        on_error: `"fail"`: if a part fails, so does the action. `"collect"`: a `StepFailed` stands in its place.
        concurrency: How many may run at once; all by default.
        **options: What `@action` takes.

    Raises:
        DefinitionError: Something about it cannot work.
    """
    given = _flat(parts)
    called = name or _joined(given, "_and_") or "parallel"
    made = as_parts(given, within=called)
    check_gathering(called, on_error, concurrency)

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        jobs = [
            partial(_agreed, called, part, context.labelled(f"part {place}"), there) for place, part in enumerate(made)
        ]
        outcomes = await gather(jobs, concurrency=concurrency, collect=on_error == "collect")
        return [
            [Addition(failed(part.name, place, outcome))] if isinstance(outcome, Exception) else outcome
            for place, (part, outcome) in enumerate(zip(made, outcomes, strict=True))
        ]

    yields = [agreed(part) for part in made]
    if on_error == "collect":
        yields = [replace(one, form=_or_failed(one.form)) for one in yields]
    inputs = [item for part in made for item in part.inputs]
    options.setdefault("description", f"Runs {', '.join(part.name for part in made)} at once.")
    return composed("parallel step", called, script, inputs=inputs, yields=yields, parts=made, options=options)


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
    ends = None if until is None else Decider(until, within=called, role="until", known=known_to(part))

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        found: tuple[Addition, ...] = ()
        for number in range(1, max + 1):
            labelled = context.labelled(f"round {number}")
            found = await _agreed(called, part, labelled, there)
            there = [*there, *found]
            if ends is not None and await ends.holds(labelled, there):
                return [found]
        if ends is not None and at_max == "fail":
            message = f"Loop {called!r} went {max} rounds, and what it waits for does not hold: {ends.name}."
            raise ActionError(called, message)
        return [found]

    last = agreed(part)
    inputs = [*part.inputs, *unmade(() if ends is None else ends.inputs, [last])]
    options.setdefault("description", f"Runs {part.name} until it is enough, at most {max} times.")
    return composed(
        "loop", called, script, inputs=inputs, yields=[last], parts=_with_deciders([part], [ends]), options=options
    )


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
    called = name or _joined([*ways.values(), *rest], "_or_") or "branch"
    made = as_parts([*ways.values(), *rest], within=called)
    chosen: dict[Any, Part | None] = dict(zip(ways, made, strict=False))
    fallback = made[-1] if rest else None
    yes_or_no = not isinstance(then, Mapping)
    answers = bool if yes_or_no else Union[tuple(type(key) for key in ways)]  # noqa: UP007 - made at run time
    decider = Decider(when, within=called, role="when", known=known_to(*made), returns=answers)
    if not yes_or_no:
        _check_ways(called, ways, decider.answers)

    async def script(context: ActionContext, there: list[Addition]) -> Sequence[Sequence[Addition]]:
        key = await (decider.holds if yes_or_no else decider.decide)(context, there)
        try:
            part, label = chosen[key], f"when {key}"
        except (KeyError, TypeError):  # what cannot be a key is none
            part, label = fallback, "otherwise"
        if part is None:
            return [()]
        found = await part.results(context.labelled(label), part.chosen(there))
        if Denied not in part_forms(part):
            refuse_denied(called, part, found)
        return [found]

    forms = [part.returning if part.returning is not None else type(None) for part in made]
    if fallback is None:
        forms.append(type(None))
    of_all = Contribution(Union[tuple(forms)], _names_of_ways(called, made, options))  # noqa: UP007 - made at run time
    every = [part.takes_always for part in made] if fallback is not None else [frozenset()]
    always = frozenset.intersection(*every)
    of_parts = [item for part in made for item in part.inputs]
    inputs = [
        *decider.inputs,
        *(replace(item, optional=(item.query.form, item.query.name) not in always) for item in of_parts),
    ]
    options.setdefault("description", f"Runs one of {', '.join(part.name for part in made)}.")
    return composed(
        "branch", called, script, inputs=inputs, yields=[of_all], parts=_with_deciders(made, [decider]), options=options
    )


def _check_ways(called: str, ways: Iterable[Any], answers: tuple[Any, ...] | None) -> None:
    """Refuse ways that are never taken, as far as it is known what may be answered.

    Raises:
        DefinitionError: There is one.
    """
    for key in ways if answers is not None else ():
        if not any(key == answer and type(key) is type(answer) for answer in answers or ()):
            hint = suggest(str(key), map(str, answers or ()))
            message = f"{called!r} has a way for {key!r}, which its function never returns. {hint}"
            raise DefinitionError(message)


def _names_of_ways(called: str, parts: Sequence[Part], options: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names that what comes of a branch is bound to, whichever part was run."""
    if options.get("output") is not None:
        return ()
    names = dict.fromkeys(part.output_names for part in parts if part.returning is not None)
    if len(names) > 1:
        shown = " or ".join(repr(", ".join(each)) if any(each) else "nothing" for each in names)
        message = f"What comes of {called!r} is bound to {shown}, as it turns out. Give it one name: output=..."
        raise DefinitionError(message)
    return next(iter(names), ())


async def _agreed(called: str, part: Part, context: ActionContext, there: Sequence[Addition]) -> tuple[Addition, ...]:
    """Run a part; that a person did not agree to it is a failure of it."""
    found = await part.results(context, part.chosen(there))
    refuse_denied(called, part, found)
    return found


def _or_failed(form: TypeForm) -> TypeForm:
    return StepFailed if form is None else Union[form, StepFailed]  # noqa: UP007 - made at run time


def check_gathering(called: str, on_error: object, concurrency: object) -> None:
    """Refuse what says nothing about how several things are run at once.

    Raises:
        DefinitionError: It is neither a policy nor a number.
    """
    if on_error not in ("fail", "collect"):
        message = f'{called!r} has on_error={on_error!r}; it is "fail" or "collect".'
        raise DefinitionError(message)
    if concurrency is not None and (
        isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1
    ):
        message = (
            f"{called!r} has concurrency={concurrency!r}; it is a whole number of at least 1, or None for all at once."
        )
        raise DefinitionError(message)


def _with_deciders(parts: Sequence[Part], deciders: Sequence[Decider | None]) -> list[Part]:
    asked = (decider.part for decider in deciders if decider is not None)
    return [*parts, *(part for part in asked if part is not None)]


def _flat(parts: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(parts[0]) if len(parts) == 1 and isinstance(parts[0], list | tuple) else tuple(parts)


def _joined(parts: Sequence[Any], word: str) -> str:
    """Return a name made of names."""
    names = [_name_of(part) for part in parts]
    text = word.join(names)  # of nothing it is empty
    return text if len(text) <= _LONGEST else f"{names[0]}{word}{len(names) - 1}_more"


def _name_of(part: Any) -> str:
    return str(getattr(part, "name", None) or getattr(part, "__name__", None) or type(part).__name__)


_LONGEST = 60
