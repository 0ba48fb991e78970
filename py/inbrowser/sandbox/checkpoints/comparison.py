"""How two states of a tree differ, for people."""

import difflib
from collections.abc import Awaitable, Callable

from .deltas import Delta, Entry
from .records import FileDiff

COMPARED = 200_000
"""Bytes of a file up to which its lines are compared."""

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
    old, new = await _lines(before, read), await _lines(after, read)
    if old is None or new is None:
        return None
    names = (f"a/{path}" if before else "/dev/null", f"b/{path}" if after else "/dev/null")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(old, new, *names)
    )


async def _lines(entry: Entry | None, read: Read) -> list[str] | None:
    if entry is None:
        return []
    if entry.kind != "file" or entry.size > COMPARED:
        return None
    content = await read(entry.content)
    if content is None or b"\0" in content:
        return None
    try:
        return content.decode().splitlines(keepends=True)
    except UnicodeDecodeError:
        return None
