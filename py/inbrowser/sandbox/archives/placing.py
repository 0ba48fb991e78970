"""Moves what was unpacked into the tree, or leaves the tree as it was."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress

from ..errors import ArchiveConflictError, ArchiveEntryError
from ..files import DirectoryFileSystem
from ..paths import Jail, Place
from .entries import Entry, shown
from .pace import Pace

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


class Placement:
    """Puts files, links and directories below a directory of the tree; `undo` takes all of it back.

    The tree may have changed since the plan was checked, so every step looks again.
    """

    def __init__(
        self,
        fs: DirectoryFileSystem,
        base: str,
        scratch: str,
        overwrite: bool,
        changeable: Callable[[str], None],
    ) -> None:
        """Work below `base`, relative to the root; `scratch` is a directory outside of the tree.

        `changeable` raises for a path in the tree that may not change.
        """
        self.replaced = self.made = 0
        self._fs = fs
        self._jail = Jail(fs.root)
        self._base = base
        self._scratch = scratch
        self._overwrite = overwrite
        self._changeable = changeable
        self._undo: list[Callable[[], None]] = []
        self._folders: list[tuple[str, Entry]] = []

    def base(self) -> None:
        """Make the directory itself."""
        name = ""
        for part in self._base.split("/") if self._base != "." else ():
            name = f"{name}/{part}" if name else part
            self._make_folder(self._at(name).os_path)

    def folder(self, path: str, entry: Entry | None) -> None:
        """Make a directory, if it is not there; `entry` says what it is like."""
        place = self._place(path)
        if self._make_folder(place.os_path):
            self.made += 1
            if entry:
                self._folders.append((path, entry))

    def file(self, path: str, entry: Entry, content: str) -> None:
        """Put a file there, whose content is that of the file `content`, outside of the tree."""
        os_path, there = self._cleared(path)
        if there and stat.S_ISREG(there.st_mode):
            self._undo.append(lambda: _describe(os_path, there.st_mode, there.st_mtime_ns))
            self._fs.exchange(content, os_path)
            self._undo.append(lambda: self._fs.exchange(content, os_path))
        else:
            os.close(os.open(os_path, _NEW, 0o666))
            self._undo.append(lambda: os.unlink(os_path))
            self._fs.exchange(content, os_path)
            os.unlink(content)
        _describe(os_path, entry.mode, entry.mtime_ns)

    def link(self, path: str, entry: Entry) -> None:
        """Put a symbolic link there. Its own time is not kept: not every platform can set it."""
        os_path, there = self._cleared(path)
        if there and stat.S_ISREG(there.st_mode):
            aside = f"{self._scratch}/aside.{len(self._undo)}"
            os.close(os.open(aside, _NEW, 0o600))
            self._undo.append(lambda: _describe(os_path, there.st_mode, there.st_mtime_ns))
            self._fs.exchange(aside, os_path)
            self._undo.append(lambda: self._fs.exchange(aside, os_path))
            os.unlink(os_path)
            self._undo.append(lambda: os.close(os.open(os_path, _NEW, 0o666)))
        os.symlink(entry.target, os_path)
        self._undo.append(lambda: os.unlink(os_path))

    async def finish(self, pace: Pace) -> None:
        """Give the new directories their modes and times, which what was put into them has changed."""
        for path, entry in reversed(self._folders):
            place = self._place(path)
            if place.status and stat.S_ISDIR(place.status.st_mode):
                _describe(place.os_path, entry.mode, entry.mtime_ns)
            await pace.pause()

    def undo(self) -> None:
        """Take everything back, at once: nobody sees half of it."""
        self._fs.unguarded(self._take_back)

    def _take_back(self) -> None:
        while self._undo:
            # What somebody else has changed in between stays as it is now.
            with suppress(OSError):
                self._undo.pop()()

    def _place(self, path: str) -> Place:
        return self._at(path if self._base == "." else f"{self._base}/{path}")

    def _at(self, name: str) -> Place:
        """Return the place of a path in the tree, which no link is on the way to."""
        place = self._jail.resolve(name, follow=False)
        if place.os_path != f"{self._jail.root}/{name}":
            raise ArchiveEntryError(
                f"{shown(name)} would go through a symbolic link, which was made just now"
            )
        return place

    def _cleared(self, path: str) -> tuple[str, os.stat_result | None]:
        """Return the place of a file or link, and what is there; a link that is there is removed."""
        place = self._place(path)
        there, os_path = place.status, place.os_path
        self._changeable(self._jail.relative(os_path))
        if there is None:
            return os_path, None
        if not self._overwrite or stat.S_ISDIR(there.st_mode):
            raise ArchiveConflictError(f"{shown(path)} was made in the sandbox just now; import again")
        self.replaced += 1
        if not stat.S_ISREG(there.st_mode):
            target = os.readlink(os_path)
            os.unlink(os_path)
            self._undo.append(lambda: os.symlink(target, os_path))
        return os_path, there

    def _make_folder(self, os_path: str) -> bool:
        if not os.path.isdir(os_path):
            self._changeable(self._jail.relative(os_path))
        try:
            os.mkdir(os_path)
        except FileExistsError:
            return False
        self._undo.append(lambda: os.rmdir(os_path))
        return True


_EARLIEST, _LATEST = -(2**31) * 10**9, 2**34 * 10**9
"""Times that file systems can keep, in nanoseconds since the epoch: the years 1901 to 2514."""


def _describe(os_path: str, mode: int, mtime_ns: int) -> None:
    mtime_ns = min(max(mtime_ns, _EARLIEST), _LATEST)
    os.chmod(os_path, stat.S_IMODE(mode))
    os.utime(os_path, ns=(mtime_ns, mtime_ns))
