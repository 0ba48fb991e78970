"""Snapshots of a real directory, found by comparing it with what it was."""

import hashlib
import os
import shutil
import stat
import time as clock
from collections.abc import Iterable, Sequence
from typing import Any

from ..files import Kind
from ..paths import typed_error
from .deltas import Entry

_CLOCK_TICK = 0.1
"""Seconds in which a file system may give two writes the same time."""


class DirectoryCapture:
    """One look at a directory."""

    def __init__(
        self, seen: list[tuple[str, Entry | None]], contents: dict[str, bytes], kept: dict[str, bytes]
    ) -> None:
        self.seen = seen
        self._contents = contents
        self._kept = kept
        self._named: dict[str, bytes] = {}

    async def digest(self, paths: Sequence[str]) -> list[str]:
        """Return digests; see Capture."""
        digests = [hashlib.sha256(self._contents[path]).hexdigest() for path in paths]
        self._named |= {digest: self._contents[path] for digest, path in zip(digests, paths, strict=True)}
        return digests

    def keep(self, digests: Iterable[str]) -> None:
        """Keep contents; see Capture."""
        self._kept |= {digest: self._named[digest] for digest in digests}

    def read(self, digest: str) -> bytes | None:
        """Return contents; see Capture."""
        return self._named.get(digest)


class DirectorySnapshots:
    """Snapshots of the directory `root`; contents are kept in memory."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._kept: dict[str, bytes] = {}
        self._known: dict[str, Entry] = {}
        self._young: set[str] = set()
        """Paths to look at again: files, for instance, that may change without a later time."""

    @property
    def is_dirty(self) -> bool:
        """Tell whether anything changed; see Snapshots."""
        return bool(self._changes(self._scan()))

    def capture(self) -> DirectoryCapture:
        """Return what changed; see Snapshots."""
        now = self._scan()
        changes = self._changes(now, self._young)
        young = (clock.time() - _CLOCK_TICK) * 1000
        self._known = now
        self._young = {path for path, entry in now.items() if entry.kind == "file" and entry.mtime >= young}
        contents = {path: self._read(path) for path, entry in changes if entry and entry.kind == "file"}
        return DirectoryCapture(changes, contents, self._kept)

    def mark(self, paths: Iterable[str]) -> None:
        """See paths again; see Snapshots."""
        self._young.update(paths)

    async def load(self, digests: Iterable[str]) -> list[str]:
        """Return what is missing; see Snapshots."""
        return [digest for digest in digests if digest not in self._kept]

    def unload(self) -> None:
        """Everything is in memory at all times."""

    def adopt(self, other: Any) -> None:
        """Take over contents; see Snapshots."""
        assert isinstance(other, DirectorySnapshots)
        self._kept |= other._kept

    def restore(self, entries: Sequence[tuple[str, Entry | None]]) -> None:
        """Make paths what they should be; see Snapshots."""
        before: list[tuple[str, Entry | None, bytes]] = []
        try:
            for path, entry in entries:
                before.append((path, *self._state(path)))
                self._make(path, entry, self._kept.get(entry.content, b"") if entry else b"")
        except OSError as error:
            for path, entry, content in reversed(before):
                self._make(path, entry, content)
            raise typed_error(error, before[-1][0]) from None
        self._known = self._scan()

    async def read(self, digest: str) -> bytes | None:
        """Return kept contents."""
        return self._kept.get(digest)

    def forget(self, digests: Iterable[str]) -> None:
        """Keep contents no longer."""
        for digest in digests:
            self._kept.pop(digest, None)

    def close(self) -> None:
        """Nothing is open."""

    def _scan(self) -> dict[str, Entry]:
        found: dict[str, Entry] = {}
        folders = [""]
        while folders:
            folder = folders.pop()
            with os.scandir(f"{self._root}/{folder}") as entries:
                for each in entries:
                    path = folder + each.name
                    found[path] = _look(each.path, each.stat(follow_symlinks=False))
                    if found[path].kind == "directory":
                        folders.append(path + "/")
        return found

    def _changes(self, now: dict[str, Entry], young: Iterable[str] = ()) -> list[tuple[str, Entry | None]]:
        gone = [path for path in {**self._known, **dict.fromkeys(young)} if path not in now]
        changed = [path for path in sorted(now) if self._known.get(path) != now[path] or path in young]
        return [*((path, None) for path in gone), *((path, now[path]) for path in changed)]

    def _read(self, path: str) -> bytes:
        with open(f"{self._root}/{path}", "rb") as file:
            return file.read()

    def _state(self, path: str) -> tuple[Entry | None, bytes]:
        place = f"{self._root}/{path}"
        if not os.path.lexists(place):
            return None, b""
        entry = _look(place, os.lstat(place))
        return entry, self._read(path) if entry.kind == "file" else b""

    def _make(self, path: str, entry: Entry | None, content: bytes) -> None:
        place = f"{self._root}/{path}"
        if entry is None or (os.path.lexists(place) and _kind(os.lstat(place).st_mode) != entry.kind):
            _remove(place)
        if entry is None:
            return
        if entry.kind == "symlink":
            _remove(place)
            os.symlink(entry.content, place)
            return
        if entry.kind == "directory":
            os.makedirs(place, exist_ok=True)
        else:
            with open(place, "wb") as file:
                file.write(content)
            time = round(entry.mtime * 1e6)
            os.utime(place, ns=(time, time))
        os.chmod(place, entry.mode)


def _look(place: str, status: os.stat_result) -> Entry:
    kind = _kind(status.st_mode)
    if kind == "symlink":
        return Entry(kind, 0o777, status.st_mtime_ns / 1e6, 0, os.readlink(place))
    mode = stat.S_IMODE(status.st_mode)
    if kind == "directory":
        return Entry(kind, mode, 0, 0, "")
    return Entry(kind, mode, status.st_mtime_ns / 1e6, status.st_size, "")


def _kind(mode: int) -> Kind:
    return "directory" if stat.S_ISDIR(mode) else "symlink" if stat.S_ISLNK(mode) else "file"


def _remove(place: str) -> None:
    if os.path.isdir(place) and not os.path.islink(place):
        shutil.rmtree(place)
    elif os.path.lexists(place):
        os.unlink(place)
