"""Promises about what was under way when the program ended: it is in doubt, unless running it twice does no harm."""

import pytest
from dying import C, chain, dead, dying
from expenses import effects, go

from planboard import (
    Agent,
    Approve,
    Deny,
    Finished,
    Process,
    ProcessStatus,
)


@pytest.fixture
def died(kept, elsewhere, journal):
    def take_up(agent: Agent, **given) -> Process:
        run = dead(agent, kept())
        journal.release(run)
        return elsewhere(agent, run, **given)

    return take_up


def test_what_was_running_is_in_doubt(died):
    process = died(chain(dying()))
    assert go(process) is ProcessStatus.WAITING
    (request,) = process.pending
    assert (request.purpose, request.action) == ("in_doubt", "second")
    assert "nobody knows how far it got" in request.prompt
    assert effects["second"] == 1


def test_what_is_in_doubt_runs_again_if_somebody_says_so(died):
    process = died(chain(dying()))
    go(process)
    process.respond(process.pending[0].id, Approve())
    assert go(process) is ProcessStatus.COMPLETED
    assert (effects["first"], effects["second"]) == (1, 2)


def test_what_is_in_doubt_may_have_finished(died):
    process = died(chain(dying()))
    go(process)
    process.respond(process.pending[0].id, Finished({"n": 5}))
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(C) == C(n=5)
    assert effects["second"] == 1


def test_what_is_in_doubt_may_be_given_up(died):
    process = died(chain(dying()))
    go(process)
    process.respond(process.pending[0].id, Deny("the bank says no"))
    assert go(process) is ProcessStatus.STUCK
    assert effects["second"] == 1


@pytest.mark.parametrize("harmless", ["idempotent", "read_only"])
def test_what_does_no_harm_is_run_again_with_the_same_key(died, harmless):
    process = died(chain(dying(**{harmless: True})))
    assert go(process) is ProcessStatus.COMPLETED
    assert (effects["first"], effects["second"], effects["run:2"]) == (1, 2, 2)


def test_a_second_end_of_the_program_is_one_more_doubt(died, elsewhere, journal):
    process = died(chain(dying()))
    go(process)
    again = elsewhere(chain(dying()), process)
    assert [request.id for request in again.pending] == ["run:2"]
