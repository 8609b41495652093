"""What the tests of the Supervisor share: a kitchen, a newsroom, and a way to run them with a script."""

import asyncio

from pydantic import BaseModel

from planboard import Agent, Process, ProcessOptions, ScriptedModel, Supervisor, achieves_goal, action


class UserInput(BaseModel):
    content: str


class Cook(BaseModel):
    name: str


class Order(BaseModel):
    dish: str
    quantity: int


class Meal(BaseModel):
    dish: str
    quantity: int
    cooked_by: str


class Topic(BaseModel):
    text: str


class NotesRequest(BaseModel):
    question: str
    depth: int = 1


class Notes(BaseModel):
    lines: list[str]


class ReportRequest(BaseModel):
    title: str


class Report(BaseModel):
    title: str
    lines: int


@action
def choose_cook(user_input: UserInput) -> Cook:
    """Choose a cook."""
    return Cook(name="Ben")


@action
def take_order(user_input: UserInput) -> Order:
    """Take the order."""
    return Order(dish="pie", quantity=2)


@achieves_goal("The meal, as ordered")
@action
def prepare_meal(cook: Cook, order: Order) -> Meal:
    """Cook the meal."""
    return Meal(dish=order.dish, quantity=order.quantity, cooked_by=cook.name)


@action
def gather_notes(request: NotesRequest) -> Notes:
    """Gather notes."""
    return Notes(lines=[request.question] * request.depth)


@achieves_goal("A report")
@action
def compile_report(request: ReportRequest, notes: Notes) -> Report:
    """Compile the report."""
    return Report(title=request.title, lines=len(notes.lines))


INPUT = UserInput(content="two pies")


KITCHEN = Agent("kitchen", [choose_cook, take_order, prepare_meal])
NEWSROOM = Agent("newsroom", [gather_notes, compile_report])


def supervised(agent: Agent, *inputs, script=(), returning=None, options=None, rules=None, **settings):
    """Run an agent with a Supervisor and a script to its end; return the process and the model."""
    model = script if isinstance(script, ScriptedModel) else ScriptedModel(*script, rules=rules)
    planner = Supervisor(llm=model, **settings)
    process: Process = agent.process(
        *inputs, planner=planner, returning=returning, options=options or ProcessOptions(), id="run"
    )
    asyncio.run(process.run())
    return process, model


def tools_of(request) -> list[str]:
    """Return the names of the tools in a request."""
    return [tool["function"]["name"] for tool in request["tools"]]


def tool_of(request, name: str):
    """Return one tool of a request."""
    return next(tool["function"] for tool in request["tools"] if tool["function"]["name"] == name)


def kinds(process: Process) -> list[str]:
    """Return the kinds of a process's events, in order."""
    return [event.kind for event in process.events]
