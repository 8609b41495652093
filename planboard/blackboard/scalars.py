"""Standard values that JSON has no form for, and the forms they are given: exact, and for these very classes only."""

import base64
import datetime as dt
import decimal
import fractions
import ipaddress
import pathlib
import uuid
import zoneinfo
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

SMALL = 8000
"""Whole numbers of more bits are written in hexadecimal: Python limits the digits of decimal ones."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """How values of one class are written and read."""

    name: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    """May raise `ValueError` or `TypeError` for what was not written by `write`."""


def _float(text: str) -> float:
    if text not in ("nan", "inf", "-inf"):
        message = f"{text!r} is no number that JSON lacks"
        raise ValueError(message)
    return float(text)


def _moment(value: dt.datetime) -> list[Any]:
    return [value.replace(tzinfo=None).isoformat(), _zone(value.tzinfo), value.fold]


def _moment_from(data: Any) -> dt.datetime:
    text, zone, fold = data
    return dt.datetime.fromisoformat(text).replace(tzinfo=_zone_from(zone), fold=fold)


def _clock_time(value: dt.time) -> list[Any]:
    return [value.replace(tzinfo=None).isoformat(), _zone(value.tzinfo), value.fold]


def _clock_time_from(data: Any) -> dt.time:
    text, zone, fold = data
    return dt.time.fromisoformat(text).replace(tzinfo=_zone_from(zone), fold=fold)


def _zone(zone: dt.tzinfo | None) -> Any:
    if zone is None:
        return None
    if zone is dt.UTC:
        return "UTC"
    if type(zone) is dt.timezone:
        return _length(zone.utcoffset(None))
    if type(zone) is zoneinfo.ZoneInfo and zone.key:
        return f"zone:{zone.key}"
    # pydantic has a class of its own for offsets, which says no more than the offset
    offset = zone.utcoffset(None)
    if offset is not None and type(zone).__module__.startswith("pydantic"):
        return "UTC" if not offset else _length(offset)
    message = f"its time zone is a {type(zone).__name__}; use datetime.UTC, a timezone or a ZoneInfo"
    raise ValueError(message)


def _zone_from(data: Any) -> dt.tzinfo | None:
    if data is None or data == "UTC":
        return None if data is None else dt.UTC
    if isinstance(data, str) and data.startswith("zone:"):
        return zoneinfo.ZoneInfo(data.removeprefix("zone:"))
    return dt.timezone(_length_from(data))


def _length(value: dt.timedelta | None) -> list[int]:
    assert value is not None  # noqa: S101 - a timezone has an offset
    return [value.days, value.seconds, value.microseconds]


def _length_from(data: Any) -> dt.timedelta:
    days, seconds, microseconds = data
    return dt.timedelta(days, seconds, microseconds)


def _decimal_from(text: str) -> decimal.Decimal:
    try:
        return decimal.Decimal(text)
    except decimal.InvalidOperation:
        message = f"{text!r} is no decimal number"
        raise ValueError(message) from None


def _bytes_from(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


SCALARS: Mapping[type, Scalar] = {
    float: Scalar("float", str, _float),
    int: Scalar("int", hex, lambda text: int(text, 16)),
    bytes: Scalar("bytes", lambda value: base64.b64encode(value).decode(), _bytes_from),
    bytearray: Scalar(
        "bytearray", lambda value: base64.b64encode(value).decode(), lambda text: bytearray(_bytes_from(text))
    ),
    complex: Scalar(
        "complex",
        lambda value: [value.real.hex(), value.imag.hex()],
        lambda data: complex(*map(float.fromhex, data)),
    ),
    dt.datetime: Scalar("datetime", _moment, _moment_from),
    dt.date: Scalar("date", dt.date.isoformat, dt.date.fromisoformat),
    dt.time: Scalar("time", _clock_time, _clock_time_from),
    dt.timedelta: Scalar("timedelta", _length, _length_from),
    dt.timezone: Scalar("timezone", _zone, _zone_from),
    zoneinfo.ZoneInfo: Scalar("ZoneInfo", _zone, _zone_from),
    decimal.Decimal: Scalar("Decimal", str, _decimal_from),
    fractions.Fraction: Scalar("Fraction", str, fractions.Fraction),
    uuid.UUID: Scalar("UUID", str, uuid.UUID),
    range: Scalar("range", lambda value: [value.start, value.stop, value.step], lambda data: range(*data)),
    type(pathlib.Path()): Scalar("Path", str, pathlib.Path),
    pathlib.PurePosixPath: Scalar("PurePosixPath", str, pathlib.PurePosixPath),
    pathlib.PureWindowsPath: Scalar("PureWindowsPath", str, pathlib.PureWindowsPath),
    ipaddress.IPv4Address: Scalar("IPv4Address", str, ipaddress.IPv4Address),
    ipaddress.IPv6Address: Scalar("IPv6Address", str, ipaddress.IPv6Address),
    ipaddress.IPv4Network: Scalar("IPv4Network", str, ipaddress.IPv4Network),
    ipaddress.IPv6Network: Scalar("IPv6Network", str, ipaddress.IPv6Network),
    ipaddress.IPv4Interface: Scalar("IPv4Interface", str, ipaddress.IPv4Interface),
    ipaddress.IPv6Interface: Scalar("IPv6Interface", str, ipaddress.IPv6Interface),
}
"""By class. Floats and whole numbers are here only for those that JSON cannot write."""

BY_NAME: Mapping[str, Scalar] = {scalar.name: scalar for scalar in SCALARS.values()}
