"""Where the old texts of an edit are in a file, and what the file becomes.

It works on bytes: what is not matched is neither touched nor decoded, and need not be text.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from pydantic import AliasChoices, Field

from ...arguments import ToolArguments
from ..errors import SandboxError
from ..files import encode_text
from .mismatch import explain_mismatch
from .wording import on_lines

MAX_COUNTED = 1_000
MAX_NAMED = 11


class EditError(SandboxError):
    """An edit that cannot be made; its first line says why, the others show the place."""


class Replacement(ToolArguments):
    """One replacement of text."""

    old_text: str = Field(
        validation_alias=AliasChoices("old_text", "oldText", "old_string", "oldString", "old"),
        description="Text to replace, exactly as in the file; must occur once unless replace_all.",
    )
    new_text: str = Field(
        validation_alias=AliasChoices("new_text", "newText", "new_string", "newString", "new"),
        description="Text to put there.",
    )
    replace_all: bool = Field(default=False, description="Replace every occurrence.")


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of a file's bytes and what takes its place."""

    start: int
    end: int
    text: bytes
    edit: int
    """Which edit it belongs to, counted from 1."""


def plan_edits(data: bytes, edits: Sequence[Replacement]) -> list[Span]:
    """Return the spans to replace, in order; every old text is matched against `data` as it is.

    Raises EditError when any edit cannot be made.
    """
    spans: list[Span] = []
    for number, edit in enumerate(edits, 1):
        try:
            spans.extend(_plan(data, edit, number))
        except EditError as error:
            which = f"edit {number} of {len(edits)}: " if len(edits) > 1 else ""
            raise EditError(f"{which}{error}") from None
    spans.sort(key=lambda span: span.start)
    for before, after in pairwise(spans):
        if after.start < before.end:
            line = line_number(data, after.start)
            raise EditError(
                f"edits {before.edit} and {after.edit} overlap on line {line}; make them one edit"
            )
    return spans


def apply_spans(data: bytes, spans: Sequence[Span]) -> bytes:
    """Return `data` with the spans replaced."""
    pieces: list[bytes] = []
    position = 0
    for span in spans:
        pieces += (data[position : span.start], span.text)
        position = span.end
    return b"".join((*pieces, data[position:]))


def line_number(data: bytes, position: int) -> int:
    """Return the line that a byte is on, counted from 1."""
    return data.count(b"\n", 0, position) + 1


def _plan(data: bytes, edit: Replacement, number: int) -> list[Span]:
    # A BOM belongs to the file, not to its text.
    old, new = edit.old_text.removeprefix("\ufeff"), edit.new_text.removeprefix("\ufeff")
    if not old:
        raise EditError("old_text is empty; give the text to replace, or use write for a whole file")
    if old == new:
        raise EditError("old_text and new_text are the same, so nothing would change")
    if _lf(old) == _lf(new):
        raise EditError(
            "old_text and new_text differ in line endings only, which edit keeps as the file has them"
        )
    places = _find(data, encode_text(old, "old_text"), edit.replace_all)
    if not places:
        raise EditError(explain_mismatch(data, old))
    if len(places) > 1 and not edit.replace_all:
        many = f"{len(places)} times" if len(places) <= MAX_COUNTED else f"more than {MAX_COUNTED} times"
        lines = on_lines(line_number(data, start) for start, _ in places[:MAX_NAMED])
        raise EditError(
            f"old_text occurs {many}, on {lines}; add lines around it until it is unique, or set replace_all"
        )
    text = encode_text(new, "new_text")
    return [Span(start, end, _with_endings(text, data, start, end), number) for start, end in places]


def _find(data: bytes, old: bytes, every: bool) -> list[tuple[int, int]]:
    """Return where `old` is: as it is or, if it has line breaks, with those that the file has."""
    exact = [(start, start + len(old)) for start in _occurrences(data, old, every)]
    if b"\n" not in old or (b"\r\n" not in data and b"\r\n" not in old):
        return exact
    # A match that begins with the LF of a CRLF would leave the CR behind.
    if exact and not every and not old.startswith(b"\n"):
        return exact
    text, wanted = _lf_bytes(data), _lf_bytes(old)
    starts = _occurrences(text, wanted, every)
    if not starts:
        return []
    lines = _line_starts(text)
    real = _line_starts(data)

    def place(position: int) -> int:
        line = bisect_right(lines, position) - 1
        return real[line] + position - lines[line]

    return [(place(start), place(start + len(wanted))) for start in starts]


def _occurrences(data: bytes, wanted: bytes, every: bool) -> list[int]:
    """Return all occurrences to replace, or else enough to tell whether there is more than one.

    Those that overlap count as more than one, but only one of them can be replaced.
    """
    found: list[int] = []
    position = data.find(wanted)
    while position >= 0 and (every or len(found) <= MAX_COUNTED):
        found.append(position)
        position = data.find(wanted, position + (len(wanted) if every else 1))
    return found


def _line_starts(data: bytes) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in data.split(b"\n"))]


def _with_endings(text: bytes, data: bytes, start: int, end: int) -> bytes:
    """Return a replacement with the line endings of what it replaces, or of the nearest line."""
    lines = _lf_bytes(text).split(b"\n")
    if len(lines) == 1:
        return text
    own = data[start:end].split(b"\n")[:-1]
    endings = [b"\r\n" if line.endswith(b"\r") else b"\n" for line in own]
    if not endings:
        nearest = data.find(b"\n", end)
        if nearest < 0:
            nearest = data.rfind(b"\n", 0, start)
        if nearest < 0:
            return text
        endings = [b"\r\n" if data.endswith(b"\r", 0, nearest) else b"\n"]
    endings += endings[-1:] * (len(lines) - 1 - len(endings))
    return b"".join(line + ending for line, ending in zip(lines[:-1], endings, strict=False)) + lines[-1]


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def _lf_bytes(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")
