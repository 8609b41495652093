"""Traces and texts of runs met with secrets in the middle of what actions say (case 165), and with many children."""

import json
from asyncio import Event
from asyncio import run as wait
from collections import Counter
from dataclasses import dataclass

import pytest
from pydantic import BaseModel, SecretStr

from planboard import (
    Agent,
    MemoryJournal,
    PlanOutcome,
    PlanTree,
    ProcessOptions,
    Retry,
    StepFailed,
    TaskPlan,
    TaskStep,
    Tracer,
    action,
    approval,
    human,
    map_each,
    run,
    sequence,
    subagent,
    trace_of,
)

HUSH = "open-sesame"


class Login(BaseModel):
    user: str = "ada"
    password: SecretStr = SecretStr(HUSH)
    api_key: str = HUSH
    headers: dict[str, str] = {"access_token": HUSH}


@dataclass(frozen=True)
class Account:
    secret: str = HUSH


class Report(BaseModel):
    text: str


def told(login: Login, account: Account) -> str:
    return f"{login.password.get_secret_value()} {login.api_key} {login.headers['access_token']} {account.secret}"


@action(retry=Retry(attempts=2, on=ConnectionError))
def enter(login: Login, account: Account) -> Report:
    raise ConnectionError(f"cannot enter with {told(login, account)}")


def kept_run(*parts):
    """Run something that fails or waits, two agents deep, and return all that is said and kept of it."""
    journal, tracer = MemoryJournal(), Tracer()
    inner = Agent("inner", [*parts], types=[Login, Account])
    options = ProcessOptions(journal=journal, listeners=[tracer])
    process = Agent("outer", [subagent(inner, returning=Report)], types=[Login, Account]).process(
        Login(), Account(), returning=Report, options=options, id="r"
    )
    wait(process.run())
    return process, journal, tracer


def texts(process, journal, tracer):
    events = [record.body for one in journal.runs() for record in journal.read(one.id)]
    traces = [json.dumps(tracer.trace().to_dict()), json.dumps(trace_of(journal, "r").to_dict())]
    return "\n".join([*events, *traces, process.reason, str(process.failure), *(ask.prompt for ask in process.pending)])


@pytest.mark.parametrize(
    "parts",
    [
        [enter],
        [sequence(enter, name="step")],
        [approval("Enter with {login.api_key}?", needs=[Login]), enter],
        [human(Report, prompt="What is {login.api_key}?", needs=[Login])],
    ],
    ids=["action", "step", "approval", "human"],
)
def test_a_secret_in_the_middle_of_a_text_is_neither_kept_nor_shown(parts):
    assert HUSH not in texts(*kept_run(*parts))


def test_the_rest_of_an_error_is_told():
    process, *_ = kept_run(enter)

    assert "cannot enter with *** *** *** ***" in process.reason


def test_a_failure_that_is_collected_is_told_without_the_secret():
    def try_it(login: Login) -> Report:
        raise ValueError(f"bad key {login.api_key}")

    found = run(Agent("a", [map_each([Login()], try_it, on_error="collect")]), returning=list[Report | StepFailed])

    assert "bad key ***" in found[0].error


def test_a_short_secret_does_not_tear_texts_apart():
    def try_it(login: Login) -> Report:
        raise ValueError("a banana")

    with pytest.raises(Exception, match="a banana"):
        run(Agent("a", [action(try_it)]), Login(api_key="a", password=SecretStr("")), returning=Report)


class Gate:
    """Lets the steps of a plan that come first end in a given order."""

    def __init__(self, first):
        self.first, self.open = first, Event()

    async def look_up(self, step: TaskStep) -> str:
        if not step.needs and step.id != self.first:
            await self.open.wait()
        if step.needs:
            self.open.set()
        return step.task


@pytest.mark.parametrize("first", ["a", "b"])
def test_labels_belong_to_their_steps_whichever_ends_first(first):
    """Which child has which id depends on timing here; what it is for does not."""
    needs = {"a": [], "b": [], "c": ["a"], "d": ["b"]}
    steps = [TaskStep(id=name, task=name.upper(), needs=needed) for name, needed in needs.items()]
    journal = MemoryJournal()
    tree = PlanTree("tree", [Gate(first).look_up], planned_by=None)

    run(tree, TaskPlan(goal="Know it", steps=steps), options=ProcessOptions(journal=journal))

    (root,) = [one.id for one in journal.runs() if one.parent_id is None]
    made = {span.process_id: span.label for span in trace_of(journal, root).spans() if span.label}
    given = {name: journal.read(name)[1].body for name in made}
    assert sorted(made.values()) == ["step a: A", "step b: B", "step c: C", "step d: D"]
    assert all(f'"id":"{label[5]}"' in given[name] for name, label in made.items())


def test_labels_of_plans_in_a_map_are_those_of_their_own_depth():
    def look_up(step: TaskStep) -> str:
        if step.task == "bad":
            raise ValueError(step.task)
        return step.task

    plans = [TaskPlan(goal=task, steps=[TaskStep(id="a", task=task)]) for task in ("good", "bad")]
    tree = PlanTree("tree", [look_up], planned_by=None)
    tracer = Tracer()
    desk = Agent("desk", [map_each(list[TaskPlan], tree, on_error="collect")])
    options = ProcessOptions(listeners=[tracer])

    wait(desk.process(plans, returning=list[PlanOutcome | StepFailed], options=options).run())

    found = [(span.label, span.status) for span in tracer.trace().spans() if span.label]
    assert found == [
        ("item 0", "completed"),
        ("step a: good", "completed"),
        ("item 1", "failed"),
        ("step a: bad", "completed"),  # an agent of one action, which says that it failed
    ]


def test_the_trace_of_many_items_is_read_once_an_item():
    """The journal is asked for each run once, however many there are."""
    journal = CountingJournal()
    process = Agent("desk", [map_each(list[str], str_of)]).process(
        [str(n) for n in range(200)], returning=list[Report], options=ProcessOptions(journal=journal)
    )
    wait(process.run())
    journal.reads.clear()

    trace = trace_of(journal, process.id)

    assert [span.label for span in trace.spans() if span.label] == [f"item {n}: {n}" for n in range(200)]
    assert max(journal.reads.values()) == 1
    assert len(trace.text().splitlines()) == 2 + 2 * 200


@action
def str_of(text: str) -> Report:
    return Report(text=text)


class CountingJournal(MemoryJournal):
    def __init__(self):
        super().__init__()
        self.reads = Counter()

    def read(self, run_id, *, after=0):
        self.reads[run_id] += 1
        return super().read(run_id, after=after)
