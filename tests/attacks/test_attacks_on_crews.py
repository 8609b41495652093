"""Crews met with what users and models do wrong: odd arguments, odd names, earlier talks, secrets, blanks."""

import pytest

from planboard import (
    Crew,
    DefinitionError,
    HandOff,
    Message,
    Process,
    ProcessOptions,
    ScriptedModel,
    WorkDone,
    call,
    chat_agent,
    on_handoff,
)


def look_up(task: str) -> str:
    """Looks something up."""
    if task == "nothing":
        raise ValueError("there is nothing")
    return f"found {task}"


def crew_of(*replies: object, **options: object) -> tuple[Crew, ScriptedModel]:
    model = ScriptedModel(*replies)
    return Crew("crew", [look_up], llm=model, **options), model


def told(model: ScriptedModel, request: int = 0) -> list[str]:
    """Return what a model was told after its prompt."""
    return [f"{message['role']}: {message['content']}" for message in model.requests[request]["messages"][1:]]


def said(process: Process) -> list[str]:
    return [str(message) for message in process.board.all(Message)]


EARLIER = [Message(author="user", content="hi"), Message(author="supervisor", content="hello")]


def test_a_question_after_an_earlier_talk_is_not_dropped():
    crew, model = crew_of("well")
    process = crew.run(*EARLIER, "and now?")
    assert told(model) == ["user: hi", "assistant: hello", "user: and now?"]
    assert said(process) == ["user: hi", "supervisor: hello", "user: and now?", "supervisor: well"]


def test_an_earlier_talk_may_be_given_as_a_list():
    crew, model = crew_of("well")
    process = crew.run(EARLIER, "and now?")
    assert told(model) == ["user: hi", "assistant: hello", "user: and now?"]
    assert said(process)[:3] == ["user: hi", "supervisor: hello", "user: and now?"]


def test_the_messages_of_one_run_begin_the_next():
    crew, model = crew_of("one", "two")
    first = crew.run("a")
    crew.run(first.board.all(Message), "b")
    assert told(model, 1) == ["user: a", "assistant: one", "user: b"]


def test_with_typed_output_an_earlier_talk_is_told_in_each_turn():
    crew, model = crew_of(call("transfer_to_look_up", task="x"), "end", output="typed")
    crew.run(EARLIER, "and now?")
    assert told(model, 1)[:3] == ["user: hi", "assistant: hello", "user: and now?"]


@pytest.mark.parametrize("blank", ["   ", "\n", "\t "], ids=["spaces", "line", "tab"])
def test_a_blank_answer_is_no_answer(blank):
    """Case 144."""
    crew, model = crew_of(blank, "the end")
    assert crew.run("q").result(str) == "the end"
    assert len(model.requests) == 2


@pytest.mark.parametrize("name", ["计算", "a" * 80, "näher dran"], ids=["chinese", "long", "umlaut"])
def test_a_worker_is_found_by_its_own_name_where_the_name_of_its_tool_differs(name):
    """Case 129."""
    model = ScriptedModel(call(f"transfer_to_{name}", task="x"), "end")
    process = Crew("crew", {name: look_up}, llm=model).run("q")
    assert [done.action for done in process.history] == ["supervisor", name, "supervisor"]


def test_of_two_tasks_of_one_worker_each_has_its_own_word():
    both = [call("transfer_to_look_up", task="this"), call("transfer_to_look_up", task="nothing")]
    crew, _ = crew_of(both, "end")
    done = crew.run("q").board.all(WorkDone)
    assert [(work.task, work.ok) for work in done] == [("this", True), ("nothing", False)]


def test_the_words_of_two_tasks_are_in_the_order_of_the_calls():
    crew, _ = crew_of([call("transfer_to_look_up", task=task) for task in "cab"], "end")
    assert [work.task for work in crew.run("q").board.all(WorkDone)] == ["c", "a", "b"]


def test_a_function_is_told_each_piece_of_work():
    seen: list[str] = []

    def decide(history: list[Message], done: list[WorkDone]) -> object:
        seen.extend(work.text for work in done)
        return "end" if done else [HandOff(to="look_up", task="a"), HandOff(to="look_up", task="b")]

    Crew("crew", [look_up], supervisor=decide).run("q")
    assert seen == ["found a", "found b"]


def test_a_secret_that_a_tool_was_given_is_not_in_the_shared_history():
    """Case 165."""

    def log_in(user: str, api_key: str) -> str:
        """Logs in."""
        return "in"

    worker = chat_agent(
        "worker", tools=[log_in], description="Works.", llm=ScriptedModel(call("log_in", user="a", api_key="s3cret"), "ok")
    )  # fmt: skip
    boss = ScriptedModel(call("transfer_to_worker", task="x"), "end")
    process = Crew("crew", [worker], llm=boss, output="full").run("q")
    assert "s3cret" not in str(said(process))
    assert "s3cret" not in str(boss.requests)


def test_nobody_can_speak_as_the_user():
    """Case 120."""
    with pytest.raises(DefinitionError, match="A member of 'crew' is named 'user', as the one who asks is"):
        Crew("crew", {"user": look_up})


def test_nor_can_the_supervisor():
    with pytest.raises(DefinitionError, match="The supervisor of 'crew' is named 'user'"):
        Crew("crew", [look_up], supervisor_name="user")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompt": 3}, r"Crew\('crew', prompt=3\): it is a text"),
        ({"temperature": "hot"}, r"temperature='hot'\): it is a number, or None"),
        ({"parallel": 2}, r"parallel=2\): it is True or False"),
        ({"handoff_messages": "no"}, r"handoff_messages='no'\): it is True or False"),
        ({"recursion_limit": "5"}, r"Crew\('crew', recursion_limit='5'\): it is a whole number of at least 1"),
        ({"supervisor_name": ""}, "The supervisor of 'crew' is named ''"),
    ],
    ids=["prompt", "temperature", "parallel", "hand-offs", "limit", "name"],
)
def test_an_argument_of_a_wrong_kind_is_refused_by_its_name(options, message):
    """Case 170."""
    with pytest.raises(DefinitionError, match=message):
        Crew("crew", [look_up], **options)


def test_a_listener_that_would_never_be_awaited_is_refused():
    """Case 169."""

    async def tell(to: str, argument: str) -> None: ...

    with pytest.raises(DefinitionError, match="not an async one: it is called, and not awaited"):
        Crew("crew", [look_up], on_handoff=tell)
    with pytest.raises(DefinitionError, match="not an async one"):
        ProcessOptions(listeners=[on_handoff(tell)])


@pytest.mark.parametrize("name", ["", "  ", 3, look_up], ids=["empty", "blank", "number", "function"])
def test_a_crew_has_a_name(name):
    with pytest.raises(DefinitionError, match="Its name is a text, and comes first"):
        Crew(name, [look_up])
