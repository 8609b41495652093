"""The blocking form of what is asynchronous, for plain functions: one bridge, not a second implementation."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar, overload

from planboard.errors import RunningLoopError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Iterable

    from planboard.llm.ai import Ai, Judgement

R = TypeVar("R")
T = TypeVar("T")


class BlockingAi:
    """What plain functions work with models through: the methods of `Ai`, each of which waits for its result.

    Raises:
        RunningLoopError: Where an event loop runs, which it would hold up; use `await` there.
    """

    __slots__ = ("_ai", "_loop")

    def __init__(self, ai: "Ai", loop: "asyncio.AbstractEventLoop | None") -> None:
        self._ai = ai
        self._loop = loop

    def create(self, prompt: str, form: type[T], **settings: Any) -> T:
        """Return an object of a type, made by the model and valid; see `Ai.create`."""
        return wait_for("create", lambda: self._ai.create(prompt, form, **settings), self._loop)

    def text(self, prompt: str, **settings: Any) -> str:
        """Return what the model says; see `Ai.text`."""
        return wait_for("text", lambda: self._ai.text(prompt, **settings), self._loop)

    @overload
    def template(self, name: str, /, **values: Any) -> str: ...
    @overload
    def template(self, name: str, form: type[T], /, **values: Any) -> T: ...
    def template(self, name: str, form: Any = str, /, **values: Any) -> Any:
        """Return what the model makes of a template; see `Ai.template`."""
        return wait_for("template", lambda: self._ai.template(name, form, **values), self._loop)

    def judge(self, question: str, threshold: float = 0.5, *, about: object = None) -> bool:
        """Tell whether something is so, with at least some probability; see `Ai.judge`."""
        return wait_for("judge", lambda: self._ai.judge(question, threshold, about=about), self._loop)

    def judgement(self, question: str, *, about: object = None) -> "Judgement":
        """Return how likely it is that something is so, and why; see `Ai.judgement`."""
        return wait_for("judgement", lambda: self._ai.judgement(question, about=about), self._loop)

    @overload
    def agentic(self, prompt: str, *, tools: "Iterable[Any]", limit: int = 10, system: str | None = None) -> str: ...
    @overload
    def agentic(
        self, prompt: str, *, tools: "Iterable[Any]", returning: type[T], limit: int = 10, system: str | None = None
    ) -> T: ...
    def agentic(self, prompt: str, *, tools: "Iterable[Any]", returning: Any = str, **settings: Any) -> Any:
        """Let the model use tools until it has an answer; see `Ai.agentic`."""
        work = lambda: self._ai.agentic(prompt, tools=tools, returning=returning, **settings)  # noqa: E731
        return wait_for("agentic", work, self._loop)


def wait_for(name: str, work: Callable[[], Coroutine[Any, Any, R]], loop: "asyncio.AbstractEventLoop | None") -> R:
    """Return what asynchronous work returns, from a thread in which no event loop runs.

    Args:
        name: The method, for messages.
        work: Begins the work.
        loop: The event loop of the process that runs the caller, in another thread; `None` if there is none.

    Raises:
        RunningLoopError: An event loop runs in this thread.
    """
    if _on_a_loop():
        message = (
            f"ai.blocking.{name}() was called where an event loop runs, which it would block. "
            f"Use `await ai.{name}(...)`."
        )
        raise RunningLoopError(message)
    if loop is not None and loop.is_running():
        return _in_its_thread(work, loop)
    import asyncio

    return asyncio.run(_to_the_end(work))


def _in_its_thread(work: Callable[[], Coroutine[Any, Any, R]], loop: "asyncio.AbstractEventLoop") -> R:
    """Run on a loop from another thread; in one that anyio has started, it is cancelled with the action."""
    import anyio.from_thread

    begun = False

    async def noted() -> R:
        nonlocal begun
        begun = True
        return await work()

    try:
        return anyio.from_thread.run(noted)
    except RuntimeError:
        if begun:
            raise
    import asyncio

    return asyncio.run_coroutine_threadsafe(work(), loop).result()


async def _to_the_end(work: Callable[[], Coroutine[Any, Any, R]]) -> R:
    from planboard.llm.openai_llm import close_models

    try:
        return await work()
    finally:
        await close_models()


def _on_a_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
