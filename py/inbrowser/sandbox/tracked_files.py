"""`sandbox.fs`: the file system as its users see it, with its changes told and its end enforced."""

from collections.abc import AsyncIterator, Callable, Sequence

from .changes import Change
from .errors import NotDirectoryError, PathNotFoundError
from .files import FileStat, FileSystem, Names
from .locks import Locks
from .paths import normalize


class TrackedFiles(FileSystem):
    """Another file system, each use of which is checked and each change of which is told."""

    def __init__(
        self,
        fs: FileSystem,
        locks: Locks,
        *,
        check: Callable[[str], None],
        tell: Callable[[Change], None],
        compare: bool,
    ) -> None:
        """Call `check("read")` or `check("write")` before each use and `tell` after each change.

        With `compare`, a write is told as created or modified; without, a feed knows better and `tell` only
        learns that there was one.
        """
        self._fs = fs
        self._locks = locks
        self._check = check
        self._tell = tell
        self._compare = compare

    async def read_bytes(self, path: str, *, start: int = 0, size: int | None = None) -> bytes:
        """Return a file's bytes; see FileSystem."""
        self._check("read")
        return await self._fs.read_bytes(path, start=start, size=size)

    async def read_text(self, path: str) -> str:
        """Return a file's text; see FileSystem."""
        self._check("read")
        return await self._fs.read_text(path)

    async def list(self, path: str = ".") -> "list[FileStat]":
        """List a directory; see FileSystem."""
        self._check("read")
        return await self._fs.list(path)

    async def stat(self, path: str) -> FileStat:
        """Describe a path; see FileSystem."""
        self._check("read")
        return await self._fs.stat(path)

    async def exists(self, path: str) -> bool:
        """Tell whether a path leads to something; see FileSystem."""
        self._check("read")
        return await self._fs.exists(path)

    async def scan(self, path: str = ".") -> Names:
        """Return the names in a directory; see FileSystem."""
        self._check("read")
        return await self._fs.scan(path)

    def read_files(
        self, directory: str, names: Sequence[str], *, limit: int
    ) -> AsyncIterator[tuple[str, bytes]]:
        """Yield names and contents; see FileSystem."""
        self._check("read")
        return self._fs.read_files(directory, names, limit=limit)

    async def write(self, path: str, data: str | bytes) -> None:
        """Write a whole file; see FileSystem."""
        await self._check_write(path)
        existed = self._compare and await self._fs.exists(path)
        await self._fs.write(path, data)
        self._tell(Change("modified" if existed else "created", normalize(path)))

    async def mkdir(self, path: str, parents: bool = True) -> None:
        """Create a directory; see FileSystem."""
        await self._check_write(path)
        existed = self._compare and await self._fs.exists(path)
        await self._fs.mkdir(path, parents)
        if not existed:
            self._tell(Change("created", normalize(path)))

    async def rename(self, source: str, target: str) -> None:
        """Move something; see FileSystem."""
        await self._check_write(source, below=True)
        await self._check_write(target)
        await self._fs.rename(source, target)
        self._tell(Change("renamed", normalize(target), normalize(source)))

    async def remove(self, path: str, recursive: bool = False) -> None:
        """Remove something; see FileSystem."""
        await self._check_write(path, below=recursive)
        await self._fs.remove(path, recursive)
        self._tell(Change("deleted", normalize(path)))

    async def _check_write(self, path: str, below: bool = False) -> None:
        """Refuse what is locked: a path, what a link there leads to, or with `below` anything under it."""
        self._check("write")
        if not self._locks.any:
            return
        name = normalize(path)
        self._locks.check(name)
        try:
            real = (await self._fs.stat(path)).path
        except PathNotFoundError:
            return
        if not below:
            self._locks.check(real)
            return
        folders = [name]
        while folders:
            folder = folders.pop()
            try:
                names = await self._fs.scan(folder)
            except NotDirectoryError:
                continue
            for each in (*names.files, *names.symlinks, *names.directories):
                self._locks.check(f"{folder}/{each}")
            folders += [f"{folder}/{each}" for each in names.directories]
