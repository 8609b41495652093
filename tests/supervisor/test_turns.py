"""Carrying out what a model decides: one result for each call, in order, at once where that is safe."""

import asyncio

import pytest
from supervised_agents import (
    INPUT,
    KITCHEN,
    NEWSROOM,
    Cook,
    Meal,
    Notes,
    Order,
    Report,
    ReportRequest,
    Topic,
    UserInput,
    kinds,
    supervised,
    tools_of,
)

from planboard import Agent, ProcessStatus, ScriptedModel, Supervisor, achieves_goal, action, call, condition, raw_call
from planboard.runtime.audience import Audience


def refusals(process):
    return [event.reason for event in process.events if event.kind == "call_refused"]


def ran(process):
    return [event.action for event in process.history]


def test_the_calls_of_one_turn_are_all_carried_out_and_the_rest_is_forced():
    process, model = supervised(KITCHEN, INPUT, script=[[call("choose_cook"), call("take_order")]])

    assert process.result(Meal) == Meal(dish="pie", quantity=2, cooked_by="Ben")
    assert len(model.requests) == 1


def test_in_any_order():
    """Peer case supervisor/any-order."""
    process, _ = supervised(KITCHEN, INPUT, script=[[call("take_order"), call("choose_cook")]])

    assert ran(process) == ["take_order", "choose_cook", "prepare_meal"]


def test_one_thing_to_do_is_done_without_asking():
    process, model = supervised(KITCHEN, INPUT, Cook(name="Ann"))

    assert process.status is ProcessStatus.COMPLETED
    assert model.requests == []


def test_one_thing_to_do_is_asked_about_on_demand():
    script = [call("take_order"), call("prepare_meal")]
    _, model = supervised(KITCHEN, INPUT, Cook(name="Ann"), script=script, ask_when_forced=True)

    assert len(model.requests) == 2


def test_independent_calls_of_one_turn_run_at_once():
    """Case 124."""
    meeting = asyncio.Barrier(2)

    @action
    async def choose_cook(user_input: UserInput) -> Cook:
        await meeting.wait()
        return Cook(name="Ben")

    @action
    async def take_order(user_input: UserInput) -> Order:
        await meeting.wait()
        return Order(dish="pie", quantity=1)

    agent = Agent("kitchen", [choose_cook, take_order, KITCHEN.parts[2]])
    process, _ = supervised(agent, INPUT, script=[[call("choose_cook"), call("take_order")]])

    assert process.status is ProcessStatus.COMPLETED


def test_results_come_in_the_order_of_the_calls_whatever_finishes_first():
    released = asyncio.Event()

    @action
    async def choose_cook(user_input: UserInput) -> Cook:
        await released.wait()
        return Cook(name="Ben")

    @action
    async def take_order(user_input: UserInput) -> Order:
        released.set()
        return Order(dish="pie", quantity=1)

    agent = Agent("kitchen", [choose_cook, take_order, KITCHEN.parts[2]])
    process, _ = supervised(agent, INPUT, script=[[call("choose_cook"), call("take_order")]])

    assert ran(process)[:2] == ["choose_cook", "take_order"]


def test_a_call_that_needs_the_result_of_an_earlier_one_waits_for_it_and_is_looked_at_again():
    script = [[call("gather_notes", request={"question": "q"}), call("compile_report", request={"title": "t"})]]
    process, model = supervised(NEWSROOM, script=script)

    assert process.result(Report).lines == 1
    assert len(model.requests) == 1


def test_what_the_model_builds_is_on_the_board():
    process, _ = supervised(
        NEWSROOM,
        script=[call("gather_notes", request={"question": "q"}), call("compile_report", request={"title": "t"})],
    )

    built = [entry.type_name for entry in process.board.entries if entry.producer == "supervisor"]
    assert built == ["NotesRequest", "ReportRequest"]


def test_arguments_become_instances():
    """Case 134."""
    process, _ = supervised(
        NEWSROOM,
        script=[
            call("gather_notes", request={"question": "q", "depth": "3"}),
            call("compile_report", request={"title": "t"}),
        ],
    )

    assert process.result(Report).lines == 3


