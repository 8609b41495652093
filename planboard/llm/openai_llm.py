"""Models behind any OpenAI-compatible server: hosted ones, Ollama, llama.cpp, vLLM and others."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from planboard.errors import DefinitionError, ModelError, ModelUnavailableError
from planboard.llm.chat import ChatModel, Prices, Wire
from planboard.llm.pacing import Sleep, sleep

if TYPE_CHECKING:
    import asyncio

    from openai import AsyncOpenAI

_TRANSIENT = frozenset({408, 409, 425, 429})
_SERVER_FAULT = 500
_SHOWN = 300
_OPTIONAL = ("temperature", "parallel_tool_calls", "max_tokens", "stream_options")
"""Settings that some models and servers refuse, and that a request can do without."""
_NO_KEY = "none"
"""Sent where a server of one's own asks for no key; the client insists on one."""


class OpenAIModel(ChatModel):
    """A model of an OpenAI-compatible server.

    Nothing is looked up or connected before the first request. What is not given is taken from the environment.

    Args:
        model: The model's name there; `PLANBOARD_MODEL` by default.
        base_url: The server, as in `"http://localhost:11434/v1"`; `OPENAI_BASE_URL` by default, else OpenAI's.
        api_key: The key; `OPENAI_API_KEY` by default. A server of one's own may need none.
        temperature: Used where a request does not say otherwise; `None` for the server's default.
        timeout: Seconds after which a request is given up; `None` for never.
        retries: How often a request is tried again after a transient error.
        requests_per_minute: The most requests that go out in a minute; `None` for any number.
        prices: What a million prompt tokens and a million completion tokens cost.
        name: What it is called in usage and events; its name on the server by default.
        extra: More fields for every request, as the server knows them.
        client: A client to use instead of one of its own, for proxies, certificates or tests.
        sleep: Waits between attempts.
    """

    def __init__(  # noqa: PLR0913 - the options of a model
        self,
        model: str | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        temperature: float | None = None,
        timeout: float | None = 60.0,
        retries: int = 2,
        requests_per_minute: float | None = None,
        prices: Prices | tuple[float, float] | None = None,
        name: str | None = None,
        extra: Mapping[str, Any] | None = None,
        client: "AsyncOpenAI | None" = None,
        sleep: Sleep = sleep,
    ) -> None:
        super().__init__(
            timeout=timeout, retries=retries, requests_per_minute=requests_per_minute, prices=prices, sleep=sleep
        )
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._temperature = temperature
        self._name = name
        self._extra = dict(extra or {})
        self._client = client
        self._unsupported: set[str] = set()
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncOpenAI] = WeakKeyDictionary()

    @property
    def name(self) -> str:
        """What it is called in usage, messages and events."""
        return self._name or self._model or os.environ.get("PLANBOARD_MODEL") or "unnamed model"

    @property
    def base_url(self) -> str | None:
        """The server; `None` for OpenAI's own."""
        return self._base_url or os.environ.get("OPENAI_BASE_URL") or None

    async def aclose(self) -> None:
        """Close the connections that were opened on the running event loop. A client that was given stays open."""
        import asyncio

        found = self._clients.pop(asyncio.get_running_loop(), None)
        if found is not None:
            await found.close()

    async def _send(self, wire: Wire) -> Wire:
        self._request(wire)  # what is missing is said before anything is connected
        client = self._connected()
        import openai

        try:
            completion = await self._created(client.chat.completions.create, wire)
        except openai.OpenAIError as error:
            raise self._translated(error) from error
        except ValueError as error:  # the body is no JSON
            raise self._garbled() from error
        if not hasattr(completion, "model_dump"):
            raise self._garbled()
        answer: Wire = completion.model_dump(mode="json", warnings=False)
        return answer

    async def _stream(self, wire: Wire) -> AsyncIterator[tuple[str, Wire | None]]:
        streamed = {**wire, "stream": True, "stream_options": {"include_usage": True}}
        self._request(wire)
        client = self._connected()
        import openai

        try:
            async for chunk in await self._created(client.chat.completions.create, streamed):
                usage = chunk.usage.model_dump() if chunk.usage is not None else None
                delta = chunk.choices[0].delta if chunk.choices else None
                pieces = (
                    [call.function.arguments or "" for call in (delta.tool_calls or []) if call.function]
                    if delta
                    else []
                )
                yield "".join(pieces) or (delta.content or "" if delta else ""), usage
        except openai.OpenAIError as error:
            raise self._translated(error) from error

    async def _created(self, create: Callable[..., Awaitable[Any]], wire: Wire) -> Any:
        """Return the answer to a request; a setting that the model does not support is left out from then on."""
        import openai

        try:
            return await create(**self._request(wire))
        except openai.BadRequestError as error:
            refused = [name for name in _OPTIONAL if name in str(error.message) and name in self._request(wire)]
            if not refused:
                raise
            self._unsupported.update(refused)
        return await create(**self._request(wire))

    def _request(self, wire: Wire) -> Wire:
        model = self._model or os.environ.get("PLANBOARD_MODEL")
        if not model:
            message = (
                "No model is named. Set PLANBOARD_MODEL, pass llm= to the team or planner, or an Ai(...) among "
                "services=, or write OpenAIModel(model=...); for tests there is ScriptedModel, which needs no server."
            )
            raise DefinitionError(message)
        request = {**self._extra, **wire, "model": model}
        if self._temperature is not None:
            request.setdefault("temperature", self._temperature)
        if "max_tokens" in self._unsupported and "max_tokens" in request:
            request["max_completion_tokens"] = request["max_tokens"]
        return {name: value for name, value in request.items() if name not in self._unsupported}

    def _connected(self) -> "AsyncOpenAI":
        """Return the client of the running event loop: connections of one loop are of no use in another."""
        if self._client is not None:
            return self._client
        import asyncio

        loop = asyncio.get_running_loop()
        found = self._clients.get(loop)
        if found is None:
            from openai import AsyncOpenAI

            found = AsyncOpenAI(api_key=self._key(), base_url=self.base_url, max_retries=0, timeout=self._timeout)
            self._clients[loop] = found
            _open_on(loop, self)
        return found

    def _key(self) -> str:
        key = self._api_key or os.environ.get("OPENAI_API_KEY")
        if key:
            return key
        if self.base_url is not None:
            return _NO_KEY
        message = (
            "There is no key for OpenAI's server. Set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own; "
            "for tests there is ScriptedModel, which needs no server."
        )
        raise DefinitionError(message)

    def _translated(self, error: Any) -> ModelError:
        """Return a client's error as ours: without the key, and with whether it may help to try again."""
        import openai

        if isinstance(error, openai.APITimeoutError):
            return ModelUnavailableError(self.name, f"The model {self.name!r} did not answer in time.")
        if isinstance(error, openai.APIStatusError):
            status = error.status_code
            said = self._without_key(str(error.message))[:_SHOWN]
            if status in _TRANSIENT or status >= _SERVER_FAULT:
                found = ModelUnavailableError(self.name, f"The server of model {self.name!r} answered {status}: {said}")
                found.retry_after = _seconds(error.response.headers.get("retry-after"))
                return found
            return ModelError(self.name, f"The server of model {self.name!r} refused the request ({status}): {said}")
        if isinstance(error, openai.APIConnectionError):
            where = self.base_url or "OpenAI"
            message = f"The server of model {self.name!r} cannot be reached at {where}. Is it running?"
            return ModelUnavailableError(self.name, message)
        return ModelError(
            self.name, f"The model {self.name!r} cannot be asked: {self._without_key(str(error))[:_SHOWN]}"
        )

    def _garbled(self) -> ModelError:
        message = f"The server of model {self.name!r} sent no chat completion. Is {self.base_url} the right address?"
        return ModelError(self.name, message)

    def _without_key(self, text: str) -> str:
        key = self._api_key or os.environ.get("OPENAI_API_KEY")
        return text.replace(key, "***") if key else text

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, base_url={self.base_url!r})"


_OPEN: "WeakKeyDictionary[asyncio.AbstractEventLoop, list[OpenAIModel]]" = WeakKeyDictionary()
"""The models with connections on each event loop."""


def _open_on(loop: "asyncio.AbstractEventLoop", model: OpenAIModel) -> None:
    _OPEN.setdefault(loop, []).append(model)


async def close_models() -> None:
    """Close the connections of all models on the running event loop, which is about to end."""
    import asyncio

    for model in _OPEN.pop(asyncio.get_running_loop(), []):
        await model.aclose()


def _seconds(header: str | None) -> float | None:
    """Return what a server asks to wait; a date is not taken, since clocks differ."""
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None
