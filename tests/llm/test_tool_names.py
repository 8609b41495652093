"""Names for tools: valid, stable, injective, and found again."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planboard.llm.names import find_tool, tool_name

VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}\Z")


@given(st.text())
def test_every_name_becomes_a_valid_one(name):
    assert VALID.match(tool_name(name))


@given(st.text(), st.text())
def test_different_names_stay_different(one, other):
    assert (tool_name(one) == tool_name(other)) is (one == other)


@given(st.from_regex(VALID, fullmatch=True))
def test_a_name_that_looks_like_a_made_one_is_kept_apart_from_it(name):
    made = tool_name(name + "!")

    assert tool_name(made) != made


def test_a_valid_name_is_kept():
    assert tool_name("gather-notes_2") == "gather-notes_2"


def test_names_that_differ_only_in_what_is_forbidden_stay_apart():
    """Case 128."""
    assert len({tool_name("foo-bar"), tool_name("foo_bar"), tool_name("foo.bar")}) == 3


def test_long_names_that_begin_alike_stay_apart():
    """Case 129."""
    one, other = tool_name("a" * 70 + "x" * 10), tool_name("a" * 70 + "y" * 10)

    assert one != other
    assert max(len(one), len(other)) <= 64


def test_a_name_is_the_same_in_every_process():
    assert tool_name("été.chaud") == "ete_chaud_87c8265e"


@pytest.mark.parametrize(
    "called",
    ["take_order", "Take_Order", " take_order ", '"take_order"', "`take-order`", "functions.take_order", "take order"],
)
def test_a_name_that_reads_alike_is_found(called):
    """Case 137."""
    assert find_tool(called, ["take_order", "choose_cook"]) == "take_order"


@pytest.mark.parametrize("called", ["", "take", "take_orders", "order_take"])
def test_a_name_that_reads_otherwise_is_not_found(called):
    assert find_tool(called, ["take_order"]) is None


def test_a_name_that_two_read_like_is_not_guessed():
    """Case 137."""
    assert find_tool("FOO BAR", ["foo-bar", "foo_bar"]) is None


def test_the_very_same_name_wins_over_one_that_reads_alike():
    assert find_tool("foo-bar", ["foo_bar", "foo-bar"]) == "foo-bar"
