"""The lines of a file that match a pattern, found without splitting the file into lines."""

from collections.abc import Iterator
from typing import NamedTuple

from ..patterns import Pattern


class Line(NamedTuple):
    """One line of a file."""

    number: int
    """Counted from 1."""
    start: int
    end: int
    """Byte offsets, the line ending left out."""
    match: int | None
    """Byte offset of the match; None for a line that only stands beside one."""


def matching_lines(data: bytes, pattern: Pattern) -> Iterator[Line]:
    """Yield each line that matches by itself, in order. Line endings must be LF."""
    number, counted, position = 1, 0, 0
    while position < len(data):
        found = pattern.search(data, position)
        if not found:
            return
        start = data.rfind(b"\n", position, found[0]) + 1 or position
        if start == len(data):
            return
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        position = end + 1
        match = found[0]
        if found[1] > end:
            # It reaches into the next line: what counts is whether the line matches alone.
            alone = pattern.search(data[start:end], 0)
            if not alone:
                continue
            match = start + alone[0]
        number += data.count(b"\n", counted, start)
        counted = start
        yield Line(number, start, end, match)


def with_context(data: bytes, lines: list[Line], context: int) -> Iterator[Line]:
    """Yield the lines and up to `context` lines before and after each, none of them twice."""
    done = 0
    for index, line in enumerate(lines):
        yield from _before(data, line, min(context, line.number - done - 1))
        yield line
        following = lines[index + 1].number if index + 1 < len(lines) else line.number + context + 1
        done = line.number
        for after in _after(data, line, min(context, following - line.number - 1)):
            yield after
            done = after.number


def _before(data: bytes, line: Line, count: int) -> list[Line]:
    found: list[Line] = []
    start, number = line.start, line.number
    for _ in range(count):
        end = start - 1
        start, number = data.rfind(b"\n", 0, end) + 1, number - 1
        found.insert(0, Line(number, start, end, None))
    return found


def _after(data: bytes, line: Line, count: int) -> Iterator[Line]:
    end, number = line.end, line.number
    for _ in range(count):
        start, number = end + 1, number + 1
        if start >= len(data):
            return
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        yield Line(number, start, end, None)
