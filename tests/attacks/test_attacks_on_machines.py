"""State machines met as parts of all that has parts, and with arguments of wrong kinds."""

from asyncio import run as wait

import pytest
from pydantic import BaseModel

from planboard import (
    ActionContext,
    Agent,
    Ai,
    DefinitionError,
    Flow,
    MemoryJournal,
    PlanOutcome,
    PlanTree,
    Process,
    ProcessOptions,
    ScriptedModel,
    StateMachine,
    TaskPlan,
    TaskStep,
    achieves_goal,
    action,
    call,
    human,
    map_each,
    parallel,
    sequence,
    state,
    subagent,
)
from planboard.interop.mcp.goals import tools_of


class Verdict(BaseModel):
    good: bool


class Printed(BaseModel):
    text: str


@state
class Draft(BaseModel):
    text: str
    version: int = 1

    @action
    def submit(self) -> "Review":
        return Review(text=self.text, version=self.version)


@state
class Review(BaseModel):
    text: str
    version: int

    @action
    def judge(self) -> "Draft | Published":
        if self.version == 1:
            return Draft(text=f"{self.text}!", version=2)
        return Published(text=self.text)


@state
class Published(BaseModel):
    text: str


def printed(published: Published) -> Printed:
    return Printed(text=published.text)


def paper(*initial: type) -> StateMachine:
    """Return a machine that comes back to its first state, so that an action of it makes that, too."""
    return StateMachine("paper", [Draft, Review, Published], initial=initial or Draft, final=Published)


plan = TaskPlan(goal="Publish", steps=[TaskStep(id="a", task="publish it")])


@pytest.mark.parametrize(
    "outer",
    [
        lambda: Agent("outer", [subagent(paper()), printed_action]),
        lambda: Agent("outer", [sequence(paper(), printed)]),
        lambda: Agent("outer", [sequence(parallel(paper(), name="both"), printed)]),
        lambda: Flow.sequence("outer", paper(), printed),
    ],
    ids=["subagent", "sequence", "parallel", "flow"],
)
def test_a_machine_that_comes_back_to_its_first_state_is_a_part_of_anything(outer):
    assert outer().run(Draft(text="Tides"), returning=Printed).text == "Tides!"


printed_action = action(printed)


def test_a_machine_is_run_for_each_first_state():
    agent = Agent("outer", [map_each(list[Draft], paper())])

    found = agent.run([Draft(text="a"), Draft(text="b")], returning=list[Published])

    assert [published.text for published in found] == ["a!", "b!"]


def test_a_machine_may_be_a_worker_of_a_plan_tree():
    tree = PlanTree("tree", [paper()], planned_by=None, needs=[Draft])

    outcome = tree.run(plan, Draft(text="Tides"), returning=PlanOutcome)

    assert outcome.value("a", Published).text == "Tides!"


@pytest.mark.parametrize(
    "part", [lambda: subagent(paper(Draft, Review)), lambda: sequence(paper(Draft, Review))], ids=["subagent", "part"]
)
def test_a_machine_with_several_first_states_takes_any_of_them(part):
    agent = Agent("outer", [part()])

    assert agent.run(Review(text="Tides", version=2), returning=Published).text == "Tides"


def test_a_machine_as_a_tool_takes_its_first_state():
    @achieves_goal("An answer")
    @action
    async def ask(ai: Ai) -> str:
        return await ai.agentic("Publish.", tools=[paper().as_tool()])

    model = ScriptedModel(call("paper", draft={"text": "Tides"}), "published")
    Agent("outer", [ask], services=[Ai(model)]).run(returning=str)

    assert "Tides!" in str(model.requests[1]["messages"])


def test_a_machine_over_mcp_takes_its_first_state():
    arguments = tools_of(paper())["Published"].arguments

    assert {name: argument.needed for name, argument in arguments.items()} == {"draft": True}


def test_a_tree_in_a_machine_in_a_step_waits_and_goes_on_in_another_program():
    ask = human(Verdict, prompt="Good?")
    tree = PlanTree("tree", {"ask": ask}, planned_by=None)

    @state
    class Planned(BaseModel):
        plan: TaskPlan

        @action(idempotent=True)
        async def carry(self, context: ActionContext) -> Published:
            outcome = await context.run(tree, self.plan, returning=PlanOutcome)
            return Published(text=str(outcome.value("a", Verdict).good))

    machine = StateMachine("machine", [Planned, Published], initial=Planned, final=Published, agents=[tree])
    agent = Agent("outer", [sequence(machine, printed)])
    journal = MemoryJournal()
    process = agent.process(Planned(plan=plan), returning=Printed, id="r", options=ProcessOptions(journal=journal))
    wait(process.run())

    restored = Process.restore(agent, journal, "r")
    restored.respond(restored.pending[0].id, Verdict(good=True))
    wait(restored.run())

    assert restored.result(Printed).text == "True"


@pytest.mark.parametrize("given", [[(Draft, Review)], "Draft", 3], ids=["pairs", "text", "number"])
def test_transitions_that_are_no_mapping_are_refused(given):
    with pytest.raises(DefinitionError, match=r"transitions=.* is no mapping. Write it by state"):
        StateMachine("paper", [Draft, Review, Published], initial=Draft, final=Published, transitions=given)
