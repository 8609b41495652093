"""Promises about labels: what tells the children of one call apart in a trace.

- A child says which item, part, round, way or step it is for; of an item a few words, if it has any.
- The label is the same live, from the journal, in a fork, and after the run was taken up in another program.
- It shows no secret, whatever the item is, and stays on one short line.
"""

import json
import subprocess
import sys
from asyncio import run as wait
from contextlib import closing
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, SecretStr

import planboard
from planboard import (
    ActionContext,
    Agent,
    DefinitionError,
    MemoryJournal,
    PlanTree,
    Process,
    ProcessOptions,
    ProcessStatus,
    SqliteJournal,
    TaskPlan,
    TaskStep,
    Tracer,
    action,
    branch,
    for_each,
    human,
    loop,
    map_each,
    parallel,
    run,
    sequence,
    subagent,
    trace_of,
)
from planboard.blackboard.codec import Codec
from planboard.blackboard.registry import TypeRegistry
from planboard.events import ProcessStarted
from planboard.events.codec import EventCodec
from planboard.observe.progress import Progress
from planboard.observe.spans import Trace


class Order(BaseModel):
    id: str
    note: str = ""


class Price(BaseModel):
    amount: int = 1


class Consent(BaseModel):
    ok: bool = True


class Draft(BaseModel):
    round: int = 0


@action
def price(order: Order) -> Price:
    return Price()


def labels(trace: Trace) -> list[str]:
    return [span.label for span in trace.spans() if span.label]


def traced(step: Any, *inputs: object, **options: Any) -> Trace:
    """Run one step, and return its trace."""
    tracer = Tracer()
    agent = Agent("desk", [step])
    process = agent.process(*inputs, returning=yielded(agent), options=ProcessOptions(listeners=[tracer], **options))
    wait(process.run())
    assert process.status is ProcessStatus.COMPLETED, process.reason
    return tracer.trace()


def yielded(agent: Agent) -> Any:
    (only,) = agent.actions.values()
    return only.output_types[0]


def orders(*ids: str) -> list[Order]:
    return [Order(id=name) for name in ids]


# What a child is for


@pytest.mark.parametrize("over", [map_each, for_each])
def test_children_of_items_say_the_place_and_the_name_of_the_item(over):
    trace = traced(over(list[Order], price), orders("A-7", "B-2", "A-7"))

    assert labels(trace) == ["item 0: A-7", "item 1: B-2", "item 2: A-7"]


def test_nested_maps_say_the_place_at_each_depth():
    inner = map_each(list[Order], price, name="inner")

    trace = traced(map_each(lambda: [orders("a", "b"), orders("c")], inner))

    assert labels(trace) == ["item 0", "item 0: a", "item 1: b", "item 1", "item 0: c"]


def test_parts_of_a_parallel_step_say_their_place():
    pricer = Agent("pricer", [price])

    trace = traced(parallel(*[subagent(pricer, returning=Price)] * 3), Order(id="a"))

    assert labels(trace) == ["part 0", "part 1", "part 2"]


def test_parts_of_a_sequence_say_their_place():
    def begin(order: Order) -> Draft:
        return Draft()

    def go_on(draft: Draft) -> Price:
        return Price()

    assert labels(traced(sequence(begin, go_on), Order(id="a"))) == ["part 0", "part 1"]


def improve(order: Order, draft: Draft | None) -> Draft:
    return Draft(round=1 if draft is None else draft.round + 1)


def test_rounds_of_a_loop_are_counted_from_one():
    trace = traced(loop(improve, until=lambda draft: draft.round == 3), Order(id="a"))

    assert labels(trace) == ["round 1", "round 2", "round 3"]


def test_what_ends_a_loop_says_after_which_round_it_was_asked():
    async def enough(draft: Draft) -> bool:
        return draft.round == 2

    trace = traced(loop(improve, until=enough), Order(id="a"))

    assert labels(trace) == ["round 1", "round 1", "round 2", "round 2"]


@pytest.mark.parametrize(("kind", "label"), [("new", "when new"), ("old", "when old"), ("odd", "otherwise")])
def test_the_way_of_a_branch_says_which_it_is(kind, label):
    def which(order: Order) -> str:
        return order.note

    trace = traced(branch(which, {"new": price, "old": price}, price), Order(id="a", note=kind))

    assert labels(trace) == [label]


