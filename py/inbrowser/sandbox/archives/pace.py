"""Turns for others while an archive is worked on."""

import asyncio
from collections.abc import Callable
from time import perf_counter

_WORK = 0.005
"""Seconds of work after which other tasks have their turn."""
_BUSY = 0.02
"""Seconds after which messages have it too: in the browser, tasks that only take turns keep them waiting."""
_REST = 0.003
"""Seconds that a timer takes at least there."""


class Pace:
    """Keeps long work from holding up everyone else, and looks whether it may go on."""

    def __init__(self, check: Callable[[], None]) -> None:
        """Call `check` after each pause; it raises when the work must end."""
        self._check = check
        self._worked = self._rested = perf_counter()

    async def pause(self) -> None:
        """Let others have their turn when it is time."""
        now = perf_counter()
        if now - self._worked > _WORK:
            if now - self._rested > _BUSY:
                await asyncio.sleep(_REST)
                self._rested = perf_counter()
            else:
                await asyncio.sleep(0)
            self._worked = perf_counter()
            self._check()
