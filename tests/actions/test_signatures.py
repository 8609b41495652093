"""Promises about reading signatures.

- Postponed annotations, forward references and types local to a function work, or are refused with the parameter.
- `Optional[X]`, `X | None` and a default are understood alike; services and contexts are no inputs.
- A refusal names the function, the parameter, and the file and line.
"""

import importlib.util
import logging
import sys
from pathlib import Path
from typing import Annotated, Any, NewType, Optional, Protocol, TypeVar, Union

import pytest
from pydantic import BaseModel

from planboard import ActionContext, Agent, All, DefinitionError, Named, action, condition, run

T = TypeVar("T")
LOG = logging.getLogger()


class Topic(BaseModel):
    text: str = "tides"


class Note(BaseModel):
    text: str = ""


class Report(BaseModel):
    text: str = ""


class Database:
    pass


def inputs_of(function, **options):
    agent = Agent("it", [function], **options)
    [found] = agent.actions.values()
    return {item.parameter: str(item) for item in found.body.inputs}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def test_postponed_annotations_that_refer_forward_are_read():
    module = load(Path(__file__).with_name("late_types.py"))

    report = run(Agent("late", [module]), module.Later(text="x"), returning=module.Report)

    assert report == module.Report(text="x")


def test_types_that_are_local_to_a_function_are_read():
    class Local(BaseModel):
        n: int = 1

    @action
    def make(topic: Topic) -> "Local":
        return Local()

    @action
    def use(local: "Local") -> "Result":
        return Result()

    class Result(BaseModel):
        pass

    assert run(Agent("local", [make, use]), Topic(), returning=Result) == Result()


def test_a_type_that_never_exists_is_refused_with_the_parameter_and_the_closest():
    """Case 031."""

    @action
    def use(topic: "Tpoic") -> Report:  # noqa: F821
        return Report()

    with pytest.raises(
        DefinitionError, match=r"Parameter 'topic' of action 'use' names 'Tpoic'.*Did you mean 'Topic'"
    ) as caught:
        Agent("it", [use])
    assert caught.value.where.file == __file__


def test_every_way_to_say_optional_means_the_same():
    """Case 038."""

    def one(topic: Optional[Topic]) -> Report: ...  # noqa: UP045
    def two(topic: Topic | None) -> Report: ...
    def three(topic: Union[None, Topic]) -> Report: ...  # noqa: UP007
    def four(topic: "Topic | None" = None) -> Report: ...

    for function in (one, two, three, four):
        [found] = Agent("it", [action(function)]).actions[function.__name__].body.inputs
        assert (found.optional, found.query.form) == (True, Topic)


def test_context_services_and_defaults_are_no_planning_inputs():
    """Case 036."""

    @action
    def use(context: ActionContext, topic: Topic, db: Database, log: logging.Logger = LOG) -> Report:
        return Report(text=f"{topic.text} {type(db).__name__} {log.name} {context.action}")

    agent = Agent("it", [use], services=[Database()])

    assert [item.parameter for item in agent.actions["use"].body.required] == ["topic"]
    assert run(agent, Topic(), returning=Report).text == "tides Database root use"


def test_a_service_may_be_given_to_one_run():
    @action
    def use(topic: Topic, db: Database) -> Report:
        return Report(text=str(id(db)))

    db = Database()

    assert run(Agent("it", [use]), Topic(), services=[db], returning=Report).text == str(id(db))


def test_named_all_and_optional_read_from_annotations():
    def use(
        issue: Annotated[Topic, Named("gh_issue")],
        notes: Annotated[list[Note], All],
        maybe: Annotated[Report | None, Named("draft")],
    ) -> Report: ...

    assert inputs_of(action(use)) == {"issue": "gh_issue: Topic", "notes": "list of Note", "maybe": "draft: Report"}


def test_a_method_of_an_ordinary_class_is_an_action_of_its_instance():
    class Maker:
        def __init__(self, text: str) -> None:
            self.text = text

        @action
        def make(self, topic: Topic) -> Report:
            return Report(text=self.text)

    assert run(Agent("it", [Maker("mine")]), Topic(), returning=Report) == Report(text="mine")


