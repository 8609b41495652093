"""The command `planboard`: run, plan, explain, check and draw agents from the shell.

typer and rich are imported when the command is used, never by `import planboard`.
"""

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command and exit with its code.

    Args:
        argv: The words after `planboard`; those of the command line by default.

    Raises:
        SystemExit: Always; the codes are listed in docs/reference/cli.md.
    """
    from planboard.cli.app import app

    app(args=None if argv is None else list(argv), prog_name="planboard")
