"""LangGraph's standard graphs: an evaluator's loop that a person interrupts, and a supervisor with two workers.

Shows that edges are types and preconditions: `evaluate` runs because there is a new joke, `tell` because there is a new
grade, and `post` waits for a good one. A checkpointer is a journal and a thread is the id of a run: another program
answers, and nothing runs twice. Two options keep the supervisor's history short, and what is done is the same.
"""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from planboard import (
    Agent,
    Ai,
    Crew,
    Message,
    Process,
    ProcessOptions,
    ScriptedModel,
    SqliteJournal,
    achieves_goal,
    action,
    call,
    chat_agent,
)  # fmt: skip


class Topic(BaseModel):
    text: str


class Joke(BaseModel):
    text: str


class Grade(BaseModel):
    funny: bool
    feedback: str = ""


@action(rerun="new_inputs")
async def tell(topic: Topic, grade: Grade | None, ai: Ai) -> Joke:
    """Tell a joke, or a better one."""
    advice = f" Mind this: {ai.data(grade.feedback)}" if grade else ""
    return await ai.create(f"Tell a joke about {ai.data(topic.text)}.{advice}", Joke)


@action(rerun="new_inputs", read_only=True)
async def evaluate(joke: Joke, ai: Ai) -> Grade:
    """Say whether it is funny, and what to do about it."""
    return await ai.create(f"Grade this joke: {ai.data(joke.text)}", Grade)


@achieves_goal("The joke is posted")
@action(pre=["grade.funny"], approval=True)
def post(joke: Joke, grade: Grade) -> str:
    """Post the joke for all to see."""
    return f"posted: {joke.text}"


agent = Agent("comedian", [tell, evaluate, post])


def evaluator_with_a_person(folder: Path) -> None:
    model = ScriptedModel(
        Joke(text="A cat walks into a bar."),
        Grade(funny=False, feedback="It needs an ending."),
        Joke(text="A cat walks into a bar. Nine times."),
        Grade(funny=True),
    )
    journal = SqliteJournal(folder / "runs.db")  # the checkpointer; "thread-1" is the thread
    options = ProcessOptions(journal=journal)
    process = agent.process(Topic(text="cats"), services=[Ai(model)], options=options, id="thread-1")
    print(asyncio.run(process.run()), [*map(str, process.history)], process.pending[0].action)
    journal.close()

    journal = SqliteJournal(folder / "runs.db")  # another program, some days later; it needs no model
    process = Process.restore(agent, journal, "thread-1")
    process.respond(process.pending[0].id, True, by="ada")  # Command(resume=True)
    print(asyncio.run(process.run()), process.result(str))
    journal.close()


def search(query: str) -> str:
    """Search the web."""
    return f"3 pages about {query}"


def write_code(task: str) -> str:
    """Write code."""
    return f"def solve(): ...  # {task}"


def supervised(**knobs: Any) -> Crew:
    found = ScriptedModel(call("search", query="supervisors"), "A supervisor routes, workers work.")
    coded = ScriptedModel(call("write_code", task="an example"), "Here it is: def solve(): ...")
    first, second = call("transfer_to_researcher", task="What is one?"), call("transfer_to_coder", task="Write one.")
    decided = ScriptedModel(first, second, "A supervisor routes; the example is done.")
    researcher = chat_agent("researcher", "You look things up.", tools=[search], llm=found, description="Looks it up.")
    coder = chat_agent("coder", "You write code.", tools=[write_code], llm=coded, description="Writes code.")
    return Crew("team", [researcher, coder], llm=decided, **knobs)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        evaluator_with_a_person(Path(folder))
    knobs: dict[str, Any]
    for knobs in ({"output": "full"}, {"output": "last"}, {"output": "last", "handoff_messages": False}):
        process = supervised(**knobs).run("Explain supervisors, with an example.")
        print(" -> ".join(map(str, process.history)), len(process.board.all(Message)), "messages with", knobs)


if __name__ == "__main__":
    main()
