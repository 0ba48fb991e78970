"""A unified diff of what an edit did, made from the edited places alone."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .limits import DIFF_LINES, clip
from .matching import Span, apply_spans
from .wording import plural, show

CONTEXT = 3

COMPARED_LINES = 400
"""A longer stretch is told as all its old lines and then all its new ones."""


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff, shortened to `DIFF_LINES` lines, and how many lines came and went in all."""

    text: str
    added: int
    removed: int


def unified_diff(path: str, data: bytes, spans: Sequence[Span]) -> Diff:
    """Return the diff that replacing `spans`, in order, makes of `data`."""
    lines = [f"--- a/{show(path)}", f"+++ b/{show(path)}"]
    added = removed = counted = 0
    line = 1
    for start, end, inner in _regions(data, spans):
        line += data.count(b"\n", counted, start)
        counted = start
        old = data[start:end]
        new = apply_spans(old, [Span(s.start - start, s.end - start, s.text, s.edit) for s in inner])
        for hunk in _hunks(_split(old), _split(new), line, line + added - removed):
            lines += hunk
            added += sum(each.startswith("+") for each in hunk)
            removed += sum(each.startswith("-") for each in hunk)
    if len(lines) > DIFF_LINES:
        left_out = len(lines) - DIFF_LINES
        lines[DIFF_LINES:] = [f"[... {plural(left_out, 'line')} of the diff left out ...]"]
    return Diff("\n".join(lines), added, removed)


def _regions(data: bytes, spans: Sequence[Span]) -> Iterator[tuple[int, int, list[Span]]]:
    """Yield stretches of whole lines around spans with the spans in them; near ones share a stretch."""
    start = end = -1
    inner: list[Span] = []
    for span in spans:
        first = _lines_back(data, span.start)
        if inner and first > end:
            yield start, end, inner
            inner = []
        if not inner:
            start = first
        end = _lines_on(data, span.end)
        inner.append(span)
    if inner:
        yield start, end, inner


def _lines_back(data: bytes, position: int) -> int:
    for _ in range(CONTEXT + 1):
        position = data.rfind(b"\n", 0, max(position, 0))
        if position < 0:
            return 0
    return position + 1


def _lines_on(data: bytes, position: int) -> int:
    for _ in range(CONTEXT + 1):
        found = data.find(b"\n", position)
        if found < 0:
            return len(data)
        position = found + 1
    return position


def _split(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _hunks(old: list[bytes], new: list[bytes], old_line: int, new_line: int) -> Iterator[list[str]]:
    """Yield hunks; the numbers are those of the first lines given."""
    if max(len(old), len(new)) <= COMPARED_LINES:
        groups = difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT)
    else:
        groups = [[("replace", 0, len(old), 0, len(new))]]
    for group in groups:
        _, old_from, _, new_from, _ = group[0]
        _, _, old_to, _, new_to = group[-1]
        old_range = _range(old_line + old_from, old_to - old_from)
        new_range = _range(new_line + new_from, new_to - new_from)
        hunk = [f"@@ -{old_range} +{new_range} @@"]
        for kind, a, b, c, d in group:
            if kind == "equal":
                hunk += [_shown(" ", each) for each in old[a:b]]
            else:
                hunk += [_shown("-", each) for each in old[a:b]]
                hunk += [_shown("+", each) for each in new[c:d]]
        yield hunk


def _range(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first if count else first - 1},{count}"


def _shown(sign: str, line: bytes) -> str:
    text = line.removesuffix(b"\n").removesuffix(b"\r").decode(errors="replace")
    end = "" if line.endswith(b"\n") else "\n\\ No newline at end of file"
    return f"{sign}{clip(text)}{end}"
