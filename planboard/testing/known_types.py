"""Types that need a strategy of their own, and those that a user has registered one for."""

import sys
from pathlib import Path, PurePath
from typing import Any

from hypothesis import strategies as st
from pydantic import ByteSize, SecretBytes, SecretStr

from planboard.types import TypeForm, origin_of

_names = st.text("abcxyz019_-", min_size=1, max_size=8)
_paths = st.lists(_names, min_size=1, max_size=3).map("/".join)

KNOWN: dict[type, st.SearchStrategy[Any]] = {
    ByteSize: st.integers(0, 2**50).map(ByteSize),
    Path: _paths.map(Path),
    PurePath: _paths.map(PurePath),
    SecretBytes: st.binary().map(SecretBytes),
    SecretStr: st.text().map(SecretStr),
}
"""Types whose schema does not tell what they are made of."""


def is_registered(form: TypeForm) -> bool:
    """Whether someone has registered a strategy for a type of their own.

    Types of the standard library are left to `from_type`, which knows what is registered for them anyway.
    """
    cls = origin_of(form) or form
    module = getattr(cls, "__module__", "builtins").partition(".")[0]
    return module not in sys.stdlib_module_names and cls in _lookup()


def is_known(form: TypeForm) -> bool:
    """Whether Hypothesis has a strategy for a type, of its own or registered."""
    return (origin_of(form) or form) in _lookup()


def _lookup() -> dict[Any, Any]:
    """Return Hypothesis' table of registered types; there is no public way to ask for it."""
    from hypothesis.strategies._internal.types import _global_type_lookup

    table: dict[Any, Any] = _global_type_lookup
    return table
