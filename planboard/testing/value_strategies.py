"""Valid values of any type that pydantic can validate, models and their constraints included.

What is drawn follows pydantic's own schema of the type, so constraints, discriminators, aliases and defaults are
respected by construction; validators are asked. What `values` yields is accepted by the type and comes back equal.
"""

from collections.abc import Callable
from typing import Any, TypeVar, overload

from hypothesis import reject
from hypothesis import strategies as st
from pydantic import ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import SchemaError

from planboard._text import brief
from planboard.blackboard.schema import adapter_for, describe_error
from planboard.errors import DefinitionError
from planboard.testing.schema_walk import SchemaWalk
from planboard.types import TypeForm, type_name

T = TypeVar("T")

_TRIES = 20
"""Draws for one value, before the example is given up: validators may refuse nine of ten."""
_HOPELESS = 400
"""Refusals without a single acceptance after which the type is reported instead of searched on."""


@overload
def values(form: type[T]) -> st.SearchStrategy[T]: ...
@overload
def values(form: TypeForm) -> st.SearchStrategy[Any]: ...
def values(form: TypeForm) -> st.SearchStrategy[Any]:
    """Return a strategy of valid values of a type.

    Every value passes `TypeAdapter(form).validate_python` and comes back equal. Constraints of `Field` and `Annotated`
    are met by construction; where validators have a say, values they refuse are drawn again. A strategy registered
    with `hypothesis.strategies.register_type_strategy` is used wherever its type occurs.

    Args:
        form: A model, dataclass, enum, union, container, `Annotated` type and so on.

    Raises:
        DefinitionError: No strategy for it, or for something inside it; the message says what and where. A field
            that has a default is left at its default instead.
    """
    try:
        adapter = adapter_for(form)
        adapter.rebuild()
        schema = adapter.core_schema
    except (PydanticUserError, SchemaError, NameError) as error:
        message = f"values({type_name(form)}): pydantic cannot validate this type: {error}"
        raise DefinitionError(message) from error
    inputs = SchemaWalk(schema, type_name(form), sieved).inputs(form)
    validate = adapter.validate_python

    def settle(raw: object) -> object:
        try:
            value = validate(raw)
            again = validate(value)
        except ValueError:
            raise
        except Exception:  # noqa: BLE001 - a validator that cannot take its own results; `raw` was made by validation
            return raw
        if type(again) is not type(value) or again != value:
            message = f"{brief(value)} is not accepted as it is: it comes back as {brief(again)}"
            raise ValueError(message)
        return value

    return sieved(inputs, settle, type_name(form))


def sieved(strategy: st.SearchStrategy[Any], make: Callable[[Any], Any], what: str) -> st.SearchStrategy[Any]:
    """Return what `make` makes of the values drawn, drawing again when it raises a `ValueError`.

    Raises:
        DefinitionError: While drawing, when nothing was ever accepted.
    """
    accepted = refused = 0

    @st.composite
    def accepted_only(draw: st.DrawFn) -> Any:
        nonlocal accepted, refused
        error: Exception | None = None
        for _ in range(_TRIES):
            raw = draw(strategy)
            try:
                value = make(raw)
            except (ValidationError, ValueError, AssertionError) as refusal:
                refused += 1
                error = refusal
            else:
                accepted += 1
                return value
        if not accepted and refused >= _HOPELESS:
            message = (
                f"values: none of {refused} values drawn for {what} was accepted; the last was refused with "
                f"{describe_error(error or ValueError())}. Register values that are accepted: "
                "hypothesis.strategies.register_type_strategy(<the type>, <a strategy>)."
            )
            raise DefinitionError(message)
        return reject()

    return accepted_only()
