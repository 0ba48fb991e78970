"""Exports a part of the tree as an archive, piece by piece."""

import os
import stat
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing
from itertools import count
from typing import get_args

from ..errors import ArchiveEntryError, ArchiveError, PathNotFoundError, SandboxError
from ..paths import Jail, typed_error
from .entries import PIECE, Entry, ExportFormat, encoded, shown
from .ground import Ground
from .pace import Pace
from .progress import Progress
from .tar_writer import TarGzWriter
from .zip_writer import ZipWriter

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_numbers = count(1)


def export_archive(ground: Ground, format: ExportFormat, path: str) -> AsyncIterator[bytes]:
    """Return the archive in pieces. Raises CapabilityError at once, all else on the way."""
    return _told(Jail(ground.directory.root), ground, format, path)


async def _told(jail: Jail, ground: Ground, format: ExportFormat, path: str) -> AsyncIterator[bytes]:
    if format not in get_args(ExportFormat):
        raise SandboxError(f"there is no archive format {format!r} to export; use zip or tar.gz")
    progress = Progress(ground.events, "export", next(_numbers))
    try:
        async with aclosing(_Export(jail, ground.check, progress).pieces(format, path)) as pieces:
            async for piece in pieces:
                yield piece
    except OSError as error:
        failure = typed_error(error, path)
        progress.finish(failure)
        raise failure from None
    except BaseException as error:
        progress.finish(error)
        raise
    progress.finish()


class _Export:
    def __init__(self, jail: Jail, check: Callable[[], None], progress: Progress) -> None:
        self._jail = jail
        self._check = check
        self._progress = progress
        self._pace = Pace(check)

    async def pieces(self, format: ExportFormat, path: str) -> AsyncGenerator[bytes]:
        self._check()
        top, names = await self._walk(path)
        writer = ZipWriter() if format == "zip" else TarGzWriter()
        self._progress.advance()
        waiting: list[bytes] = []
        size = 0
        for piece in self._all(writer, top, names):
            waiting.append(piece)
            size += len(piece)
            if size >= PIECE:
                yield b"".join(waiting)
                # Whoever reads it may have taken long.
                self._check()
                waiting.clear()
                size = 0
            await self._pace.pause()
        if size:
            yield b"".join(waiting)

    def _all(self, writer: ZipWriter | TarGzWriter, top: str, names: list[str]) -> Iterator[bytes]:
        for name in names:
            yield from self._packed(writer, top, name)
        yield from writer.end()

    async def _walk(self, path: str) -> tuple[str, list[str]]:
        """Return the directory that paths in the archive are relative to, and these paths, parents first."""
        start = self._jail.resolve(path)
        if start.status is None:
            raise PathNotFoundError(f"{path}: no such file or directory")
        top = self._jail.relative(start.os_path)
        if not stat.S_ISDIR(start.status.st_mode):
            self._count(start.status)
            folder, _, name = top.rpartition("/")
            return folder or ".", [name]
        names: list[str] = []
        folders = [""]
        while folders:
            prefix = folders.pop()
            found: list[str] = []
            try:
                with os.scandir(f"{start.os_path}/{prefix}") as entries:
                    for entry in entries:
                        found.append(prefix + entry.name)
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(f"{prefix}{entry.name}/")
                        else:
                            self._count(entry.stat(follow_symlinks=False))
            except FileNotFoundError:
                if not prefix:
                    raise
            names.extend(found)
            await self._pace.pause()
        names.sort()
        return top, names

    def _count(self, status: os.stat_result) -> None:
        self._progress.files_total += 1
        if stat.S_ISREG(status.st_mode):
            self._progress.bytes_total += status.st_size

    def _packed(self, writer: ZipWriter | TarGzWriter, top: str, name: str) -> Iterator[bytes]:
        """Yield the bytes of one entry; of none if it is gone by now, or has become something else."""
        path = name if top == "." else f"{top}/{name}"
        encoded(name)
        try:
            place = self._jail.resolve(path, follow=False)
        except SandboxError:
            return
        # With a link on its way, which was not there before, it is no longer what was found.
        if place.status is None or place.os_path != f"{self._jail.root}/{path}":
            return
        mode, mtime_ns = stat.S_IMODE(place.status.st_mode) & 0o777, place.status.st_mtime_ns
        if stat.S_ISDIR(place.status.st_mode):
            yield from writer.entry(Entry(name, "directory", mode, mtime_ns))
        elif stat.S_ISLNK(place.status.st_mode):
            target = os.readlink(place.os_path)
            encoded(target)
            yield from writer.entry(Entry(name, "symlink", 0o777, mtime_ns, target=target))
            self._progress.advance(files=1)
        elif stat.S_ISREG(place.status.st_mode):
            yield from self._file(writer, name, place.os_path)
            self._progress.advance(files=1)
        else:
            raise ArchiveEntryError(
                f"{shown(name)} is a device or a pipe, which no archive can hold; remove it"
            )

    def _file(self, writer: ZipWriter | TarGzWriter, name: str, os_path: str) -> Iterator[bytes]:
        file = os.open(os_path, _READ)
        try:
            status = os.fstat(file)
            entry = Entry(
                name, "file", stat.S_IMODE(status.st_mode) & 0o777, status.st_mtime_ns, status.st_size
            )
            entry.content = lambda: self._content(file, entry)
            yield from writer.entry(entry)
        finally:
            os.close(file)

    def _content(self, file: int, entry: Entry) -> Iterator[bytes]:
        """Yield the bytes that the file had when it was opened, even if it has grown since."""
        rest = entry.size
        while rest:
            piece = os.read(file, min(rest, PIECE))
            if not piece:
                raise ArchiveError(f"{shown(entry.path)} became shorter while it was packed; export again")
            rest -= len(piece)
            self._progress.advance(bytes=len(piece))
            yield piece
