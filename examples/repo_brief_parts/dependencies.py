"""What the project builds on, read from its manifests."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from planboard import ActionContext, action
from repo_brief_parts.evidence import Check, Evidence, Fact, FileTree, Gap, SourceFile, code, count, plain

_LOCKS = (
    "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "package-lock.json", "yarn.lock", "pnpm-lock.yaml",
    "bun.lock",
    "Cargo.lock", "go.sum",
)  # fmt: skip
_SHOWN = 12
_Names = dict[str, str]
"""Names of packages, with the versions that are allowed."""


class Manifest(Fact):
    """One file that declares dependencies."""

    path: str
    needed: tuple[tuple[str, str], ...] = ()
    """Packages with the versions that are allowed; an empty text allows any."""
    optional: int = 0
    """How many more are for development, or for extras."""
    problem: str = ""


class Dependencies(Evidence):
    """All manifests."""

    topic: ClassVar[str] = "dependencies"
    rank: ClassVar[int] = 35

    manifests: tuple[Manifest, ...]
    locks: tuple[str, ...]

    def checks(self) -> tuple[Check, ...]:
        packages = [(name, versions) for manifest in self.manifests for name, versions in manifest.needed]
        free = sorted({name for name, versions in packages if not versions})
        bounded = f"any version will do for {', '.join(code(name) for name in free[:_SHOWN])}" if free else "all are"
        locked = ", ".join(code(path) for path in self.locks) or "no lock file"
        broken = [
            f"{code(manifest.path)}: {plain(manifest.problem)}" for manifest in self.manifests if manifest.problem
        ]
        checks = [
            Check(
                name="Versions of dependencies are bounded",
                passed=not free,
                evidence=bounded if packages else "there are none",
            ),
            Check(name="Dependencies are locked", passed=bool(self.locks), evidence=locked),
        ]
        return (*checks, *(Check(name="Manifest can be read", passed=False, evidence=problem) for problem in broken))

    def details(self) -> tuple[str, ...]:
        return tuple(self._line(manifest) for manifest in self.manifests if not manifest.problem)

    @staticmethod
    def _line(manifest: Manifest) -> str:
        names = ", ".join(code(name) for name, _ in manifest.needed[:_SHOWN])
        more = f" and {len(manifest.needed) - _SHOWN} more" if len(manifest.needed) > _SHOWN else ""
        also = f"; {manifest.optional} optional or for development" if manifest.optional else ""
        return f"- {code(manifest.path)}: {count(len(manifest.needed), 'dependency', 'dependencies')}{also}" + (
            f" ({names}{more})" if names else ""
        )


@action(cost=0.1, value=0.85)
def read_dependencies(tree: FileTree, context: ActionContext) -> Dependencies | None:
    """Read the manifests; nothing when there are none."""
    manifests = [_read(tree, file, reader) for file in tree.readable() if (reader := _reader_for(file)) is not None]
    if not manifests:
        context.add(Gap(subject="Dependencies", reason="no manifest of Python, JavaScript, Rust or Go"))
        return None
    locks = tuple(file.path for file in tree.files if file.name in _LOCKS)
    return Dependencies(manifests=tuple(manifests), locks=locks)


def _reader_for(file: SourceFile) -> Callable[[str], tuple[_Names, int]] | None:
    if re.fullmatch(r"requirements[\w.-]*\.txt", file.name) or (
        file.suffix == ".txt" and "requirements" in file.folders
    ):
        return _requirements
    return {"pyproject.toml": _pyproject, "package.json": _package_json, "Cargo.toml": _cargo, "go.mod": _go_mod}.get(
        file.name
    )


def _read(tree: FileTree, file: SourceFile, reader: Callable[[str], tuple[_Names, int]]) -> Manifest:
    try:
        needed, optional = reader(tree.text(file))
    except (ValueError, TypeError, AttributeError, RecursionError) as error:  # it is not as its format demands
        return Manifest(path=file.path, problem=f"{type(error).__name__}, so its dependencies are unknown")
    return Manifest(path=file.path, needed=tuple(sorted(needed.items())), optional=optional)


def _pyproject(text: str) -> tuple[_Names, int]:
    data = tomllib.loads(text)
    project, poetry = data.get("project", {}), data.get("tool", {}).get("poetry", {})
    needed = _specifiers(project.get("dependencies", []))
    needed |= {name: _version(spec) for name, spec in poetry.get("dependencies", {}).items() if name != "python"}
    groups = [*project.get("optional-dependencies", {}).values(), *data.get("dependency-groups", {}).values()]
    groups += [group.get("dependencies", {}) for group in poetry.get("group", {}).values()]
    return needed, sum(len(group) for group in groups)


def _requirements(text: str) -> tuple[_Names, int]:
    lines = (line.split(" #")[0].strip() for line in text.splitlines())
    return _specifiers(line for line in lines if line and not line.startswith(("#", "-"))), 0


def _package_json(text: str) -> tuple[_Names, int]:
    data = json.loads(text)
    needed = {
        name: "" if spec in ("*", "latest", "") else str(spec) for name, spec in data.get("dependencies", {}).items()
    }
    return needed, len(data.get("devDependencies", {})) + len(data.get("optionalDependencies", {}))


def _cargo(text: str) -> tuple[_Names, int]:
    data = tomllib.loads(text)
    needed = {name: _version(spec) for name, spec in data.get("dependencies", {}).items()}
    return needed, len(data.get("dev-dependencies", {})) + len(data.get("build-dependencies", {}))


def _go_mod(text: str) -> tuple[_Names, int]:
    found = re.findall(r"^\s*(?:require\s+)?([\w.-]+\.[\w./~-]+)\s+(v\S+)(.*)$", text, re.MULTILINE)
    direct = {name: version for name, version, rest in found if "// indirect" not in rest}
    return direct, len(found) - len(direct)


def _specifiers(lines: Iterable[Any]) -> _Names:
    """Return the packages of requirement texts, such as "pydantic[email]>=2; python_version > '3'"."""
    found: _Names = {}
    for line in lines:
        match = re.match(r"([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)", str(line))
        if match and "://" not in match[1]:
            found[match[1].lower()] = match[2].strip()
    return found


def _version(spec: Any) -> str:
    if isinstance(spec, dict):
        spec = spec.get("version") or spec.get("git") or spec.get("path") or spec.get("workspace") or ""
    return "" if spec == "*" else str(spec)
