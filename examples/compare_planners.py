"""The same actions under four planners, in one table.

Shows what each of them is for: GOAP takes the cheapest way, Hybrid gathers first and stops at the goal, Utility goes
on while there is anything to do, whatever it is worth. A floor tells it what is not worth doing. The Supervisor does
what a model says; here a script plays the model, which wants the web and the papers, and no expert.
"""

from pydantic import BaseModel

from planboard import (
    Agent,
    Goap,
    Hybrid,
    Planner,
    Process,
    ScriptedModel,
    Supervisor,
    Utility,
    achieves_goal,
    action,
    call,
)


class Question(BaseModel):
    text: str


class WebPages(BaseModel):
    found: int


class Papers(BaseModel):
    found: int


class Interview(BaseModel):
    minutes: int


class Draft(BaseModel):
    sources: int


class Answer(BaseModel):
    text: str


@action(cost=0.1, value=0.7)
def search_web(question: Question) -> WebPages:
    return WebPages(found=5)


@action(cost=0.2, value=0.6)
def search_papers(question: Question) -> Papers:
    return Papers(found=2)


@action(cost=0.9, value=0.3)
def ask_an_expert(question: Question) -> Interview:
    return Interview(minutes=30)


@action(cost=0.2, value=0.4)
def draft(question: Question, pages: WebPages, papers: Papers | None, interview: Interview | None) -> Draft:
    return Draft(sources=pages.found + (papers.found if papers else 0) + (1 if interview else 0))


@achieves_goal("An answer", value=0.5)
@action(cost=0.1, value=0.4)
def answer(draft: Draft) -> Answer:
    return Answer(text=f"An answer from {draft.sources} sources")


agent = Agent("answers", [search_web, search_papers, ask_an_expert, draft, answer])
PLANNERS: dict[str, Planner] = {
    "goap": Goap(),
    "hybrid": Hybrid(),
    "utility": Utility(),
    "utility, floor 0": Utility(floor=0.0),
    "supervisor": Supervisor(llm=ScriptedModel([call("search_web"), call("search_papers")], call("draft"))),
}


def row(name: str, process: Process) -> str:
    cost = sum(run.cost for run in process.history)
    value = sum(run.value for run in process.history)
    numbers = f"{cost:>5.1f} {value:>6.1f} {value - cost:>5.1f}"
    return f"{name:<17} {len(process.history):>5} {numbers}  {process.status:<10} {process.result(Answer).text}"


def main() -> None:
    print(f"{'planner':<17} {'steps':>5} {'cost':>5} {'value':>6} {'net':>5}  {'status':<10} result")
    processes = {name: agent.run(Question(text="Why tides?"), planner=planner) for name, planner in PLANNERS.items()}
    for name, process in processes.items():
        print(row(name, process))
    print()
    for name, process in processes.items():
        print(f"{name}: {' -> '.join(str(run) for run in process.history)}")


if __name__ == "__main__":
    main()
