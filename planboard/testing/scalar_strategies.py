"""Numbers, text, times and other values without parts, within the constraints of pydantic's schema."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any, TypeAlias
from uuid import UUID

from hypothesis import strategies as st

Strategy: TypeAlias = st.SearchStrategy[Any]
Schema: TypeAlias = dict[str, Any]

_LONG_PAST = datetime(2000, 1, 1)  # noqa: DTZ001 - for a time that is past wherever and whenever one looks
_FAR_FUTURE = datetime(2200, 1, 1)  # noqa: DTZ001
_SMALL_DIGITS = 28
"""Digits of a decimal without `max_digits`; what Python calculates with."""
_BOUNDS = ("gt", "ge", "lt", "le")


def _bounded(schema: Schema) -> bool:
    return any(name in schema for name in (*_BOUNDS, "multiple_of"))


def _integers(schema: Schema) -> Strategy:
    if not _bounded(schema):
        return st.from_type(int)
    least, most = _whole_bounds(schema, 1)
    step = schema.get("multiple_of", 1)
    return _whole(least, most, step)


def _whole_bounds(schema: Schema, unit: Any) -> tuple[int | None, int | None]:
    """Return the least and the greatest whole number of units that the bounds allow."""
    exact = Fraction(unit)
    lows = [ceil(Fraction(schema["ge"]) / exact)] if "ge" in schema else []
    lows += [floor(Fraction(schema["gt"]) / exact) + 1] if "gt" in schema else []
    highs = [floor(Fraction(schema["le"]) / exact)] if "le" in schema else []
    highs += [ceil(Fraction(schema["lt"]) / exact) - 1] if "lt" in schema else []
    return max(lows, default=None), min(highs, default=None)


def _whole(least: int | None, most: int | None, step: int) -> Strategy:
    low = None if least is None else -(-least // step)
    high = None if most is None else most // step
    return st.integers(low, high).map(lambda number: number * step)


def _floats(schema: Schema) -> Strategy:
    infinite = schema.get("allow_inf_nan", True)
    if "multiple_of" in schema:
        step = schema["multiple_of"]
        least, most = _whole_bounds(schema, str(step))
        return st.integers(-(10**6) if least is None else least, 10**6 if most is None else most).map(
            lambda number: float(Fraction(str(step)) * number)
        )
    if not _bounded(schema):
        return _unless_registered(float, "floats()", st.floats(allow_nan=False, allow_infinity=infinite))
    low, high = schema.get("gt", schema.get("ge")), schema.get("lt", schema.get("le"))
    return st.floats(
        None if low is None else float(low),
        None if high is None else float(high),
        exclude_min="gt" in schema,
        exclude_max="lt" in schema,
        allow_nan=False,
        allow_infinity=None if infinite and (low is None or high is None) else False,
    )


def _decimals(schema: Schema) -> Strategy:
    places, digits = schema.get("decimal_places"), schema.get("max_digits")
    if not _bounded(schema) and places is None and digits is None:
        return _unless_registered(Decimal, "decimals()", st.decimals(allow_nan=False, allow_infinity=False))
    finest = max((_places(schema[name]) for name in _BOUNDS if name in schema), default=0) + 2
    shown = min(finest if places is None else places, _SMALL_DIGITS if digits is None else digits)
    step = Fraction(schema.get("multiple_of", 1 if "multiple_of" in schema else Fraction(1, 10**shown)))
    least, most = _whole_bounds(schema, step)
    limit = floor(Fraction(10 ** (digits or _SMALL_DIGITS) - 1, 10**shown) / step)
    low = -limit if least is None else max(least, -limit)
    high = limit if most is None else min(most, limit)
    numerator, denominator = step.numerator, step.denominator
    return st.integers(low, high).map(lambda number: Decimal(number * numerator) / Decimal(denominator))


def _places(number: Any) -> int:
    """Return how many decimal places a bound has."""
    return max(0, -int(Decimal(str(number)).as_tuple().exponent))


def _unless_registered(cls: type, default: str, strategy: Strategy) -> Strategy:
    """Return a strategy that knows better than Hypothesis' own, but not better than a user's."""
    registered: Strategy = st.from_type(cls)
    return strategy if repr(registered) == default else registered


def _text(schema: Schema) -> Strategy:
    pattern = schema.get("pattern")
    least, most = schema.get("min_length", 0), schema.get("max_length")
    if pattern is None:
        return st.text(min_size=least, max_size=most) if least or most is not None else st.from_type(str)
    compiled = pattern if isinstance(pattern, re.Pattern) else re.compile(_as_python(pattern))
    whole = st.from_regex(compiled, fullmatch=True)
    anchored = compiled.pattern.startswith("^") and compiled.pattern.endswith("$")
    return whole if anchored else whole | st.from_regex(compiled)


def _as_python(pattern: str) -> str:
    r"""Return a pattern of Rust's in Python's words: `\z` is the very end of the text."""
    return pattern.replace(r"\z", r"\Z")


def _binary(schema: Schema) -> Strategy:
    least, most = schema.get("min_length", 0), schema.get("max_length")
    return st.binary(min_size=least, max_size=most) if least or most is not None else st.from_type(bytes)


def _dates(schema: Schema) -> Strategy:
    low, high = _limits(schema, timedelta(days=1))
    if schema.get("now_op") == "past":
        high = min(high or date.max, _LONG_PAST.date())
    if schema.get("now_op") == "future":
        low = max(low or date.min, _FAR_FUTURE.date())
    if low is None and high is None:
        return st.from_type(date)
    return st.dates(low or date.min, high or date.max)


def _datetimes(schema: Schema) -> Strategy:
    low, high = _limits(schema, timedelta(microseconds=1))
    zone = next((limit.tzinfo for limit in (low, high) if limit is not None), None)
    low, high = (None if limit is None else limit.replace(tzinfo=None) for limit in (low, high))
    if schema.get("now_op") == "past":
        high = _LONG_PAST if high is None else min(high, _LONG_PAST)
    if schema.get("now_op") == "future":
        low = _FAR_FUTURE if low is None else max(low, _FAR_FUTURE)
    wanted = schema.get("tz_constraint")
    if low is None and high is None and wanted is None:
        return st.from_type(datetime)
    zones: Strategy = st.just(zone)
    if isinstance(wanted, int):
        zones = st.just(timezone(timedelta(seconds=wanted)))
    elif wanted == "aware" and zone is None:
        zones = st.timezones()
    first, last = datetime(1, 1, 1), datetime(9999, 12, 31)  # noqa: DTZ001 - the zone is added
    return st.datetimes(low or first, high or last, timezones=zones)


def _times(schema: Schema) -> Strategy:
    low, high = schema.get("ge", schema.get("gt")), schema.get("le", schema.get("lt"))
    zone = next((limit.tzinfo for limit in (low, high) if limit is not None), None)
    if schema.get("tz_constraint") == "aware" and zone is None:
        return st.times(timezones=st.just(UTC))
    if low is None and high is None:
        return st.from_type(time)
    low, high = (None if limit is None else limit.replace(tzinfo=None) for limit in (low, high))
    return st.times(low or time.min, high or time.max, timezones=st.just(zone))


def _durations(schema: Schema) -> Strategy:
    low, high = _limits(schema, timedelta(microseconds=1))
    if low is None and high is None:
        return st.from_type(timedelta)
    return st.timedeltas(low or timedelta.min, high or timedelta.max)


def _limits(schema: Schema, step: timedelta) -> tuple[Any, Any]:
    lows = [schema["ge"]] if "ge" in schema else []
    lows += [schema["gt"] + step] if "gt" in schema else []
    highs = [schema["le"]] if "le" in schema else []
    highs += [schema["lt"] - step] if "lt" in schema else []
    return max(lows, default=None), min(highs, default=None)


def _uuids(schema: Schema) -> Strategy:
    version = schema.get("version")
    if version is None:
        return st.from_type(UUID)
    if version in range(1, 6):
        return st.uuids(version=version)
    marked = (version << 76) | (0b10 << 62)
    kept = ~((0xF << 76) | (0b11 << 62))
    return st.integers(0, 2**128 - 1).map(lambda bits: UUID(int=bits & kept | marked))


def _urls(schema: Schema) -> Strategy:
    schemes = st.sampled_from(schema.get("allowed_schemes") or ["http", "https"])
    names = st.text("abcxyz", min_size=1, max_size=6)
    return st.builds("{}://{}.example/{}".format, schemes, names, names)


def _enum(schema: Schema) -> Strategy:
    return st.from_type(schema["cls"])


def _anything(_: Schema) -> Strategy:
    return st.none() | st.booleans() | st.integers() | st.text()


SCALARS: dict[str, Callable[[Schema], Strategy]] = {
    "any": _anything,
    "bool": lambda _: st.from_type(bool),
    "bytes": _binary,
    "complex": lambda _: st.from_type(complex),
    "date": _dates,
    "datetime": _datetimes,
    "decimal": _decimals,
    "enum": _enum,
    "float": _floats,
    "fraction": lambda _: st.from_type(Fraction),
    "int": _integers,
    "literal": lambda schema: st.sampled_from(schema["expected"]),
    "multi-host-url": _urls,
    "none": lambda _: st.none(),
    "str": _text,
    "time": _times,
    "timedelta": _durations,
    "url": _urls,
    "uuid": _uuids,
}
"""How each of these kinds is drawn; what a schema demands beside is filtered by validation."""
