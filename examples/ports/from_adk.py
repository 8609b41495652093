"""Google ADK's workflow agents: code in sequence, a text in a loop, research in parallel and then merged.

Shows that `output_key` is a type: what an agent makes is found by whoever takes it. A loop ends by a predicate over
what the last round has made, not by an event that escalates. Agents that run at once cannot overwrite each other's
results, which come in their declared order. At last an agent is a tool of another one, with a board of its own.
"""

from typing import Annotated

from pydantic import BaseModel

from planboard import Ai, All, Flow, ScriptedModel, action, call, chat_agent, parallel, run


class Wish(BaseModel):
    text: str


class Code(BaseModel):
    source: str


class Comments(BaseModel):
    points: list[str]


class Clean(BaseModel):
    source: str


@action
async def writer(wish: Wish, ai: Ai) -> Code:
    return await ai.create(f"Write Python: {ai.data(wish.text)}", Code)


@action
async def reviewer(code: Code, ai: Ai) -> Comments:
    return await ai.create(f"Review this code: {ai.data(code.source)}", Comments)


@action
async def refactorer(code: Code, comments: Comments, ai: Ai) -> Clean:
    return await ai.create(f"Improve {ai.data(code.source)} by {ai.data(comments.points)}", Clean)


class Draft(BaseModel):
    text: str


class Criticism(BaseModel):
    good: bool
    advice: str = ""


@action
async def refine(wish: Wish, draft: Draft | None, criticism: Criticism | None, ai: Ai) -> Draft:
    return await ai.create(f"Write on {ai.data(wish)}. So far: {ai.data(draft)}, {ai.data(criticism)}", Draft)


@action
async def criticise(draft: Draft, ai: Ai) -> Criticism:
    return await ai.create(f"Is it good? {ai.data(draft)}", Criticism)


class Summary(BaseModel):
    on: str
    text: str


def researcher(subject: str):  # noqa: ANN201 - an action
    @action(name=f"research_{subject}")
    async def research(wish: Wish, ai: Ai) -> Summary:
        return Summary(on=subject, text=await ai.text(f"Summarise what {subject} has to do with {ai.data(wish.text)}."))

    return research


def merge(summaries: Annotated[list[Summary], All]) -> str:
    return "; ".join(f"{summary.on}: {summary.text}" for summary in summaries)


pipeline = Flow.sequence("pipeline", writer, reviewer, refactorer)
loop = Flow.loop("until_good", refine, criticise, until=lambda criticism: criticism.good, max=5)
at_once = parallel(*map(researcher, ("energy", "transport", "carbon")), name="research")
synthesis = Flow.sequence("synthesis", at_once, merge)


def main() -> None:
    model = ScriptedModel(
        Code(source="def add(a,b): return a+b"),
        Comments(points=["No types."]),
        Clean(source="def add(a: int, b: int) -> int: return a + b"),
    )
    print(run(pipeline, Wish(text="add two numbers"), services=[Ai(model)], returning=Clean).source)

    model = ScriptedModel(Draft(text="A cat."), Criticism(good=False, advice="Longer."), Draft(text="A black cat."),
                          Criticism(good=True))  # fmt: skip
    print(run(loop, Wish(text="a cat"), services=[Ai(model)], returning=Draft).text, len(model.requests), "requests")

    model = ScriptedModel(rules=lambda request: "a lot" if "energy" in request.prompt else "little")
    print(run(synthesis, Wish(text="the climate"), services=[Ai(model)], returning=str))

    summariser = chat_agent("summariser", "Be brief.", llm=ScriptedModel("Tides: the moon."), description="Sums up.")
    root = chat_agent(
        "root", tools=[summariser.as_tool()], llm=ScriptedModel(call("summariser", task="..."), "The moon.")
    )
    print(run(root, "Why are there tides?", returning=str))


if __name__ == "__main__":
    main()
