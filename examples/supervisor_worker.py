"""A supervisor and two workers, a researcher and a coder: the task that supervisors are usually shown with.

Shows forced moves: the workers share typed artefacts instead of messages. The model words the request for the
researcher. After that
only the coder is left, and everything it needs is on the board, so it is started without asking the model again.
"""

import ast
import re

import model_choice
from pydantic import BaseModel, Field, field_validator

from planboard import Agent, Ai, ProcessOptions, ScriptedModel, Supervisor, achieves_goal, action

TASK = "Write a Python function that converts miles to kilometres."


class Task(BaseModel):
    text: str


class ResearchRequest(BaseModel):
    fact: str = Field(description="What the coder has to know of the world, such as: the length of a mile.")

    @field_validator("fact")
    @classmethod
    def of_the_world(cls, fact: str) -> str:
        """Leave out what is about code, which small models like to add."""
        return re.sub(r"\s+(in|with|using) Python\b", "", fact)


class Findings(BaseModel):
    facts: list[str] = Field(min_length=1)


class Code(BaseModel):
    source: str = Field(description="One Python function, complete, with its def line.")


def is_a_function(code: Code) -> None:
    """Reject what is no Python (a SyntaxError is one more thing to tell the model) or defines no function."""
    try:
        body = ast.parse(code.source).body
    except SyntaxError as error:
        message = f"this is no Python: {error}"
        raise ValueError(message) from error
    if not any(isinstance(node, ast.FunctionDef) for node in body):
        message = "the source defines no function"
        raise ValueError(message)


@action
async def research(request: ResearchRequest, ai: Ai) -> Findings:
    """Find out facts."""
    return await ai.create(f"State the facts, numbers included and no code: {ai.data(request.fact)}", Findings)


@achieves_goal("Python source that does the task")
@action
async def write_code(task: Task, findings: Findings, ai: Ai) -> Code:
    """Write the code."""
    prompt = f"Write a Python function for this task: {ai.data(task)}\nUse these facts: {ai.data(findings)}"
    return await ai.create(prompt, Code, checks=(is_a_function,))


agent = Agent("team", [research, write_code], description="Researches, then writes code.")


def script() -> ScriptedModel:
    return ScriptedModel(
        rules={
            "research": {"request": {"fact": "the length of a mile"}},
            Findings: Findings(facts=["A mile is 1.609344 kilometres."]),
            Code: Code(source="def to_kilometres(miles: float) -> float:\n    return miles * 1.609344\n"),
        }
    )


def main() -> None:
    command = model_choice.parser(__doc__)
    command.add_argument("task", nargs="?", default=TASK, help="what the code is to do")
    options = command.parse_args()
    process = agent.run(
        Task(text=options.task),
        planner=Supervisor(llm=model_choice.chosen(options, script())),
        options=ProcessOptions(listeners=(model_choice.told(),)),
    )
    print()
    print(process.result(Code).source)


if __name__ == "__main__":
    main()
