"""Whatever a model says: a property test over all that it may say."""

from hypothesis import given
from hypothesis import strategies as st
from supervised_agents import INPUT, KITCHEN, NEWSROOM, Meal, Report, supervised

from planboard import ModelError, ModelReply, ModelUnavailableError, ProcessStatus, raw_call
from planboard.planners.compile import Compilation
from planboard.planners.world import Bits
from planboard.runtime.state import fold

NAMES = st.sampled_from(
    ["choose_cook", "take_order", "prepare_meal", "gather_notes", "compile_report", "Take Order", "bake", "", "\x00", "料理"]
) | st.text(max_size=80)  # fmt: skip
ARGUMENTS = st.sampled_from(
    ["", "{}", "null", "[]", "{", '{"request": {"question": "q"}}', '{"question": "q", "depth": 2}', '{"title": "t"}',
     '{"request": {"title": "t"}}', '{"request": null}', '{"request": {"question": 1}}', '"{}"', "NaN"]
) | st.text(max_size=40)  # fmt: skip
CALLS = st.builds(raw_call, NAMES, ARGUMENTS)
REPLIES = (
    st.text(max_size=40)
    | CALLS
    | st.lists(CALLS, min_size=1, max_size=12)
    | st.builds(ModelReply, text=st.text(max_size=10), refusal=st.text(max_size=10), cut_off=st.booleans())
    | st.sampled_from([ModelUnavailableError("scripted", "429"), ModelError("scripted", "401")])
)
SETTINGS = st.fixed_dictionaries(
    {
        "context": st.sampled_from(["digest", "transcript"]),
        "ask_when_forced": st.booleans(),
        "show_irrelevant": st.booleans(),
        "repeats": st.integers(1, 4),
        "calls_per_turn": st.integers(1, 5),
    }
)
AGENTS = st.sampled_from([(KITCHEN, (INPUT,), Meal), (NEWSROOM, (), Report)])


@given(agent=AGENTS, replies=st.lists(REPLIES, max_size=8), settings=SETTINGS)
def test_a_run_ends_in_order_whatever_the_model_says(agent, replies, settings):
    """It ends in a typed status; each call has one result; nothing runs twice; the board holds only what was declared."""
    of, inputs, wanted = agent

    process, _ = supervised(of, *inputs, script=replies, rules=lambda _: "That is all.", decisions=12, **settings)

    assert process.status in (ProcessStatus.COMPLETED, ProcessStatus.TERMINATED, ProcessStatus.FAILED)
    ran = [event.action for event in process.history]
    assert len(ran) == len(set(ran))
    assert {entry.producer for entry in process.board.entries} <= {"input", "supervisor", *of.actions}
    assert (process.board.last(wanted) is not None) is (process.status is ProcessStatus.COMPLETED)

    started = {event.call: event.tool_call for event in process.events if event.kind == "action_started"}
    results = [started[event.call] for event in process.history if started[event.call]]
    results += [event.tool_call for event in process.events if event.kind == "call_refused"]
    made = [call.id for event in process.events if event.kind == "decision_made" for call in event.calls]
    assert sorted(results) == sorted(made)

    told = [event.usage for event in process.events if event.kind == "model_called"]
    assert sum(usage.tokens for usage in told) == process.usage.tokens
    compilation = Compilation(of, of.goals)
    assert fold(compilation, Bits(compilation), process.events, greedy=True).board == process.board


@given(replies=st.lists(REPLIES, max_size=6))
def test_a_transcript_answers_each_call_once_and_only_grows(replies):
    """Whatever was called, every request is a conversation that servers accept."""
    _, model = supervised(
        KITCHEN, INPUT, script=replies, rules=lambda _: "Well.", context="transcript", ask_when_forced=True, decisions=8
    )

    for before, after in zip(model.requests, model.requests[1:], strict=False):
        assert after["messages"][: len(before["messages"])] == before["messages"]
    for request in model.requests:
        waiting: list[str] = []
        for message in request["messages"]:
            if message["role"] == "tool":
                waiting.remove(message["tool_call_id"])
            else:
                assert waiting == []
            waiting += [call["id"] for call in message.get("tool_calls", ())]
        assert waiting == []
