"""Who goes on with a run: a program holds one lock on a small file for as long as it lives, however it ends.

There is no clock in it and nothing to renew. Whether an owner lives is found out by trying its lock: the operating
system lets go of it with the program.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path
from uuid import uuid4


class Owner:
    """This program, as one that may own runs in a journal.

    Args:
        folder: Where owners have their files; it is made when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock

        folder.mkdir(exist_ok=True)
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"
        """What it is called in the journal: host, process, and a part that is never used again."""
        self.folder = folder
        self._lock = FileLock(_file(folder, self.name), thread_local=False)
        self._lock.acquire(timeout=0)

    def lives(self, name: str) -> bool:
        """Tell whether another owner lives; the file of one that does not is removed."""
        from filelock import FileLock, Timeout

        path = _file(self.folder, name)
        if name == self.name:
            return True
        if not path.exists():
            return False
        other = FileLock(path, thread_local=False)
        try:
            other.acquire(timeout=0)
        except Timeout:
            return True
        other.release()
        with suppress(OSError):  # somebody else has found out at the same time
            path.unlink()
        return False

    def close(self) -> None:
        """Stop being an owner."""
        self._lock.release()
        with suppress(OSError):
            _file(self.folder, self.name).unlink()


def spoken(name: str) -> str:
    """Return an owner's name as a person reads it."""
    host, process, _ = name.rsplit("-", 2)
    return f"process {process} on {host}"


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.lock"
