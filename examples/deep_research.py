"""Deep research: a model plans, a researcher and a coder do the steps, a reporter writes up what they found.

Shows a plan tree. The plan says what depends on what, so the two look-ups run at once and the comparison waits for
them. The researcher finds nothing under one of the names: that is a setback, and the plan is made anew. What was
finished before is kept, and is not looked up again.
"""

import model_choice
from pydantic import BaseModel, Field

from planboard import (
    Agent,
    Ai,
    Assignment,
    PlanOutcome,
    PlanTree,
    ScriptedModel,
    TaskPlan,
    TaskStep,
    achieves_goal,
    action,
)

QUESTION = "How much longer is the Nile than the river that Vienna lies on?"
LENGTHS = {"nile": 6650, "danube": 2850}  # what a real researcher finds on the web, in kilometres


class Question(BaseModel):
    text: str


class Finding(BaseModel):
    river: str
    length: int = Field(description="Kilometres.")


class Figure(BaseModel):
    value: float
    meaning: str


class Report(BaseModel):
    answer: str
    sources: list[str]


@achieves_goal("The length of a river is known")
@action
def look_up(step: TaskStep) -> Finding:
    """Look a river up."""
    for river, length in LENGTHS.items():
        if river in step.task.lower():
            return Finding(river=river.capitalize(), length=length)
    message = f"nothing is to be found on {step.task!r}"
    raise LookupError(message)


researcher = Agent("researcher", [look_up], description="Finds out how long a river is, by its English name.")


def coder(assignment: Assignment) -> Figure:
    """Computes with what others have found out."""
    one, other = sorted((result.value for result in assignment.results), key=lambda finding: -finding.length)
    return Figure(value=one.length / other.length, meaning=f"{one.river} : {other.river}")


async def reporter(outcome: PlanOutcome, question: Question, ai: Ai) -> Report:
    """Write the answer, from all that was found out."""
    findings = ai.data([result.value for result in outcome.results])
    answer = await ai.text(f"Answer in one sentence: {ai.data(question.text)}\nThis was found out: {findings}")
    return Report(answer=answer, sources=[f"{result.step}, by {result.worker}" for result in outcome.results])


agent = PlanTree(
    "deep research",
    [researcher, coder],
    needs=[Question],
    route={"research": "researcher", "code": "coder"},
    default="researcher",
    on_error="collect",
    report=reporter,
    description="Answers questions on rivers.",
)


def script() -> ScriptedModel:
    nile = TaskStep(id="nile", task="The length of the Nile", tags=["research"])
    donau = TaskStep(id="donau", task="The length of the Donau", tags=["research"])
    ratio = TaskStep(id="ratio", task="Divide the longer by the shorter", needs=["nile", "donau"], tags=["code"])
    first = TaskPlan(goal="Compare the Nile with the Donau", steps=[nile, donau, ratio])
    second = first.replace("donau", id="danube", task="The length of the Danube, as the Donau is called in English")
    return ScriptedModel(first, second, "The Nile is 2.3 times as long as the Danube.")


def main() -> None:
    command = model_choice.parser(__doc__)
    command.add_argument("question", nargs="?", default=QUESTION)
    options = command.parse_args()
    model = model_choice.chosen(options, script())
    process = agent.run(Question(text=options.question), services=[Ai(model)])
    for plan in process.board.all(TaskPlan):
        print(plan.outline(), end="\n\n")
    print(process.result(PlanOutcome).outline(), end="\n\n")
    report = process.result(Report)
    print(report.answer, *report.sources, sep="\n- ")


if __name__ == "__main__":
    main()
