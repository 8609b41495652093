"""The planner of teams: who has the turn is on the board, and whoever has it runs next."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from planboard._text import brief
from planboard.blackboard.board import Blackboard
from planboard.errors import DefinitionError
from planboard.planners.base import Planner
from planboard.planners.glance import Glance, _QuestionRaised
from planboard.planners.operator import NIRVANA, PlanGoal
from planboard.planners.plan import Course, NoPlan, Plan, PlanResult
from planboard.planners.problem import Inquiry, Problem, exact
from planboard.planners.proof import Proof
from planboard.planners.world import World
from planboard.teams.hand_offs import Turn, WorkDone

_MARCHES_ON = "the turn is on the board"


@dataclass(frozen=True, slots=True)
class TurnTaking(Planner):
    """Lets the member run that has the turn; several of them at once, if several have it.

    The newest `Turn` on the board says who works, and who goes on once all of them have left a `WorkDone`. Without a
    turn the first member begins. It is pure, like every planner, and asks no model: members do, as their action.
    """

    plans_ahead: ClassVar[bool] = True

    handed_down: ClassVar[bool] = False

    first: str
    """The member that begins."""
    at_once: int = 1
    """How many members may work at once."""
    recursion_limit: int = 25
    """After so many turns the run is TERMINATED."""
    repeats: int = 3
    """How often the same member may be given the very same task."""

    def __post_init__(self) -> None:
        for name in ("at_once", "recursion_limit", "repeats"):
            number = getattr(self, name)
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                message = f"{name}={number!r}: it is a whole number of at least 1."
                raise DefinitionError(message)

    @property
    def name(self) -> str:
        """What it is called: "turns"."""
        return "turns"

    def plan_to(self, problem: Problem, goal: PlanGoal) -> PlanResult:
        """Return what those do that have the turn, or why nobody goes on."""
        inquiry = Inquiry(problem)
        glance = Glance(inquiry, inquiry.world, None)
        if goal is not NIRVANA and _holds(glance, goal):
            return glance.idle(goal)
        board = problem.state.board if isinstance(problem.state, World) else Blackboard()
        turn = board.last(Turn)
        names = self._next(problem, board, turn)
        if not names:
            return glance.nothing(goal)
        halt = self._halt(board, turn, names)
        if halt is not None:
            return NoPlan(goal, "limit", problem=problem, halt=halt)
        return _plan(inquiry, goal, names)

    def _next(self, problem: Problem, board: Blackboard, turn: Turn | None) -> list[str]:
        """Return the members that can go on now, in the order of the turn."""
        if turn is None:
            return _able(problem, [self.first])
        done = {work.member for work in board.all(WorkDone) if work.turn == turn.number}
        named = dict.fromkeys(hand_off.to for hand_off in turn.hand_offs)
        working = _able(problem, [name for name in named if name not in done])
        return working or _able(problem, [turn.then] if turn.then is not None else [])

    def _halt(self, board: Blackboard, turn: Turn | None, names: list[str]) -> str | None:
        """Say which limit forbids that a turn is carried out; the last word is always allowed."""
        if turn is None or names == [turn.then]:
            return None
        counts: dict[tuple[str, str], int] = {}
        for earlier in board.all(Turn):
            for hand_off in earlier.hand_offs:
                key = hand_off.to, hand_off.argument
                counts[key] = counts.get(key, 0) + 1
        for (name, task), count in sorted(counts.items()):
            if count > self.repeats:
                return f"loop: {name!r} was given the same task more than {self.repeats} times: {brief(task)}"
        if turn.number > self.recursion_limit:
            return f"limit: {self.recursion_limit} turns were taken without an end"
        return None


def _holds(glance: Glance, goal: PlanGoal) -> bool:
    try:
        return glance.satisfied(goal)
    except _QuestionRaised:
        return False  # goals of teams are types, which are there or not


def _able(problem: Problem, names: Iterable[str]) -> list[str]:
    """Return those whose action can be run: one that was not agreed to, or has failed, cannot."""
    domain, state = problem.domain, problem.state
    able: list[str] = []
    for name in names:
        for operator in domain.operators:
            if operator.name == name and all(state[fact] is truth for fact, truth in operator.pre.items()):
                able.append(name)
                break
    return able


def _plan(inquiry: Inquiry, goal: PlanGoal, names: list[str]) -> Plan:
    domain = inquiry.domain
    by_name: dict[str, int] = {}
    for index, operator in enumerate(domain.operators):
        by_name.setdefault(operator.name, index)
    chosen = [by_name[name] for name in names]
    course = Course(
        domain=domain,
        goal=goal,
        operators=tuple(domain.operators[index] for index in chosen),
        masks=tuple(domain.masks[index] for index in chosen),
        costs=tuple(exact(inquiry.cost(index)) for index in chosen),
        values=tuple(exact(inquiry.value(index)) for index in chosen),
        assumptions=(),
        proof=Proof("turns", optimal=False, reason=_MARCHES_ON),
        relevant=0,
        lasting=False,
    )
    return Plan(course, inquiry.world.true, inquiry.world.unknown)
