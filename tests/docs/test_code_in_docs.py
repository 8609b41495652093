"""Every Python block in the README and the docs runs, top to bottom, one namespace a page."""

import re
import sys
import types
from pathlib import Path

import pytest

import planboard.planners
from planboard.planners.search.engine import ALGORITHMS
from planboard.planners.search.heuristics import BUILT_IN

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages_with_code() -> list[Path]:
    return [page for page in PAGES if BLOCK.search(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", pages_with_code(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs(page, monkeypatch, tmp_path):
    """A block that is followed by a `text` block prints just that."""
    text = page.read_text(encoding="utf-8")
    name = f"docs_page_{page.stem.replace('-', '_')}"
    module = types.ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.chdir(ROOT)

    for block in BLOCK.finditer(text):
        printed: list[str] = []
        module.__dict__["print"] = lambda *values, to=printed, **_: to.append(" ".join(map(str, values)))
        line = text[: block.start()].count("\n") + 1
        exec(compile("\n" * line + block.group(1), str(page), "exec"), module.__dict__)
        expected = OUTPUT.match(text, block.end() + 1) or OUTPUT.match(text, block.end() + 2)
        if expected:
            assert "\n".join(printed).strip() == expected.group(1).strip(), f"{page}:{line}"


def test_every_page_is_reachable_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")

    missing = [str(page.relative_to(ROOT / "docs")) for page in ROOT.glob("docs/**/*.md") if page.name != "index.md"]

    assert [page for page in missing if f"({page})" not in index] == []


LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_reference_of_planners_names_all_that_is_public():
    page = (ROOT / "docs" / "reference" / "planners.md").read_text(encoding="utf-8")

    assert [name for name in planboard.planners.__all__ if not re.search(rf"`(\w+\()?{name}\b", page)] == []


def test_the_reference_of_planners_names_all_engines_and_heuristics():
    page = (ROOT / "docs" / "reference" / "planners.md").read_text(encoding="utf-8")
    known = [*BUILT_IN, *(f"simpleai:{algorithm}" for algorithm in ALGORITHMS)]

    assert [name for name in known if f'`"{name}"`' not in page] == []
