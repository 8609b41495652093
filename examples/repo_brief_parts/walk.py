"""One walk over a directory: sorted, bounded, and never outside it.

Symbolic links are not followed, so there are no loops. Shallow files come first, so that a limit cuts off the deep
ones and keeps the README.
"""

import os
import stat
from pathlib import Path

from planboard import action
from repo_brief_parts.evidence import FileTree, RepoRequest, SourceFile, code, count

MAX_FILES = 20_000
MAX_FILE_BYTES = 1_000_000
MAX_READ_BYTES = 16_000_000
_SNIFF = 4096
IGNORED = frozenset({
    ".git", ".hg", ".svn", ".jj", ".venv", "venv", ".env.d", "node_modules", "bower_components", "vendor",
    "__pycache__",
    "build", "dist", "target", ".tox", ".nox", ".eggs", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis",
    ".import_linter_cache", ".gradle", ".idea", ".next", ".terraform", ".cache", "site-packages", "htmlcov",
})  # fmt: skip
_BINARY = frozenset({
    ".png", ".jpg", ".jpeg", ".gif", ".ico", ".webp", ".pdf", ".zip", ".gz", ".xz", ".bz2", ".7z", ".tar", ".jar",
    ".whl",
    ".so", ".dll", ".dylib", ".exe", ".o", ".a", ".class", ".pyc", ".woff", ".woff2", ".ttf", ".otf", ".mp3", ".mp4",
    ".sqlite", ".db", ".bin", ".npy", ".npz", ".parquet", ".pt", ".onnx",
})  # fmt: skip


@action(cost=0.05, value=0.95)
def scan(request: RepoRequest) -> FileTree:
    """List the files, once for everybody."""
    if not request.path.is_dir():
        what = "is not a directory" if request.path.exists() else "does not exist"
        message = f"There is nothing to read at {str(request.path)!r}: it {what}. Give the path of a directory."
        raise NotADirectoryError(message)
    root = request.path.resolve()
    return _Walk(root).tree()


class _Walk:
    """The walk itself, and a count of all it leaves out."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ignored: dict[str, int] = {}
        self.links = self.special = self.unreadable = self.odd_names = self.binary = self.large = 0
        self.truncated = False
        self.over_budget = 0

    def tree(self) -> FileTree:
        files = self._files()
        name = self.root.name or str(self.root)
        return FileTree(root=self.root, name=_clean(name), files=tuple(files), gaps=tuple(self._gaps()))

    def _files(self) -> list[SourceFile]:
        found: list[SourceFile] = []
        level, budget = [""], MAX_READ_BYTES
        while level:
            below: list[str] = []
            for folder in level:
                for name, entry in self._entries(folder):
                    path = f"{folder}{name}"
                    if entry.is_dir(follow_symlinks=False):
                        below += [f"{path}/"] if self._wanted(name) else []
                        continue
                    size = self._size(entry)
                    if size is None:
                        continue
                    if len(found) == MAX_FILES:
                        self.truncated = True
                        return found
                    file = SourceFile(path=path, size=size, readable=self._is_readable(path, size, budget))
                    budget -= size if file.readable else 0
                    found.append(file)
            level = below
        return found

    def _entries(self, folder: str) -> list[tuple[str, os.DirEntry[str]]]:
        try:
            with os.scandir(self.root / folder) as entries:
                listed = sorted(entries, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            self.unreadable += 1
            return []
        kept = [(entry.name, entry) for entry in listed if _clean(entry.name) == entry.name]
        self.odd_names += len(listed) - len(kept)
        return kept

    def _wanted(self, name: str) -> bool:
        if name in IGNORED or name.endswith(".egg-info"):
            self.ignored[name] = self.ignored.get(name, 0) + 1
            return False
        return True

    def _size(self, entry: os.DirEntry[str]) -> int | None:
        """Return the size of a regular file; `None` for all else, which may block when it is opened."""
        if entry.is_symlink():
            self.links += 1
            return None
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError:
            self.unreadable += 1
            return None
        if not stat.S_ISREG(status.st_mode):
            self.special += 1
            return None
        return status.st_size

    def _is_readable(self, path: str, size: int, budget: int) -> bool:
        if os.path.splitext(path)[1].lower() in _BINARY:  # noqa: PTH122 - one call per file, and a path is slower
            self.binary += 1
            return False
        if size > MAX_FILE_BYTES:
            self.large += 1
            return False
        try:
            with (self.root / path).open("rb") as opened:
                start = opened.read(_SNIFF)
        except OSError:
            self.unreadable += 1
            return False
        if b"\0" in start:
            self.binary += 1
            return False
        if size > budget:
            self.over_budget += 1
            return False
        return True

    def _gaps(self) -> list[str]:
        skipped = ", ".join(code(name) for name in sorted(self.ignored))
        told = [
            (bool(self.ignored), f"Folders of tools, builds and third parties: {skipped}"),
            (self.truncated, f"Everything after the first {MAX_FILES:,} files, shallow ones first"),
            (
                self.over_budget > 0,
                f"The text of {count(self.over_budget, 'file')}: {MAX_READ_BYTES:,} bytes were read",
            ),
            (self.large > 0, f"The text of {count(self.large, 'file')} larger than {MAX_FILE_BYTES:,} bytes"),
            (self.binary > 0, f"The contents of {count(self.binary, 'binary file')}"),
            (self.links > 0, f"{count(self.links, 'symbolic link')}, which are not followed"),
            (self.special > 0, f"{count(self.special, 'socket, pipe or device', 'sockets, pipes and devices')}"),
            (
                self.unreadable > 0,
                f"{count(self.unreadable, 'file or folder', 'files or folders')} that could not be read",
            ),
            (self.odd_names > 0, f"{count(self.odd_names, 'entry', 'entries')} whose name is no valid UTF-8"),
        ]
        return [text for is_so, text in told if is_so]


def _clean(name: str) -> str:
    return name.encode("utf-8", "replace").decode("utf-8")
