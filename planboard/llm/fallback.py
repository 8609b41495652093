"""Several models in a row: when one cannot be used, the next is asked."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeVar

from planboard.errors import DefinitionError, ModelError, ModelUnavailableError
from planboard.llm.port import UNMETERED, Check, LanguageModel, Meter, ModelReply, ModelRequest
from planboard.types import TypeForm

T = TypeVar("T")


class FallbackModel:
    """Asks the first model, and where that fails the next one. The usage says who answered.

    Args:
        models: At least one, in the order in which they are asked.
    """

    def __init__(self, *models: LanguageModel) -> None:
        if not models:
            message = "FallbackModel() needs at least one model."
            raise DefinitionError(message)
        self.models = models
        """In the order in which they are asked."""

    @property
    def name(self) -> str:
        """The names of all of them."""
        return " or ".join(model.name for model in self.models)

    async def complete(self, request: ModelRequest, *, meter: Meter = UNMETERED) -> ModelReply:
        """Return the turn of the first model that answers; see `LanguageModel`."""
        return await self._first(lambda model: model.complete(request, meter=meter))

    async def create(
        self,
        request: ModelRequest,
        form: TypeForm,
        *,
        attempts: int = 3,
        checks: Iterable[Check] = (),
        meter: Meter = UNMETERED,
    ) -> Any:
        """Return an object from the first model that makes a valid one; see `LanguageModel`."""
        kept = tuple(checks)
        return await self._first(lambda model: model.create(request, form, attempts=attempts, checks=kept, meter=meter))

    async def stream(
        self, request: ModelRequest, form: TypeForm, *, checks: Iterable[Check] = (), meter: Meter = UNMETERED
    ) -> AsyncIterator[Any]:
        """Yield an object as it grows, from the first model that begins one; see `LanguageModel`."""
        kept = tuple(checks)
        failures: list[ModelError] = []
        for model in self.models:
            begun = False
            try:
                async for partial in model.stream(request, form, checks=kept, meter=meter):
                    begun = True
                    yield partial
            except ModelError as error:
                if begun:
                    raise
                failures.append(error)
            else:
                return
        raise self._failure(failures)

    async def _first(self, ask: Callable[[LanguageModel], Awaitable[T]]) -> T:
        failures: list[ModelError] = []
        for model in self.models:
            try:
                return await ask(model)
            except ModelError as error:
                failures.append(error)
        raise self._failure(failures)

    def _failure(self, failures: list[ModelError]) -> ModelError:
        if len(failures) == 1:
            return failures[0]
        told = "; ".join(f"{failure.model}: {failure}" for failure in failures)
        passing = any(isinstance(failure, ModelUnavailableError) for failure in failures)
        kind = ModelUnavailableError if passing else ModelError
        error = kind(self.name, f"None of the models could be used. {told}")
        error.__cause__ = failures[-1]
        return error

    def __repr__(self) -> str:
        return f"FallbackModel({', '.join(map(repr, self.models))})"
