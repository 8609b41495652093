"""Examples are loaded from their files, as a reader would run them."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


@pytest.fixture
def load(monkeypatch):
    """Load an example by its file's name."""

    monkeypatch.delenv("PLANBOARD_MODEL", raising=False)
    monkeypatch.setattr(sys, "argv", ["example"])

    def load(name: str) -> ModuleType:
        monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
        spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def python():
    """Run Python in a process of its own, anywhere."""

    def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        kept = {name: value for name, value in os.environ.items() if name != "PLANBOARD_MODEL"}
        environment = {**kept, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"}
        command = [sys.executable, *arguments]
        return subprocess.run(command, capture_output=True, encoding="utf-8", cwd=cwd, env=environment, check=False)

    return python
