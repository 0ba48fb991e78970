"""`sandbox.checkpoints`: states of the tree, kept, listed, compared and brought back."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from ...records import Record
from ..errors import CheckpointError, ReadOnlyError
from ..events import CheckpointCreateEvent, CheckpointPruneEvent, CheckpointRestoreEvent, ErrorEvent
from ..storage import Storage
from ..stream import EventStream
from .comparison import compare
from .deltas import join
from .journal import Journal
from .records import Checkpoint, CheckpointDiff, Reason, Restored
from .snapshots import Snapshots
from .timeline import Request, Timeline

_FILTERS = ("reason", "label", "turn_id", "message_id", "tool_call_id", "summary", "parent")


_AUTOMATIC: set[str] = {"before-turn", "before-tool", "after-turn"}


class AutoCheckpoints(Record):
    """Which checkpoints a sandbox makes by itself."""

    before_tool: bool = True
    """Before each tool call that may change something."""
    turns: bool = True
    """Before and after each turn of an agent's session."""
    keep: int = 100
    """How many of them are kept, the latest."""


class Checkpoints:
    """Made once a sandbox.

    A checkpoint holds what changed since the one before it: making one takes as long as the change is large.
    """

    def __init__(
        self,
        snapshots: Snapshots,
        storage: Storage | None,
        events: EventStream,
        auto: AutoCheckpoints | None,
        *,
        check: Callable[[str], None],
        check_locks: Callable[[Iterable[str]], None],
        settle: Callable[[], None],
        flush: Callable[[], Awaitable[object]],
    ) -> None:
        """Call `check("read")` or `check("write")` before each use, and `settle` to have file events told."""
        self.snapshots = snapshots
        self.auto = auto
        """What is made without being asked for; None is nothing."""
        self._events = events
        self._storage = storage
        self._check = check
        self._settle = settle
        self._flush = flush
        self._timeline = Timeline(snapshots, Journal(storage), check_locks, self._created)
        self._background: set[asyncio.Task[None]] = set()

    async def create(
        self,
        label: str | None = None,
        *,
        reason: Reason = "manual",
        turn_id: str | None = None,
        message_id: str | None = None,
        tool_call_id: str | None = None,
        summary: str | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> Checkpoint:
        """Keep the tree as it is at the moment of the call, and return what describes it.

        No file is changed. On return, a sandbox that is kept has saved the checkpoint. Raises ReadOnlyError
        in a sandbox that is open to look at.
        """
        self._check("read")
        if self._storage and self._storage.is_read_only:
            raise ReadOnlyError(
                "this sandbox is open to look at; who has it open to write can make checkpoints"
            )
        request = self._ask(
            label=label,
            reason=reason,
            turn_id=turn_id,
            message_id=message_id,
            tool_call_id=tool_call_id,
            summary=summary,
            metadata=metadata,
        )
        return await self._finish(request)

    async def list(self, **filters: str | None) -> "list[Checkpoint]":
        """Return the checkpoints, oldest first.

        `filters` are values of fields: reason, label, turn_id, message_id, tool_call_id, summary, parent;
        None is no filter. Raises CheckpointError for any other.
        """
        self._check("read")
        unknown = filters.keys() - set(_FILTERS)
        if unknown:
            raise CheckpointError(
                f"checkpoints cannot be filtered by {', '.join(sorted(unknown))}; use {', '.join(_FILTERS)}"
            )
        wanted = {name: value for name, value in filters.items() if value is not None}
        async with self._open() as timeline:
            return [
                each
                for each in timeline.history.checkpoints.values()
                if all(getattr(each, name) == value for name, value in wanted.items())
            ]

    async def latest(self, **filters: str | None) -> Checkpoint | None:
        """Return the checkpoint made last among those that `filters` leave (see `list`), or None."""
        found = await self.list(**filters)
        return found[-1] if found else None

    async def get(self, id: str) -> Checkpoint:
        """Return one checkpoint. Raises CheckpointNotFoundError."""
        self._check("read")
        async with self._open() as timeline:
            return timeline.history.get(id)

    async def history(self, id: str | None = None) -> "list[Checkpoint]":
        """Return a checkpoint and those it came from, newest first.

        By default it is the one that the tree was at last. Raises CheckpointNotFoundError.
        """
        self._check("read")
        async with self._open() as timeline:
            known = timeline.history
            start = known.head if id is None else known.get(id).id
            return [known.get(each) for each in known.line(start)]

    async def diff(self, from_id: str, to_id: str | None = None) -> CheckpointDiff:
        """Return how another checkpoint, by default the tree as it is, differs from a checkpoint.

        Raises CheckpointNotFoundError.
        """
        self._check("read")
        async with self._open() as timeline:
            known = timeline.history
            known.get(from_id)
            if to_id is not None:
                known.get(to_id)
                files = await compare(known.between(from_id, to_id), self.snapshots.read)
                return CheckpointDiff(from_id=from_id, to_id=to_id, files=files)
            capture = self.snapshots.capture()
            changes = await timeline.difference(capture)
            self.snapshots.mark(path for path, _ in capture.seen)

            async def read(digest: str) -> bytes | None:
                now = capture.read(digest)
                return await self.snapshots.read(digest) if now is None else now

            delta = join(known.between(from_id, known.head), changes)
            return CheckpointDiff(from_id=from_id, to_id=None, files=await compare(delta, read))

    async def restore(self, id: str, *, record_event: bool = True) -> Restored:
        """Bring the tree to a checkpoint, changing only what differs: all of it or, with an error, nothing.

        What had changed since the last checkpoint becomes one first, of the reason `restore`; `redo` leads
        back. File events tell which paths changed; then, with `record_event`, `checkpoint:restore` says why.
        Raises CheckpointNotFoundError, PathLockedError, and CheckpointError where contents are missing.
        """
        self._check("write")
        async with self._open() as timeline:
            timeline.history.get(id)
            changed, kept = await timeline.go(id, f"before {id} was restored")
            restored = self._restored(id, changed, kept, record_event)
        await self._flush()
        return restored

    async def undo(self) -> Restored:
        """Go back to the last state that differs from the present one; see `restore`.

        Raises CheckpointError when no earlier checkpoint differs from the tree.
        """
        self._check("write")
        async with self._open() as timeline:
            kept = await timeline.keep_changes("before undo")
            history = timeline.history
            earlier = (id for id in history.line(history.head) if history.between(history.head, id))
            id = next(earlier, None)
            if id is None:
                raise CheckpointError(
                    "there is nothing to undo: no earlier checkpoint differs from the files"
                )
            changed, later = await timeline.go(id, "before undo")
            restored = self._restored(id, changed, later or kept)
        await self._flush()
        return restored

    async def redo(self) -> Restored:
        """Go to the state that the last undo or restore left; see `restore`.

        Raises CheckpointError when there is none, or when files have changed since then.
        """
        self._check("write")
        async with self._open() as timeline:
            await timeline.keep_changes("before redo")
            if not timeline.redo:
                raise CheckpointError(
                    "there is nothing to redo: nothing was undone, or files have changed since"
                )
            *rest, id = timeline.redo
            changed, _ = await timeline.go(id, "before redo")
            timeline.redo = rest
            timeline.save_position()
            restored = self._restored(id, changed, None)
        await self._flush()
        return restored

    async def prune(
        self,
        *,
        ids: Iterable[str] | None = None,
        reason: Reason | Iterable[Reason] | None = None,
        keep_latest: int = 0,
    ) -> "list[str]":
        """Forget checkpoints, and return their ids; the tree and the other checkpoints stay as they are.

        Of those among `ids` (by default all) that have one of the reasons, the latest `keep_latest` stay.
        Raises CheckpointNotFoundError.
        """
        self._check("read")
        reasons: set[str] = {reason} if isinstance(reason, str) else set(reason or ())
        async with self._open() as timeline:
            known = timeline.history
            among = set(known.checkpoints) if ids is None else {known.get(id).id for id in ids}
            pruned = self._prune(among, reasons or None, keep_latest)
        await self._flush()
        return pruned

    async def copy_to(self, other: "Checkpoints", id: str) -> None:
        """Bring the tree of another sandbox, which is empty, to a checkpoint of this one."""
        async with self._open() as timeline:
            delta = timeline.history.between(None, id)
            await timeline.load(delta)
            try:
                other.snapshots.adopt(self.snapshots)
                other.snapshots.restore([(path, after) for path, (_, after) in sorted(delta.items())])
                other.snapshots.mark(delta)
            finally:
                self.snapshots.unload()
                other.snapshots.unload()

    def automatic(self, reason: Reason, **fields: str | None) -> None:
        """Keep the tree as it is now if this sandbox does so for this reason; nobody has to wait for it."""
        auto = self.auto
        if self._storage and self._storage.is_read_only:
            return
        if auto is None or not (auto.before_tool if reason == "before-tool" else auto.turns):
            return
        task = asyncio.ensure_future(self._finish_automatic(self._ask(reason=reason, **fields)))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def close(self) -> None:
        """Wait for what goes on in the background, and end."""
        if self._background:
            await asyncio.wait(self._background)
        self.snapshots.close()

    def _ask(self, **fields: Any) -> Request:
        return self._timeline.ask(**{name: value for name, value in fields.items() if value is not None})

    async def _finish(self, request: Request) -> Checkpoint:
        async with self._open():
            pass
        if request.failure:
            raise request.failure
        assert request.made is not None
        await self._flush()
        return request.made

    async def _finish_automatic(self, request: Request) -> None:
        try:
            await self._finish(request)
        except Exception as error:
            message = f"no automatic checkpoint was made: {error}"
            self._events.emit(ErrorEvent, name=type(error).__name__, message=message)

    def _prune(self, among: set[str], reasons: "set[str] | None", keep_latest: int) -> "list[str]":
        known = self._timeline.history.checkpoints
        found = [
            id for id, each in known.items() if id in among and (reasons is None or each.reason in reasons)
        ]
        pruned = found[: max(0, len(found) - keep_latest)]
        if pruned:
            self._timeline.remove(pruned)
            self._events.emit(CheckpointPruneEvent, checkpoint_ids=pruned)
        return pruned

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[Timeline]:
        """Take turns; what was asked for before has been made."""
        async with self._timeline.turn:
            await self._timeline.take()
            yield self._timeline

    def _created(self, checkpoint: Checkpoint) -> None:
        self._events.emit(CheckpointCreateEvent, checkpoint=checkpoint)
        if self.auto and checkpoint.reason in _AUTOMATIC:
            self._prune(set(self._timeline.history.checkpoints), _AUTOMATIC, self.auto.keep)

    def _restored(
        self, id: str, changed: "list[str]", kept: Checkpoint | None, record_event: bool = True
    ) -> Restored:
        self._settle()
        if record_event:
            self._events.emit(CheckpointRestoreEvent, checkpoint_id=id, changed=len(changed))
        return Restored(checkpoint=self._timeline.history.get(id), changed=changed, kept=kept)
