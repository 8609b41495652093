"""Promises about runs that outlive their program.

- A run that is kept is what its events make of it: it is taken up where it was, and nothing that is done is done again.
- What was under way when the program ended is in doubt, unless the action says that running it twice does no harm.
- An agent that has changed in a way that matters is refused, with what has changed.
"""

import asyncio
import json
from dataclasses import replace

import pytest
from expenses import PAYING, Checked, Decision, Expense, Letter, check, confirm, effects, go, pay, regret
from pydantic import BaseModel, SecretStr

from planboard import (
    ActionContext,
    Agent,
    AgentChangedError,
    Approval,
    Approve,
    Budget,
    CorruptJournalError,
    Deny,
    Finished,
    Goap,
    JournalError,
    MemoryJournal,
    Migration,
    Process,
    ProcessOptions,
    ProcessStatus,
    Retry,
    RunClaimedError,
    RunExistsError,
    ScriptedModel,
    SecretNotKeptError,
    Supervisor,
    UnknownRunError,
    Utility,
    achieves_goal,
    action,
    call,
    human,
)
from planboard.testing import FakeClock


class Died(BaseException):
    """Stands for the end of the program."""


class A(BaseModel):
    n: int = 0


class B(BaseModel):
    n: int


class C(BaseModel):
    n: int


class Mortal:
    """A journal of a program that ends once the second action has begun: a dead program writes nothing."""

    def __init__(self, journal) -> None:
        self.journal = journal

    def append(self, *given) -> None:
        if not effects["second"]:
            self.journal.append(*given)

    def __getattr__(self, name: str):
        return getattr(self.journal, name)


@pytest.fixture(autouse=True)
def _fresh():
    effects.clear()


@action
def first(a: A) -> B:
    """Do the first."""
    effects["first"] += 1
    return B(n=a.n + 1)


def chain(second) -> Agent:
    return Agent("chain", [first, second])


def dying(**options):
    """Make an action in which the program ends the first time it runs."""

    @achieves_goal("there is a C")
    @action(**options)
    def second(b: B, context: ActionContext) -> C:
        """Do the second."""
        effects["second"] += 1
        effects[context.idempotency_key] += 1
        if effects["second"] == 1:
            raise Died
        return C(n=b.n)

    return second


def dead(agent: Agent, options: ProcessOptions) -> str:
    """Begin a run in a program that ends within its second action, without a chance to write anything."""
    process = agent.process(A(), options=replace(options, journal=Mortal(options.journal)), id="run")
    with pytest.raises(Died):
        go(process)
    return "run"


@pytest.fixture
def died(kept, elsewhere, journal):
    def take_up(agent: Agent, **given) -> Process:
        run = dead(agent, kept())
        journal.release(run)
        return elsewhere(agent, run, **given)

    return take_up


# In doubt


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


# Taking up


