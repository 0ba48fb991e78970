"""Differences between two states of a tree, path by path and with both sides."""

from collections.abc import Iterable
from typing import NamedTuple

from ..files import Kind


class Entry(NamedTuple):
    """What is at one path."""

    kind: Kind
    mode: int
    """Permission bits."""
    mtime: float
    """Milliseconds since the epoch; 0 for a directory, whose time changes with what is in it."""
    size: int
    """Bytes of a file."""
    content: str
    """The SHA-256 of a file's bytes in hexadecimal, or where a link leads."""


Delta = dict[str, tuple[Entry | None, Entry | None]]
"""By path: what was there and what is there now; None is nothing."""


def join(first: Delta, second: Delta) -> Delta:
    """Return the difference that two make, one after the other."""
    joined = dict(first)
    for path, (before, after) in second.items():
        start = first[path][0] if path in first else before
        if start == after:
            joined.pop(path, None)
        else:
            joined[path] = (start, after)
    return joined


def invert(delta: Delta) -> Delta:
    """Return the way back."""
    return {path: (after, before) for path, (before, after) in delta.items()}


def contents(entries: Iterable[Entry | None]) -> list[str]:
    """Return the digests of the files among entries, each as often as it occurs."""
    return [entry.content for entry in entries if entry and entry.kind == "file"]


def digests(delta: Delta) -> list[str]:
    """Return the digests of all files on both sides, each as often as it occurs."""
    return contents(entry for sides in delta.values() for entry in sides)
