"""The help texts of the commands for many machines, and of their options."""

PANEL = "Runs on many machines, with Temporal"

WORKER = """Carry on runs of agents on a Temporal server, until Ctrl-C or SIGTERM.

Start as many workers as there is work for. All workers of a queue need the same agents. \
One that is gone is replaced by any other. The first Ctrl-C lets actions that run come to their end, for --grace \
seconds; the second leaves at once.

\b
Examples:
  planboard worker agents.py:reporter
  planboard worker shop.agents:buyer shop.agents:seller --temporal temporal.internal:7233
"""

SUBMIT = """Begin a run on a Temporal server, and print its id. It is not lost, whether a worker is there or not.

`planboard show ID`, `pending`, `answer`, `approve`, `deny` and `cancel` work on it with the same --temporal. With \
--wait the command ends with the run, and prints what it was run for, as `planboard run` does. Ctrl-C then ends the \
waiting, not the run.

\b
Examples:
  planboard submit agents.py --input topic.text=tides
  planboard submit agents.py --input topic.text=tides --id tides-1 --wait > report.json
"""

TARGETS = "The agents, each as path/file.py:name or package.module:name; what they run as children comes along."
TEMPORAL = "The Temporal server: host:port."
QUEUE = "Which work is taken, by name."
SUBMIT_QUEUE = "Which workers do it: those of this queue."
ACTIONS = "How many actions it runs at once."
LOST_AFTER = "An action is taken for lost when its worker has been silent for so many seconds."
GRACE = "For how many seconds actions may go on when the worker is stopped."
SECRET = "A secret of runs, which is never written: its name, and the environment variable that holds it."  # noqa: S105 - a help text
RUN_ID = "The id of the run; a random one by default."
WAIT = "Wait until the run has ended, and print its result."
JSON = "Print one JSON document: the id of the run or, with --wait, all of it."
