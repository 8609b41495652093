"""Whether a chain of attributes exists on a type, told from models, dataclasses and annotations alone.

The promise: a field is refused only when no member of the type has it. Whatever is open (`Any`, a plain mapping, a
class of which nothing is known) ends the walk, and nothing is refused behind it.
"""

import dataclasses
import types
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from pathlib import PurePath
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    Literal,
    NewType,
    NotRequired,
    Required,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)
from uuid import UUID

from pydantic import BaseModel, RootModel

from planboard._text import suggest
from planboard.blackboard.expression_paths import Part
from planboard.types import TypeForm, type_name

_SCALARS: Final = (
    (bool, int, float, complex, str, bytes, date, datetime, time, timedelta, Decimal, UUID, PurePath, Enum)
)
_WRAPPERS: Final = (Annotated, Final, ClassVar, Required, NotRequired)
_SEQUENCES: Final = (list, set, frozenset, deque, Sequence, Collection, Iterable)

Fields: TypeAlias = Mapping[str, TypeForm]