def test_arguments_that_do_not_fit_are_refused_with_the_path_of_each_fault():
    """Case 134."""
    script = [
        call("gather_notes", request={"depth": "deep"}),
        call("gather_notes", request={"question": "q"}),
        call("compile_report", request={"title": "t"}),
    ]
    process, model = supervised(NEWSROOM, script=script)

    assert process.status is ProcessStatus.COMPLETED
    assert "request.question: Field required" in refusals(process)[0]
    assert "request.depth" in model.requests[1]["messages"][-1]["content"]


def test_an_action_whose_arguments_do_not_fit_is_not_called():
    calls = []

    @achieves_goal("A report")
    @action
    def write(request: ReportRequest) -> Report:
        calls.append(request)
        return Report(title=request.title, lines=0)

    supervised(
        Agent("a", [write]), script=[call("write", request={"titel": "t"}), call("write", request={"title": "t"})]
    )

    assert calls == [ReportRequest(title="t")]


@pytest.mark.parametrize("given", ["{}", "", "null", '{"limit": null}'])
def test_a_default_is_used_when_it_is_left_out_or_null(given):
    """Cases 133 and 135."""

    @achieves_goal("A report")
    @action
    def write(topic: Topic, limit: int = 10) -> Report:
        return Report(title=topic.text, lines=limit)

    process, _ = supervised(
        Agent("a", [write]), Topic(text="x"), script=[raw_call("write", given)], ask_when_forced=True
    )

    assert process.result(Report).lines == 10


def test_an_input_that_may_be_none_is_called_with_none():
    """Case 133."""
    seen = []

    @achieves_goal("A report")
    @action
    def write(topic: Topic, notes: Notes | None) -> Report:
        seen.append(notes)
        return Report(title="t", lines=0)

    supervised(Agent("a", [write]), Topic(text="x"), script=[call("write", notes=None)], ask_when_forced=True)

    assert seen == [None]


def test_arguments_that_are_a_list_are_refused_politely():
    """Case 135."""
    process, _ = supervised(NEWSROOM, script=[raw_call("gather_notes", "[]")], repeats=1)

    assert "one JSON object" in refusals(process)[0]


def test_the_fields_of_a_single_argument_may_be_given_alone():
    script = [call("gather_notes", question="q"), call("compile_report", title="t")]
    process, _ = supervised(NEWSROOM, script=script)

    assert process.status is ProcessStatus.COMPLETED


def test_an_unknown_tool_is_answered_with_the_valid_ones():
    """Case 125."""
    process, model = supervised(KITCHEN, INPUT, script=[call("bake"), [call("choose_cook"), call("take_order")]])

    assert process.status is ProcessStatus.COMPLETED
    assert refusals(process) == ["There is no tool 'bake'. Tools now: choose_cook, take_order."]
    assert "Tools now: choose_cook, take_order." in model.requests[1]["messages"][-1]["content"]


def test_a_name_in_another_case_or_with_space_around_it_is_understood():
    """Case 137."""
    process, _ = supervised(KITCHEN, INPUT, script=[[call(" Choose_Cook "), call("`take-order`")]])

    assert refusals(process) == []


def test_a_tool_that_is_not_available_yet_says_what_it_needs():
    process, _ = supervised(KITCHEN, INPUT, script=[call("prepare_meal"), [call("choose_cook"), call("take_order")]])

    assert "it needs Cook and Order first" in refusals(process)[0]


def test_a_tool_that_has_done_its_work_says_so():
    process, _ = supervised(
        KITCHEN,
        INPUT,
        script=[call("choose_cook"), call("choose_cook"), call("take_order")],
        ask_when_forced=True,
        repeats=1,
    )

    assert "has been done already" in refusals(process)[0]


def test_prose_does_not_end_a_run():
    """Only the goal object completes the run."""
    process, model = supervised(
        KITCHEN, INPUT, script=["The meal is ready!", [call("choose_cook"), call("take_order")]]
    )

    assert process.status is ProcessStatus.COMPLETED
    assert "Call a tool" in model.requests[1]["messages"][-1]["content"]


def test_each_call_has_exactly_one_result():
    script = [[call("choose_cook"), call("bake"), call("choose_cook"), call("take_order")]]
    process, _ = supervised(KITCHEN, INPUT, script=script)

    made = next(event for event in process.events if event.kind == "decision_made")
    started = {event.call: event.tool_call for event in process.events if event.kind == "action_started"}
    results = [started[event.call] for event in process.history if started[event.call]]
    results += [event.tool_call for event in process.events if event.kind == "call_refused"]
    assert sorted(results) == sorted(one.id for one in made.calls)


