"""A module with postponed annotations that refer forward; `test_signatures` imports it."""

from __future__ import annotations

from pydantic import BaseModel

from planboard import action


@action
def forward(given: Later) -> Report:
    return Report(text=given.text)


class Later(BaseModel):
    text: str = ""


class Report(BaseModel):
    text: str