def test_steps_of_a_plan_say_their_id_and_task_and_so_does_the_review():
    def look_up(step: TaskStep) -> str:
        return step.task

    def judge(result: str) -> bool:
        return bool(result)

    tree = PlanTree("books", [look_up], planned_by=None, review=judge)
    plan = TaskPlan(
        goal="Know it",
        steps=[TaskStep(id="tides", task="Look up tides"), TaskStep(id="moon", task="moon", needs=["tides"])],
    )
    tracer = Tracer()

    run(tree, plan, options=ProcessOptions(listeners=[tracer]))

    found = [(span.name, span.label) for span in tracer.trace().spans() if span.label]
    assert found == [
        ("books.look_up", "step tides: Look up tides"),
        ("books.review.judge", "step tides: Look up tides"),
        ("books.look_up", "step moon"),
        ("books.review.judge", "step moon"),
    ]


def test_an_action_gives_labels_to_the_children_that_it_runs():
    pricer = Agent("pricer", [price])

    @action
    async def price_all(order: Order, context: ActionContext) -> Draft:
        for page in (1, 2):
            await context.labelled(f"page {page}").run(pricer, order, returning=Price)
        await context.run(pricer, order, returning=Price)
        return Draft()

    trace = traced(price_all, Order(id="a"))

    children = [span.label for span in trace.spans() if span.name == "pricer"]
    assert children == ["page 1", "page 2", ""]


def test_a_label_that_is_no_text_is_refused():
    @action
    async def price_all(order: Order, context: ActionContext) -> Draft:
        context.labelled(3)
        return Draft()

    process = Agent("desk", [price_all]).process(Order(id="a"), returning=Draft)
    wait(process.run())

    assert isinstance(process.failure.__cause__ or process.failure, DefinitionError)
    assert "labelled(3): a label is a text" in str(process.failure)


# The same everywhere


def an_asking_run(journal: Any) -> Process:
    """Return a run of two items, each of which waits for a person."""
    ask = human(Consent, prompt="Publish?", name="ask")

    def publish(order: Order, consent: Consent) -> Price:
        return Price()

    desk = Agent("desk", [map_each(list[Order], sequence(ask, publish, name="publish"))], types=[Order])
    if "r" in [one.id for one in journal.runs()]:
        return Process.restore(desk, journal, "r")
    options = ProcessOptions(journal=journal)
    return desk.process(orders("a", "b"), returning=yielded(desk), id="r", options=options)


def test_labels_are_the_same_live_and_from_the_journal():
    journal = MemoryJournal()

    trace = traced(map_each(list[Order], price), orders("a", "b"), journal=journal)

    (kept,) = [one.id for one in journal.runs() if one.parent_id is None]
    assert labels(trace_of(journal, kept)) == labels(trace) == ["item 0: a", "item 1: b"]


def test_labels_stay_when_a_run_is_taken_up_in_another_program(tmp_path):
    file = tmp_path / "runs.db"
    with closing(SqliteJournal(file)) as journal:
        wait(an_asking_run(journal).run())
        before = labels(trace_of(journal, "r"))

    with closing(SqliteJournal(file)) as journal:
        process = an_asking_run(journal)
        for request in reversed(process.pending):  # the second item goes on first
            process.respond(request.id, Consent())
        wait(process.run())
        after = labels(trace_of(journal, "r"))

    assert before == ["item 0: a", "part 0", "item 1: b", "part 0"]
    assert after == ["item 0: a", "part 0", "part 1", "item 1: b", "part 0", "part 1"]


def test_a_fork_bears_the_labels_of_its_origin():
    journal = MemoryJournal()
    process = an_asking_run(journal)
    wait(process.run())

    twin = process.fork(id="twin")

    assert labels(trace_of(journal, twin.id)) == labels(trace_of(journal, "r")) != []


def test_runs_that_were_kept_before_there_were_labels_can_be_read():
    codec = EventCodec(Codec(TypeRegistry(())))
    text = codec.encode(ProcessStarted(seq=2, process_id="r", agent="desk", planner="goap", goals=()))

    assert '"label":"",' in text
    assert codec.decode(text.replace('"label":"",', "")).label == ""