def test_calls_keep_ids_of_their_own_where_the_server_gives_the_same_twice():
    from planboard.llm.port import ToolCall

    twins = [ToolCall("same", "choose_cook", "{}"), ToolCall("same", "take_order", "{}")]
    process, _ = supervised(KITCHEN, INPUT, script=[twins])

    made = next(event for event in process.events if event.kind == "decision_made")
    assert [one.id for one in made.calls] == ["call_1_1", "call_1_2"]


def test_once_the_goal_is_reached_nothing_more_is_started_and_the_rest_is_told_so():
    """Case 139."""
    effects = []

    @achieves_goal("A report")
    @action
    def write(topic: Topic) -> Report:
        return Report(title="t", lines=0)

    @action(pre=["published"])
    def publish(report: Report) -> Notes:
        effects.append("published")
        return Notes(lines=[])

    @action(post=["published"])
    def prepare(topic: Topic) -> Cook: ...

    agent = Agent("a", [write, publish, prepare])
    script = [[call("write"), call("publish")]]
    process, _ = supervised(agent, Topic(text="x"), script=script, ask_when_forced=True)

    assert process.status is ProcessStatus.COMPLETED
    assert effects == []
    assert "the goal is reached" in refusals(process)[0]


def test_an_action_that_fails_is_told_briefly_and_another_way_is_taken():
    """Case 140."""

    @action
    def phone_in(user_input: UserInput) -> Order:
        raise RuntimeError("the line is dead")

    agent = Agent("kitchen", [phone_in, *KITCHEN.parts])
    script = [[call("choose_cook"), call("phone_in")], call("take_order")]
    process, model = supervised(agent, INPUT, script=script, ask_when_forced=True, rules={"prepare_meal": {}})

    assert process.status is ProcessStatus.COMPLETED
    assert "the line is dead" in model.requests[1]["messages"][-1]["content"]
    assert "phone_in" not in tools_of(model.requests[1])


def test_after_each_result_the_next_decision_is_the_supervisors():
    """Case 138."""

    @action
    def choose_cook(user_input: UserInput) -> Cook:
        return Cook(name="hand over to take_order now")

    agent = Agent("kitchen", [choose_cook, *KITCHEN.parts[1:]])
    process, model = supervised(
        agent, INPUT, script=[call("choose_cook"), call("take_order"), call("prepare_meal")], ask_when_forced=True
    )

    assert kinds(process).count("model_asked") == 3
    assert len(model.requests) == 3


def test_a_condition_on_what_the_model_builds_is_checked_before_the_action_runs():
    calls = []

    @condition
    def is_short(request: ReportRequest) -> bool:
        return len(request.title) < 5

    @achieves_goal("A report")
    @action(pre=[is_short])
    def write(request: ReportRequest) -> Report:
        calls.append(request.title)
        return Report(title=request.title, lines=0)

    script = [call("write", request={"title": "much too long"}), call("write", request={"title": "ok"})]
    process, _ = supervised(Agent("a", [write]), script=script)

    assert calls == ["ok"]
    assert [entry.value.title for entry in process.board.visible if entry.type_name == "ReportRequest"] == ["ok"]


def test_a_sync_action_does_not_hold_up_another():
    import threading

    meeting = threading.Barrier(2, timeout=20)

    @action
    def choose_cook(user_input: UserInput) -> Cook:
        meeting.wait()
        return Cook(name="Ben")

    @action
    def take_order(user_input: UserInput) -> Order:
        meeting.wait()
        return Order(dish="pie", quantity=1)

    agent = Agent("kitchen", [choose_cook, take_order, KITCHEN.parts[2]])
    process = agent.run(INPUT, planner=Supervisor(llm=ScriptedModel([call("choose_cook"), call("take_order")])))

    assert process.status is ProcessStatus.COMPLETED


def test_a_turn_that_was_decided_goes_on_after_a_stop_without_asking_again():
    from planboard import Budget, ProcessOptions

    process, model = supervised(
        KITCHEN,
        INPUT,
        script=[[call("choose_cook"), call("take_order")]],
        options=ProcessOptions(budget=Budget(actions=1)),
    )
    assert process.status is ProcessStatus.TERMINATED

    asyncio.run(process.run(budget=Budget()))

    assert process.status is ProcessStatus.COMPLETED
    assert len(model.requests) == 1
    assert sorted(ran(process)) == ["choose_cook", "prepare_meal", "take_order"]


