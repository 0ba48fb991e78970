"""The sandbox's files: what a file system must do, and the one that stands on a real directory."""

import os
import shutil
import stat
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Literal, NamedTuple, Protocol

from ..records import Record
from .errors import (
    FileDecodeError,
    InvalidPathError,
    IsDirectoryError,
    NotDirectoryError,
    PathExistsError,
    PathNotFoundError,
    SandboxError,
)
from .paths import VIRTUAL_ROOT, Jail, Place, typed_error

Kind = Literal["file", "directory", "symlink"]


class FileStat(Record):
    """What one path is."""

    path: str
    """Relative to the root; links on the way are resolved."""
    kind: Kind
    size: int
    """Bytes."""
    mtime: float
    """Last change of the content, in seconds since the epoch."""
    mode: int
    """Permission bits."""


class Names(NamedTuple):
    """What is in a directory, by kind and in any order."""

    files: list[str]
    directories: list[str]
    symlinks: list[str]


class FileSystem(Protocol):
    """A tree of files. Paths are relative to its root, or absolute below `/project`.

    Names are kept byte for byte: two Unicode forms of one word are two names. A path that leads out of the
    root, by `..` or through a symbolic link, raises PathOutsideRootError; one that no file can have raises
    InvalidPathError. Derive from this class: `scan` and `read_files` then work on top of the other methods.
    """

    async def read_bytes(self, path: str, *, start: int = 0, size: int | None = None) -> bytes:
        """Return a file's bytes from `start` on, at most `size` of them (all by default).

        Raises PathNotFoundError, IsDirectoryError.
        """
        ...

    async def read_text(self, path: str) -> str:
        """Return a UTF-8 file's text, with its BOM and line endings. Raises FileDecodeError."""
        ...

    async def write(self, path: str, data: str | bytes) -> None:
        """Make `data` the whole content of a file, creating it and its parents. Raises IsDirectoryError."""
        ...

    async def list(self, path: str = ".") -> "list[FileStat]":
        """Return what is in a directory, sorted by name; links are not followed. Raises NotDirectoryError."""
        ...

    async def stat(self, path: str) -> FileStat:
        """Describe what a path leads to. Raises PathNotFoundError."""
        ...

    async def mkdir(self, path: str, parents: bool = True) -> None:
        """Create a directory. With `parents` its parents too, and one that exists already is fine."""
        ...

    async def rename(self, source: str, target: str) -> None:
        """Move a file or directory, creating the target's parents; a file at the target is replaced."""
        ...

    async def remove(self, path: str, recursive: bool = False) -> None:
        """Remove a file, a link or, with `recursive` if it has entries, a directory."""
        ...

    async def exists(self, path: str) -> bool:
        """Tell whether a path leads to something."""
        ...

    async def scan(self, path: str = ".") -> Names:
        """Return the names in a directory: what a search needs, and cheaper than `list`."""
        names: dict[Kind, list[str]] = {"file": [], "directory": [], "symlink": []}
        for entry in await self.list(path):
            names[entry.kind].append(entry.path.rpartition("/")[2])
        return Names(names["file"], names["directory"], names["symlink"])

    async def read_files(
        self, directory: str, names: Sequence[str], *, limit: int
    ) -> AsyncIterator[tuple[str, bytes]]:
        """Yield names and contents of files in one directory, at most `limit` bytes of each.

        What cannot be read is left out: it may be gone by now.
        """
        for name in names:
            try:
                yield name, await self.read_bytes(f"{directory}/{name}", size=limit)
            except SandboxError:
                continue


