"""Imports an archive: all of it, or nothing."""

import os
import stat
import tempfile
from collections.abc import Iterator
from itertools import count
from typing import get_args

from ...records import Record
from ..errors import NotDirectoryError, SandboxError
from ..files import DirectoryFileSystem
from ..paths import Jail, typed_error
from .entries import Entry, ImportFormat
from .ground import Ground
from .pace import Pace
from .placing import Placement
from .plan import OnConflict, Plan
from .progress import Progress
from .receiving import ArchiveData, receive
from .spool import Spool
from .tar_reader import TarReader
from .zip_reader import ZipReader

_HEADERS = 4_096
"""Bytes that an archive may need for an entry beside its content."""
_numbers = count(1)


class ImportReport(Record):
    """What an import has put into the tree."""

    format: ImportFormat
    files: int
    directories: int
    """Those that were not there before."""
    links: int
    bytes: int
    """Of the files' contents."""
    replaced: int
    """Files and links that were there before."""
    skipped: int
    """Entries that stand for nothing: the archive's top, and what a later entry of the same path replaces."""


async def import_archive(
    ground: Ground,
    data: ArchiveData,
    path: str,
    format: ImportFormat | None,
    on_conflict: OnConflict,
    max_bytes: int,
    max_entries: int,
) -> ImportReport:
    """Import `data` below `path`."""
    if format is not None and format not in get_args(ImportFormat):
        raise SandboxError(f"there is no archive format {format!r}; use zip, tar.gz or tar")
    if on_conflict not in get_args(OnConflict):
        raise SandboxError(f"on_conflict is 'error' or 'overwrite', not {on_conflict!r}")
    files = ground.directory
    progress = Progress(ground.events, "import", next(_numbers))
    scratch = tempfile.mkdtemp(prefix="inbrowser-archive-")
    spool = Spool(scratch, max_bytes + _HEADERS * max_entries)
    try:
        work = _Import(files, ground, progress, scratch, spool)
        report = await work.run(data, path, format, on_conflict, Plan(max_bytes, max_entries))
    except OSError as error:
        failure = typed_error(error, path)
        progress.finish(failure)
        raise failure from None
    except BaseException as error:
        progress.finish(error)
        raise
    finally:
        spool.close()
        await _remove(scratch)
    progress.finish()
    return report


def _written(path: str, entry: Entry) -> Iterator[bytes]:
    """Yield the pieces of an entry's content as they are written to a new file."""
    with open(path, "xb") as file:
        # A file in the browser's memory is moved whenever it grows.
        file.truncate(entry.size)
        for piece in entry.content():
            file.write(piece)
            yield piece


async def _remove(directory: str) -> None:
    """Remove a directory of files."""
    pace = Pace(lambda: None)
    for name in os.listdir(directory):
        os.unlink(f"{directory}/{name}")
        await pace.pause()
    os.rmdir(directory)


class _Import:
    def __init__(
        self, files: DirectoryFileSystem, ground: Ground, progress: Progress, scratch: str, spool: Spool
    ) -> None:
        self._fs = files
        self._changeable = ground.changeable
        self._progress = progress
        self._scratch = scratch
        self._spool = spool
        self._pace = Pace(ground.check)

    async def run(
        self, data: ArchiveData, path: str, format: ImportFormat | None, on_conflict: OnConflict, plan: Plan
    ) -> ImportReport:
        jail = Jail(self._fs.root)
        place = jail.resolve(path)
        base = jail.relative(place.os_path)
        prefix = "" if base == "." else f"{base}/"
        # Before all of it has come.
        self._changeable(base)
        if place.status and not stat.S_ISDIR(place.status.st_mode):
            raise NotDirectoryError(f"{path} is a file; an archive is imported into a directory")
        self._progress.advance()
        format = await receive(data, format, self._spool, self._pace)
        reader = ZipReader(self._spool) if format == "zip" else TarReader(self._spool)
        plan.check_count(reader.count)
        for entry in reader.entries():
            plan.add(entry)
            await self._pace.pause()
        await plan.check_tree(
            place.os_path, on_conflict, lambda name: self._changeable(prefix + name), self._pace
        )
        await plan.check_links(jail.root, base, self._pace)
        self._progress.files_total, self._progress.bytes_total = len(plan.entries), plan.bytes
        contents = [await self._unpack(number, entry) for number, entry in enumerate(plan.entries.values())]
        self._spool.close()
        overwrite = on_conflict == "overwrite"
        placement = Placement(self._fs, base, self._scratch, overwrite, self._changeable)
        try:
            await self._place(plan, placement, contents)
        except BaseException:
            placement.undo()
            raise
        links = sum(entry.kind == "symlink" for entry in plan.entries.values())
        return ImportReport(
            format=format,
            files=len(plan.entries) - links,
            directories=placement.made,
            links=links,
            bytes=plan.bytes,
            replaced=placement.replaced,
            skipped=plan.skipped,
        )

    async def _unpack(self, number: int, entry: Entry) -> str:
        """Write an entry's content to a file of its own, outside of the tree; returns the file's path."""
        path = f"{self._scratch}/{number}"
        if entry.kind == "file":
            for piece in _written(path, entry):
                self._progress.advance(bytes=len(piece))
                await self._pace.pause()
        self._progress.advance(files=1)
        await self._pace.pause()
        return path

    async def _place(self, plan: Plan, placement: Placement, contents: list[str]) -> None:
        placement.base()
        for path in sorted(plan.folders):
            placement.folder(path, plan.folders[path])
            await self._pace.pause()
        for (path, entry), content in zip(plan.entries.items(), contents, strict=True):
            if entry.kind == "symlink":
                placement.link(path, entry)
            else:
                placement.file(path, entry, content)
            await self._pace.pause()
        await placement.finish(self._pace)
