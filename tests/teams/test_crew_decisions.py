"""Promises about what a supervisor decides: what cannot be done goes back to it with the reason, and it is bounded."""

import pytest
from teamwork import begun, compute, crew_of, effects, look_up, offered, said, to, told, trace

from planboard import (
    Budget,
    Crew,
    DefinitionError,
    HandOff,
    ProcessFailedError,
    ProcessOptions,
    ProcessStatus,
    ProcessTerminatedError,
    ScriptedModel,
    WorkDone,
    action,
    call,
    chat_agent,
    raw_call,
)
from planboard.llm.port import ModelReply

LONG = "x" * 70


def fails(task: str) -> str:
    """Fails."""
    effects["fails"] += 1
    message = "no disk"
    raise ValueError(message)


# Calls that mean nothing


def test_an_unknown_worker_is_answered_with_those_that_there_are():
    """Case 125."""
    crew, model = crew_of([look_up, compute], to("nobody", task="a"), to("look_up", task="a"), "end")
    assert trace(crew.run("q")) == ["supervisor", "look_up", "supervisor"]
    assert told(model, 1)[-1] == (
        "tool: transfer_to_nobody: there is no worker 'nobody'. These can be given work: look_up, compute."
    )


def test_a_model_that_only_makes_calls_that_mean_nothing_fails_after_three_answers():
    """Cases 125, 136."""
    crew, model = crew_of([look_up], *[to("nobody", task="a")] * 9)
    with pytest.raises(ProcessFailedError, match=r"decided nothing in 3 answers.*there is no worker 'nobody'"):
        crew.run("q")
    assert len(model.requests) == 3
    assert not effects


def test_what_can_be_done_of_a_turn_is_done_and_the_rest_is_told():
    """Case 085."""
    crew, model = crew_of([look_up], [to("nobody", task="a"), to("look_up", task="b")], "end")
    process = crew.run("q")
    assert trace(process) == ["supervisor", "look_up", "supervisor"]
    assert "- not done: transfer_to_nobody: there is no worker 'nobody'" in told(model)[-1]


@pytest.mark.parametrize("called", ["transfer_to_Look_Up", "transfer_to_look-up ", "look_up", "'look up'"])
def test_a_worker_is_found_whatever_the_case_and_the_quotes(called):
    """Case 137."""
    crew, _ = crew_of([look_up], call(called, task="a"), "end")
    assert trace(crew.run("q")) == ["supervisor", "look_up", "supervisor"]


@pytest.mark.parametrize("given", ["null", "", "{}"])
def test_a_worker_that_takes_nothing_is_called_with_nothing(given):
    """Case 135."""

    def tick() -> str:
        return "tock"

    crew, model = crew_of([tick], raw_call("transfer_to_tick", given), "end", handoff_messages=False)
    assert said(crew.run("q"))[1] == "tick: tock"
    assert model.requests[0]["tools"][0]["function"]["parameters"]["properties"] == {}


def test_arguments_that_are_a_list_are_refused():
    """Case 135."""
    crew, model = crew_of([look_up], raw_call("transfer_to_look_up", "[]"), "end")
    crew.run("q")
    assert "the arguments must be one JSON object" in told(model)[-1]


def test_a_task_that_is_left_out_is_asked_for():
    crew, model = crew_of([look_up], to("look_up"), to("look_up", task="a"), "end")
    assert trace(crew.run("q")) == ["supervisor", "look_up", "supervisor"]
    assert told(model, 1)[-1] == "tool: transfer_to_look_up: task: it is needed"


def test_the_words_of_a_task_count_under_another_name():
    crew, _ = crew_of([look_up], to("look_up", query="tides"), "end", handoff_messages=False)
    assert said(crew.run("q"))[1] == "look_up: looked up tides"


def test_a_single_tool_with_an_unknown_agent_is_answered_with_those_that_there_are():
    crew, model = crew_of(
        [look_up], call("task", agent="nobody", description="a"), call("task", agent="Look up", description="a"),
        call("transfer_to_look_up", task="a"), "end", tools="task",
    )  # fmt: skip
    assert trace(crew.run("q")) == ["supervisor", "look_up", "supervisor"]
    assert told(model, 1)[-1] == "tool: task: there is no worker 'nobody'. These can be given work: look_up."


def test_a_single_tool_without_a_description_is_refused():
    crew, model = crew_of([look_up], call("task", agent="look_up"), "end", tools="task")
    crew.run("q")
    assert told(model)[-1] == "tool: task: description: it is needed"


