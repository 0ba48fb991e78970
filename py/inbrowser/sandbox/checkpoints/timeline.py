"""The tree among its checkpoints: what changed becomes one, and the tree goes to another."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..errors import CheckpointError
from .deltas import Delta, Entry, contents, digests
from .history import History
from .journal import Journal
from .records import Checkpoint
from .snapshots import Capture, Snapshots

MOST_TRIES = 20
"""How often contents are loaded anew because files changed meanwhile."""

_RACE_MS = 1000
"""A file that changed so shortly before a checkpoint may have changed again without a later time."""


@dataclass(slots=True)
class Request:
    """A checkpoint to be made of a moment that has passed."""

    capture: Capture
    fields: dict[str, Any]
    made: Checkpoint | None = None
    failure: Exception | None = None


@dataclass(slots=True)
class Timeline:
    """Everything here but `ask` is called by one task at a time, which holds `turn`."""

    snapshots: Snapshots
    journal: Journal
    check_locks: Callable[[Iterable[str]], None]
    """Raises for a path that may not be changed."""
    created: Callable[[Checkpoint], None]
    """Told of each checkpoint."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    history: History = field(default_factory=History)
    redo: list[str] = field(default_factory=list[str])
    """Where redo leads, the next one last."""
    _made: int = 0
    _is_open: bool = False
    _has_looked: bool = False
    _waiting: deque[Request] = field(default_factory=deque[Request])

    async def open(self) -> None:
        """Read what was saved, once. Raises StorageCorruptError."""
        if not self._is_open:
            history = History()
            self._made, self.redo = await self.journal.read(history)
            self.history, self._is_open = history, True

    def ask(self, **fields: Any) -> Request:
        """Have a checkpoint made of this moment, by the next `take`."""
        request = Request(self.snapshots.capture(), fields)
        self._waiting.append(request)
        return request

    async def take(self) -> None:
        """Make the checkpoints that were asked for, in order."""
        await self.open()
        while self._waiting:
            request = self._waiting[0]
            try:
                request.made = self._record(request, await self.difference(request.capture))
            except Exception as error:
                request.failure = error
            finally:
                self._waiting.popleft()

    async def keep_changes(self, label: str) -> Checkpoint | None:
        """Make a checkpoint of what changed since the last one, if anything did."""
        await self.take()
        request = Request(self.snapshots.capture(), {"reason": "restore", "label": label})
        delta = await self.difference(request.capture)
        return self._record(request, delta) if delta or self.history.head is None else None

    async def difference(self, capture: Capture) -> Delta:
        """Return how what was captured differs from the head."""
        known, seen = self.history.entries, capture.seen
        first, self._has_looked = not self._has_looked, True
        delta: Delta = {}
        if first:
            there = {path for path, _ in seen}
            delta = {path: (entry, None) for path, entry in known.items() if path not in there}
        files: dict[str, Entry] = {}
        settled = self._settled_before() if first else 0.0
        for path, entry in seen:
            before = known.get(path)
            if before and before.kind == "directory" and (entry is None or entry.kind != "directory"):
                below = path + "/"
                delta |= {each: (was, None) for each, was in known.items() if each.startswith(below)}
            if entry is None or entry.kind != "file":
                _note(delta, path, before, entry)
            # A file of a former visit is taken for unchanged if all that is told of it is.
            elif before and entry[:4] == before[:4] and entry.mtime < settled:
                _note(delta, path, before, before)
            else:
                files[path] = entry
        try:
            named = await capture.digest(list(files))
        except BaseException:
            # The next capture has to see again what this one saw, or missed.
            self.snapshots.mark([*known, *(path for path, _ in seen)])
            raise
        for (path, entry), digest in zip(files.items(), named, strict=True):
            _note(delta, path, known.get(path), entry._replace(content=digest))
        return delta

    async def go(self, id: str, label: str) -> tuple[list[str], Checkpoint | None]:
        """Bring the tree to a checkpoint; returns the paths that changed, and what was kept before that.

        Redo leads back. Raises CheckpointError and PathLockedError; then no file has changed.
        """
        kept = await self.keep_changes(label)
        for _ in range(MOST_TRIES):
            delta = self.history.between(self.history.head, id)
            self.check_locks(delta)
            await self.load(delta)
            if not self._waiting and not self.snapshots.is_dirty:
                break
            kept = await self.keep_changes(label) or kept
        else:
            raise CheckpointError(f"{id} was not restored: files keep changing; stop what writes them")
        gone = sorted((path for path, (_, after) in delta.items() if after is None), reverse=True)
        made = sorted(path for path, (_, after) in delta.items() if after is not None)
        try:
            self.snapshots.restore([(path, delta[path][1]) for path in [*gone, *made]])
        finally:
            self.snapshots.unload()
        if self.history.head not in (None, id):
            self.redo = [*self.redo, self.history.head]
        self.history.move(id)
        self.save_position()
        return sorted(delta), kept

    async def load(self, delta: Delta) -> None:
        """Get the contents that a delta leads to ready for a restore. Raises CheckpointError."""
        missing = await self.snapshots.load(set(contents(after for _, after in delta.values())))
        if missing:
            self.snapshots.unload()
            path = next(path for path, (_, after) in delta.items() if after and after.content in missing)
            raise CheckpointError(
                f"the contents of {path} are missing from the storage, so nothing was restored; "
                "another checkpoint may still be whole"
            )

    def remove(self, ids: Iterable[str]) -> None:
        """Take checkpoints out; the tree stays as it is."""
        freed: list[str] = []
        for id in ids:
            delta, was_head = self.history.delta(id), self.history.head == id
            for child in self.history.remove(id):
                self.journal.write(self.history.get(child), self.history.delta(child))
            if was_head:
                self.snapshots.mark(delta)
            self.journal.delete(id)
            freed += digests(delta)
            self.redo = [each for each in self.redo if each != id]
        self.snapshots.forget(self.history.take_unused(freed))
        self.save_position()

    def save_position(self) -> None:
        """Stage where the tree is."""
        self.journal.write_position(self.history.head, self._made, self.redo)

    def _record(self, request: Request, delta: Delta) -> Checkpoint:
        history = self.history
        wanted = set(contents(after for _, after in delta.values()))
        request.capture.keep([digest for digest in wanted if not history.is_used(digest)])
        self._made += 1
        checkpoint = Checkpoint(
            id=f"checkpoint-{self._made}",
            created=round(time.time() * 1000, 3),
            parent=history.head,
            changed=len(delta),
            **request.fields,
        )
        history.add(checkpoint, delta)
        history.move(checkpoint.id)
        if delta:
            self.redo = []
        self.journal.write(checkpoint, delta)
        self.save_position()
        self.created(checkpoint)
        return checkpoint

    def _settled_before(self) -> float:
        head = self.history.head
        return self.history.get(head).created - _RACE_MS if head else 0.0


def _note(delta: Delta, path: str, before: Entry | None, after: Entry | None) -> None:
    """Note the difference of one path in place of what was noted before."""
    if before == after:
        delta.pop(path, None)
    else:
        delta[path] = (before, after)