def test_self_may_be_annotated():
    class Maker:
        @action
        def make(self: "Maker", topic: Topic) -> Report:
            return Report(text=type(self).__name__)

    assert run(Agent("it", [Maker()]), Topic(), returning=Report) == Report(text="Maker")


def test_actions_are_inherited_from_a_base_class():
    class Base:
        @action
        def make(self, topic: Topic) -> Note:
            return Note()

        @condition
        def is_ready(self, note: Note) -> bool:
            return True

    class Derived(Base):
        @action(pre=["is_ready"])
        def finish(self, note: Note) -> Report:
            return Report()

    assert sorted(Agent("it", [Derived()]).actions) == ["finish", "make"]
    assert run(Agent("it", [Derived()]), Topic(), returning=Report) == Report()


class Silent(Protocol):
    name: str


def untyped(topic) -> Report: ...
def star(*topics: Topic) -> Report: ...
def keywords(**topics: Topic) -> Report: ...
def anything(topic: Any) -> Report: ...
def an_object(topic: object) -> Report: ...
def variable(topic: T) -> Report: ...
def protocol(topic: Silent) -> Report: ...
def not_a_list(topics: Annotated[Topic, All]) -> Report: ...
def two_names(topic: Annotated[Topic, Named("a"), Named("b")]) -> Report: ...


@pytest.mark.parametrize(
    "function", [untyped, star, keywords, anything, an_object, variable, protocol, not_a_list, two_names],
    ids=lambda function: function.__name__,
)  # fmt: skip
def test_a_parameter_that_cannot_be_understood_is_refused_where_it_stands(function):
    with pytest.raises(DefinitionError) as caught:
        action(function)

    parameter = next(iter(function.__annotations__ or ["topic"]))
    assert (parameter if parameter != "return" else "topic") in str(caught.value)
    assert function.__name__ in str(caught.value)
    assert f"{__file__}:{function.__code__.co_firstlineno}" in str(caught.value)


def no_return(topic: Topic): ...
def returns_any(topic: Topic) -> Any: ...
def returns_object(topic: Topic) -> object: ...
def returns_variable(topic: Topic) -> T: ...


@pytest.mark.parametrize(
    "function", [no_return, returns_any, returns_object, returns_variable], ids=lambda f: f.__name__
)
def test_a_return_that_says_nothing_is_refused(function):
    with pytest.raises(DefinitionError, match=f"action '{function.__name__}'.*test_signatures.py:"):
        action(function)


def test_a_generator_is_no_action():
    from collections.abc import Iterator

    with pytest.raises(DefinitionError, match="is a generator"):

        @action
        def many(topic: Topic) -> Iterator[Report]:
            yield Report()


@pytest.mark.parametrize("kind", ["condition", "cost"])
def test_only_actions_are_given_a_context(kind):
    def peek(context: ActionContext) -> bool:
        return True

    @action(**({"pre": [condition(peek)]} if kind == "condition" else {"cost": peek}))
    def make(topic: Topic) -> Report: ...

    with pytest.raises(DefinitionError, match="Parameter 'context' of 'peek' is an ActionContext"):
        Agent("it", [make, *([peek] if kind == "condition" else [])])


def test_a_newtype_and_a_tag_are_inputs_of_their_own():
    """Case 033."""
    UserId = NewType("UserId", str)

    @action(output="user")
    def find(topic: Topic) -> UserId:
        return UserId("u1")

    @action
    def use(user: UserId) -> Report:
        return Report(text=user)

    assert run(Agent("it", [find, use]), Topic(), "other", returning=Report) == Report(text="u1")


def test_outputs_of_every_kind_are_alternatives_of_tuples():
    def one() -> Report: ...
    def two() -> tuple[Report, Note]: ...
    def either() -> Report | Note: ...
    def perhaps() -> Report | None: ...
    def none() -> None: ...
    def many() -> tuple[Note, ...]: ...

    agent = Agent("it", [action(function) for function in (one, two, either, perhaps, none, many)])

    outputs = {name: found.outputs for name, found in agent.actions.items()}
    assert outputs == {
        "one": ((Report,),),
        "two": ((Report, Note),),
        "either": ((Report,), (Note,)),
        "perhaps": ((Report,), ()),
        "none": ((),),
        "many": ((tuple[Note, ...],),),
    }
