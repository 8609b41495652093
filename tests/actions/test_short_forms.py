"""Promises about short forms of declarations.

- A lambda takes the types of the action's parameters of the same names.
- A parameter with a default and no type stays its default.
"""

import pytest
from pydantic import BaseModel

from planboard import Agent, DefinitionError, achieves_goal, action, run


class Topic(BaseModel):
    size: int = 1


class Report(BaseModel):
    size: int = 0


def test_a_lambda_as_cost_takes_the_types_of_the_action():
    @achieves_goal("r")
    @action(cost=lambda topic: topic.size / 10)
    def write(topic: Topic) -> Report:
        return Report(size=topic.size)

    assert Agent("it", [write]).plan(Topic(size=3)).cost == 0.3


def test_a_lambda_as_predicate_takes_the_types_of_the_action():
    @achieves_goal("r")
    @action
    def write(topic: Topic) -> Report:
        return Report()

    write.when(lambda topic: topic.size > 2)

    assert Agent("it", [write]).plan(Topic(size=3)).steps == ("write",)


def test_a_lambda_over_something_else_is_refused():
    with pytest.raises(DefinitionError, match="Parameter 'other' .* has no type"):

        @action(cost=lambda other: 0.1)
        def write(topic: Topic) -> Report:
            return Report()


def test_a_default_without_a_type_stays():
    @achieves_goal("r")
    @action
    def write(topic: Topic, size=7) -> Report:
        return Report(size=size)

    assert run(Agent("it", [write]), Topic(), returning=Report).size == 7
