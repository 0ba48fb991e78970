"""Reads tar archives: the headers one after the other, then each entry's content."""

import re
import tarfile
from collections.abc import Iterator
from functools import partial
from typing import IO, cast

from ..errors import ArchiveEntryError, ArchiveError, ArchiveFormatError
from .entries import PIECE, Entry, encoded, entry_path, link_target, shown
from .spool import Spool

_DECIMAL = re.compile(r"(-?)([0-9]{1,20})(?:\.([0-9]*))?", re.ASCII)


class TarReader:
    """The entries of a tar archive. Every method may raise ArchiveFormatError and ArchiveEntryError."""

    count = 0
    """Not known before the end."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in order; a hard link is an entry like the one it links to."""
        # A broken header ends a TarFile as its end does, and may have moved it on: where it was counts.
        at = 0
        known: dict[str, Entry] = {}
        try:
            archive = tarfile.TarFile(fileobj=cast(IO[bytes], self._spool), errors="surrogateescape")
            # The first header is read by then.
            member = archive.next() if archive.firstmember else None  # pyright: ignore
            while member is not None:
                archive.members.clear()  # pyright: ignore
                entry = self._entry(member, known)
                known[entry.path] = entry
                yield entry
                at = archive.offset
                member = archive.next()
        except ArchiveError:
            raise
        except (tarfile.TarError, ValueError, OverflowError, RecursionError, LookupError) as error:
            raise ArchiveFormatError(
                f"the archive is corrupt: {str(error) or type(error).__name__}"
            ) from None
        mark = self._spool.pread(at, tarfile.BLOCKSIZE)
        if len(mark) < tarfile.BLOCKSIZE:
            raise ArchiveFormatError("the archive is cut short: it has no mark at its end")
        if mark.strip(b"\0"):
            raise ArchiveFormatError(f"the archive is corrupt: no header stands at byte {at:,}")

    def _entry(self, member: tarfile.TarInfo, known: dict[str, Entry]) -> Entry:
        name = member.name
        encoded(name)
        path = entry_path(name)
        entry = Entry(path, "file", member.mode & 0o777, _mtime_ns(member))
        if member.isdir():
            entry.kind = "directory"
        elif member.issym():
            entry.kind = "symlink"
            entry.target = link_target(name, member.linkname.encode("utf-8", "surrogateescape"))
        elif member.islnk():
            linked = known.get(entry_path(member.linkname))
            if linked is None or linked.kind == "directory":
                raise ArchiveEntryError(
                    f"the hard link {shown(name)} leads to {shown(member.linkname)}, "
                    "which is no file before it"
                )
            return Entry(
                path, linked.kind, linked.mode, linked.mtime_ns, linked.size, linked.target, linked.content
            )
        elif member.sparse is not None or member.type == tarfile.GNUTYPE_SPARSE:
            raise ArchiveFormatError(f"the entry {shown(name)} is a sparse file; pack it without --sparse")
        elif member.isreg():
            if member.size < 0 or member.offset_data + member.size > self._spool.size:
                raise ArchiveFormatError(
                    f"the archive is cut short: {shown(name)} is longer than the rest of it"
                )
            entry.size = member.size
            entry.content = partial(self._content, member.offset_data, member.size)
        else:
            raise ArchiveEntryError(
                f"the entry {shown(name)} is a device or a pipe, which no sandbox takes in"
            )
        return entry

    def _content(self, at: int, size: int) -> Iterator[bytes]:
        for start in range(at, at + size, PIECE):
            yield self._spool.pread(start, min(PIECE, at + size - start))


def _mtime_ns(member: tarfile.TarInfo) -> int:
    """Return the time, with the part of a second that only the extended header has."""
    exact = member.pax_headers.get("mtime")
    if exact is None:
        return int(member.mtime) * 10**9
    found = _DECIMAL.fullmatch(exact)
    if not found:
        raise ArchiveFormatError(f"the archive is corrupt: the time of {shown(member.name)} is no number")
    sign, seconds, part = found.groups("")
    nanoseconds = int(seconds) * 10**9 + int(part[:9].ljust(9, "0"))
    return -nanoseconds if sign else nanoseconds
