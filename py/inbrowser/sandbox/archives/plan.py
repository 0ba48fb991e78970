"""What an import would do to the tree, checked before anything is done."""

import os
import stat
from collections.abc import Callable, Iterable
from typing import Literal

from ..errors import ArchiveConflictError, ArchiveEntryError, ArchiveLimitError
from ..paths import MAX_LINKS, VIRTUAL_ROOT
from .entries import Entry, shown
from .pace import Pace

OnConflict = Literal["error", "overwrite"]

_LISTED = 5
"""Conflicts that an error names."""


class Plan:
    """The entries of an archive, one a path, with the folders they need."""

    def __init__(self, max_bytes: int, max_entries: int) -> None:
        self.entries: dict[str, Entry] = {}
        """Files and links by their path; of several with one path the last counts."""
        self.folders: dict[str, Entry | None] = {}
        """Directories; None for one that no entry describes."""
        self.skipped = 0
        """Entries that stand for nothing: the archive's top, and what a later entry of its path replaces."""
        self.bytes = 0
        self._max_bytes = max_bytes
        self._max_entries = max_entries
        self._count = 0

    def add(self, entry: Entry) -> None:
        """Take one entry in. Raises ArchiveEntryError, ArchiveLimitError."""
        path = entry.path
        self._count += 1
        if not path:
            if entry.kind != "directory":
                raise ArchiveEntryError("an entry has no name of its own, so it cannot be a file or a link")
            self.skipped += 1
        elif entry.kind == "directory":
            if path in self.entries:
                raise ArchiveEntryError(f"{shown(path)} is both a file and a directory in the archive")
            self.skipped += self.folders.get(path) is not None
            self.folders[path] = entry
        else:
            if path in self.folders:
                raise ArchiveEntryError(f"{shown(path)} is both a file and a directory in the archive")
            if replaced := self.entries.pop(path, None):
                self.skipped += 1
                self.bytes -= replaced.size
            self.entries[path] = entry
            self.bytes += entry.size
        self._add_parents(path)
        if self.bytes > self._max_bytes:
            raise ArchiveLimitError(
                f"the archive unpacks to more than {self._max_bytes:,} bytes at {shown(path)}; "
                "import it with a larger max_bytes"
            )
        self.check_count(max(self._count, len(self.entries) + len(self.folders)))

    def check_count(self, count: int) -> None:
        """Raise ArchiveLimitError for too many entries."""
        if count > self._max_entries:
            raise ArchiveLimitError(
                f"the archive has more than {self._max_entries:,} entries; "
                "import it with a larger max_entries"
            )

    def _add_parents(self, path: str) -> None:
        while (path := path.rpartition("/")[0]) and path not in self.folders:
            if path in self.entries:
                raise ArchiveEntryError(
                    f"{shown(path)} is a file or a link in the archive, so nothing can be inside it"
                )
            self.folders[path] = None

    async def check_tree(
        self, top: str, on_conflict: OnConflict, changeable: Callable[[str], None], pace: Pace
    ) -> None:
        """Compare with what is in the directory `top`; `changeable` raises for a path that may not change.

        Raises ArchiveConflictError, ArchiveEntryError.
        """
        there = {"": _status(top) is not None}
        conflicts: list[str] = []
        # Sorted, a folder comes before what is in it.
        for path in sorted(self.folders):
            status = _status(f"{top}/{path}") if there[path.rpartition("/")[0]] else None
            there[path] = status is not None
            if status is not None and stat.S_ISLNK(status.st_mode):
                raise ArchiveEntryError(
                    f"{shown(path)} is a symbolic link in the sandbox; nothing is imported through a link"
                )
            if status is not None and not stat.S_ISDIR(status.st_mode):
                raise ArchiveConflictError(
                    f"{shown(path)} is a file in the sandbox and a directory in the archive"
                )
            if status is None:
                changeable(path)
            await pace.pause()
        for path in self.entries:
            changeable(path)
            status = _status(f"{top}/{path}") if there[path.rpartition("/")[0]] else None
            if status is not None and stat.S_ISDIR(status.st_mode):
                raise ArchiveConflictError(
                    f"{shown(path)} is a directory in the sandbox and a file in the archive"
                )
            if status is not None:
                conflicts.append(path)
            await pace.pause()
        if conflicts and on_conflict == "error":
            raise ArchiveConflictError(
                f"{_some(conflicts)} in the sandbox already; choose to overwrite, or another directory"
            )

    async def check_links(self, root: str, base: str, pace: Pace) -> None:
        """Raise ArchiveEntryError for a link that would lead out of the tree at `root`, on any way."""
        prefix = "" if base == "." else f"{base}/"

        def link_at(path: str) -> str | None:
            if path.startswith(prefix):
                inside = path[len(prefix) :]
                if inside in self.folders:
                    return None
                if entry := self.entries.get(inside):
                    return entry.target or None
            try:
                return os.readlink(f"{root}/{path}")
            except OSError:
                return None

        for path, entry in self.entries.items():
            if entry.kind == "symlink" and _leads_out(prefix + path, entry.target, root, link_at):
                raise ArchiveEntryError(
                    f"the link {shown(path)} to {shown(entry.target)} leads out of the sandbox"
                )
            await pace.pause()


def _leads_out(path: str, target: str, root: str, link_at: Callable[[str], str | None]) -> bool:
    """Walk where a link leads, through other links."""
    current = path.split("/")[:-1]
    links = 0
    pending: list[str] = []
    follow: str | None = target
    while True:
        if follow is not None:
            if follow.startswith("/"):
                inside = _inside(follow, root)
                if inside is None:
                    return True
                follow, current = inside, []
            pending.extend(part for part in reversed(follow.split("/")) if part not in ("", "."))
        if not pending:
            return False
        part = pending.pop()
        follow = None
        if part != "..":
            follow = link_at("/".join([*current, part]))
            links += follow is not None
            if links > MAX_LINKS:
                return False
            if follow is None:
                current.append(part)
        elif current:
            current.pop()
        else:
            return True


def _inside(target: str, root: str) -> str | None:
    for top in (VIRTUAL_ROOT, root):
        if target == top or target.startswith(f"{top}/"):
            return target[len(top) :]
    return None


def _some(paths: Iterable[str]) -> str:
    paths = list(paths)
    named = ", ".join(shown(path) for path in paths[:_LISTED])
    more = len(paths) - _LISTED
    return f"{named} and {more:,} more are" if more > 0 else f"{named} {'is' if len(paths) == 1 else 'are'}"


def _status(os_path: str) -> os.stat_result | None:
    try:
        return os.lstat(os_path)
    except (FileNotFoundError, NotADirectoryError):
        return None