class DirectoryFileSystem(FileSystem):
    """The files below a real directory: a mount in the kernel, a temporary directory elsewhere."""

    def __init__(self, root: str, name: str = VIRTUAL_ROOT) -> None:
        """`name` is what users of the sandbox call the directory `root`."""
        self._jail = Jail(root, name)

    @property
    def root(self) -> str:
        """The directory, as the operating system knows it."""
        return self._jail.root

    async def read_bytes(self, path: str, *, start: int = 0, size: int | None = None) -> bytes:
        """Return a file's bytes; see FileSystem."""
        place = self._jail.resolve(path)
        available = _regular_file(place, path).st_size - start
        try:
            return _read(place.os_path, start, available if size is None else min(size, available))
        except OSError as error:
            raise typed_error(error, path) from None

    async def read_text(self, path: str) -> str:
        """Return a file's text; see FileSystem."""
        try:
            return (await self.read_bytes(path)).decode()
        except UnicodeDecodeError as error:
            raise FileDecodeError(
                f"{path} is not UTF-8 text (byte {error.object[error.start]:#04x} at {error.start}); "
                "read it as bytes"
            ) from None

    async def write(self, path: str, data: str | bytes) -> None:
        """Write a whole file; see FileSystem."""
        place = self._jail.resolve(path)
        if place.status:
            _regular_file(place, path)
        content = encode_text(data, path) if isinstance(data, str) else data
        try:
            if not place.status:
                os.makedirs(os.path.dirname(place.os_path), exist_ok=True)
            _write(place.os_path, content)
        except OSError as error:
            raise typed_error(error, path) from None

    async def list(self, path: str = ".") -> "list[FileStat]":
        """List a directory; see FileSystem."""
        place = self._directory(path)
        prefix = "" if place.os_path == self.root else self._jail.relative(place.os_path) + "/"
        try:
            with os.scandir(place.os_path) as entries:
                found = [
                    _describe(prefix + entry.name, entry.stat(follow_symlinks=False)) for entry in entries
                ]
        except OSError as error:
            raise typed_error(error, path) from None
        return sorted(found, key=lambda entry: entry.path)

    async def stat(self, path: str) -> FileStat:
        """Describe a path; see FileSystem."""
        place = self._jail.resolve(path)
        if place.status is None:
            raise _missing(path)
        return _describe(self._jail.relative(place.os_path), place.status)

    async def mkdir(self, path: str, parents: bool = True) -> None:
        """Create a directory; see FileSystem."""
        place = self._jail.resolve(path)
        if place.status and (not parents or not stat.S_ISDIR(place.status.st_mode)):
            raise PathExistsError(f"{path} already exists")
        try:
            if parents:
                os.makedirs(place.os_path, exist_ok=True)
            else:
                os.mkdir(place.os_path)
        except OSError as error:
            raise typed_error(error, path) from None

    async def rename(self, source: str, target: str) -> None:
        """Move something; see FileSystem."""
        old = self._movable(source)
        new = self._movable(target, exists=False)
        try:
            if not new.status:
                os.makedirs(os.path.dirname(new.os_path), exist_ok=True)
            os.rename(old.os_path, new.os_path)
        except OSError as error:
            raise typed_error(error, f"{source} to {target}") from None

    async def remove(self, path: str, recursive: bool = False) -> None:
        """Remove something; see FileSystem."""
        place = self._movable(path)
        try:
            if not place.status or not stat.S_ISDIR(place.status.st_mode):
                os.unlink(place.os_path)
            elif recursive:
                shutil.rmtree(place.os_path)
            else:
                os.rmdir(place.os_path)
        except OSError as error:
            raise typed_error(error, path) from None

    async def exists(self, path: str) -> bool:
        """Tell whether a path leads to something; see FileSystem."""
        try:
            return self._jail.resolve(path).status is not None
        except NotDirectoryError:
            return False

    async def scan(self, path: str = ".") -> Names:
        """Return the names in a directory; see FileSystem."""
        names = Names([], [], [])
        try:
            with os.scandir(self._directory(path).os_path) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        names.files.append(entry.name)
                    elif entry.is_dir(follow_symlinks=False):
                        names.directories.append(entry.name)
                    elif entry.is_symlink():
                        names.symlinks.append(entry.name)
        except OSError as error:
            raise typed_error(error, path) from None
        return names

    async def read_files(
        self, directory: str, names: Sequence[str], *, limit: int
    ) -> AsyncIterator[tuple[str, bytes]]:
        """Yield names and contents; see FileSystem."""
        folder = self._directory(directory).os_path
        first = min(limit, _FIRST_READ)
        for name in names:
            try:
                file = os.open(f"{folder}/{name}", _READ)
                try:
                    # Asking for the size first would cost more than reading a small file.
                    data = os.read(file, first)
                    if len(data) == first < limit:
                        data += os.read(file, min(os.fstat(file).st_size, limit) - first)
                finally:
                    os.close(file)
            except OSError:
                continue
            yield name, data

    def exchange(self, outside: str, inside: str) -> None:
        """Let two files change contents: one elsewhere on this machine, one in the tree. Nothing is copied.

        Both are paths of the operating system. On CPython their modes and times change places too, and across
        two devices it does copy.
        """
        aside = f"{outside}.aside"
        shutil.move(inside, aside)
        shutil.move(outside, inside)
        os.rename(aside, outside)

    def unguarded(self, work: Callable[[], None]) -> None:
        """Call `work`, to which nothing is locked: what takes changes back must not be refused."""
        work()

    def _directory(self, path: str) -> Place:
        place = self._jail.resolve(path)
        if place.status is None:
            raise _missing(path)
        if not stat.S_ISDIR(place.status.st_mode):
            raise NotDirectoryError(f"{path} is a file, not a directory")
        return place

    def _movable(self, path: str, exists: bool = True) -> Place:
        place = self._jail.resolve(path, follow=False)
        if place.os_path == self.root:
            raise InvalidPathError(f"{path} is the sandbox's root, which stays where it is")
        if exists and place.status is None:
            raise _missing(path)
        return place


def encode_text(text: str, path: str) -> bytes:
    """Return text for a file as UTF-8. Raises SandboxError for half of a surrogate pair."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise SandboxError(
            f"{path}: the text holds half of a surrogate pair at character {error.start}, "
            "which UTF-8 cannot express"
        ) from None


# Without O_NOFOLLOW a link put in place of a resolved file could lead out; without O_NONBLOCK a pipe blocks.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_READ = os.O_RDONLY | _SAFE
_FIRST_READ = 65_536


def _read(os_path: str, start: int, size: int) -> bytes:
    if size <= 0:
        return b""
    file = os.open(os_path, _READ)
    try:
        if start:
            os.lseek(file, start, os.SEEK_SET)
        return os.read(file, size)
    finally:
        os.close(file)


def _write(os_path: str, data: bytes) -> None:
    file = os.open(os_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _SAFE, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
    finally:
        os.close(file)


def _regular_file(place: Place, path: str) -> os.stat_result:
    if place.status is None:
        raise _missing(path)
    if stat.S_ISDIR(place.status.st_mode):
        raise IsDirectoryError(f"{path} is a directory, not a file")
    if not stat.S_ISREG(place.status.st_mode):
        raise SandboxError(f"{path} is a device or a pipe, not a file")
    return place.status


def _describe(path: str, status: os.stat_result) -> FileStat:
    mode = status.st_mode
    kind: Kind = "directory" if stat.S_ISDIR(mode) else "symlink" if stat.S_ISLNK(mode) else "file"
    return FileStat(path=path, kind=kind, size=status.st_size, mtime=status.st_mtime, mode=stat.S_IMODE(mode))


def _missing(path: str) -> PathNotFoundError:
    return PathNotFoundError(f"{path}: no such file or directory")
