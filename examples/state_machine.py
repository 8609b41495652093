"""An order as a state machine: what may follow what is checked before anything runs, and drawn from the code.

Shows `StateMachine` over `@state` classes: transitions are what the methods return, guards are conditions on the
state, a base class gives all open states the way out, and a person decides in one of them. The run pauses there.
"""

import asyncio

from pydantic import BaseModel

from planboard import StateMachine, action, current_state, human, state


class Verdict(BaseModel):
    """What the person says."""

    genuine: bool


@state
class Open(BaseModel):
    """What all open states share: they carry the order, and can be called off."""

    item: str
    price: int
    attempts: int = 0
    withdrawn: bool = False

    @action(pre=["open.withdrawn"])
    def call_off(self) -> "CalledOff":
        return CalledOff(item=self.item)


class Placed(Open):
    @action(pre=["placed.price <= 500", "!placed.withdrawn"])
    def accept(self) -> "Payable":
        return Payable(**self.model_dump())

    @action(pre=["placed.price > 500", "!placed.withdrawn"])
    def look_twice(self) -> "Suspicious":
        return Suspicious(**self.model_dump())


class Suspicious(Open):
    @action
    def settle(self, verdict: Verdict) -> "Payable | CalledOff":
        return Payable(**self.model_dump()) if verdict.genuine else CalledOff(item=self.item)


class Payable(Open):
    @action(pre=["!payable.withdrawn"])
    def charge(self) -> "Payable | Shipped":
        """Charge the card; the first attempt fails."""
        if self.attempts == 0:
            return self.model_copy(update={"attempts": 1})
        return Shipped(item=self.item, attempts=self.attempts + 1)


@state
class Shipped(BaseModel):
    item: str
    attempts: int


@state
class CalledOff(BaseModel):
    item: str


ask = human(Verdict, prompt="Is an order of {suspicious.price} genuine?", needs=[Suspicious], name="ask_security")

agent = StateMachine(
    "order",
    [Open, Shipped, CalledOff],
    initial=Placed,
    final={Shipped: 0.9, CalledOff: 0.0},
    parts=[ask],
    max_steps=20,
)


def main() -> None:
    print(agent.mermaid())
    for order in (
        Placed(item="book", price=20),
        Placed(item="lamp", price=80, withdrawn=True),
        Placed(item="harp", price=9_000),
    ):
        process = agent.process(order)
        asyncio.run(process.run())
        for request in process.pending:
            print(f"{type(current_state(process)).__name__}: {request.prompt}")
            process.respond(request.id, Verdict(genuine=True))
            asyncio.run(process.run())
        print(f"{' -> '.join(map(str, process.history))}: {current_state(process)!r}")


if __name__ == "__main__":
    main()
