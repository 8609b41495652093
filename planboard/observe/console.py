"""Progress of a run on a console, as a listener.

```python
from planboard.observe.console import console_progress

run(agent, Topic(text="tides"), options=ProcessOptions(listeners=[console_progress()]))
```

In a terminal the last lines show where the run stands and are drawn anew; above them, and everywhere else, each event
is one line. Output goes to standard error, so that standard output stays free for results.
"""

import os
import sys
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from planboard.events import ActionStarted, Event, PlanMade
from planboard.observe.progress import Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

_STYLES = {
    "✓": "green", "✗": "bold red", "!": "yellow", "?": "yellow", "↻": "yellow", ">": "dim", "+": "cyan", "-": "dim",
}  # fmt: skip
_STATUS_STYLES = {"completed": "bold green", "stuck": "bold yellow", "waiting": "bold yellow"}
_ENDINGS = ("completed (", "stuck (", "failed (", "terminated (", "cancelled (", "waiting (")


class ConsoleListener:
    """Shows the events of one run after the other on a console.

    Args:
        console: A rich console; by default one on standard error that honours `NO_COLOR`.
        live: Draw a live view; by default in a terminal that can.
    """

    def __init__(self, console: "Console | None" = None, *, live: bool | None = None) -> None:
        if console is None:
            from rich.console import Console

            console = Console(stderr=True, highlight=False)
            on_terminal = sys.stderr.isatty()  # FORCE_COLOR makes rich take any stream for a terminal
        else:
            on_terminal = console.is_terminal
        self.console = console
        """Where it is shown."""
        self.is_live = on_terminal and not console.is_dumb_terminal if live is None else live
        """Whether there is a live view."""
        self.progress = Progress()
        """What is shown, in words."""
        self.note = ""
        """One more line for the live view, such as "stopping"."""
        self._live: Live | None = None

    def __call__(self, event: Event) -> None:
        """Show an event."""
        lines = self.progress.tell(event)
        if self.is_live and self._live is None and isinstance(event, PlanMade | ActionStarted):
            self._open()
        for line in lines:
            self.console.print(styled(line), soft_wrap=True)
        if self.progress.ended:
            self.close()

    def catch_up(self, events: Iterable[Event]) -> None:
        """Take note of what happened before, without showing it: the events of a run that is taken up."""
        for event in events:
            self.progress.tell(event)

    def __rich__(self) -> "Text":
        """Return the live view as it is now."""
        from rich.text import Text

        lines = [_safe(line) for line in self.progress.standing.lines()]
        if self.note:
            lines.append(f"  {self.note}")
        return Text("\n".join(lines), style="bold", no_wrap=True, overflow="ellipsis")

    def close(self) -> None:
        """Take the live view away; the lines stay."""
        live, self._live = self._live, None
        if live is not None:
            live.stop()

    def _open(self) -> None:
        from rich.live import Live

        # What is printed meanwhile goes above the view, unless it goes to a file.
        shared = sys.stdout is sys.stderr or sys.stdout.isatty()
        self._live = Live(self, console=self.console, transient=True, redirect_stdout=shared)
        self._live.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def console_progress(console: "Console | None" = None, *, live: bool | None = None) -> ConsoleListener:
    """Return a listener that shows progress: `ProcessOptions(listeners=[console_progress()])`.

    Args:
        console: A rich console; by default one on standard error.
        live: Draw a live view, or only lines; by default a live view where there is a terminal.
    """
    return ConsoleListener(console, live=live)


def styled(line: str) -> "Text":
    """Return a line of `Progress` in the colours of what it tells."""
    from rich.text import Text

    words = line.lstrip()
    if words.startswith(_ENDINGS):
        return Text(line, style=_STATUS_STYLES.get(words.partition(" ")[0], "bold red"))
    return Text(line, style=_STYLES.get(words[:1], ""))


def _safe(line: str) -> str:
    return "".join(char if char.isprintable() else " " for char in line)


def notice(text: str) -> None:
    """Write a line to standard error from where nothing else may be used, such as a signal handler."""
    try:
        os.write(2, f"{text}\n".encode())
    except OSError:
        return
