"""Eino's flow, supervisor and workflow as one idea, who may hand over to whom, and the state machine below them.

Shows two agents, one of which asks for the other. In a `Network` that one goes on, in a `Crew` it is the supervisor who
goes on and decides, and in a `Flow` the wish is only put on record. Nobody is wrapped for that. At last a supervisor as
what it is underneath, a state machine that is declared, checked and drawn.
"""

from pydantic import BaseModel

from planboard import Crew, Flow, HandOff, Network, StateMachine, action, state


def drafter(task: str) -> HandOff:
    """Drafts, and wants the reviewer to go on."""
    return HandOff(to="reviewer", task=f"a draft of {task}")


def reviewer(task: str) -> str:
    """Reviews."""
    return f"{task}, reviewed"


def one_wish_in_three_teams() -> None:
    network = Network("network", [drafter, reviewer])
    print("network:", " -> ".join(map(str, network.run("a note").history)))

    decide = [HandOff(to="drafter", task="a note"), HandOff(to="reviewer", task="the draft"), "It is done."]
    crew = Crew("crew", [drafter, reviewer], supervisor=lambda history: decide.pop(0))
    process = crew.run("Have a note written.")
    print("crew:", " -> ".join(map(str, process.history)))

    flow = Flow.sequence("flow", drafter, reviewer)
    process = flow.run("a note")
    noted = [f"{hand_off.to} was asked for" for hand_off in process.board.all(HandOff)]
    print("flow: drafter -> reviewer,", *noted)


@state
class Supervising(BaseModel):
    task: str
    done: list[str] = []

    @action(pre=["!('found' in supervising.done)"])
    def send_researcher(self) -> "Researching":
        return Researching(**self.model_dump())

    @action(pre=["'found' in supervising.done", "!('coded' in supervising.done)"])
    def send_coder(self) -> "Coding":
        return Coding(**self.model_dump())

    @action(pre=["'coded' in supervising.done"])
    def finish(self) -> "Finished":
        return Finished(done=self.done)


@state
class Researching(BaseModel):
    task: str
    done: list[str]

    @action
    def research(self) -> Supervising:
        return Supervising(task=self.task, done=[*self.done, "found"])


@state
class Coding(BaseModel):
    task: str
    done: list[str]

    @action
    def code(self) -> Supervising:
        return Supervising(task=self.task, done=[*self.done, "coded"])


@state
class Finished(BaseModel):
    done: list[str]


machine = StateMachine("star", [Supervising, Researching, Coding, Finished], initial=Supervising, final=Finished)


def main() -> None:
    one_wish_in_three_teams()
    process = machine.run(Supervising(task="a function"))
    print("machine:", " -> ".join(map(str, process.history)))
    print(machine.mermaid())


if __name__ == "__main__":
    main()
