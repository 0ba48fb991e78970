"""What changed in the files, told as a list: the feed behind file events."""

import os
import stat
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from .errors import SandboxError


@dataclass(frozen=True, slots=True)
class Change:
    """One path that is not what it was; paths are relative to the root."""

    kind: Literal["created", "modified", "deleted", "renamed"]
    path: str
    old_path: str | None = None


class ChangeFeed(Protocol):
    """Collects changes, whoever makes them."""

    on_change: Callable[[], None] | None
    """Set by the sandbox; the feed calls it when there is something to drain, at a time of its choosing."""

    def drain(self) -> list[Change]:
        """Return what changed since the last call, in order, several changes of one path told as one."""
        ...

    def refused(self) -> list[SandboxError]:
        """Return what was refused since the last call because of a lock, one error a path."""
        ...


class ScanningChanges:
    """The changes below a real directory, found by comparing it with what it was."""

    def __init__(self, root: str) -> None:
        self.on_change: Callable[[], None] | None = None
        self._root = os.path.realpath(root)
        self._known = self._scan({})

    def drain(self) -> list[Change]:
        """Return what changed since the last call: first what is gone or has moved, then what is new."""
        before, after = self._known, self._scan(self._known)
        self._known = after
        stayed = {path for path in before.keys() & after.keys() if before[path].kind == after[path].kind}
        gone = {path: seen for path, seen in before.items() if path not in stayed}
        new = {path: seen for path, seen in after.items() if path not in stayed}
        moves = _moves(gone, new)
        deleted = gone.keys() - moves.values()
        # Sorted by path, a directory comes before what is in it.
        arrived = [
            Change("renamed", path, moves[path]) if path in moves else Change("created", path)
            for path in sorted(new)
            if not _with_parent(path, moves)
        ]
        modified = [path for path in sorted(stayed) if after[path].changed_since(before[path])]
        return [
            *(Change("deleted", path) for path in sorted(deleted, reverse=True)),
            *arrived,
            *(Change("modified", path) for path in modified),
        ]

    def refused(self) -> list[SandboxError]:
        """Nothing: a directory outside of the browser knows no locks."""
        return []

    def _scan(self, before: "dict[str, _Seen]") -> "dict[str, _Seen]":
        found: dict[str, _Seen] = {}
        folders = [""]
        now = time.time()
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(f"{self._root}/{folder}") as entries:
                    for entry in entries:
                        path = folder + entry.name
                        seen = _look(entry, now, before.get(path))
                        found[path] = seen
                        if stat.S_ISDIR(seen.kind):
                            folders.append(path + "/")
            except FileNotFoundError:
                continue
        return found


_CLOCK_TICK = 0.1
"""Seconds in which a file system may give two writes the same time."""


@dataclass(slots=True)
class _Seen:
    kind: int
    inode: int
    size: int
    mtime: int
    checksum: int | None
    """Of a file so young that its next write may not show in its time."""

    def changed_since(self, before: "_Seen") -> bool:
        if stat.S_ISDIR(self.kind):
            return False
        if (self.size, self.mtime) != (before.size, before.mtime):
            return True
        return self.checksum is not None and before.checksum is not None and self.checksum != before.checksum


def _look(entry: "os.DirEntry[str]", now: float, before: _Seen | None) -> _Seen:
    status = entry.stat(follow_symlinks=False)
    kind = stat.S_IFMT(status.st_mode)
    young = now - status.st_mtime < _CLOCK_TICK or (before is not None and before.checksum is not None)
    checksum = None
    if young and stat.S_ISREG(kind):
        with open(entry.path, "rb") as file:
            checksum = zlib.crc32(file.read())
    return _Seen(kind, status.st_ino, status.st_size, status.st_mtime_ns, checksum)


def _moves(gone: dict[str, _Seen], new: dict[str, _Seen]) -> dict[str, str]:
    """Return the old path of each new one that is the same inode, unchanged."""
    old = {(seen.inode, seen.kind): path for path, seen in gone.items()}
    moves: dict[str, str] = {}
    for path, seen in new.items():
        source = old.get((seen.inode, seen.kind))
        if source is not None and not seen.changed_since(gone[source]):
            moves[path] = source
    return moves


def _with_parent(path: str, moves: dict[str, str]) -> bool:
    """Tell whether a path moved only because the directory it is in did."""
    folder, _, name = path.rpartition("/")
    old_folder, _, old_name = moves.get(path, "").rpartition("/")
    return name == old_name and folder in moves and moves[folder] == old_folder
