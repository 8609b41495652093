"""Models that speak "chat completions": what they all share, from one attempt to a validated object.

Requests and answers are wire dictionaries, exactly as servers take and give them. A subclass sends one and returns
one; retries, time-outs, rate limits, accounting and objects are here, the same for a real and a scripted model.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from planboard.errors import DefinitionError, ModelError, ModelUnavailableError
from planboard.llm.pacing import Pace, Sleep, sleep
from planboard.llm.port import (
    UNMETERED,
    Check,
    Meter,
    ModelReply,
    ModelRequest,
    ModelUsage,
    ToolCall,
    compact_json,
)
from planboard.types import TypeForm

Wire = dict[str, Any]
"""A request or an answer as it goes over the wire."""

_LONGEST_WAIT = 60.0


@dataclass(frozen=True, slots=True)
class Prices:
    """What a model costs, in any currency, for a million tokens."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what so many tokens cost."""
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1e6


class ChatModel(ABC):
    """A model behind chat completions.

    Args:
        timeout: Seconds after which a request is given up; `None` for never.
        retries: How often a request is tried again after a transient error: overload, a fault of the server, a
            time-out, a broken connection. Other errors are not tried again.
        requests_per_minute: The most requests that go out in a minute, evenly spread; `None` for any number.
        prices: What tokens cost; without prices the cost is 0.
        sleep: Waits between attempts.
    """

    def __init__(
        self,
        *,
        timeout: float | None = 60.0,
        retries: int = 2,
        requests_per_minute: float | None = None,
        prices: Prices | tuple[float, float] | None = None,
        sleep: Sleep = sleep,
    ) -> None:
        if timeout is not None and timeout <= 0:
            message = f"timeout={timeout!r}: it is a number of seconds above 0, or None."
            raise DefinitionError(message)
        if retries < 0:
            message = f"retries={retries!r}: it is 0 or more."
            raise DefinitionError(message)
        self._timeout = timeout
        self._retries = retries
        self._pace = Pace(requests_per_minute, sleep=sleep)
        self._prices = Prices(*prices) if isinstance(prices, tuple) else prices
        self._sleep = sleep

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called in usage, messages and events."""

    @abstractmethod
    async def _send(self, wire: Wire) -> Wire:
        """Send one request and return the answer.

        Raises:
            ModelUnavailableError: It may help to try again.
            ModelError: It will not.
        """

    @abstractmethod
    def _stream(self, wire: Wire) -> AsyncIterator[tuple[str, Wire | None]]:
        """Send one request and yield pieces of the object's text as they come, with the usage once it is known."""

    # What a model does

    async def complete(self, request: ModelRequest, *, meter: Meter = UNMETERED) -> ModelReply:
        """Return the model's turn; see `LanguageModel`."""
        answer, usage = await self.answered(request.to_wire(), meter)
        return _reply(self.name, answer, usage)

    async def create(
        self,
        request: ModelRequest,
        form: TypeForm,
        *,
        attempts: int = 3,
        checks: Iterable[Check] = (),
        meter: Meter = UNMETERED,
    ) -> Any:
        """Return a valid object of a type; see `LanguageModel`."""
        from planboard.llm.objects import create

        return await create(self, request, form, attempts=attempts, checks=tuple(checks), meter=meter)

    async def stream(
        self, request: ModelRequest, form: TypeForm, *, checks: Iterable[Check] = (), meter: Meter = UNMETERED
    ) -> AsyncIterator[Any]:
        """Yield an object as it grows; see `LanguageModel`."""
        from planboard.llm.streaming import stream

        async for partial in stream(self, request, form, checks=tuple(checks), meter=meter):
            yield partial

    # One request

    async def answered(self, wire: Wire, meter: Meter) -> tuple[Wire, ModelUsage]:
        """Return the answer to a request and what it took, after retries where they can help.

        Raises:
            BudgetExceededError: The meter forbids it.
            ModelUnavailableError: There was no answer, however often it was tried.
            ModelError: The server refuses the request.
        """
        from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome is not None else None
            asked = getattr(error, "retry_after", None)
            return min(_LONGEST_WAIT, 0.5 * 2.0 ** (state.attempt_number - 1) if asked is None else float(asked))

        attempts = AsyncRetrying(
            stop=stop_after_attempt(self._retries + 1),
            retry=retry_if_exception_type(ModelUnavailableError),
            wait=wait,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            answer: Wire = await attempts(self._attempt, wire, meter)
        except ModelUnavailableError as error:
            if not self._retries:
                raise
            message = f"{error} It was tried {self._retries + 1} times."
            raise ModelUnavailableError(self.name, message) from error
        return answer, self.charged(wire, answer, meter)

    async def _attempt(self, wire: Wire, meter: Meter) -> Wire:
        import anyio

        await self._pace.turn()
        meter.allow()
        answer: Wire | None = None
        try:
            with anyio.fail_after(self._timeout):
                answer = await self._send(wire)
        except TimeoutError:
            message = f"The model {self.name!r} did not answer within {self._timeout:g} s."
            raise ModelUnavailableError(self.name, message) from None
        finally:
            if answer is None:
                meter.give_back()
        return answer

    def charged(self, wire: Wire, answer: Wire, meter: Meter) -> ModelUsage:
        """Return what a request took, having told the meter.

        Where a server does not tell, tokens are estimated as a quarter of the characters.
        """
        told: Mapping[str, Any] = answer.get("usage") or {}
        prompt = told.get("prompt_tokens")
        completion = told.get("completion_tokens")
        prompt = _estimate(wire.get("messages"), wire.get("tools")) if prompt is None else int(prompt)
        completion = _estimate(answer.get("choices")) if completion is None else int(completion)
        cost = self._prices.of(prompt, completion) if self._prices is not None else 0.0
        usage = ModelUsage(self.name, prompt, completion, cost)
        meter.charge(usage)
        return usage


def message_of(model: str, answer: Wire) -> tuple[Wire, str]:
    """Return the message of an answer, and why it ended.

    Raises:
        ModelError: The server's answer holds none.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        message = f"The server of model {model!r} sent an answer without any choices; it may not speak this protocol."
        raise ModelError(model, message)
    found = choices[0].get("message")
    return (found if isinstance(found, dict) else {}), str(choices[0].get("finish_reason") or "")


def calls_of(message: Wire) -> tuple[ToolCall, ...]:
    """Return the calls of a message, as far as they are any."""
    calls: list[ToolCall] = []
    for item in message.get("tool_calls") or ():
        function = item.get("function") if isinstance(item, dict) else None
        if not isinstance(function, dict):
            continue
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else "" if arguments is None else compact_json(arguments)
        calls.append(ToolCall(str(item.get("id") or ""), str(function.get("name") or ""), text))
    return tuple(calls)


def _reply(model: str, answer: Wire, usage: ModelUsage) -> ModelReply:
    message, ended = message_of(model, answer)
    content, refusal = message.get("content"), message.get("refusal")
    return ModelReply(
        text=content if isinstance(content, str) else "",
        calls=calls_of(message),
        usage=usage,
        refusal=refusal if isinstance(refusal, str) and refusal else None,
        cut_off=ended == "length",
    )


def _estimate(*parts: Any) -> int:
    return sum(len(compact_json(part)) for part in parts if part) // 4
