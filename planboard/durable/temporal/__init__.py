"""Runs on Temporal: the same agents, on as many machines as you like. Extra `temporal`.

`worker` makes the programs that carry runs on, `TemporalRuns` begins them and speaks with them. Temporal keeps what
has happened, hands work out, notices machines that are gone, and wakes what sleeps.
"""

try:
    import temporalio as _temporalio  # noqa: F401 - asked for here to say what is missing
except ImportError as error:
    raise ImportError(
        "planboard.durable.temporal needs temporalio, which is not installed: pip install 'planboard[temporal]'",
        name="temporalio",
    ) from error

from planboard.durable.temporal.client import TemporalRuns
from planboard.durable.temporal.home import QUEUE
from planboard.durable.temporal.standing import Run
from planboard.durable.temporal.worker import work, worker

__all__ = ["QUEUE", "Run", "TemporalRuns", "work", "worker"]
