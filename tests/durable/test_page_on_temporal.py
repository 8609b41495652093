"""The example of the guide runs as it stands there."""

import asyncio
import re
import sys
import types
from pathlib import Path

import pytest

from planboard.durable.temporal import TemporalRuns

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "scale-out.md"


def test_the_example_of_the_guide_runs(address, monkeypatch):
    page = types.ModuleType("scale_out")
    monkeypatch.setitem(sys.modules, "scale_out", page)
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), page.__dict__)

    async def both() -> object:
        working = asyncio.create_task(page.be_a_worker(address))
        try:
            return await page.spend(page.Expense(payee="Ada", amount=900), address)
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    paid = asyncio.run(both())

    assert paid.receipt.startswith("Ada: 900 (")


def test_a_server_that_is_not_there_is_told_of():
    with pytest.raises(ConnectionError, match="temporal server start-dev"):
        asyncio.run(TemporalRuns.connect("127.0.0.1:1"))
