"""Leaving a stream of events early without leaving anything running behind it."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

T = TypeVar("T")


@asynccontextmanager
async def closing(events: AsyncIterator[T]) -> AsyncGenerator[AsyncIterator[T]]:
    """Close `events` at the end of the block, if it is of a kind that can be closed.

    Python closes an abandoned generator only when it is collected, and a request must not live until then.
    """
    try:
        yield events
    finally:
        aclose = getattr(events, "aclose", None)
        if aclose is not None:
            await aclose()