def test_an_answer_with_words_and_calls_is_no_end():
    """Case 139."""
    both = ModelReply(text="All is done.", calls=(to("look_up", task="a"),))
    crew, _ = crew_of([look_up], both, "end", handoff_messages=False)
    process = crew.run("q")
    assert said(process) == ["user: q", "look_up: looked up a", "supervisor: end"]


def test_an_empty_answer_is_asked_again():
    crew, model = crew_of([look_up], "", "end")
    assert crew.run("q").result(str) == "end"
    assert told(model)[-1] == "user: Give work to a worker, or answer in words."


def test_a_refusal_of_the_model_ends_the_run_with_its_words():
    crew, _ = crew_of([look_up], ModelReply(refusal="I must not."))
    with pytest.raises(ProcessFailedError, match="declined: I must not"):
        crew.run("q")


# Names


def test_every_name_has_a_tool_of_its_own():
    """Cases 128, 129."""
    names = ["foo-bar", "foo_bar", "foo.bar", "größe wörk", f"{LONG}a", f"{LONG}b"]
    model = ScriptedModel(lambda request: [call(tool, task="t") for tool in request.tools], "end")
    process = Crew("crew", dict.fromkeys(names, look_up), llm=model).run("q")
    assert trace(process) == ["supervisor", *names, "supervisor"]
    assert max(map(len, offered(model, 0))) <= 64


def test_two_workers_of_one_name_are_refused_with_both():
    """Case 130."""

    @action(name="look_up")
    def other(task: str) -> str:
        return task

    with pytest.raises(
        DefinitionError, match=r"named 'look_up': action 'look_up' \(.*\) and action 'look_up' \(.*\)\."
    ):
        Crew("crew", [look_up, other])


def test_a_worker_is_not_named_as_the_supervisor_is():
    """Case 130."""
    with pytest.raises(DefinitionError, match="a worker is named 'supervisor', as the supervisor is"):
        Crew("crew", {"supervisor": look_up})


@pytest.mark.parametrize(
    ("workers", "options", "message"),
    [
        ([], {}, "Team 'crew' has no members"),
        ([3], {}, "3 is nothing that can be run here"),
        ([look_up], {"output": "all"}, 'it is "last", "full" or "typed"'),
        ([look_up], {"tools": "both"}, 'it is "per_worker" or "task"'),
        ([look_up], {"returning": "str"}, "it is a type"),
        ([look_up], {"recursion_limit": 0}, "recursion_limit=0\\): it is a whole number of at least 1"),
        ([look_up], {"repeats": True}, "repeats=True\\): it is a whole number"),
        ([look_up], {"ouput": "last"}, r"Crew\('crew', ouput=\.\.\.\): there is no such argument. Did you mean 'output'"),
        ([look_up], {"planner": "goap"}, "planner=...\\): there is no such argument"),
        ([look_up], {"supervisor": "boss"}, "supervisor='boss'\\): it is a function"),
        ([look_up], {"on_handoff": 3}, "on_handoff=3\\): it is a function"),
        ({"": look_up}, {}, "is named ''. Its name is a text"),
        ({3: look_up}, {}, "is named 3. Its name is a text"),
    ],
    ids=["nobody", "no agent", "output", "tools", "returning", "limit", "repeats", "slip", "planner", "boss", "listener", "no name", "3"],
)  # fmt: skip
def test_what_cannot_work_is_refused_when_the_crew_is_made(workers, options, message):
    """Case 170."""
    with pytest.raises(DefinitionError, match=message):
        Crew("crew", workers, **options)


# Failures


def test_a_failure_is_told_to_the_supervisor_who_may_go_another_way():
    """Cases 138, 140."""
    crew, model = crew_of([fails, look_up], to("fails", task="a"), to("look_up", task="a"), "end")
    process = crew.run("q")
    assert trace(process) == ["supervisor", "fails", "supervisor", "look_up", "supervisor"]
    assert "tool: [fails] It did not work: Action 'fails' failed: ValueError: no disk" in told(model)


def test_a_failure_is_marked_as_one():
    """Case 140."""
    crew, _ = crew_of([fails], to("fails", task="a"), "end")
    assert crew.run("q").board.last(WorkDone).ok is False


def test_a_worker_that_has_failed_may_be_given_work_again():
    """Case 140."""
    crew, _ = crew_of([fails], to("fails", task="a"), to("fails", task="b"), "end")
    crew.run("q")
    assert effects["fails"] == 2


def test_an_agent_that_finds_no_way_is_a_failure_that_is_told():
    crew, model = crew_of([chat_agent("asker", llm=ScriptedModel())], to("asker", task="a"), "end")
    assert crew.run("q").status is ProcessStatus.COMPLETED
    assert "tool: [asker] It did not work: action 'asker' failed and there is no way around it" in " ".join(told(model))


