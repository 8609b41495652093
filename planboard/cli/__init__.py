"""The command `planboard`: run, plan, explain, check and draw agents from the shell.

typer and rich are imported when the command is used, never by `import planboard`.
"""

import atexit
import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command and exit with its code.

    Args:
        argv: The words after `planboard`; those of the command line by default.

    Raises:
        SystemExit: Always; the codes are listed in docs/reference/cli.md.
    """
    from planboard.cli.app import app

    try:
        app(args=None if argv is None else list(argv), prog_name="planboard")
    except SystemExit as ending:
        if argv is None and "temporalio" in sys.modules:
            _leave(ending.code)
        raise


def _leave(code: object) -> None:
    """End the program without taking the interpreter apart.

    Threads of the Temporal library may still be about to hand something to Python, and abort the program when they
    find it half gone (temporalio/sdk-python#300).
    """
    atexit._run_exitfuncs()  # noqa: SLF001 - what others have to do at the end is done
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(bool(code)))
