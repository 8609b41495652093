"""How what is on the board is shown to a model: as data, cut to a size, and without secrets."""

from pydantic_core import to_jsonable_python

from planboard._text import brief, masked
from planboard.llm.port import compact_json


def as_data(value: object, limit: int | None = None) -> str:
    """Return a value as one line of JSON, for a prompt.

    What is secret by its type or by its name is hidden. `<` is written as an escape, so that a text on the board
    can never close the tags that the board stands between.

    Args:
        value: Anything; what has no JSON form is shown by its `repr`.
        limit: The most characters to return; the rest is cut off, with a mark.
    """
    plain = masked(to_jsonable_python(value, fallback=brief, inf_nan_mode="strings", bytes_mode="base64"))
    return cut(compact_json(plain).replace("<", "\\u003c"), limit)


def cut(text: str, limit: int | None) -> str:
    """Cut a text off at a number of characters, and say so."""
    if limit is None or len(text) <= limit:
        return text
    mark = f"… ({len(text)} characters)"
    return text[: max(0, limit - len(mark))] + mark