def test_one_failure_of_a_turn_loses_nothing_of_the_others():
    """Case 112."""
    crew, _ = crew_of(
        [look_up, fails, compute], [to(name, task="a") for name in ("look_up", "fails", "compute")], "end"
    )
    done = crew.run("q").board.all(WorkDone)
    assert [(work.member, work.ok) for work in done] == [("look_up", True), ("fails", False), ("compute", True)]


# Limits


def test_the_very_same_task_is_given_three_times_at_most():
    """Cases 087, 119."""
    crew, _ = crew_of([look_up], *[to("look_up", task="a")] * 9)
    process = begun(crew, "q")
    assert process.status is ProcessStatus.TERMINATED
    assert process.reason == "turns: loop: 'look_up' was given the same task more than 3 times: 'a'"
    assert effects["look_up"] == len(process.board.all(WorkDone)) == 3


def test_so_many_turns_are_taken_and_no_more():
    """Case 158."""
    crew, _ = crew_of([look_up], *[to("look_up", task=str(number)) for number in range(9)], recursion_limit=4)
    with pytest.raises(ProcessTerminatedError, match="limit: 4 turns were taken without an end"):
        crew.run("q")
    assert effects["look_up"] == 4


def test_the_last_word_is_allowed_when_the_limit_is_reached():
    crew, _ = crew_of([look_up], to("look_up", task="a"), "end", recursion_limit=1)
    assert crew.run("q").result(str) == "end"


def test_a_worker_that_reaches_its_own_limit_is_a_failure_that_is_told():
    """Case 157."""
    inner, _ = crew_of([look_up], *[to("look_up", task=str(number)) for number in range(9)], recursion_limit=2)
    crew, model = crew_of({"inner": inner}, to("inner", task="a"), "end")
    assert crew.run("q").result(str) == "end"
    assert "tool: [inner] It did not work: turns: limit: 2 turns were taken without an end" in " ".join(told(model))


def test_a_budget_that_a_worker_reaches_ends_the_whole_run_and_keeps_what_was_done():
    """Cases 155, 158."""
    worker = chat_agent("worker", llm=ScriptedModel(rules={str: "w"}))
    crew, _ = crew_of([look_up, worker], to("look_up", task="a"), to("worker", task="a"), "end")
    process = begun(crew, "q", options=ProcessOptions(budget=Budget(llm_calls=2)))
    assert process.status is ProcessStatus.TERMINATED
    assert [work.member for work in process.board.all(WorkDone)] == ["look_up"]
    assert process.usage.llm_calls == 2


# A function in the place of the model


def test_a_function_may_decide():
    def decide(history):
        return HandOff(to="look_up", task="a") if len(history) == 1 else "end"

    process = Crew("crew", [look_up], supervisor=decide).run("q")
    assert trace(process) == ["supervisor", "look_up", "supervisor"]


def test_a_function_that_decides_may_be_asynchronous_and_give_work_to_several():
    async def decide(history, done):
        return "end" if done else [HandOff(to="compute", task="a"), HandOff(to="look_up", task="b")]

    process = Crew("crew", [look_up, compute], supervisor=decide, handoff_messages=False).run("q")
    assert said(process) == ["user: q", "compute: computed a", "look_up: looked up b", "supervisor: end"]


def test_a_function_is_told_what_was_done():
    seen: list[list[WorkDone]] = []

    def decide(history, done):
        seen.append(done)
        return "end" if done else HandOff(to="look_up", task="a")

    Crew("crew", [look_up], supervisor=decide, output="typed").run("q")
    assert [[work.member for work in works] for works in seen] == [[], ["look_up"]]


@pytest.mark.parametrize("decided", [None, [], 3, {"to": "look_up"}], ids=["None", "nobody", "a number", "a dict"])
def test_a_function_that_decides_nothing_fails_with_what_it_has_to_return(decided):
    with pytest.raises(ProcessFailedError, match="Return a HandOff, several of them, or the answer"):
        Crew("crew", [look_up], supervisor=lambda _: decided).run("q")


def test_a_function_that_names_no_worker_fails_with_the_closest():
    with pytest.raises(ProcessFailedError, match="Did you mean 'look_up'"):
        Crew("crew", [look_up], supervisor=lambda _: HandOff(to="lookup", task="a")).run("q")


def test_a_task_for_a_worker_that_takes_none_does_no_harm():
    def ring() -> str:
        """Rings the bell."""
        return "rung"

    crew, model = crew_of([ring], to("ring", task="Ring it."), "end")
    process = begun(crew, "q")

    assert "ring: rung" in said(process)
    assert offered(model) == ["transfer_to_ring"]
