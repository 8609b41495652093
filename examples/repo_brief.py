"""A brief on any repository: real files and real git history in, Markdown out; no network, no key.

Shows one set of actions under three planners. Size and languages are required by the synthesiser, everything else is
welcome: GOAP takes the cheapest way to a brief and skips the rest, Hybrid does research while it pays and stops at the
brief, Utility goes on to the research that costs more than it is worth and then writes a fuller brief.

The values follow one rule: research is worth the most, the synthesiser less than any of it, the wrap-up slightly more
than the synthesiser. Each module contributes its own kinds of evidence; to add one, add a module.

    python examples/repo_brief.py path/to/repository
    planboard run examples/repo_brief.py:agent --input path=.
"""

import sys
from argparse import ArgumentParser
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))  # so that it can be loaded by its path, from anywhere

from repo_brief_parts import brief, dependencies, history, risks, survey, walk
from repo_brief_parts.brief import Brief
from repo_brief_parts.evidence import RepoRequest

from planboard import Agent, ProcessFailedError

agent = Agent(
    "repo-brief",
    [walk, survey, history, dependencies, risks, brief],
    planner="hybrid",
    description="Reads a directory or git repository and writes a brief on it.",
)


def main() -> None:
    parser = ArgumentParser(description="Write a brief on a directory or git repository.")
    parser.add_argument("path", nargs="?", default=".", type=Path)
    parser.add_argument("--planner", default="hybrid", choices=("goap", "hybrid", "utility"))
    asked = parser.parse_args()
    try:
        written = agent.run(RepoRequest(path=asked.path), returning=Brief, planner=asked.planner)
    except ProcessFailedError as error:
        parser.error(str(error.__cause__ or error))
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(written.markdown, end="")


if __name__ == "__main__":
    main()
