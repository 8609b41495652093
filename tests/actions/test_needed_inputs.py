"""Promises about what has to be given to an agent from outside."""

from pydantic import BaseModel

from planboard import Agent, Flow, achieves_goal, action, run


class Wish(BaseModel):
    text: str


class Draft(BaseModel):
    version: int


class Final(BaseModel):
    version: int


@action
def refine(wish: Wish, draft: Draft | None) -> Draft:
    return Draft(version=1 if draft is None else draft.version + 1)


@achieves_goal("It is polished")
@action
def polish(draft: Draft) -> Final:
    return Final(version=draft.version)


def show(final: Final) -> str:
    return str(final.version)


editor = Agent("editor", [refine, polish])


def test_what_an_action_makes_without_having_it_need_not_be_given():
    assert [query.form for query in editor.needed_inputs] == [Wish]


def test_what_only_actions_make_that_need_it_already_has_to_be_given():
    @action
    def improve(draft: Draft) -> Draft: ...

    assert [query.form for query in Agent("editor", [improve, polish]).needed_inputs] == [Draft]


def test_an_agent_that_improves_what_it_makes_is_a_part_of_a_flow_that_knows_nothing_of_that():
    assert run(Flow.sequence("desk", editor, show), Wish(text="x"), returning=str) == "1"


def test_such_an_agent_goes_on_from_what_its_flow_has_already():
    assert run(Flow.sequence("desk", editor, show), Wish(text="x"), Draft(version=7), returning=str) in {"7", "8"}
