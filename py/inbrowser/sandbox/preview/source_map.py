"""Positions in built JavaScript, told as positions in the author's files."""

import json
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

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
    """A source map, version 3; it is decoded at the first question."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: list[_Line] | None = None

    def locate(self, line: int, column: int) -> SourcePosition | None:
        """Return where built code at `line`, `column` (counted from 1) was written, if anywhere."""
        if self._lines is None:
            self._lines = _decode(json.loads(self._text))
        if not 1 <= line <= len(self._lines):
            return None
        segments = self._lines[line - 1]
        at = bisect_right(segments.columns, column - 1) - 1
        return segments.positions[at] if at >= 0 else None


@dataclass(frozen=True)
class _Line:
    columns: list[int]
    positions: list[SourcePosition | None]


def _decode(source_map: dict[str, Any]) -> list[_Line]:
    sources: list[str] = source_map["sources"]
    mappings: str = source_map["mappings"]
    lines: list[_Line] = []
    source = source_line = source_column = 0
    for text in mappings.split(";"):
        line = _Line([], [])
        column = 0
        for segment in text.split(",") if text else ():
            fields = _numbers(segment)
            column += fields[0]
            position = None
            if len(fields) > 1:
                source += fields[1]
                source_line += fields[2]
                source_column += fields[3]
                position = SourcePosition(sources[source], source_line + 1, source_column + 1)
            line.columns.append(column)
            line.positions.append(position)
        lines.append(line)
    return lines


def _numbers(segment: str) -> list[int]:
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
    return numbers
