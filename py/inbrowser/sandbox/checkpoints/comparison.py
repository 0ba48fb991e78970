"""How two states of a tree differ, for people."""

from collections.abc import Awaitable, Callable

from ..text_diff import COMPARED, text_diff
from .deltas import Delta, Entry
from .records import FileDiff

Read = Callable[[str], Awaitable[bytes | None]]
"""Returns contents by digest."""


async def compare(delta: Delta, read: Read) -> list[FileDiff]:
    """Describe a difference path by path."""
    return [await _file_diff(path, *delta[path], read) for path in sorted(delta)]


async def _file_diff(path: str, before: Entry | None, after: Entry | None, read: Read) -> FileDiff:
    there = after or before
    assert there is not None
    return FileDiff(
        path=path,
        change="created" if before is None else "deleted" if after is None else "modified",
        kind=there.kind,
        old_size=before and before.size,
        new_size=after and after.size,
        text=await _text_diff(path, before, after, read),
    )


async def _text_diff(path: str, before: Entry | None, after: Entry | None, read: Read) -> str | None:
    if (before and before.content) == (after and after.content):
        return None
    for entry in (before, after):
        if entry and (entry.kind != "file" or entry.size > COMPARED):
            return None
    return text_diff(path, before and await read(before.content), after and await read(after.content))
