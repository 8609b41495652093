"""Names for tools: what providers accept, made from any name, and found again from what a model makes of it."""

import re
import unicodedata
from collections.abc import Iterable
from hashlib import sha256

LONGEST = 64
"""How many characters providers allow."""

_VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")
_MARKED = re.compile(r".*_[0-9a-f]{8}\Z", re.DOTALL)
_DIGITS = 8


def tool_name(name: str) -> str:
    """Return a name of at most 64 letters, digits, `_` and `-`.

    It depends on the name alone, so it is stable whatever else there is, and it differs for different names: what
    cannot be kept as it is ends with a mark made of the whole name.
    """
    if _VALID.match(name) and not _MARKED.match(name):
        return name
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    kept = re.sub(r"[^a-zA-Z0-9_-]+", "_", plain).strip("_")[: LONGEST - _DIGITS - 1]
    mark = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{kept or 'tool'}_{mark}"


def find_tool(called: str, offered: Iterable[str]) -> str | None:
    """Return the offered name that a model means: the very same, else the only one that reads alike.

    A name as it was before `tool_name` made it fit for providers counts as the very same. Case, space and quotes around
    it, and the difference between space, `-`, `_` and `.` do not count.
    """
    names = list(offered)
    for exact in (called, tool_name(called)):
        if exact in names:
            return exact
    wanted = _folded(called)
    alike = [name for name in names if wanted and _folded(name) == wanted]
    return alike[0] if len(alike) == 1 else None


def _folded(name: str) -> str:
    bare = name.casefold().strip().strip("\"'`").strip().removeprefix("functions.").removesuffix("()")
    return re.sub(r"[\s_.-]+", "_", bare)
