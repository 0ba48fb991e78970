"""Sending a request again that failed before anything was said."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from ..errors import ModelError
from ..streams import closing
from .contract import ModelEvent, Retry, Text, Thinking, ToolCallStart


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how patiently; times in seconds."""

    max_retries: int = 2
    first_wait: float = 0.5
    """Doubles with each retry; up to a quarter is taken off at random, lest clients march in step."""
    longest_wait: float = 8.0
    longest_asked: float = 60.0
    """A server that asks to wait longer than this is not asked again."""

    def wait(self, attempt: int, error: ModelError) -> float | None:
        """Return how long to wait before retry number `attempt` (from 1), None for not at all."""
        if attempt > self.max_retries or not error.retryable:
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.longest_asked else None
        wait = min(self.first_wait * 2 ** (attempt - 1), self.longest_wait)
        return wait * random.uniform(0.75, 1.0)


async def with_retries(
    ask: Callable[[], AsyncIterator[ModelEvent]], policy: RetryPolicy
) -> AsyncIterator[ModelEvent]:
    """Yield the events of `ask()`, asking again as `policy` allows while no content has come."""
    for attempt in range(1, policy.max_retries + 2):
        said = False
        try:
            async with closing(ask()) as events:
                async for event in events:
                    said = said or isinstance(event, Text | Thinking | ToolCallStart)
                    yield event
            return
        except ModelError as error:
            wait = None if said else policy.wait(attempt, error)
            if wait is None:
                raise
            reason = str(error)
        yield Retry(attempt, wait, reason)
        await asyncio.sleep(wait)
