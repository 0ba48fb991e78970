"""What archives are made of: entries, with paths that are safe to use."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ..errors import ArchiveEntryError
from ..files import Kind
from ..paths import MAX_NAME_BYTES

ExportFormat = Literal["zip", "tar.gz"]
ImportFormat = Literal["zip", "tar.gz", "tar"]

PIECE = 262_144
"""Bytes that are read, packed or unpacked in one go: some milliseconds of work."""

MAX_PATH_BYTES = 3_500
"""Longest path of an entry: with the directory it goes to, it has to stay below the system's 4,096."""

MAX_TARGET_BYTES = 4_095
"""Longest target of a symbolic link."""


def nothing() -> Iterator[bytes]:
    """Return the content of what has none."""
    return iter(())


@dataclass(slots=True)
class Entry:
    """One file, directory or symbolic link of an archive."""

    path: str
    """Relative to the archive's top, without `.` and `..`; the top itself is the empty path."""
    kind: Kind
    mode: int
    """Permission bits."""
    mtime_ns: int
    """Nanoseconds since the epoch."""
    size: int = 0
    """Bytes of a file's content."""
    target: str = ""
    """Where a link leads."""
    content: Callable[[], Iterator[bytes]] = nothing
    """Gives a file's content, in pieces. What is wrong with it raises ArchiveFormatError on the way."""


def shown(name: str | bytes) -> str:
    """Return an entry's name for a message: on one line, and not too long."""
    text = repr(name).removeprefix("b")
    return text if len(text) <= 120 else f"{text[:117]}...'"


def entry_path(name: str) -> str:
    """Return the path that an archive's name for an entry stands for. Raises ArchiveEntryError."""
    if "\0" in name:
        raise ArchiveEntryError(f"the entry {shown(name)} has a NUL in its name, which no path can")
    if name.startswith("/"):
        raise ArchiveEntryError(f"the entry {shown(name)} is absolute, so it leads out of the sandbox")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ArchiveEntryError(f"the entry {shown(name)} goes up with '..', so it may lead out")
    for part in parts:
        if len(encoded(part)) > MAX_NAME_BYTES:
            raise ArchiveEntryError(
                f"the entry {shown(name)} has a name longer than {MAX_NAME_BYTES} bytes, "
                "which no file can have"
            )
    path = "/".join(parts)
    if len(encoded(path)) > MAX_PATH_BYTES:
        raise ArchiveEntryError(f"the entry {shown(name)} has a path longer than {MAX_PATH_BYTES} bytes")
    return path


def link_target(name: str, target: bytes) -> str:
    """Return where the link `name` leads. Raises ArchiveEntryError for what no link can hold."""
    try:
        text = target.decode()
    except UnicodeDecodeError:
        raise ArchiveEntryError(f"the link {shown(name)} leads to a name that is not UTF-8") from None
    if not text or "\0" in text or len(target) > MAX_TARGET_BYTES:
        raise ArchiveEntryError(
            f"the link {shown(name)} has a target that is empty, holds a NUL, or is longer than "
            f"{MAX_TARGET_BYTES} bytes"
        )
    return text


def encoded(name: str) -> bytes:
    """Return a name as UTF-8. Raises ArchiveEntryError for one that is not text."""
    try:
        return name.encode()
    except UnicodeEncodeError:
        raise ArchiveEntryError(
            f"the name {shown(name)} is not UTF-8; rename it to use it in an archive"
        ) from None
