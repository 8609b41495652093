"""The blocking form of what is asynchronous, for plain functions: one bridge, not a second implementation."""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from planboard.errors import RunningLoopError

if TYPE_CHECKING:
    import asyncio

P = ParamSpec("P")
R = TypeVar("R")


def blocking(method: Callable[P, Coroutine[Any, Any, R]], loop: "asyncio.AbstractEventLoop | None") -> Callable[P, R]:
    """Return a function that waits for what an asynchronous one returns.

    Args:
        method: What is called.
        loop: The event loop of the process that runs the caller, in another thread; `None` if there is none.
    """

    def wait(*args: P.args, **kwargs: P.kwargs) -> R:
        if _on_a_loop():
            message = (
                f"ai.blocking.{method.__name__}() was called where an event loop runs, which it would block. "
                f"Use `await ai.{method.__name__}(...)`."
            )
            raise RunningLoopError(message)

        async def work() -> R:
            return await method(*args, **kwargs)

        if loop is not None and loop.is_running():
            return _in_its_thread(work, loop)
        import asyncio

        return asyncio.run(_to_the_end(work))

    return wait


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
