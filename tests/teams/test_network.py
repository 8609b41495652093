"""Promises about networks: members hand over along a declared topology, and what it does not allow is rewritten."""

import pytest
from teamwork import Findings, Topic, begun, compute, crew_of, effects, go, look_up, pay, said, to, told, trace

from planboard import (
    Approve,
    DefinitionError,
    Deny,
    HandOff,
    Message,
    Network,
    ProcessFailedError,
    ProcessOptions,
    ProcessStatus,
    ScriptedModel,
    call,
    chat_agent,
    line,
    mesh,
    on_handoff,
    star,
)


def passing(name: str, to: str | None = None, task: str = "go on"):
    """Return a member that hands over, or answers."""

    def member(task_: str) -> HandOff | str:
        return HandOff(to=to, task=task) if to is not None else f"{name} answers {task_}"

    member.__name__ = name
    return member


def test_who_hands_over_to_nobody_gives_the_answer():
    process = Network("net", [passing("a", "c"), passing("b"), passing("c")]).run("q")
    assert (trace(process), process.result(str)) == (["a", "c"], "c answers go on")


def test_the_first_member_begins():
    assert trace(Network("net", [passing("a"), passing("b")]).run("q")) == ["a"]


def test_another_entry_may_begin():
    assert trace(Network("net", [passing("a"), passing("b")], entry="b").run("q")) == ["b"]


def test_the_entry_is_told_what_the_run_was_given():
    assert Network("net", [passing("a")]).run("q").result(str) == "a answers q"


def test_messages_are_on_the_board_in_order():
    process = Network("net", [passing("a", "b"), passing("b")]).run("q")
    assert said(process) == ["user: q", "a: go on", "a -> b: go on", "b: b answers go on"]


def test_the_history_may_leave_out_who_handed_over_to_whom():
    process = Network("net", [passing("a", "b"), passing("b")], handoff_messages=False).run("q")
    assert said(process) == ["user: q", "a: go on", "b: b answers go on"]


# Topologies


def test_a_line_goes_on_whatever_its_members_say():
    process = Network("net", [passing("a"), passing("b", "a"), passing("c")], topology="line").run("q")
    assert trace(process) == ["a", "b", "c"]
    assert process.result(str) == "c answers go on"


def test_in_a_star_the_center_goes_on_after_each_and_answers():
    turns = iter([HandOff(to="a", task="1"), HandOff(to="b", task="2"), "done"])

    def center(task: str) -> HandOff | str:
        return next(turns)

    process = Network("net", [center, passing("a"), passing("b", "a")], topology=star("center")).run("q")
    assert (trace(process), process.result(str)) == (["center", "a", "center", "b", "center"], "done")


@pytest.mark.parametrize(
    ("topology", "by", "wanted", "to"),
    [("line", "a", "c", "b"), (star("a"), "b", "c", "a"), ({"a": ["c"], "b": ["c"]}, "a", "b", "c")],
    ids=["line", "star", "mapping"],
)
def test_a_hand_off_that_is_not_allowed_goes_to_who_is_allowed(topology, by, wanted, to):
    members = [passing(name, wanted if name == by else None) for name in "abc"]
    process = begun(Network("net", members, topology=topology, entry=by, recursion_limit=2), "q")
    assert process.board.all(HandOff)[0] == HandOff(by=by, to=to, wanted=wanted, task="go on")
    assert trace(process)[:2] == [by, to]


def test_a_hand_off_to_nobody_known_is_rewritten_too():
    process = Network("net", [passing("a", "nobody"), passing("b")]).run("q")
    assert trace(process) == ["a", "b"]
    assert process.board.last(HandOff).wanted == "nobody"


def test_who_may_hand_over_to_nobody_answers_with_what_it_said():
    process = Network("net", [passing("a", "b", "here"), passing("b")], topology={"a": []}).run("q")
    assert (trace(process), process.result(str)) == (["a"], "here")


def test_a_hand_off_that_is_allowed_is_not_rewritten():
    assert Network("net", [passing("a", "b"), passing("b")]).run("q").board.all(HandOff) == []


def test_the_shapes_are_functions_of_the_members():
    names = ["a", "b", "c"]
    assert dict(mesh(names).allowed) == {"a": ("b", "c"), "b": ("a", "c"), "c": ("a", "b")}
    assert dict(line(names).otherwise) == {"a": "b", "b": "c"}
    assert dict(star("b")(names).allowed) == {"b": ("a", "c"), "a": ("b",), "c": ("b",)}


def test_one_name_alone_stands_for_itself_in_a_mapping():
    network = Network("net", [passing("a"), passing("b")], topology={"a": "b"})
    assert dict(network.topology.allowed) == {"a": ("b",), "b": ()}


