"""What the page may do with a sandbox's checkpoints and locks."""

from typing import Any

from ..sandbox import Checkpoint, CheckpointDiff, Restored, Sandbox
from ..sandbox.checkpoints.records import Reason
from ..sandbox.locks import Lock
from .calls import Endpoint


class CheckpointsEndpoint(Endpoint):
    """The checkpoints of one sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def create(self, label: str | None = None, **fields: Any) -> Checkpoint:
        """Make one."""
        return await self._sandbox.checkpoints.create(label, **fields)

    async def list(self, **filters: str | None) -> "list[Checkpoint]":
        """List those that the filters leave."""
        return await self._sandbox.checkpoints.list(**filters)

    async def latest(self, **filters: str | None) -> Checkpoint | None:
        """Return the last of them."""
        return await self._sandbox.checkpoints.latest(**filters)

    async def get(self, id: str) -> Checkpoint:
        """Return one."""
        return await self._sandbox.checkpoints.get(id)

    async def history(self, id: str | None = None) -> "list[Checkpoint]":
        """Return one and those it came from."""
        return await self._sandbox.checkpoints.history(id)

    async def diff(self, from_id: str, to_id: str | None = None) -> CheckpointDiff:
        """Compare two states."""
        return await self._sandbox.checkpoints.diff(from_id, to_id)

    async def restore(self, id: str, record_event: bool = True) -> Restored:
        """Bring the tree to one."""
        return await self._sandbox.checkpoints.restore(id, record_event=record_event)

    async def undo(self) -> Restored:
        """Go back."""
        return await self._sandbox.checkpoints.undo()

    async def redo(self) -> Restored:
        """Go forth."""
        return await self._sandbox.checkpoints.redo()

    async def prune(
        self,
        ids: "list[str] | None" = None,
        reason: "Reason | list[Reason] | None" = None,
        keep_latest: int = 0,
    ) -> "list[str]":
        """Forget some."""
        return await self._sandbox.checkpoints.prune(ids=ids, reason=reason, keep_latest=keep_latest)


class LocksEndpoint(Endpoint):
    """The locks of one sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def add(self, pattern: str, by: str = "the user", reason: str | None = None) -> Lock:
        """Lock a path or a pattern."""
        self._sandbox.check("write")
        lock = self._sandbox.locks.add(pattern, by=by, reason=reason)
        await self._sandbox.save()
        return lock

    async def remove(self, id: str) -> None:
        """Unlock."""
        self._sandbox.check("write")
        self._sandbox.locks.remove(id)
        await self._sandbox.save()

    async def list(self) -> "list[Lock]":
        """Return the locks."""
        self._sandbox.check()
        return self._sandbox.locks.list()

    async def set_read_only(self, reason: str | None = None) -> None:
        """Refuse every change, or no longer."""
        self._sandbox.check("write")
        self._sandbox.locks.set_read_only(reason)
