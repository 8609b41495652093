"""Promises about flows: the order is written down, and a member that wants another one to go on changes nothing."""

import pytest
from teamwork import Findings, Report, Topic, begun, effects, go, look_up, pay, research, trace, write

from planboard import (
    ActionContext,
    Approve,
    DefinitionError,
    Flow,
    HandOff,
    ProcessFailedError,
    ProcessStatus,
    ScriptedModel,
    chat_agent,
    run,
)
from planboard.steps import StepFailed, sequence


def one(task: str) -> Topic:
    """Makes a topic."""
    return Topic(text=task)


def two(topic: Topic) -> Findings:
    """Makes findings."""
    return Findings(notes=[topic.text])


def fails(topic: Topic) -> Report:
    """Fails."""
    message = "no disk"
    raise ValueError(message)


def pushy(task: str) -> Topic | HandOff:
    """Wants another one to go on."""
    return HandOff(to="other", task="take over")


def chatty(task: str) -> str | HandOff:
    """Wants another one to go on."""
    return HandOff(to="other", task="take over")


def shout(said: str) -> Report:
    """Says it aloud."""
    return Report(title=said.upper(), body="")


def test_a_sequence_runs_its_members_in_order():
    flow = Flow.sequence("flow", one, research, write)
    assert run(flow, "tides", returning=Report) == Report(title="tides", body="tides")


def test_agents_follow_each_other():
    flow = Flow.sequence(
        "flow", chat_agent("a", llm=ScriptedModel("draft")), chat_agent("b", llm=(model := ScriptedModel("final")))
    )
    assert run(flow, "q", returning=str) == "final"
    assert model.requests[0]["messages"][-1]["content"] == "draft"


def test_results_of_a_parallel_flow_are_in_the_order_of_its_members():
    """Cases 110, 124."""
    import anyio

    async def slow(task: str) -> Topic:
        await anyio.lowlevel.checkpoint()
        return Topic(text="slow")

    async def quick(task: str) -> Findings:
        return Findings(notes=["quick"])

    flow = Flow.parallel("flow", slow, quick)
    (done,) = flow.run("q").history
    assert [entry.value for entry in done.outputs] == [Topic(text="slow"), Findings(notes=["quick"])]


def test_a_member_may_be_there_twice():
    flow = Flow.parallel("flow", look_up, look_up)
    assert flow.run("q").status is ProcessStatus.COMPLETED
    assert effects == {"look_up": 2}


def test_a_failure_in_a_parallel_flow_may_be_collected():
    """Case 112."""
    flow = Flow.parallel("flow", two, fails, on_error="collect")
    process = flow.run(Topic(text="a"))
    assert process.board.last(Findings) == Findings(notes=["a"])
    assert process.board.last(StepFailed).step == "fails"


def test_a_loop_goes_on_until_it_is_enough():
    def longer(topic: Topic) -> Topic:
        return Topic(text=f"{topic.text}!")

    flow = Flow.loop("flow", longer, until=lambda topic: len(topic.text) > 3, max=9)
    assert run(flow, Topic(text="a"), returning=Topic) == Topic(text="a!!!")


def test_a_loop_of_several_runs_them_in_turn():
    def back(findings: Findings) -> Topic:
        return Topic(text=f"{findings.notes[0]}+")

    flow = Flow.loop("flow", two, back, max=3)
    assert run(flow, Topic(text="a"), returning=Topic) == Topic(text="a+++")


def test_a_hand_off_is_noted():
    process = Flow.sequence("flow", chatty, shout).run("q")
    assert process.board.all(HandOff) == [HandOff(to="other", task="take over", by="chatty")]


def test_the_task_of_a_hand_off_counts_as_what_the_member_says():
    flow = Flow.sequence("flow", chatty, shout)
    assert run(flow, "q", returning=Report) == Report(title="TAKE OVER", body="")


def test_the_last_member_does_not_hand_over_either():
    flow = Flow.sequence("flow", look_up, chatty)
    assert run(flow, "q", returning=str) == "take over"


def test_a_hand_off_in_the_place_of_an_object_fails_and_says_so():
    with pytest.raises(ProcessFailedError, match="'pushy' wants 'other' to go on, and has made no Topic"):
        Flow.sequence("flow", pushy, two).run("q")


@pytest.mark.parametrize("kind", [Flow.parallel, Flow.loop], ids=["parallel", "loop"])
def test_a_hand_off_changes_nothing_in_other_flows(kind):
    flow = kind("flow", chatty, max=1) if kind == Flow.loop else kind("flow", chatty, one)
    process = flow.run("q")
    assert process.status is ProcessStatus.COMPLETED
    assert process.board.last(HandOff).to == "other"


def test_flows_nest():
    inner = Flow.parallel("inner", two, shout)
    outer = Flow.sequence("outer", one, inner, write)
    process = outer.run("tides")
    assert process.result(Report) == Report(title="tides", body="tides")


def test_a_hand_off_in_an_inner_flow_is_noted_by_the_outer_one():
    process = Flow.sequence("outer", Flow.sequence("inner", chatty), shout).run("q")
    assert process.result(Report) == Report(title="TAKE OVER", body="")
    assert process.board.last(HandOff).by == "chatty"


@pytest.mark.parametrize("kind", [Flow.sequence, Flow.parallel], ids=["sequence", "parallel"])
def test_what_a_member_adds_beside_what_it_returns_is_put_on_the_board_too(kind):
    def adds(task: str, context: ActionContext) -> Topic:
        context.add(Findings(notes=["more"]))
        return Topic(text=task)

    process = kind("flow", adds, shout).run("q")
    assert process.status is ProcessStatus.COMPLETED
    assert process.board.last(Findings) == Findings(notes=["more"])


def test_a_flow_of_a_step_keeps_a_hand_off_as_its_end():
    flow = Flow("flow", sequence(pushy, name="only"))
    assert flow.run("q").result(HandOff).to == "other"


def test_from_outside_a_flow_is_one_action():
    assert trace(Flow.sequence("flow", one, two).run("a")) == ["flow_sequence"]


def test_a_member_may_ask_a_person_and_nobody_works_twice_elsewhere(kept, elsewhere):
    """Cases 085, 086."""
    process = begun(Flow.sequence("flow", look_up, pay), "q", options=kept())
    assert process.status is ProcessStatus.WAITING
    other = elsewhere(Flow.sequence("flow", look_up, pay), process)
    other.respond(other.pending[0].id, Approve())
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"look_up": 1, "pay": 1}


@pytest.mark.parametrize("kind", [Flow.sequence, Flow.parallel], ids=["sequence", "parallel"])
def test_a_flow_of_nothing_is_refused(kind):
    with pytest.raises(DefinitionError, match="is made of nothing"):
        kind("flow")


def test_what_is_no_step_is_refused():
    with pytest.raises(DefinitionError, match=r"is no step. Use Flow.sequence"):
        Flow("flow", one)


def test_nothing_about_a_flow_is_suspicious():
    assert Flow.sequence("flow", one, two).check() == []