def test_a_topology_is_drawn():
    network = Network("net", [passing("a"), passing("b")], topology="line")
    assert network.mermaid().splitlines() == ["flowchart LR", '    n0["a"]', '    n1["b"]', "    n0 -.-> n1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"entry": "alhpa"}, "there is no such member. Did you mean 'alpha'"),
        ({"topology": star("bta")}, r"star\('bta'\): there is no such member. Did you mean 'beta'"),
        ({"topology": {"alpha": ["bta"]}}, "names 'bta', which is no member. Did you mean 'beta'"),
        ({"topology": {"alhpa": ["beta"]}}, "names 'alhpa', which is no member. Did you mean 'alpha'"),
        ({"topology": {"alpha": ["alpha"]}}, "lets 'alpha' hand over to itself"),
        ({"topology": {"alpha": 3}}, "Give a list of names"),
        ({"topology": "ring"}, '"mesh", "line", star'),
        ({"topology": 3}, '"mesh", "line", star'),
        ({"topology": lambda _: "ring"}, "makes no Topology"),
        ({"recursion_limit": -1}, "at least 1"),
    ],
    ids=["entry", "star", "to", "by", "itself", "no list", "word", "number", "shape", "limit"],
)
def test_wrong_wiring_is_refused_with_the_closest_name(options, message):
    """Case 170."""
    with pytest.raises(DefinitionError, match=message):
        Network("net", [passing("alpha"), passing("beta")], **options)


def test_two_members_of_one_name_are_refused():
    """Case 130."""
    with pytest.raises(DefinitionError, match="Two members of 'net' are named 'a'"):
        Network("net", [passing("a"), passing("a")])


# Ends


def test_a_loop_ends():
    """Case 119."""
    process = begun(Network("net", [passing("a", "b"), passing("b", "a")]), "q")
    assert process.status is ProcessStatus.TERMINATED
    assert process.reason.startswith("turns: loop: 'b' was given the same task more than 3 times")


def test_so_many_turns_are_taken_and_no_more():
    count = iter(range(99))

    def restless(name: str, to: str):
        def member(task: str) -> HandOff:
            return HandOff(to=to, task=str(next(count)))

        member.__name__ = name
        return member

    process = begun(Network("net", [restless("a", "b"), restless("b", "a")], recursion_limit=5), "q")
    assert process.reason == "turns: limit: 5 turns were taken without an end"


def test_a_member_that_fails_fails_the_run_with_what_was_wrong():
    def fails(task: str) -> str:
        message = "no line"
        raise ValueError(message)

    with pytest.raises(ProcessFailedError, match="'fails' could not go on: .*no line"):
        Network("net", [passing("a", "fails"), fails]).run("q")


@pytest.mark.parametrize(("answer", "paid"), [(Approve(), 1), (Deny("no"), 0)], ids=["approved", "denied"])
def test_a_member_may_ask_a_person(answer, paid):
    """Case 086."""
    process = begun(Network("net", [look_up, pay], topology="line"), "q")
    process.respond(process.pending[0].id, answer)
    assert go(process) is (ProcessStatus.COMPLETED if paid else ProcessStatus.FAILED)
    assert effects["pay"] == paid


def test_a_member_that_waits_goes_on_elsewhere_and_nobody_works_twice(kept, elsewhere):
    process = begun(Network("net", [look_up, pay], topology="line"), "q", options=kept())
    other = elsewhere(Network("net", [look_up, pay], topology="line"), process)
    other.respond(other.pending[0].id, Approve())
    go(other)
    assert (effects, other.result(str)) == ({"look_up": 1, "pay": 1}, "paid looked up q")


# Objects, listeners


def test_objects_flow_from_member_to_member():
    def find(topic: Topic) -> Findings:
        return Findings(notes=[topic.text])

    def count(findings: Findings) -> str:
        return f"{len(findings.notes)} note"

    process = Network("net", [find, count], topology="line").run(Topic(text="tides"))
    assert process.result(str) == "1 note"


def test_hand_offs_are_told_once_each_in_order():
    heard: list[tuple[str, str]] = []
    listened: list[tuple[str, str]] = []
    network = Network(
        "net", [passing("a", "b", "1"), passing("b", "c", "2"), passing("c")],
        on_handoff=lambda to, argument: heard.append((to, argument)),
    )  # fmt: skip
    listener = on_handoff(lambda *given: listened.append(given))
    begun(network, "q", options=ProcessOptions(listeners=(listener,)))
    assert heard == listened == [("b", "1"), ("c", "2")]


# Chat agents


def chatting(topology="mesh"):
    models = {
        "triage": ScriptedModel(call("transfer_to_billing", task="A refund of 3 euros.")),
        "billing": ScriptedModel("Refunded."),
        "tech": ScriptedModel("Reboot."),
    }
    members = [chat_agent(name, f"You are {name}.", llm=model) for name, model in models.items()]
    return Network("desk", members, topology=topology), models


def test_a_chat_agent_hands_over_by_calling_a_tool():
    network, models = chatting()
    process = network.run("I want my money back.")
    assert (trace(process), process.result(str)) == (["triage", "billing"], "Refunded.")
    assert told(models["billing"]) == ["system: You are billing.", "user: A refund of 3 euros."]


