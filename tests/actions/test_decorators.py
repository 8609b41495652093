"""Promises of the decorators.

- A decorated function is still the function: it is called, awaited and tested as before.
- What cannot work is refused at the decorator, with the file and line and what to write instead.
"""

import inspect
from functools import wraps

import pytest
from pydantic import BaseModel

from planboard import Agent, DefinitionError, Goal, Not, Retry, achieves_goal, action, condition
from planboard.actions.declarations import ActionDeclaration, declaration_of


class Topic(BaseModel):
    text: str = "tides"


class Report(BaseModel):
    text: str = ""


def test_a_decorated_function_is_the_function():
    def make(topic: Topic) -> Report:
        """Make it.

        More.
        """
        return Report(text=topic.text)

    decorated = achieves_goal("A report")(action(cost=0.2)(make))

    assert decorated is make
    assert decorated(Topic(text="x")) == Report(text="x")
    assert list(inspect.signature(decorated).parameters) == ["topic"]
    assert declaration_of(make).description == "Make it."


def test_an_async_function_stays_one():
    @action
    async def make(topic: Topic) -> Report:
        return Report()

    assert inspect.iscoroutinefunction(make)


def test_the_decorators_may_stand_in_either_order():
    @action
    @achieves_goal("one", value=0.5)
    def one(topic: Topic) -> Report: ...

    @achieves_goal("two", value=0.6)
    @action
    def two(topic: Topic) -> Report: ...

    goals = {goal.name: goal.value for goal in Agent("it", [one, two]).goals}

    assert goals == {"one": 0.5, "two": 0.6}


def test_costs_values_and_predicates_attach_and_stay_functions():
    @action
    def make(topic: Topic) -> Report: ...

    @make.cost
    def dear(topic: Topic | None) -> float:
        return 0.9

    @make.value
    def worth(topic: Topic) -> float:
        return 0.8

    @make.when
    def wanted(topic: Topic) -> bool:
        return True

    assert (dear(None), worth(Topic()), wanted(Topic())) == (0.9, 0.8, True)
    assert [name for name, _ in Agent("it", [make]).actions["make"].pre] == ["make.wanted"]


REFUSED = [
    ({"cost": 1.5}, "cost=1.5"),
    ({"cost": -0.1}, "cost=-0.1"),
    ({"cost": float("nan")}, "cost=nan"),
    ({"cost": True}, "cost=True"),
    ({"value": 2}, "value=2"),
    ({"value": "high"}, "value='high'"),
    ({"timeout": 0}, "timeout=0"),
    ({"timeout": -1}, "timeout=-1"),
    ({"timeout": "5"}, "timeout='5'"),
    ({"timeout": float("nan")}, "timeout=nan"),
    ({"retry": 3}, "retry=3"),
    ({"rerun": "sometimes"}, "rerun='sometimes'"),
    ({"rerun": "new_input"}, "Did you mean 'new_inputs'"),
    ({"output": "a b"}, "output='a b'"),
    ({"output": ("fine", "1st")}, "output='1st'"),
    ({"trigger": "Topic"}, "trigger='Topic'"),
]


@pytest.mark.parametrize(("options", "words"), REFUSED, ids=str)
def test_an_option_that_cannot_work_is_refused_at_the_decorator(options, words):
    def make(topic: Topic) -> Report: ...

    with pytest.raises(DefinitionError) as caught:
        action(**options)(make)

    assert words in str(caught.value)
    assert f"{__file__}:{make.__code__.co_firstlineno}" in str(caught.value)


LATER = [
    ({"pre": [5]}, "has the precondition 5"),
    ({"pre": ["Report"]}, "'Report', which is a type"),
    ({"pre": ["topic.txet == ''"]}, "Did you mean 'text'"),
    ({"pre": ["tpoic.text == ''"]}, "Did you mean 'topic'"),
    ({"post": ["a b"]}, "promises 'a b'"),
    ({"consumes": "report"}, "parameter of 'make' to consume named 'report'"),
    ({"consumes": [Report]}, "input of 'make' to consume named 'Report'"),
    ({"output": ("a", "b")}, "names 2 outputs but returns 1"),
]