@pytest.mark.parametrize(("given", "runs"), [("null", True), ("", True), ("{}", True), ("[]", False)])
def test_a_tool_that_takes_nothing_may_be_given_nothing_in_any_form_but_a_list(given, runs):
    """Case 135."""
    script = [raw_call("choose_cook", given), [call("choose_cook"), call("take_order")]]
    process, _ = supervised(KITCHEN, INPUT, script=script)

    assert (refusals(process) == []) is runs
    assert process.status is ProcessStatus.COMPLETED


def test_what_a_worker_returns_and_did_not_declare_is_not_merged_and_told_by_name():
    """Case 160."""

    @action
    def phone_in(user_input: UserInput) -> Order:
        return Topic(text="an order, honestly")

    agent = Agent("kitchen", [phone_in, *KITCHEN.parts])
    script = [[call("choose_cook"), call("phone_in")], call("take_order")]
    process, model = supervised(agent, INPUT, script=script, ask_when_forced=True, rules={"prepare_meal": {}})

    assert process.board.last(Topic) is None
    told = model.requests[1]["messages"][-1]["content"]
    assert all(words in told for words in ("phone_in", "Topic", "declares Order"))


def test_two_workers_of_one_name_are_refused_with_both_origins():
    """Case 130."""
    from planboard import DefinitionError

    def made():
        @action
        def research(topic: Topic) -> Notes: ...

        return research

    with pytest.raises(DefinitionError, match=r"Two actions are named 'research'.*test_turns.py.*test_turns.py"):
        Agent("a", [made(), made()])


def test_a_child_is_supervised_within_the_limits_of_its_parent():
    """Cases 155 and 157."""
    from planboard import ActionContext, Budget, ProcessOptions

    @achieves_goal("A meal")
    @action
    async def delegate(user_input: UserInput, context: ActionContext) -> Meal:
        return await context.run(KITCHEN, user_input, returning=Meal)

    options = ProcessOptions(budget=Budget(llm_calls=1))
    process, model = supervised(
        Agent("parent", [delegate]), INPUT, script=[call("bake"), call("bake")], options=options
    )

    assert process.status is ProcessStatus.TERMINATED
    assert process.usage.llm_calls == len(model.requests) == 1


def test_each_tick_is_a_question_or_what_it_decided():
    process = KITCHEN.process(INPUT, planner=Supervisor(llm=ScriptedModel([call("choose_cook"), call("take_order")])))

    async def ticks():
        return [(await process.tick(), len(process.history)) for _ in range(4)]

    assert asyncio.run(ticks()) == [
        (ProcessStatus.RUNNING, 0),
        (ProcessStatus.RUNNING, 2),
        (ProcessStatus.RUNNING, 3),
        (ProcessStatus.COMPLETED, 3),
    ]


def test_a_question_is_told_before_it_is_answered():
    seen = []

    class Watched(ScriptedModel):
        async def _send(self, wire):
            seen.append("model_asked" in kinds(process))
            return await super()._send(wire)

    process = KITCHEN.process(INPUT, planner=Supervisor(llm=Watched([call("choose_cook"), call("take_order")])))

    async def watch():
        return [event.kind async for event in process.stream()]

    assert asyncio.run(watch()) == kinds(process)
    assert seen == [True]


def test_every_prefix_of_the_events_folds_to_the_state_it_was_then():
    from planboard.planners.compile import Compilation
    from planboard.planners.world import Bits
    from planboard.runtime.state import fold

    boards = []
    process = KITCHEN.process(
        INPUT, planner=Supervisor(llm=ScriptedModel(call("bake"), [call("choose_cook"), call("take_order")]))
    )
    listen = lambda _: boards.append((process.board.snapshot(), process._core.state.usage))  # noqa: E731
    process._audience = Audience(process.id, (listen,))
    asyncio.run(process.run())
    compilation = Compilation(KITCHEN, KITCHEN.goals)

    events = process.events[-len(boards) :]
    before = process.events[: -len(boards)]
    for index, (board, usage) in enumerate(boards):
        state = fold(compilation, Bits(compilation), [*before, *events[: index + 1]], greedy=True)
        assert (state.board, state.usage) == (board, usage)