def test_a_chat_agent_sees_those_that_it_may_hand_over_to_and_no_others():
    network, models = chatting({"triage": ["billing"]})
    network.run("q")
    names = [tool["function"]["name"] for tool in models["triage"].requests[0]["tools"]]
    assert names == ["transfer_to_billing"]
    assert "tools" not in models["billing"].requests[0]


def test_a_chat_agent_that_sees_the_history_is_told_it_once():
    model = ScriptedModel("fine")
    last = chat_agent("last", llm=model, sees_history=True)
    Network("net", [look_up, last], topology="line").run("q")
    assert told(model) == ["user: q", "user: [look_up] looked up q"]


def test_of_two_hand_offs_in_one_turn_the_first_counts():
    model = ScriptedModel([call("transfer_to_b", task="1"), call("transfer_to_c", task="2")])
    network = Network("net", [chat_agent("a", llm=model), passing("b"), passing("c")])
    assert trace(network.run("q")) == ["a", "b"]


def test_a_chat_agent_alone_is_an_agent():
    agent = chat_agent("asker", "You answer.", llm=ScriptedModel("42"))
    assert agent.run("What?").result(str) == "42"


def test_what_a_chat_agent_did_on_its_way_is_on_its_own_board():
    model = ScriptedModel(call("compute", task="1"), "42")
    process = chat_agent("asker", tools=[compute], llm=model).run("What?")
    assert [str(message) for message in process.board.all(Message)] == [
        'asker: calls compute({"task":"1"})',
        'asker: compute: "computed 1"',
    ]


def test_a_chat_agent_may_answer_with_an_object():
    agent = chat_agent("asker", returning=Topic, llm=ScriptedModel(call("answer", text="tides")))
    assert agent.run("What?").result(Topic) == Topic(text="tides")


def test_a_chat_agent_has_so_many_turns():
    model = ScriptedModel(*(call("compute", task=str(number)) for number in range(3)), "enough")
    assert chat_agent("asker", tools=[compute], llm=model, limit=4).run("q").result(str) == "enough"
    assert model.requests[-1]["tool_choice"] == "none"


@pytest.mark.parametrize(
    ("options", "message"),
    [({"returning": 3}, "it is a type"), ({"limit": 0}, "at least one turn")],
    ids=["type", "limit"],
)
def test_a_chat_agent_that_cannot_work_is_refused(options, message):
    with pytest.raises(DefinitionError, match=message):
        chat_agent("asker", **options)


def test_nothing_about_a_network_is_suspicious():
    assert chatting()[0].check() == []


# Objects as results


def draft(task: str) -> tuple[Findings, HandOff]:
    """Writes a first version, and hands it over."""
    return Findings(notes=["draft"]), HandOff(to="check", task="Check it.")


def check(task: str, findings: Findings | None) -> Findings:
    """Makes another one of it."""
    return Findings(notes=[*(findings.notes if findings else ()), "checked"])


def approve(task: str) -> str:
    """Finds it good."""
    return "It is good."


def test_an_object_that_is_made_on_the_way_does_not_end_the_run():
    process = Network("net", [draft, check], returning=Findings).run("q")
    assert (trace(process), process.result(Findings).notes) == (["draft", "check", "answer"], ["draft", "checked"])


def test_the_result_is_the_newest_object_whoever_ends_the_run():
    process = Network("net", {"draft": draft, "check": approve}, returning=Findings).run("q")
    assert process.result(Findings) == Findings(notes=["draft"])


def test_a_model_makes_the_object_if_no_member_has_made_one():
    model = ScriptedModel(Findings(notes=["by model"]))
    process = Network("net", [passing("a", "b"), passing("b")], llm=model, returning=Findings).run("q")
    assert process.result(Findings) == Findings(notes=["by model"])
    assert "b answers go on" in told(model)[-1]


def test_a_typed_network_is_a_worker_like_any_other():
    inner = Network("inner", [draft, check], returning=Findings)
    crew, _ = crew_of([inner], to("inner", task="q"), "end", returning=Findings)
    assert crew.run("q").result(Findings) == Findings(notes=["draft", "checked"])


def test_a_member_may_be_called_answer_unless_an_action_of_the_network_is():
    assert Network("net", [passing("answer")]).run("q").result(str) == "answer answers q"
    with pytest.raises(DefinitionError, match="a member is named 'answer'"):
        Network("net", [passing("answer")], returning=Findings)


def test_what_a_network_is_for_is_a_type():
    with pytest.raises(DefinitionError, match=r"Network\('net', returning='str'\): it is a type"):
        Network("net", [passing("a")], returning="str")


def test_a_run_that_is_at_its_limit_may_still_give_its_result():
    process = Network("net", [draft, check], returning=Findings, recursion_limit=1).run("q")
    assert process.status is ProcessStatus.COMPLETED