@pytest.mark.parametrize(("options", "words"), LATER, ids=str)
def test_what_needs_the_other_parts_is_refused_when_the_agent_is_built(options, words):
    @action(**options)
    def make(topic: Topic) -> Report: ...

    with pytest.raises(DefinitionError) as caught:
        Agent("it", [make])

    assert words in str(caught.value)
    assert __file__ in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"attempts": 0, "on": OSError}, "attempts=0"),
        ({"attempts": 1.5, "on": OSError}, "attempts=1.5"),
        ({"attempts": 2, "on": "OSError"}, "on='OSError'"),
        ({"attempts": 2, "on": (OSError, 5)}, "on="),
        ({"attempts": 2, "on": BaseException}, "on="),
        ({"attempts": 2, "on": OSError, "but_not": "x"}, "but_not='x'"),
        ({"attempts": 2, "on": OSError, "wait": -1}, "wait=-1"),
        ({"attempts": 2, "on": OSError, "max_wait": float("nan")}, "max_wait=nan"),
    ],
)
def test_a_retry_that_cannot_work_is_refused(options, words):
    with pytest.raises(DefinitionError, match="Retry") as caught:
        Retry(**options)

    assert words in str(caught.value)


def test_waits_double_up_to_the_longest():
    retry = Retry(5, on=OSError, wait=1, max_wait=3)

    assert [retry.wait_before(attempt) for attempt in (1, 2, 3, 4, 5)] == [0, 1, 2, 3, 3]


def test_a_marker_without_parentheses_says_what_to_write():
    with pytest.raises(DefinitionError, match="with parentheses"):

        @achieves_goal
        def make(topic: Topic) -> Report: ...


def test_an_achieving_action_must_put_something_on_the_board():
    @achieves_goal("nothing")
    @action
    def make(topic: Topic) -> None: ...

    with pytest.raises(DefinitionError, match="achieves a goal but returns nothing"):
        Agent("it", [make])


@pytest.mark.parametrize("target", [int, 5, staticmethod(len)])
def test_what_is_no_function_is_no_action(target):
    with pytest.raises(DefinitionError):
        action(target)


def test_a_function_is_declared_once():
    @action
    def make(topic: Topic) -> Report: ...

    with pytest.raises(DefinitionError, match="declared twice"):
        action(make)


def test_two_actions_of_one_name_are_refused_with_both_places():
    """Case 130."""

    @action(name="make")
    def one(topic: Topic) -> Report: ...

    @action(name="make")
    def two(topic: Topic) -> Report: ...

    with pytest.raises(DefinitionError, match="Two actions are named 'make'") as caught:
        Agent("it", [one, two])

    for function in (one, two):
        assert f"{__file__}:{function.__code__.co_firstlineno}" in str(caught.value)


def test_two_conditions_of_one_name_are_refused_with_both_places():
    @condition(name="ready")
    def one(topic: Topic) -> bool: ...

    @condition(name="ready")
    def two(topic: Topic) -> bool: ...

    with pytest.raises(DefinitionError, match=r"Two conditions.*:\d+ and .*:\d+"):
        Agent("it", [one, two])


def test_two_goals_of_one_name_are_refused():
    with pytest.raises(DefinitionError, match="Two goals are named 'done'"):
        Agent("it", [], goals=[Goal(Topic, name="done"), Goal(Report, name="done")])


@pytest.mark.parametrize("form", ["Report", 5])
def test_a_goal_is_about_a_type(form):
    with pytest.raises(DefinitionError, match="a goal is about a type"):
        Goal(form)


def test_a_goal_needs_a_type_or_conditions():
    with pytest.raises(DefinitionError, match="needs a type, conditions"):
        Goal()


def test_the_same_part_given_twice_is_one_part():
    @action
    def make(topic: Topic) -> Report: ...

    assert list(Agent("it", [make, Agent("other", [make]), [make]]).actions) == ["make"]


def test_a_wrapped_function_is_read_through_its_wrapper():
    def loud(function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    @action
    @loud
    def make(topic: Topic) -> Report:
        return Report(text="wrapped")

    assert make(Topic()) == Report(text="wrapped")
    assert isinstance(declaration_of(make), ActionDeclaration)
    assert [str(item) for item in Agent("it", [make]).actions["make"].body.inputs] == ["Topic"]


def test_a_negated_condition_is_declared_as_one():
    """Case 011."""

    @condition
    def has_owner(topic: Topic) -> bool: ...

    @action(pre=[Not(has_owner), Not(Not("ready"))])
    def make(topic: Topic) -> Report: ...

    assert Agent("it", [make, has_owner]).actions["make"].pre == (("has_owner", False), ("ready", True))


@pytest.mark.parametrize("part", [5, "make", Topic, Topic(), lambda: None])
def test_a_part_that_is_none_is_refused(part):
    """Case 170, as far as there are no subagents."""
    with pytest.raises(DefinitionError):
        Agent("it", [part])


def test_a_bare_method_needs_its_object():
    class Maker:
        @action
        def make(self, topic: Topic) -> Report: ...

    with pytest.raises(DefinitionError, match="is a method, so an agent needs the object"):
        Agent("it", [Maker.make])
    assert list(Agent("it", [Maker().make]).actions) == ["make"]
