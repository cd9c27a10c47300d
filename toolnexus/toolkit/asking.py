"""Asking servers and agents what they have: all at once, and saying why one did not answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from .errors import ConfigError
from .status import Loaded

T = TypeVar("T")

LONGEST_DETAIL = 300


async def ask_all(items: Sequence[T], ask: Callable[[T], Awaitable[Loaded]]) -> list[Loaded]:
    """What each item gives, in the order of `items`; they are asked at the same time."""
    import anyio  # only those who ask pay for it

    results = [Loaded()] * len(items)

    async def one(index: int, item: T) -> None:
        results[index] = await ask(item)

    async with anyio.create_task_group() as group:
        for index, item in enumerate(items):
            group.start_soon(one, index, item)
    return results


def leaf(error: BaseException) -> BaseException:
    """The first error of a group, and of the groups in it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def reason(error: BaseException, timeout: float, extra: str) -> str:
    """Why asking failed, in one line; `extra` is the installation extra that asking needs."""
    cause = leaf(error)
    if isinstance(cause, ModuleNotFoundError):
        return f"needs the extra [{extra}]: {cause}"
    if isinstance(cause, ConfigError):
        return str(cause)
    if isinstance(cause, TimeoutError):
        return f"no answer within {timeout:g} s"
    return f"{type(cause).__name__}: {cause}"[:LONGEST_DETAIL]
