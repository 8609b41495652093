"""The models that a process may ask: found once, metered for each use."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from planboard.actions.action import Condition
from planboard.actions.context import ChildOrder
from planboard.llm.ai import Ai
from planboard.llm.models import as_model
from planboard.llm.port import LanguageModel, Meter, ModelUsage
from planboard.runtime.metering import LedgerMeter
from planboard.runtime.outcome import ActionCall
from planboard.types import TypeForm

if TYPE_CHECKING:
    from planboard.actions.catalogue import Catalogue
    from planboard.runtime.core import ProcessCore


class Models:
    """Where decisions, actions and conditions of one process get their models from.

    Actions and conditions are given the `Ai` among the services, else one with the planner's model, else that of
    the process above it, else one that the environment configures. Decisions use the planner's model, else that of
    this `Ai`.
    """

    __slots__ = ("_ai", "_clock", "_core", "_model", "inherited")

    def __init__(self, core: "ProcessCore", clock: Callable[[], float]) -> None:
        self._core = core
        self._clock = clock
        self._ai: Ai | None = None
        self.inherited: Ai | None = None
        """What the process above asks models with, where that is on another machine."""
        self._model: LanguageModel | None = None

    def for_action(self, call: ActionCall) -> Ai:
        """Return what an action asks models with: what that takes is charged to the action's process at once."""

        def note(usage: ModelUsage) -> None:
            call.effects.model_calls.append(usage)  # an attempt after a failed one has effects of its own
            call.effects.charged += usage.as_usage()

        async def run_agent(
            agent: "Catalogue", inputs: tuple[object, ...], bindings: Mapping[str, object], returning: TypeForm
        ) -> Any:
            order = ChildOrder(agent, inputs, bindings, returning, None, call.effects, call.number, call.attempt)
            return await self._core.run_child(order)

        return self.ai.bound(self.meter(note), run_agent, self._core.people.objection_to_tool)

    def for_condition(self, condition: Condition, took: list[ModelUsage]) -> dict[str, Ai]:
        """Return the argument that a condition asks models with, if it does."""
        parameter = condition.predicate.ai if condition.predicate is not None else None
        return {} if parameter is None else {parameter: self.ai.bound(self.meter(took.append))}

    def for_decisions(self, given: Any) -> LanguageModel:
        """Return the model that chooses.

        Args:
            given: What the planner was given.
        """
        if self._model is None:
            self._model = self.ai.model if given is None else as_model(given)
        return self._model

    def meter(self, note: Callable[[ModelUsage], None]) -> Meter:
        """Return a meter that charges this process."""
        return LedgerMeter(self._core.ledger, self._clock, note)

    @property
    def ai(self) -> Ai:
        """What models are asked with, unmetered."""
        if self._ai is None:
            services = self._core.state.world.services
            found = next((service for service in services if isinstance(service, Ai)), None)
            own = getattr(self._core.planner, "llm", None)
            parent = self._core.parent
            above = self.inherited if parent is None else parent.models.ai
            self._ai = found or (above if above is not None and own is None else Ai(own))
        return self._ai
