"""The help texts of the commands for runs that are kept, and of their options."""

PANEL = "Runs that are kept"

RUNS = """List the runs in a journal, or on a server: where each stands, and what it waits for.

Runs that another run has started stand below it. The agents are not needed.

\b
Examples:
  planboard runs --journal runs.db
  planboard runs --journal runs.db --status WAITING
  planboard runs --temporal localhost:7233
"""

SHOW = """Show one run: what it has done, what is on its board, what it waits for, what it has spent.

An id may be shortened as long as only one run begins with it. The agent is not needed.

\b
Example:
  planboard show 3f2a --journal runs.db
"""

TRACE = """Show a run as one tree: what ran within what, for how long, and what each part has spent.

The run and all runs that it has started make one tree, also when they were taken up by several programs. The agent
is not needed.

\b
Examples:
  planboard trace 3f2a --journal runs.db
  planboard trace 3f2a --marks --journal runs.db
"""

MARKS = "Show plans, retries and pauses within the parts, too."

PENDING = """List what waits for an answer, with the commands that give it; those of child runs included.

\b
Examples:
  planboard pending --journal runs.db
  planboard pending 3f2a --schema --journal runs.db
"""

ANSWER = """Answer a request: what a person is asked for, or what an action that is in doubt has returned.

VALUE is JSON; where a text is asked for, the text as it is. `@FILE` is what a file holds, `-` standard input.

The answer is kept, also while another program runs the agent. The run goes on with --resume, or `planboard resume`; \
on Temporal by itself.

\b
Examples:
  planboard answer 3f2a:2 '{"approved": true}' --journal runs.db
  planboard answer 3f2a:2 @decision.json --resume --journal runs.db
"""

APPROVE = """Let an action run that needs consent, or run again if it is in doubt.

\b
Examples:
  planboard approve 3f2a:2 --journal runs.db
  planboard approve 3f2a:2 --edit order='{"amount": 10}' --resume --journal runs.db
"""

DENY = """Do not let an action run. The agent looks for another way.

\b
Example:
  planboard deny 3f2a:2 --reason "too expensive" --journal runs.db
"""

RESUME = """Go on with a run, until it ends or waits for an answer. What is done is not done again.

With --all, every run that can go on does so, one after the other, the oldest first: those whose program has ended, \
and those for which an answer has come or a timer is due. Runs that another program goes on with are left to it. \
The exit code is 1 if one of them could not go on, or came to a bad end.

\b
Examples:
  planboard resume 3f2a --journal runs.db
  planboard resume --all --journal runs.db
"""

CANCEL = """Cancel a run, also one that another program runs: it stops as soon as its current action allows.

\b
Example:
  planboard cancel 3f2a --reason "not needed any more" --journal runs.db
"""

FORK = """Make another run with the same past, which goes its own way; print its id. The run itself is left as it is.

\b
Examples:
  planboard fork 3f2a --journal runs.db
  planboard fork 3f2a --at 12 --id what-if --journal runs.db
"""

EVENTS = """List what has happened in a run, a line for each event: its number, when, and what. The agent is not needed.

\b
Example:
  planboard events 3f2a --after 12 --journal runs.db
"""

NO_RESUME = (
    "Runs on Temporal go on by themselves wherever a worker is, so there is nothing to resume. "
    "`planboard worker TARGET --temporal ADDRESS` starts one; `planboard show ID` tells where a run stands."
)
NO_GOING_ON = "--resume is for runs in a file; on Temporal a worker goes on by itself. Leave it out."
NO_FORK = (
    "A run on Temporal cannot be forked, for its past belongs to the server. "
    "Begin another one from the same inputs: `planboard submit TARGET --input ...`."
)

JOURNAL = "The file in which runs are kept. [default: $PLANBOARD_JOURNAL]"
TEMPORAL = "The Temporal server on which runs are kept: host:port. [default: $PLANBOARD_TEMPORAL]"
NAMESPACE = "The namespace of the Temporal server. [default: $PLANBOARD_TEMPORAL_NAMESPACE, else default]"
RUN_JOURNAL = "Keep the run in this file, so that it outlives the program."
RUN_ID = "The id of the run, with --journal; a random one by default."
RUN_APPROVE = "Ask for consent before an action whose name fits this pattern, such as 'pay_*'. May be repeated."
ID = "The run; the beginning of its id is enough."
REQUEST = "The request, as `pending` shows it; its beginning is enough."
VALUE = "The answer: JSON, a text, @FILE, or - for standard input."
STATUS = "Only runs that stand there: RUNNING, WAITING, COMPLETED, STUCK, FAILED, TERMINATED, CANCELLED."
SCHEMA = "Show the JSON schema of each answer."
EDIT = "Run it with another argument; the others stay as they are. May be repeated."
DENIAL = "Why, for the agent and whoever reads what happened."
BY = "Who answers, for the record."
CANCELLATION = "Why."
GO_ON = "Go on with the run at once."
ALL = "Go on with every run that can."
AT = "The number of the last event they share; the latest by default."
NEW_ID = "The id of the new run; a random one by default."
AFTER = "Leave out the events up to this number."
OTHER_TARGET = "Where the agent is now, instead of where it was when the run began."
SECRET = "A secret of the run, which is never written: its name, and the environment variable that holds it."  # noqa: S105 - a help text
OTHER_PLANNER = "What chooses the actions from now on, instead of the planner that the run was begun with."
ALLOW_CHANGES = "Take the run up although the agent has changed in a way that matters to it."
MORE_ACTIONS = "Replace the limit of actions; those already started count."
MORE_COST = "Replace the limit of costs; what is spent already counts."
MORE_CALLS = "Replace the limit of requests to models; those already made count."