def test_labels_do_not_depend_on_the_hash_seed():
    script = """
from tests.observe.test_labels_of_spans import *
print(labels(traced(map_each(list[dict[str, str]], keep, concurrency=3), [
    {"note": "x", "name": "first", "title": "T"}, {"title": "second", "slug": "s"}, {"other": "x"}])))
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True, text=True, check=True, cwd=Path(planboard.__file__).parents[1],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
        ).stdout
        for seed in ("0", "1", "77")
    }  # fmt: skip

    assert found == {"['item 0: first', 'item 1: s', 'item 2']\n"}


def test_progress_shows_the_label_where_a_child_begins_and_ends():
    tell, lines = Progress(), []
    options = ProcessOptions(listeners=[lambda event: lines.extend(tell.tell(event))])

    run(Agent("desk", [map_each(list[Order], price)]), orders("a"), returning=list[Price], options=options)

    assert any(line.strip().startswith("map_price.price (item 0: a) starts") for line in lines)
    assert any(line.strip().startswith("completed (item 0: a, 1 action, cost 0)") for line in lines)


def test_a_trace_as_text_shows_the_label_beside_the_name():
    trace = traced(map_each(list[Order], price), orders("a"))

    assert "[map_price.price · item 0: a] agent" in trace.text()


def test_a_run_that_nobody_labels_has_no_label():
    trace = traced(price, Order(id="a"))

    assert labels(trace) == []
    assert "label" not in trace.root.attributes


# What is shown of an item


class Colour(Enum):
    RED = "#f00"


@dataclass
class Parcel:
    parcel_id: int
    name: str = "a parcel"


@dataclass(slots=True)
class Hidden:
    id: str = field(repr=False)
    title: str = "shown"


class Customer(BaseModel):
    title: str = "Dr"
    slug: str = "ada"


class Nameless(BaseModel):
    customer_id: str = "c-1"
    key: str = "k"
    note: str = "n"


class Key(BaseModel):
    id: SecretStr = SecretStr("open-sesame")


class Unshown(BaseModel):
    id: str = Field(default="open-sesame", repr=False)


class Guarded(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "***"


@action
def keep(item: dict[str, str]) -> Price:
    return Price()


@pytest.mark.parametrize(
    ("item", "label"),
    [
        ("tides", "item 0: tides"),
        ("ebbe und flut · 潮汐 🌊", "item 0: ebbe und flut · 潮汐 🌊"),
        ("two\nlines\tand a \x1b[31mcolour", "item 0: two lines and a [31mcolour"),
        ("", "item 0"),
        (" \n ", "item 0"),
        ("\ud800", "item 0:"),
        (17, "item 0: 17"),
        (True, "item 0"),
        (10**5000, "item 0"),
        (2.5, "item 0"),
        (Colour.RED, "item 0: RED"),
        (UUID(int=5), "item 0: 00000000-0000-0000-0000-000000000005"),
        (Parcel(7), "item 0: 7"),
        (Hidden("x"), "item 0: shown"),
        (Customer(), "item 0: ada"),
        (Nameless(), "item 0"),
        (Key(), "item 0"),
        (Unshown(), "item 0"),
        (b"bytes", "item 0"),
        ({"id": 4}, "item 0: 4"),
        ({"id": None, "name": "n"}, "item 0: n"),
        ({"id": {"id": 4}}, "item 0"),
        ({4: "id"}, "item 0"),
        ([1, 2], "item 0"),
        (None, "item 0"),
        (object(), "item 0"),
        (Guarded("open-sesame"), "item 0: ***"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("item") else type(value).__name__,
)
def test_an_item_is_named_by_its_text_or_its_id(item, label):
    pricer = Agent("pricer", [price])

    @action
    async def all_of_them(order: Order, context: ActionContext) -> Draft:
        await context.labelled(planboard.steps.labels.item_label(0, item)).run(pricer, order, returning=Price)
        return Draft()

    assert labels(traced(all_of_them, Order(id="a"))) == [label]


def test_a_long_text_is_cut():
    (label,) = labels(traced(map_each(list[Order], price), orders("x" * 10_000)))

    assert len(label) == 80
    assert label.startswith("item 0: xxx")
    assert label.endswith("x…")


# Secrets


def test_an_item_that_is_secret_by_the_name_of_the_parameter_is_not_shown():
    def check(password: str) -> Price:
        return Price()

    assert labels(traced(map_each(list[str], check), ["open-sesame"])) == ["item 0"]


class Vault(BaseModel):
    keys: list[SecretStr]


def test_an_item_that_stands_in_a_secret_of_the_call_is_hidden():
    def opened(vault: Vault) -> list[str]:
        return [f"the key is {key.get_secret_value()}" for key in vault.keys]

    def check(text: str) -> Price:
        return Price()

    trace = traced(map_each(opened, check), Vault(keys=["open-sesame", "k" * 300]))

    assert labels(trace) == ["item 0: the key is ***", "item 1: the key is ***"]


def test_what_a_text_says_under_a_secret_name_is_hidden():
    trace = traced(map_each(list[Order], price), orders("a api_key=open-sesame b", "x" * 70 + " password: open-sesame"))

    assert "sesame" not in json.dumps(trace.to_dict())


def test_items_bound_under_a_secret_name_are_not_shown():
    def check(text: str) -> Price:
        return Price()

    tracer = Tracer()
    desk = Agent("desk", [map_each(list[str], check)])

    run(desk, returning=list[Price], api_keys=["open-sesame"], options=ProcessOptions(listeners=[tracer]))

    assert labels(tracer.trace()) == ["item 0: ***"]