def test_nothing_that_is_done_is_done_again(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    other = elsewhere(PAYING, process)
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


def test_a_run_that_is_taken_up_is_the_same(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    other = elsewhere(PAYING, process)
    assert [*map(str, other.events)] == [*map(str, process.events)]
    assert other.board.to_json() == process.board.to_json()
    assert (other.status, other.reason, other.pending) == (process.status, process.reason, process.pending)


def test_both_ways_of_resuming_come_to_the_same(kept, elsewhere):
    """Case 075."""
    process = PAYING.process(Expense(), options=kept())
    go(process)
    twin = process.fork(at=len(process.events), id="twin")
    for run in (process, twin):
        one = elsewhere(PAYING, run)
        one.respond(one.pending[0].id, True)
        go(one)
    here, there = elsewhere(PAYING, process), elsewhere(PAYING, "twin")
    assert here.board.to_json() == there.board.to_json()


def test_a_run_that_was_accepted_is_not_lost(kept, elsewhere, journal):
    """Case 061."""
    PAYING.process(Expense(), options=kept(), id="accepted")
    assert [run.id for run in journal.runs()] == ["accepted"]
    process = elsewhere(PAYING, "accepted")
    assert go(process) is ProcessStatus.WAITING


@pytest.mark.parametrize("way", ["run", "restore"])
def test_a_run_that_is_over_does_nothing_when_it_is_run_again(kept, elsewhere, way):
    """Case 066."""
    process = chain(dying()).process(A(), options=kept())
    effects["second"] = 1
    go(process)
    before = dict(effects)
    if way == "restore":
        process = elsewhere(chain(dying()), process)
    assert go(process) is ProcessStatus.COMPLETED
    assert process.result(C) == C(n=1)
    assert dict(effects) == before


def test_one_id_is_one_run(kept):
    """Case 067."""
    PAYING.process(Expense(), options=kept(), id="one")
    with pytest.raises(RunExistsError, match="restore"):
        PAYING.process(Expense(), options=kept(), id="one")


def test_ten_that_start_one_id_at_once_start_it_once(kept):
    """Case 067."""
    from concurrent.futures import ThreadPoolExecutor

    def start(_: int) -> str:
        try:
            process = PAYING.process(Expense(), options=kept(), id="one")
        except RunExistsError:
            return "exists"
        return str(go(process))

    with ThreadPoolExecutor(10) as pool:
        assert sorted(pool.map(start, range(10))) == ["WAITING", *["exists"] * 9]
    assert effects["check"] == 1


def test_two_that_go_on_with_one_run_do_not_run_anything_twice(kept, elsewhere):
    """Case 116."""
    began, done = asyncio.Event(), asyncio.Event()

    @achieves_goal("there is a C")
    @action
    async def slow(b: B) -> C:
        effects["slow"] += 1
        began.set()
        await done.wait()
        return C(n=b.n)

    agent = Agent("slow", [first, slow])
    process = agent.process(A(), options=kept())
    other = elsewhere(agent, process)

    async def both() -> None:
        running = asyncio.create_task(process.run())
        await began.wait()
        with pytest.raises(RunClaimedError, match="process"):
            await other.run()
        done.set()
        await running
        assert await other.run() is ProcessStatus.COMPLETED

    asyncio.run(both())
    assert (effects["first"], effects["slow"]) == (1, 1)
    assert other.result(C) == C(n=1)


def test_an_unknown_run_is_refused_with_the_closest(kept, elsewhere):
    PAYING.process(Expense(), options=kept(), id="payment-7")
    with pytest.raises(UnknownRunError, match="payment-7"):
        elsewhere(PAYING, "payment-8")


def test_a_failure_can_be_read_again(kept, elsewhere):
    """Case 068: errors are kept as text, so constructors do not matter."""

    class TwoArguments(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")

    @achieves_goal("there is a C")
    @action
    def fails(b: B) -> C:
        raise TwoArguments(1, 2)

    agent = Agent("failing", [first, fails])
    process = agent.process(A(), options=kept())
    go(process)
    other = elsewhere(agent, process)
    assert other.status is ProcessStatus.FAILED
    assert "TwoArguments: 1 and 2" in other.reason
    assert other.failure is not None


def test_what_failed_is_left_out_after_a_resume_too(kept, elsewhere):
    """Case 062: what ran because of a failure does not run again."""

    @action(cost=0.1)
    def fails(b: B) -> C:
        effects["fails"] += 1
        message = "no"
        raise RuntimeError(message)

    handle = human(C, prompt="By hand?", needs=[B], cost=0.9)

    @achieves_goal("there is a letter")
    @action
    def tell(c: C) -> Letter:
        return Letter(text=str(c.n))

    agent = Agent("failing", [first, fails, handle, tell])
    process = agent.process(A(), options=kept())
    go(process)
    process.respond(process.pending[0].id, {"n": 7})
    process = elsewhere(agent, process)
    assert go(process) is ProcessStatus.COMPLETED
    assert (effects["first"], effects["fails"]) == (1, 1)
    assert process.result(Letter).text == "7"


def test_an_action_that_was_tried_goes_on_with_its_attempts(kept, elsewhere, journal):
    """Case 065."""

    @achieves_goal("there is a C")
    @action(retry=Retry(4, on=OSError), idempotent=True)
    def flaky(b: B, context: ActionContext) -> C:
        seen.append(context.attempt)
        if len(seen) == 2:
            effects["second"] = 1  # from here on nothing is written
            raise Died
        message = "no"
        raise OSError(message)

    seen: list[int] = []
    agent = Agent("flaky", [first, flaky])
    dead(agent, kept())
    journal.release("run")
    assert go(elsewhere(agent, "run")) is ProcessStatus.FAILED
    assert seen == [1, 2, 2, 3, 4]


def test_values_that_cannot_be_kept_fail_their_action_once(kept):
    """Case 069."""

    class Odd(BaseModel):
        model_config = {"arbitrary_types_allowed": True}
        thing: object

    @achieves_goal("there is an odd thing")
    @action(retry=Retry(3, on=Exception))
    def odd(b: B) -> Odd:
        effects["odd"] += 1
        return Odd(thing=lambda: 1)

    process = Agent("odd", [first, odd]).process(A(), options=kept())
    assert go(process) is ProcessStatus.FAILED
    assert effects["odd"] == 1
    assert "odd" in process.reason
    assert "thing" in process.reason
    assert "function" in process.reason


def test_budgets_go_on_where_they_were(kept, elsewhere):
    """Case 072."""
    process = PAYING.process(Expense(), options=kept(budget=Budget(actions=2)))
    go(process)
    process.respond(process.pending[0].id, True)
    other = elsewhere(PAYING, process)
    assert other.usage.actions == 1
    assert go(other) is ProcessStatus.TERMINATED
    assert other.usage.actions == 2
    assert asyncio.run(other.run(budget=Budget(actions=3))) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


def test_a_second_run_of_the_agent_starts_from_nothing(kept):
    """Case 073."""
    first_run = PAYING.process(Expense(), options=kept())
    go(first_run)
    second_run = PAYING.process(Expense(), options=kept())
    assert (second_run.usage.actions, second_run.history, second_run.pending) == (0, (), ())


def test_a_loop_in_a_run_that_was_only_begun_runs_in_full(kept, elsewhere):
    """Case 071."""

    class Count(BaseModel):
        n: int

    @achieves_goal("counted")
    @action(rerun=True, pre=["count.n < 3"])
    def tick(count: Count) -> Count:
        effects["tick"] += 1
        return Count(n=count.n + 1)

    agent = Agent("loop", [tick], planner="utility")
    agent.process(options=kept(), id="loop", count=Count(n=0))
    process = elsewhere(agent, "loop")
    go(process)
    assert effects["tick"] == 3


def test_the_planner_may_be_another_one_when_it_goes_on(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    other = elsewhere(PAYING, process, planner="utility")
    assert go(other) is ProcessStatus.COMPLETED
    assert effects == {"check": 1, "pay": 1, "confirm": 1}


def test_the_planner_goes_on_with_the_settings_it_had(kept, elsewhere):
    """Case 074."""
    agent = Agent("paying", [check, pay, confirm, regret])
    process = agent.process(Expense(), options=kept(), planner=Goap(objective="net"))
    go(process)
    with pytest.raises(JournalError, match="planner="):
        elsewhere(agent, process)
    other = elsewhere(agent, process, planner=Goap(objective="net"))
    assert other.planner.objective == "net"


def test_a_model_is_demanded_not_guessed(kept, elsewhere):
    """Case 074."""
    process = PAYING.process(Expense(), options=kept(), planner=Supervisor(llm=ScriptedModel(call("check"))))
    with pytest.raises(JournalError, match="planner="):
        elsewhere(PAYING, process)


def test_a_policy_that_is_a_function_is_demanded(kept, elsewhere):
    def strict(name: str, _: object) -> bool:
        return name == "check"

    process = PAYING.process(Expense(), options=kept(approvals=(strict,)))
    go(process)
    with pytest.raises(JournalError, match="strict"):
        elsewhere(PAYING, process)
    other = elsewhere(PAYING, process, options=ProcessOptions(approvals=(strict,)))
    assert [request.action for request in other.pending] == ["check"]


def test_options_are_those_it_was_begun_with(kept, elsewhere):
    options = kept(budget=Budget(cost=3.5), concurrency=2, identities={"user": "ada"}, approvals=(Approval("x*", "?"),))
    process = PAYING.process(Expense(), options=options)
    found = elsewhere(PAYING, process).options
    assert (found.budget, found.concurrency, found.identities, found.approvals) == (
        options.budget, 2, {"user": "ada"}, options.approvals,
    )  # fmt: skip


# Drift


def test_an_action_that_is_gone_is_refused_with_its_name(kept, elsewhere):
    """Case 057: nothing runs."""
    process = PAYING.process(Expense(), options=kept())
    go(process)
    changed = Agent("paying", [check, confirm, regret])
    with pytest.raises(AgentChangedError, match="action 'pay' is gone"):
        elsewhere(changed, process)
    assert effects == {"check": 1}


def test_an_input_of_another_type_is_refused(kept, elsewhere):
    """Case 057."""

    @action(name="pay", approval=True)
    def other_pay(checked: Checked) -> Letter:
        """Pay it."""
        return Letter(text="")

    process = PAYING.process(Expense(), options=kept())
    with pytest.raises(AgentChangedError, match="input expense"):
        elsewhere(Agent("paying", [check, other_pay, confirm, regret]), process)


def test_more_actions_are_no_obstacle(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    other = elsewhere(Agent("paying", [check, pay, confirm, regret, first]), process)
    assert go(other) is ProcessStatus.COMPLETED


def test_a_changed_agent_may_be_allowed(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, Deny("no"))
    other = elsewhere(Agent("paying", [check, confirm, regret]), process, allow_changes=True)
    assert go(other) is ProcessStatus.STUCK or other.status is ProcessStatus.COMPLETED


def _versions():
    def old():
        class Note(BaseModel):
            text: str

        Note.__qualname__ = "Note"
        return Note

    def new():
        class Note(BaseModel):
            text: str
            author: str

        Note.__qualname__ = "Note"
        return Note

    return old(), new()


def _agent_of(note, *migrations: Migration) -> Agent:
    @achieves_goal("there is a C")
    @action
    def read(note: note, b: B) -> C:
        """Read it."""
        return C(n=len(note.text))

    return Agent("reader", [human(B, prompt="?"), read], migrations=migrations)


def test_a_new_field_is_refused_by_model_and_field(kept, elsewhere):
    """Case 056."""
    old, new = _versions()
    process = _agent_of(old).process(old(text="hello"), options=kept())
    go(process)
    with pytest.raises(AgentChangedError, match="type 'Note': author is new"):
        elsewhere(_agent_of(new), process)


def test_a_migration_brings_what_was_stored_up_to_date(kept, elsewhere):
    """Case 056."""
    old, new = _versions()
    process = _agent_of(old).process(old(text="hello"), options=kept())
    go(process)
    migration = Migration("Note", to=new, change=lambda data: {**data, "author": "unknown"})
    other = elsewhere(_agent_of(new, migration), process)
    assert other.board.last(new) == new(text="hello", author="unknown")


# Secrets


class Login(BaseModel):
    user: str
    password: SecretStr


def _login_agent() -> Agent:
    @achieves_goal("there is a C")
    @action
    def log_in(login: Login, b: B) -> C:
        """Log in."""
        return C(n=len(login.password.get_secret_value()))

    return Agent("login", [human(B, prompt="?"), log_in])


def test_secrets_are_not_written_and_have_to_be_given_again(kept, elsewhere, tmp_path):
    """Case 165."""
    agent = _login_agent()
    process = agent.process(Login(user="ada", password=SecretStr("hunter2")), options=kept())
    go(process)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"hunter2" not in stored
    with pytest.raises(SecretNotKeptError, match=r"Login\.password"):
        elsewhere(agent, process)
    other = elsewhere(agent, process, secrets={"Login.password": SecretStr("hunter3")})
    other.respond(other.pending[0].id, {"n": 1})
    assert go(other) is ProcessStatus.COMPLETED
    assert other.result(C) == C(n=7)


def test_what_is_shown_to_people_hides_secrets():
    @achieves_goal("there is a C")
    @action(approval=True)
    def log_in(login: Login, api_key: str) -> C:
        """Log in."""
        return C(n=1)

    process = Agent("login", [log_in]).process(Login(user="ada", password=SecretStr("hunter2")), api_key="sesame")
    go(process)
    shown = json.dumps(dict(process.pending[0].arguments))
    assert "ada" in shown
    assert "hunter2" not in shown
    assert "sesame" not in shown


# Damage


def _change(tmp_path, old: str, new: str) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "runs.db") as database:
        (table,) = [
            name
            for (name,) in database.execute("select name from sqlite_master where type = 'table'")
            if "body" in [row[1] for row in database.execute(f"pragma table_info({name})")] and "event" in name
        ]
        changed = database.execute(
            f"update {table} set body = replace(body, ?, ?) where instr(body, ?)",
            (old, new, old),
        )
        assert changed.rowcount
    database.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"amount":900', '"amount":"much"'),
        ('"verdict":"approved"', '"verdict":null'),
        ('"verdict":"approved"', '"verdict":["approved"]'),
        ('"outputs":[', '"outputs":"x","was":['),
        ('"kind":"action_started"', '"kind":"action_startled"'),
        ('"seq":4', '"seq":5'),
        ('"v":1', '"v":99'),
        ('"type":"Checked"', '"type":"os.system"'),
    ],
)
def test_a_changed_journal_is_refused_by_what_is_wrong(kept, elsewhere, tmp_path, old, new):
    """Case 166."""
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    go(process)
    _change(tmp_path, old, new)
    with pytest.raises(CorruptJournalError, match=r"Event \d+"):
        elsewhere(PAYING, process)


# Time travel


def test_the_board_can_be_seen_as_it_was(kept):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    go(process)
    place = next(event.seq for event in process.events if event.kind == "action_succeeded")
    assert process.board_at(place - 1).last(Checked) is None
    assert process.board_at(place).last(Checked) == Checked(amount=900)
    assert process.board_at(place).last(Letter) is None


@pytest.mark.parametrize("event", [-1, 1000])
def test_what_never_was_cannot_be_seen(event):
    process = PAYING.process(Expense())
    with pytest.raises(ValueError, match="no event"):
        process.board_at(event)


def test_a_fork_goes_its_own_way_from_an_earlier_moment(kept, elsewhere):
    """Case 043: what is forked has its types."""
    process = PAYING.process(Expense(), options=kept())
    go(process)
    place = len(process.events)
    process.respond(process.pending[0].id, Deny("no"))
    go(process)
    twin = process.fork(at=place, id="twin")
    assert isinstance(twin.board.last(Checked), Checked)
    twin.respond("twin:2", True)
    assert go(twin) is ProcessStatus.COMPLETED
    assert elsewhere(PAYING, "twin").result(Letter).text == "paid 900 to Ada"
    assert process.result(Letter).text == "pay not done: no"


def test_a_step_that_times_out_does_not_bring_back_the_question(kept, elsewhere):
    """Case 098."""

    @achieves_goal("there is a letter")
    @action(timeout=0.01)
    async def late(b: B) -> Letter:
        await asyncio.Event().wait()
        return Letter(text="")

    agent = Agent("late", [human(B, prompt="?"), late])
    process = agent.process(options=kept())
    go(process)
    process.respond(process.pending[0].id, {"n": 1})
    assert go(process) is ProcessStatus.FAILED
    other = elsewhere(agent, process)
    assert other.pending == ()
    assert [event.kind for event in other.events].count("request_made") == 1


def test_every_prefix_of_a_run_can_be_forked_and_goes_on(kept):
    process = PAYING.process(Expense(), options=kept())
    go(process)
    process.respond(process.pending[0].id, True)
    go(process)
    for place in range(2, len(process.events) + 1):
        twin = process.fork(at=place)
        go(twin)
        while twin.pending:
            twin.respond(twin.pending[0].id, True)
            go(twin)
        assert twin.status is ProcessStatus.COMPLETED, place


def test_a_journal_in_memory_hands_out_no_live_objects():
    """Case 055."""
    journal = MemoryJournal()
    process = PAYING.process(Expense(), options=ProcessOptions(journal=journal))
    go(process)
    one, two = (Process.restore(PAYING, journal, process.id) for _ in range(2))
    assert one.board.last(Expense) is not two.board.last(Expense)
    assert one.board.last(Expense) is not process.board.last(Expense)


def test_the_clock_is_that_of_the_options():
    clock = FakeClock(50.0)
    journal = MemoryJournal()
    PAYING.process(Expense(), options=ProcessOptions(journal=journal, clock=clock), id="x")
    assert journal.info("x").created_at == 50.0


def test_utility_goes_on_too(kept, elsewhere):
    process = PAYING.process(Expense(), options=kept(), planner=Utility())
    go(process)
    process.respond(process.pending[0].id, True)
    assert go(elsewhere(PAYING, process)) is ProcessStatus.COMPLETED


def test_seconds_that_were_used_before_count_in_another_program(kept, elsewhere):
    """Case 072."""
    clock = FakeClock(0.0)

    @action
    def dawdle(a: A) -> B:
        """Take fifty seconds."""
        clock.advance(50)
        return B(n=1)

    @achieves_goal("there is a C")
    @action
    def late(b: B, decision: Decision) -> C:
        """Take none."""
        return C(n=1)

    agent = Agent("slow", [dawdle, human(Decision, prompt="?", needs=[B]), late])
    process = agent.process(A(), options=kept(budget=Budget(seconds=60), clock=clock))
    go(process)
    clock.advance(1000)
    other = elsewhere(agent, process, clock=clock)
    other.respond(other.pending[0].id, {"approved": True})
    clock.advance(1000)
    assert go(other) is ProcessStatus.COMPLETED  # only 50 seconds of running
    third = elsewhere(agent, other, clock=clock)
    assert third._core.ledger.seconds(clock.time()) == 50
