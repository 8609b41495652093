"""One planning call of GOAP: search with optimism, and evaluate only what the plan would rely on.

A fact that is unknown but could be evaluated is taken for true *and* false, which can only make plans cheaper. If
the best plan then relies on none of these facts, it is the best plan whatever they are, and none was evaluated. If
it relies on some, the first is evaluated, and the search starts again with the answer.
`test_evaluating_lazily_plans_as_evaluating_everything` guards this.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from planboard._text import brief
from planboard.errors import PlanningError
from planboard.planners.base import best_of, standing
from planboard.planners.domain import State
from planboard.planners.operator import NIRVANA, PlanGoal
from planboard.planners.plan import Assumption, Course, NoPlan, Plan, PlanResult, Reason, spelled
from planboard.planners.problem import Inquiry, World, rounded, total
from planboard.planners.proof import Proof
from planboard.planners.search.auto import Auto
from planboard.planners.search.engine import Engine, Limit, Solution
from planboard.planners.search.order import canonical, is_executable, without_detours
from planboard.planners.search.view import Reduced, View, reached_from, reduce, view_of

_HOLDS = Solution("solved", optimal=True, engine="none", proof="optimal: the goal holds")
_TURNS = 32
"""How many turns of events are thought through before an unknown fact of a rival goal is simply evaluated."""


_CASES = 4
"""Unknown facts needed both true and false that are thought through before the next one is simply evaluated."""

Rank = tuple[int] | tuple[int, Fraction, int, int, int, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Draft:
    """The best plan of an optimist, and the unknown facts that it relies on."""

    result: PlanResult
    leaning: tuple[tuple[str, bool], ...] = ()
    """In plan order, with the values relied on."""


class OptimisticSearch:
    """Plans to each goal of a problem, sharing what is found out on the way."""

    def __init__(self, inquiry: Inquiry, engine: Engine, limit: Limit, *, net: bool) -> None:
        self._problem = inquiry.problem
        self._domain = inquiry.domain
        self._inquiry = inquiry
        self._engine = engine
        self._limit = limit
        self._net = net

    def settled(self, goal: PlanGoal) -> PlanResult:
        """Return the plan to one goal, after evaluating what it relies on."""
        while True:
            draft = self._draft(goal, self._inquiry.world)
            if not draft.leaning:
                return draft.result
            self._inquiry.ask(draft.leaning[0][0])

    def best(self) -> PlanResult:
        """Return the best plan over all goals; facts that only a losing goal relies on are not evaluated."""
        goals = self._problem.goals
        together = self._together([goal for goal in goals if goal is not NIRVANA])
        if together is not None:
            return together
        drafts = {goal: self._draft(goal, self._inquiry.world) for goal in goals}
        while True:
            best = best_of(drafts[goal].result for goal in goals)
            question = next(self._questions(drafts, best), None)
            if question is None:
                return self._among_rivals(best, [drafts[goal].result for goal in goals])
            self._inquiry.ask(question)
            bit = self._domain.bit(question)
            for goal in goals:
                if goal is not NIRVANA and view_of(self._domain, goal).relevant & bit:
                    drafts[goal] = self._draft(goal, self._inquiry.world)

    def _together(self, goals: list[PlanGoal]) -> Plan | None:
        """Return the best plan over several goals by one search; `None` where that is not exact or finds nothing.

        It is not exact with action values, for then the cheapest plan to the best goal need not be the best, nor
        where assumptions count, which come before the number of actions within a goal and not between goals.
        """
        if len(goals) < 2 or self._net or not isinstance(self._engine, Auto):  # noqa: PLR2004 - several
            return None
        view, world = view_of(self._domain, *sorted(goals, key=str)), self._inquiry.world
        if view.valued or view.assumed or self._domain.alternatives or world.askable & view.relevant:
            return None
        start = view.literals_of(world.true, world.unknown)
        reached, running = reached_from(view, start)
        if view.goal & ~reached:
            return None
        reduced = self._reduced(view, start, running)
        solution = self._engine.solve(reduced.task, self._limit)
        if solution.status != "solved" or not solution.optimal:
            return None
        *steps, ending = self._arranged(reduced, solution)
        goal = view.goals[reduced.operators[ending] - len(view.chosen)]
        found = self._drafted(goal, view, world, tuple(steps), reduced, solution).result
        return found if isinstance(found, Plan) else None

    def _questions(self, drafts: dict[PlanGoal, Draft], best: PlanResult) -> Iterator[str]:
        """Yield facts whose values could change which plan is the best: its own first, then those of rivals."""
        leaning = {goal: draft for goal, draft in drafts.items() if draft.leaning}
        if best.goal in leaning and leaning[best.goal].result is best:
            yield leaning[best.goal].leaning[0][0]
        for goal, draft in leaning.items():
            if isinstance(best, Plan) and not self._can_beat(goal, draft, self._inquiry.world, best, [_TURNS]):
                continue
            yield draft.leaning[0][0]

    def _can_beat(self, goal: PlanGoal, draft: Draft, world: World, best: Plan, turns: list[int]) -> bool:
        """Whether the goal could have a better plan than `best`, if what its draft relies on is otherwise.

        A dearer plan can be worth more when its actions have values, so a worse draft does not settle it.
        """
        if isinstance(draft.result, Plan) and standing(draft.result) < standing(best):
            return True
        for name, truth in draft.leaning:
            bit = self._domain.bit(name)
            for other in (not truth, None):
                if not turns[0]:
                    return True
                turns[0] -= 1
                elsewhere = world.knowing(bit, other)
                if self._can_beat(goal, self._draft(goal, elsewhere), elsewhere, best, turns):
                    return True
            world = world.knowing(bit, truth)
        return False

    def _among_rivals(self, best: PlanResult, results: list[PlanResult]) -> PlanResult:
        """Return the plan as one among several goals: what bears on any of them can end its validity.

        With values, or after an exact tie, another goal may come out ahead once the first step is paid for, so the
        rest of the plan is then not handed out unchecked.
        """
        if isinstance(best, NoPlan):
            return best
        views = [view_of(self._domain, result.goal) for result in results if result.goal is not NIRVANA]
        if len(views) == 1:
            return best
        lasting = not any(view.valued for view in views)
        for result in results:
            if isinstance(result, NoPlan):
                lasting = lasting and result.reason != "limit"
            elif result is not best and standing(result)[:3] == standing(best)[:3]:
                lasting = lasting and not any(view.assumed for view in views) and not self._domain.alternatives
        relevant = 0
        for view in views:
            relevant |= view.relevant
        return best.among(relevant, lasting=lasting)

    def _draft(self, goal: PlanGoal, world: World, cases: int = _CASES) -> Draft:
        """Return the best plan for an optimist whose hopes do not contradict each other.

        Each contradiction doubles the work, so after some the fact is left to be evaluated instead.
        """
        draft = self._search(goal, world)
        hopes = dict(draft.leaning)
        contradicted = next((name for name, truth in draft.leaning if hopes[name] != truth), None)
        if contradicted is None:
            return draft
        bit = self._domain.bit(contradicted)
        if not cases:
            return replace(draft, leaning=((contradicted, True), *draft.leaning))
        drafts = [self._draft(goal, world.supposing(bit, truth), cases - 1) for truth in (True, False)]
        best = min(drafts, key=lambda case: self._rank(case.result))
        return replace(best, result=self._restated(best.result, world))

    def _restated(self, result: PlanResult, world: World) -> PlanResult:
        """Return a result that was found by supposing something, as of the world in which it is only hoped for."""
        if isinstance(result, NoPlan):
            return replace(result, known=self._known(world))
        return result.starting_from(world.true, world.unknown)

    def _rank(self, result: PlanResult) -> Rank:
        """Return what plans to one goal are compared by; the least is the best. A limit hides what would be best."""
        if isinstance(result, NoPlan):
            return (0 if result.reason == "limit" else 2,)
        weight = result.exact_cost - (result.exact_value if self._net else 0)
        demands = sum(len(operator.pre) for operator in result.operators)
        names = tuple(sorted(operator.key for operator in result.operators))
        return 1, weight, len(result.assumptions), len(result), -demands, names

    def _search(self, goal: PlanGoal, world: World) -> Draft:
        if goal is NIRVANA:
            return Draft(NoPlan(NIRVANA, "unreachable", problem=self._problem, known=self._known(world)))
        view = view_of(self._domain, goal)
        start = view.literals_of(world.true, world.unknown, world.askable)
        if not view.goal & ~start:
            return self._drafted(goal, view, world, (), None, _HOLDS)
        reached, running = reached_from(view, start)
        if view.goal & ~reached:
            return Draft(self._failure(goal, world, "unreachable", view.goal & ~reached))
        reduced = self._reduced(view, start, running)
        solution = self._engine.solve(reduced.task, self._limit)
        if not isinstance(solution, Solution):
            raise self._bug(f"must return a Solution, not {brief(solution)}")
        if solution.status == "solved" and solution.steps is None:
            raise self._bug('says "solved" and gives no steps')
        if solution.status == "unsolvable":
            failure = self._failure(goal, world, "unreachable", view.goal & ~start)
            return Draft(replace(failure, nodes=solution.nodes))
        found = None
        if solution.steps is not None:
            steps = self._arranged(reduced, solution)
            found = self._drafted(goal, view, world, steps, reduced, solution)
        if solution.status == "solved" and found is not None:
            return found
        best = found.result if found is not None and not found.leaning and isinstance(found.result, Plan) else None
        failure = self._failure(goal, world, "limit", view.goal & ~start)
        bound = rounded(reduced.cost_of(solution.bound))
        return Draft(replace(failure, best=best, bound=bound, nodes=solution.nodes))

    def _reduced(self, view: View, start: int, running: set[int]) -> Reduced:
        cost = self._inquiry.net_cost if self._net else self._inquiry.cost
        return reduce(view, start, running, cost, fixed=not (self._net or self._domain.dynamic))

    def _arranged(self, reduced: Reduced, solution: Solution) -> tuple[int, ...]:
        """Return the engine's steps in canonical order; those of an engine that is not optimal lose their detours."""
        steps, task = solution.steps or (), reduced.task
        if solution.ordered and solution.optimal:
            return steps
        if any(not 0 <= step < len(task) for step in steps) or not is_executable(task, steps):
            raise self._bug("returned steps that do not reach the goal")
        if not solution.optimal:
            steps = without_detours(task, steps)
        return canonical(task, steps) or steps

    def _bug(self, what: str) -> PlanningError:
        return PlanningError(f"The engine {self._engine.name!r} {what}: a bug in it.")

    def _failure(self, goal: PlanGoal, world: World, reason: Reason, lacking: int) -> NoPlan:
        missing = sorted(view_of(self._domain, goal).named(lacking))
        spelled_out = tuple(spelled(name, truth) for name, truth in missing)
        return NoPlan(goal, reason, spelled_out, problem=self._problem, known=self._known(world))

    def _drafted(
        self,
        goal: PlanGoal,
        view: View,
        world: World,
        steps: tuple[int, ...],
        reduced: Reduced | None,
        solution: Solution,
    ) -> Draft:
        in_view = [reduced.operators[step] for step in steps] if reduced else []
        actions = [view.chosen[index] for index in in_view if index < len(view.chosen)]
        operators = tuple(self._domain.operators[index] for index in actions)
        costs = tuple(self._inquiry.cost(index) for index in actions)
        values = tuple(self._inquiry.value(index) for index in actions)
        assumptions = self._assumptions(view, in_view)
        course = Course(
            domain=self._domain,
            goal=goal,
            operators=operators,
            masks=tuple(self._domain.masks_of(index) for index in actions),
            costs=costs,
            values=values,
            assumptions=assumptions,
            proof=self._proof(solution, reduced, total(costs) - (total(values) if self._net else 0)),
            relevant=view.relevant,
            lasting=solution.optimal,  # what remains of another plan need not be what planning afresh would give
        )
        return Draft(Plan(course, world.true, world.unknown), _leaning(view, in_view, world))

    def _proof(self, solution: Solution, reduced: Reduced | None, weight: Fraction) -> Proof:
        """Return what the engine proved, with numbers in terms of costs."""
        bound = reduced.cost_of(solution.bound) if reduced and not solution.optimal else weight
        engine = solution.engine or self._engine.name
        return Proof(engine, solution.optimal, solution.proof, solution.nodes, bound, weight - bound)

    def _assumptions(self, view: View, in_view: list[int]) -> tuple[Assumption, ...]:
        found: list[Assumption] = []
        step = 0
        for index in in_view:
            if index >= len(view.chosen):
                name, truth = view.assumed[index - len(view.chosen) - view.endings]
                found.append(Assumption(step, spelled(name, truth), self._domain.bit(name)))
                continue
            operator = self._domain.operators[view.chosen[index]]
            if operator.name in self._domain.alternatives:
                found.append(Assumption(step, f"{operator.name} → {operator.outcome}"))
            step += 1
        return tuple(found)

    def _known(self, world: World) -> State:
        return State(self._domain, world.true, world.unknown)


def _leaning(view: View, steps: list[int], world: World) -> tuple[tuple[str, bool], ...]:
    """Return the unknown facts, with values, whose first value some step or the goal relies on."""
    hoped = world.askable | world.supposed & ~world.unknown
    if not hoped:
        return ()
    hopes = view.literals_of(world.true & hoped, ~hoped, world.askable)
    found: dict[tuple[str, bool], None] = {}
    for index in steps:
        found.update(dict.fromkeys(sorted(view.named(view.pre[index] & hopes))))
        hopes &= ~(view.add[index] | view.dele[index])
    found.update(dict.fromkeys(sorted(view.named(view.goal & hopes))))
    return tuple(found)
