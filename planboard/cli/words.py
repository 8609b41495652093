"""The help texts: what each command is for, with an example that can be copied."""

APP = """Run, plan, explain and check agents.

TARGET says which agent: `path/file.py:name`, `package.module:name`, or either without the name when it holds \
only one agent. The name may also be that of a function that returns an agent.

\b
Try:
  planboard actions agents.py
  planboard plan    agents.py --input topic.text=tides
  planboard run     agents.py --input topic.text=tides
"""

RUN = """Run an agent and print what it was run for.

Progress goes to standard error and the result to standard output, so `> report.json` keeps only the result.

\b
Examples:
  planboard run agents.py --input topic.text=tides
  planboard run agents.py:reporter --input Topic='{"text": "tides"}'
  planboard run shop.agents:buyer --input @order.json --max-cost 2 --json

\b
Exit codes:
  0 completed   2 wrong use    4 failed       6 waiting
  1 error       3 stuck        5 terminated   130 cancelled
"""

PLAN = """Show the plan for some inputs, without running anything.

The exit code is 3 when there is no plan; then it says what is missing.

With --lock the plan is written to a file; with --check it is compared with what is written there, and the exit \
code is 1 when they differ. Both take all that is in the file when TARGET is left out.

\b
Examples:
  planboard plan agents.py --input topic.text=tides
  planboard plan agents.py --input topic.text=tides --lock plans.lock
  planboard plan --check plans.lock
"""

EXPLAIN = """Explain a plan: why these actions and why not the others, or why there is no plan.

\b
Example:
  planboard explain agents.py --input topic.text=tides --planner utility
"""

CHECK = """Look for mistakes in an agent: goals out of reach, actions that can never run, slips in names.

The exit code is 1 when there are errors; warnings alone leave it at 0.

\b
Example:
  planboard check agents.py
"""

GRAPH = """Print an agent, or a plan, as a Mermaid flowchart.

GitHub, GitLab, JupyterLab and https://mermaid.live draw it.

\b
Examples:
  planboard graph agents.py > agent.mmd
  planboard graph agents.py --plan --input topic.text=tides
"""

ACTIONS = """List the actions of an agent: what they take, give and cost, and their conditions.

\b
Example:
  planboard actions agents.py
"""

TARGET = "The agent: path/file.py:name or package.module:name."
INPUT = "What to start from: key=value, Type=JSON, JSON, or @file. May be repeated."
PLANNER = "What chooses the actions: goap, utility, hybrid or supervisor. By default what the agent says, else goap."
RETURNING = "The type of the result wanted; only goals that yield it are pursued."
CONCURRENCY = "How many independent actions may run at once."
MAX_ACTIONS = "Start no more actions than this."
MAX_CALLS = "End the run after this many requests to models."
MODEL = "The model for actions that ask one, and for --planner supervisor. [default: $PLANBOARD_MODEL]"
BASE_URL = "The OpenAI-compatible server of the model, such as http://localhost:11434/v1. [default: $OPENAI_BASE_URL]"
MAX_COST = "Spend no more than this; actions that would are not started."
JSON = "Print one JSON document to standard output."
QUIET = "Show no progress."
DEBUG = "Show tracebacks of errors."
WITH_PLAN = "Draw the plan for the inputs instead of the agent."
LOCK = "Write the plan to this file, beside what it holds already; without TARGET, all that it holds anew."
CHECK_LOCK = "Compare the plan with the one in this file; without TARGET, all that it holds."
VERSION = "Print the version and exit."
