"""What files are at one moment, and which of them changed since the last look."""

import hashlib
from typing import Literal

from ...records import Record
from ..errors import SandboxDestroyedError, SandboxError
from ..events import FileEvent, SandboxEvent
from ..files import FileSystem
from ..sandbox import Sandbox
from .pace import Pace

KEPT_TEXT = 16_384
"""Bytes of a text that a log keeps beside its digest, so that a divergence can be shown as a diff."""

_CHUNK = 1024 * 1024


class FileState(Record):
    """What one path is."""

    path: str
    """Relative to the root."""
    kind: Literal["file", "directory", "symlink", "gone"]
    """Of something that is gone, all below it is gone too."""
    digest: str | None = None
    """`sha256:` and the hexadecimal digest of the content, of a link that of what it leads to."""
    size: int | None = None
    """Bytes."""
    text: str | None = None
    """The content, where it is text of at most `KEPT_TEXT` bytes."""

    def same(self, other: "FileState") -> bool:
        """Tell whether both have one kind and content."""
        return (self.kind, self.digest) == (other.kind, other.digest)


def is_compared(path: str) -> bool:
    """Tell whether a path's content is a result of calls; git's own records hold times and differ always."""
    return path != "." and ".git" not in path.split("/")


class Touched:
    """Collects the paths that a sandbox tells of as changed."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._paths: dict[str, None] = {}
        self._sandbox = sandbox
        self.close = sandbox.on(self._hear)
        """Hear of no more changes."""

    def take(self) -> list[str]:
        """Return the paths that changed since the last call."""
        self._sandbox.settle()
        paths, self._paths = list(self._paths), {}
        return paths

    def _hear(self, event: SandboxEvent) -> None:
        if isinstance(event, FileEvent):
            self._paths |= dict.fromkeys(path for path in (event.old_path, event.path) if path)


async def states_of(fs: FileSystem, paths: list[str]) -> list[FileState]:
    """Return what paths are now, sorted, directories with all that is in them. Links are not followed."""
    look = _Look(fs)
    for path in paths:
        if is_compared(path):
            await look.at(path)
    return [look.found[path] for path in sorted(look.found)]


async def tree_of(fs: FileSystem) -> list[FileState]:
    """Return what all files are now, without their texts."""
    look = _Look(fs, texts=False)
    await look.inside(".")
    return [look.found[path] for path in sorted(look.found)]


class _Look:
    def __init__(self, fs: FileSystem, texts: bool = True) -> None:
        self.found: dict[str, FileState] = {}
        self._fs = fs
        self._texts = texts
        self._kinds: dict[str, dict[str, Literal["file", "directory", "symlink"]]] = {}
        self._pace = Pace()

    async def at(self, path: str) -> None:
        """Find out what a path is, and what is below it."""
        if path in self.found:
            return
        folder, _, name = path.rpartition("/")
        kind = (await self._names(folder or ".")).get(name)
        if kind is None:
            self.found[path] = FileState(path=path, kind="gone")
        elif kind == "directory":
            self.found[path] = FileState(path=path, kind="directory")
            await self.inside(path)
        else:
            self.found[path] = await self._content(path, kind)

    async def inside(self, folder: str) -> None:
        """Find out what is in a directory."""
        waiting = [folder]
        while waiting:
            folder = waiting.pop()
            for name, kind in (await self._names(folder)).items():
                path = name if folder == "." else f"{folder}/{name}"
                if path in self.found or not is_compared(path):
                    continue
                if kind == "directory":
                    self.found[path] = FileState(path=path, kind="directory")
                    waiting.append(path)
                else:
                    self.found[path] = await self._content(path, kind)

    async def _names(self, folder: str) -> "dict[str, Literal['file', 'directory', 'symlink']]":
        if folder not in self._kinds:
            try:
                names = await self._fs.scan(folder)
            except SandboxDestroyedError:
                raise
            except SandboxError:
                self._kinds[folder] = {}
            else:
                self._kinds[folder] = {
                    **dict.fromkeys(names.files, "file"),
                    **dict.fromkeys(names.directories, "directory"),
                    **dict.fromkeys(names.symlinks, "symlink"),
                }
            await self._pace.pause()
        return self._kinds[folder]

    async def _content(self, path: str, kind: Literal["file", "symlink"]) -> FileState:
        digest, size = hashlib.sha256(), 0
        try:
            while data := await self._fs.read_bytes(path, start=size, size=_CHUNK):
                digest.update(data)
                size += len(data)
                await self._pace.pause()
                if len(data) < _CHUNK:
                    break
        except SandboxDestroyedError:
            raise
        except SandboxError:
            # A link that leads nowhere or to a directory has no content; a file may be gone by now.
            return FileState(path=path, kind=kind)
        text = None
        if self._texts and size <= KEPT_TEXT:
            text = _as_text(data if size else b"")
        return FileState(path=path, kind=kind, digest=f"sha256:{digest.hexdigest()}", size=size, text=text)


def _as_text(data: bytes) -> str | None:
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None
