"""Snapshots of a tree of the bridge, which shares contents with the tree instead of copying them."""
# pyright: basic

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pyodide.ffi import JsException, to_js  # pyright: ignore

from ..checkpoints.deltas import Entry
from ..errors import CheckpointError


class TreeCapture:
    """One look at a tree; see Capture."""

    def __init__(self, capture: Any) -> None:
        self._capture = capture
        self.seen: list[tuple[str, Entry | None]] = [
            (path, Entry(*about) if about else None) for path, *about in json.loads(capture.seen)
        ]
        """What was seen; see Capture."""

    async def digest(self, paths: Sequence[str]) -> list[str]:
        """Return digests; see Capture."""
        return (await self._capture.digest(to_js(paths))).to_py() if paths else []

    def keep(self, digests: Iterable[str]) -> None:
        """Keep contents; see Capture."""
        self._capture.keep(to_js(list(digests)))

    def read(self, digest: str) -> bytes | None:
        """Return contents; see Capture."""
        data = self._capture.read(digest)
        return None if data is None else data.to_bytes()


class TreeSnapshots:
    """Snapshots of one tree; see Snapshots."""

    def __init__(self, snapshots: Any) -> None:
        self._snapshots = snapshots

    @property
    def is_dirty(self) -> bool:
        """Tell whether anything changed; see Snapshots."""
        return self._snapshots.isDirty

    def capture(self) -> TreeCapture:
        """Return what changed; see Snapshots."""
        return TreeCapture(self._snapshots.capture())

    def mark(self, paths: Iterable[str]) -> None:
        """See paths again; see Snapshots."""
        self._snapshots.mark(to_js(list(paths)))

    async def load(self, digests: Iterable[str]) -> list[str]:
        """Get contents; see Snapshots."""
        return (await self._snapshots.load(to_js(list(digests)))).to_py()

    def restore(self, entries: Sequence[tuple[str, Entry | None]]) -> None:
        """Make paths what they should be; see Snapshots."""
        wanted = [
            [path, entry.kind, entry.mode, entry.mtime, entry.content] if entry else [path]
            for path, entry in entries
        ]
        try:
            self._snapshots.restore(json.dumps(wanted))
        except JsException as error:
            raise CheckpointError(f"nothing was restored: {error.message}") from None

    def unload(self) -> None:
        """Forget what was loaded."""
        self._snapshots.unload()

    def adopt(self, other: Any) -> None:
        """Take over contents; see Snapshots."""
        self._snapshots.adopt(other._snapshots)

    async def read(self, digest: str) -> bytes | None:
        """Return kept contents; see Snapshots."""
        data = await self._snapshots.read(digest)
        return None if data is None else data.to_bytes()

    def forget(self, digests: Iterable[str]) -> None:
        """Keep contents no longer; see Snapshots."""
        self._snapshots.forget(to_js(list(digests)))

    def close(self) -> None:
        """End; see Snapshots."""
        self._snapshots.close()
