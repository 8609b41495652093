"""The reference names all there is: what the package exports, and every kind of event."""

import re
from pathlib import Path
from typing import get_args

import pytest

import planboard
from planboard.events import Event

REFERENCE = "\n".join(
    page.read_text(encoding="utf-8") for page in sorted((Path(__file__).parents[2] / "docs" / "reference").glob("*.md"))
)


@pytest.mark.parametrize("name", [name for name in planboard.__all__ if not name.startswith("__")])
def test_every_exported_name_is_in_the_reference(name):
    assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", REFERENCE)


@pytest.mark.parametrize("event", get_args(get_args(Event)[0]), ids=lambda event: event.__name__)
def test_every_kind_of_event_is_in_the_reference(event):
    assert f"`{event.__dataclass_fields__['kind'].default}`" in REFERENCE
