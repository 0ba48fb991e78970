"""Positions in built JavaScript, told as positions in the author's files."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

_DIGITS = {
    digit: value
    for value, digit in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
}


@dataclass(frozen=True)
class SourcePosition:
    """A place in a source file; line and column are counted from 1."""

    file: str
    line: int
    column: int


class SourceMap:
    """A source map, version 3, decoded as far as it is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._segments: dict[str, tuple[int, ...]] = {}
        self._starts = [_State(0, 0, 0)]
        """Where each line starts; the next is known once the line before was walked through."""

    def locate(self, line: int, column: int) -> SourcePosition | None:
        """Return where built code at `line`, `column` (counted from 1) was written, if anywhere."""
        sources, lines = self._content
        if not 1 <= line <= len(lines):
            return None
        while len(self._starts) < line:
            self._starts.append(self._end_of(lines[len(self._starts) - 1], self._starts[-1]))
        state, found, at = self._starts[line - 1], None, 0
        for segment in lines[line - 1].split(","):
            if not segment:
                continue
            fields = self._decode(segment)
            at += fields[0]
            if at >= column:
                break
            found = None
            if len(fields) > 1:
                found = state = state.moved(fields)
        return found and SourcePosition(sources[found.source], found.line + 1, found.column + 1)

    @cached_property
    def _content(self) -> tuple[list[str], list[str]]:
        content = json.loads(self._text)
        return content["sources"], content["mappings"].split(";")

    def _end_of(self, line: str, start: "_State") -> "_State":
        source, source_line, column = start
        for segment in line.split(",") if line else ():
            fields = self._decode(segment)
            if len(fields) > 1:
                source += fields[1]
                source_line += fields[2]
                column += fields[3]
        return _State(source, source_line, column)

    def _decode(self, segment: str) -> tuple[int, ...]:
        # Few segments occur only once.
        fields = self._segments.get(segment)
        if fields is None:
            fields = self._segments[segment] = _numbers(segment)
        return fields


class _State(NamedTuple):
    """A place in a source, counted from 0; segments tell places as differences."""

    source: int
    line: int
    column: int

    def moved(self, fields: tuple[int, ...]) -> "_State":
        return _State(self.source + fields[1], self.line + fields[2], self.column + fields[3])


def _numbers(segment: str) -> tuple[int, ...]:
    """Decode base64 variable-length quantities: five bits a digit, the lowest first, then the sign."""
    numbers: list[int] = []
    value = shift = 0
    for character in segment:
        digit = _DIGITS[character]
        value |= (digit & 31) << shift
        if digit & 32:
            shift += 5
        else:
            numbers.append(-(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return tuple(numbers)
