"""What the page may do with recordings and replays."""

from typing import Any

from ..sandbox import Sandbox
from ..sandbox.replay import Replay, ReplayProgress, ReplayReport, prepare_replay, record
from .calls import Endpoint
from .sandboxes import END, Post

__all__ = ["RecordingEndpoint", "ReplayEndpoint", "prepare_replay"]


class RecordingEndpoint(Endpoint):
    """A recording; it goes on without its handle, for a page that only wants the lines."""

    def __init__(self, sandbox: Sandbox, tree: bool, post: Post | None) -> None:
        """Begin at once; each line of the log is posted."""
        self._post = post
        self._recording = record(sandbox, tree=tree, on_line=post)

    async def log(self) -> str:
        """Return the log so far."""
        return self._recording.log

    async def note(self, name: str, data: Any = None) -> None:
        """Add a line of the page's own."""
        self._recording.note(name, data)

    async def stop(self) -> str:
        """Record no more; returns the log."""
        try:
            return await self._recording.stop()
        finally:
            if self._post:
                self._post(END)


class ReplayEndpoint(Endpoint):
    """A replay that the page drives: the next call is made once it has kept the progress before it."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._steps = replay.run()

    async def next(self) -> ReplayProgress | None:
        """Go on to the next progress; None when there is no more."""
        return await anext(self._steps, None)

    async def report(self) -> ReplayReport:
        """Return what is known so far."""
        return self._replay.report

    async def end(self) -> ReplayProgress:
        """Go no further; returns how far it came."""
        await self._steps.aclose()
        return self._replay.progress
