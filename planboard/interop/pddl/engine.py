"""Planboard as an engine of unified-planning: `OneshotPlanner(name="planboard")`."""

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import IO, Any, Final

from unified_planning.engines import Engine, PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.engines.mixins import OneshotPlannerMixin
from unified_planning.engines.results import LogLevel, LogMessage
from unified_planning.environment import get_environment
from unified_planning.model import ProblemKind
from unified_planning.model.problem_kind import all_features
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION

from planboard.errors import TranslationError
from planboard.interop.pddl.grounding import Grounding, ground
from planboard.planners.goap import Goap
from planboard.planners.plan import NoPlan, Plan, PlanResult
from planboard.planners.search.engine import Engine as SearchEngine
from planboard.planners.search.engine import Heuristic, Limit

NAME: Final = "planboard"

FEATURES: Final = (
    "ACTION_BASED",
    "FLAT_TYPING",
    "HIERARCHICAL_TYPING",
    "NEGATIVE_CONDITIONS",
    "DISJUNCTIVE_CONDITIONS",
    "EQUALITIES",
    "EXISTENTIAL_CONDITIONS",
    "UNIVERSAL_CONDITIONS",
    "CONDITIONAL_EFFECTS",
    "FORALL_EFFECTS",
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "ACTIONS_COST",
    "PLAN_LENGTH",
    "INT_NUMBERS_IN_ACTIONS_COST",
    "REAL_NUMBERS_IN_ACTIONS_COST",
    "STATIC_FLUENTS_IN_ACTIONS_COST",
    "UNDEFINED_INITIAL_NUMERIC",
)
"""What is supported, in unified-planning's words. An undefined number is refused if a cost turns out to need it."""

_NO_LIMIT: Final = Limit(nodes=2**63)


class PlanboardEngine(Engine, OneshotPlannerMixin):  # type: ignore[misc] # unified-planning declares no types
    """Plans of least cost for classical problems, with action costs or without.

    When to choose this: you have a problem in unified-planning or PDDL and want its optimum, the same on every
    machine. A plan without proof, after a limit or from an engine that gives none, is reported as satisficing.

    Args:
        engine: As for `Goap`.
        heuristic: As for `Goap`.
        limit: Search nodes to expand, or a `Limit`; unbounded by default, as unified-planning expects.
    """

    def __init__(
        self,
        engine: str | SearchEngine = "auto",
        heuristic: str | Heuristic | None = None,
        limit: int | Limit | None = None,
    ) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        chosen = Limit(nodes=limit) if isinstance(limit, int) else limit or _NO_LIMIT
        self._planner = Goap(engine, heuristic, chosen)

    @property
    def name(self) -> str:
        """What unified-planning knows it by: "planboard"."""
        return NAME

    @staticmethod
    def supported_kind() -> Any:
        """Return what kinds of problems can be solved."""
        return ProblemKind(all_features.intersection(FEATURES), version=LATEST_PROBLEM_KIND_VERSION)

    @staticmethod
    def supports(problem_kind: Any) -> bool:
        """Tell whether all that a problem uses is supported."""
        return bool(problem_kind <= PlanboardEngine.supported_kind())

    @staticmethod
    def satisfies(optimality_guarantee: Any) -> bool:  # noqa: ARG004 - part of the interface
        """Tell that plans can be had with either guarantee; the status of a result says which one it has."""
        return True

    def _solve_with_params(
        self,
        problem: Any,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: Any = None,
        **ignored: Any,
    ) -> Any:
        for what, value in {"warm_start_plan": warm_start_plan, **ignored}.items():
            if value is not None:
                warnings.warn(f"planboard ignores {what}.", stacklevel=3)
        return self._solve(problem, heuristic, timeout, output_stream)

    def _solve(
        self,
        problem: Any,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
    ) -> Any:
        if heuristic is not None:
            warnings.warn("planboard ignores the heuristic: its own guarantee the optimum.", stacklevel=4)
        solving = _Solving(self._planner, problem, timeout)
        result = solving.result()
        if output_stream is not None:
            output_stream.write("".join(f"{message}\n" for message in result.log_messages))
        return result


class _TimeoutError(Exception):
    """The time is up while grounding."""


class _Solving:
    """One call, with its clock and its log."""

    def __init__(self, planner: Goap, problem: Any, timeout: float | None) -> None:
        self._planner = planner
        self._problem = problem
        self._timeout = timeout
        self._started = time.monotonic()
        self._log: list[Any] = []
        self._metrics: dict[str, str] = {}

    def result(self) -> Any:
        status = PlanGenerationResultStatus
        try:
            grounding = ground(self._problem, self._stop)
            self._note("grounding_time", f"{self._elapsed():.3f}")
            self._note("operators", str(len(grounding.problem.operators)))
            return self._answer(grounding, self._search(grounding))
        except TranslationError as error:
            self._say(str(error), LogLevel.ERROR)
            return self._result(status.UNSUPPORTED_PROBLEM)
        except _TimeoutError:
            self._say("The time was up before the actions were grounded.", LogLevel.WARNING)
            return self._result(status.TIMEOUT)
        except MemoryError:
            self._say("Out of memory.", LogLevel.ERROR)
            return self._result(status.MEMOUT)

    def _search(self, grounding: Grounding) -> PlanResult:
        planner = self._planner
        if self._timeout is not None:
            left = max(self._timeout - self._elapsed(), 1e-3)
            seconds = min(left, planner.limit.seconds or left)
            planner = replace(planner, limit=replace(planner.limit, seconds=seconds))
        return planner.plan(grounding.problem)

    def _answer(self, grounding: Grounding, answer: PlanResult) -> Any:
        status = PlanGenerationResultStatus
        match answer:
            case Plan(proof=proof):
                self._note("nodes", str(proof.nodes))
                self._note("cost", str(grounding.cost_of(answer)))
                self._note("proof", str(proof))
                self._say(f"Plan of {len(answer)} steps, cost {grounding.cost_of(answer)}: {proof}")
                optimal = proof.optimal and self._problem.quality_metrics
                found = status.SOLVED_OPTIMALLY if optimal else status.SOLVED_SATISFICING
                return self._result(found, grounding.plan_of(answer))
            case NoPlan(reason="limit", best=best, bound=bound):
                self._say(str(answer), LogLevel.WARNING)
                if bound is not None:
                    self._note("lower_bound", str(bound / grounding.scale))
                if best is not None:
                    return self._result(status.SOLVED_SATISFICING, grounding.plan_of(best))
                return self._result(status.TIMEOUT if self._is_over() else status.UNSOLVABLE_INCOMPLETELY)
            case _:
                self._say(str(answer))
                return self._result(status.UNSOLVABLE_PROVEN)

    def _result(self, status: Any, plan: Any = None) -> Any:
        return PlanGenerationResult(status, plan, NAME, self._metrics, self._log)

    def _stop(self) -> None:
        if self._is_over():
            raise _TimeoutError

    def _is_over(self) -> bool:
        return self._timeout is not None and self._elapsed() >= self._timeout

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _note(self, what: str, value: str) -> None:
        self._metrics[what] = value

    def _say(self, text: str, level: Any = LogLevel.INFO) -> None:
        self._log.append(LogMessage(level, text))


def register(environment: Any = None) -> None:
    """Make `OneshotPlanner(name="planboard")` known to an environment; the global one by default. Idempotent."""
    factory = (environment or get_environment()).factory
    if NAME not in factory.engines:
        factory.add_engine(NAME, __name__, "PlanboardEngine")
