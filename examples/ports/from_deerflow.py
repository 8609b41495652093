"""DeerFlow's deep research: a planner, a person who may change the plan, a research team, and a reporter.

Shows plan, dispatch and report. The plan is a typed tree that a person edits before anything is done; each step goes to
the researcher or the coder by its tag; what does not need each other runs at once; results stand on the board under the
ids of their steps, and the reporter reads them all.
"""

import asyncio

from pydantic import BaseModel

from planboard import (
    Agent,
    Ai,
    Assignment,
    Edit,
    PlanOutcome,
    PlanTree,
    ScriptedModel,
    StepResult,
    TaskPlan,
    TaskStep,
    achieves_goal,
    action,
)

PAGES = {"tokyo": "14.2 million people", "delhi": "33.8 million people", "cairo": "22.6 million people"}


class Finding(BaseModel):
    city: str
    text: str


class Report(BaseModel):
    title: str
    lines: list[str]


@achieves_goal("Something is found")
@action(idempotent=True)
def look_up(step: TaskStep) -> Finding:
    """Look a city up."""
    city = next(city for city in PAGES if city in step.task.lower())  # a real one searches the web
    return Finding(city=city.capitalize(), text=PAGES[city])


researcher = Agent("researcher", [look_up], description="Looks things up.")


def coder(assignment: Assignment) -> str:
    """Computes with what the steps before have found."""
    millions = {result.value.city: float(result.value.text.split()[0]) for result in assignment.results}
    return f"{max(millions, key=millions.__getitem__)} is the largest of {len(millions)}"


def reporter(outcome: PlanOutcome) -> Report:
    """Write it up."""
    lines = [f"{result.step}: {getattr(result.value, 'text', result.value)}" for result in outcome.results]
    return Report(title=outcome.plan.goal, lines=lines)


agent = PlanTree(
    "deep research",
    [researcher, coder],
    route={"research": "researcher", "processing": "coder"},
    default="researcher",
    approval=True,
    report=reporter,
)


def script() -> ScriptedModel:
    tokyo = TaskStep(id="tokyo", task="How many people live in Tokyo?", tags=["research"])
    delhi = TaskStep(id="delhi", task="How many people live in Delhi?", tags=["research"])
    rank = TaskStep(id="rank", task="Which city is the largest?", tags=["processing"], steps=[tokyo, delhi])
    return ScriptedModel(TaskPlan(goal="Rank large cities", steps=[rank]))


def main() -> None:
    process = agent.process("Which city is the largest?", services=[Ai(script())])
    asyncio.run(process.run())
    (request,) = process.pending  # a person looks at the plan, and wants one more city
    plan = TaskPlan.model_validate(request.arguments["plan"])
    cairo = TaskStep(id="cairo", task="How many people live in Cairo?", tags=["research"])
    process.respond(request.id, Edit(plan=plan.with_step(cairo, under="rank")), by="ada")

    asyncio.run(process.run())
    print(process.result(PlanOutcome).outline())
    report = process.result(Report)
    print(report.title, *report.lines, sep="\n* ")
    print([entry.name for entry in process.board.visible if isinstance(entry.value, StepResult)])


if __name__ == "__main__":
    main()
