"""How far an archive is, told as events."""

from time import monotonic
from typing import Literal

from ..events import ArchiveProgressEvent
from ..stream import EventStream

TELL_EVERY = 0.05
"""Seconds between two events."""


class Progress:
    """Counts what is done and tells it in events: about 20 times a second, and once at the end."""

    def __init__(self, events: EventStream, direction: Literal["export", "import"], number: int) -> None:
        self.files_total = self.bytes_total = 0
        self._events = events
        self._direction: Literal["export", "import"] = direction
        self._id = f"{direction}-{number}"
        self._files = self._bytes = 0
        self._told = 0.0

    def advance(self, *, files: int = 0, bytes: int = 0) -> None:
        """Count some more."""
        self._files += files
        self._bytes += bytes
        if monotonic() - self._told >= TELL_EVERY:
            self._tell()

    def finish(self, error: BaseException | None = None) -> None:
        """Tell of the end: that all is done, or why not."""
        self._tell(finished=True, error=None if error is None else str(error) or "stopped")

    def _tell(self, finished: bool = False, error: str | None = None) -> None:
        self._told = monotonic()
        self._events.emit(
            ArchiveProgressEvent,
            archive_id=self._id,
            direction=self._direction,
            files_done=self._files,
            files_total=self.files_total,
            bytes_done=self._bytes,
            bytes_total=self.bytes_total,
            finished=finished,
            error=error,
        )
