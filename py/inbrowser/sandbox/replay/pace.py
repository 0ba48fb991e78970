"""Long work in small pieces."""

import asyncio
from time import perf_counter

PAUSE_AFTER = 0.008
"""Seconds of work after which others have their turn."""


class Pace:
    """Keeps long work from holding up everyone else."""

    def __init__(self) -> None:
        self._since = perf_counter()

    async def pause(self) -> None:
        """Let others have their turn when it is time."""
        if perf_counter() - self._since > PAUSE_AFTER:
            await asyncio.sleep(0)
            self._since = perf_counter()
