"""Finding what differs between a recorded result and another one, and saying it."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from ..tools.limits import clip
from .natural import KEYS, Blur
from .pace import Pace
from .report import Divergence
from .states import FileState
from .values import encode

CLIPPED = 2_000
"""Characters of a text in a divergence's data."""

DIFF_LINES = 30
COMPARED_LINES = 300

LONGEST_LINE = 100_000
"""Characters; in a longer line any difference counts."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a divergence is about."""

    call: int | None
    line: int
    name: str


async def compare_outcomes(
    place: Place, expected: dict[str, Any], got: dict[str, Any], blur: Blur
) -> list[Divergence]:
    """Return what differs in the results of a call, one divergence a field."""
    found: list[Divergence] = []
    for field, recorded, present in _differing(expected, got, ""):
        if isinstance(recorded, str) and isinstance(present, str):
            before, after = recorded.split("\n"), present.split("\n")
            if (line := await _first_difference(before, after, blur)) is not None:
                found.append(_of_texts(place, field, before, after, line))
        elif blur.value(encode(recorded)) != blur.value(encode(present)):
            found.append(_of_values(place, field, recorded, present))
    return found


def compare_state(
    place: Place, path: str, expected: FileState | None, got: FileState, blur: Blur
) -> Divergence | None:
    """Return how a path differs from what the log says it is; `expected` is None where it says nothing."""
    if expected and (expected.same(got) or _same_text(expected, got, blur)):
        return None
    texts = [state.text for state in (expected, got) if state and state.text is not None]
    return Divergence(
        call=place.call,
        line=place.line,
        name=place.name,
        field="file",
        path=path,
        expected=f"the log has {_told(expected)}" if expected else "the log tells of no change",
        got=f"here it is {_told(got)}" if expected else f"here it changed, and is {_told(got)}",
        expected_value=_clipped(expected.model_dump(exclude_none=True)) if expected else None,
        got_value=_clipped(got.model_dump(exclude_none=True)),
        diff=_diff(*(text.split("\n") for text in texts)) if len(texts) == 2 else None,
    )


def _same_text(expected: FileState, got: FileState, blur: Blur) -> bool:
    if expected.kind != got.kind or expected.text is None or got.text is None:
        return False
    return blur.content(expected.text) == blur.content(got.text)


def _told(state: FileState) -> str:
    match state.kind:
        case "gone":
            return "no such file"
        case "directory":
            return "a directory"
        case _:
            what = "a file" if state.kind == "file" else "a link"
            if state.digest is None:
                return f"{what} that cannot be read"
            return f"{what} of {state.size} bytes ({state.digest.removeprefix('sha256:')[:8]})"


def _differing(expected: object, got: object, field: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the fields of two results that are not equal; lists are one field."""
    if isinstance(expected, dict) and isinstance(got, dict):
        before, after = cast("dict[str, Any]", expected), cast("dict[str, Any]", got)
        for key in dict.fromkeys([*before, *after]):
            if key not in KEYS:
                name = f"{field}.{key}" if field else key
                yield from _differing(before.get(key), after.get(key), name)
    elif encode(cast("object", expected)) != encode(got):
        yield field or "value", expected, got


def _of_values(place: Place, field: str, expected: object, got: object) -> Divergence:
    return Divergence(
        call=place.call,
        line=place.line,
        name=place.name,
        field=field,
        path=None,
        expected=f"the log has {_shown(expected)}",
        got=f"here it is {_shown(got)}",
        expected_value=_clipped(encode(expected)),
        got_value=_clipped(encode(got)),
        diff=None,
    )


def _of_texts(place: Place, field: str, before: list[str], after: list[str], line: int) -> Divergence:
    """Tell the first line that differs; of texts of one line that line alone."""
    old, new = (_shown(text[line]) if line < len(text) else "no more" for text in (before, after))
    is_long = len(before) + len(after) > 2
    return Divergence(
        call=place.call,
        line=place.line,
        name=place.name,
        field=field,
        path=None,
        expected=f"the log has {old}" + (f" in line {line + 1}" if is_long else ""),
        got=f"here it is {new}",
        expected_value=clip("\n".join(before), CLIPPED),
        got_value=clip("\n".join(after), CLIPPED),
        diff=_diff(before, after) if is_long else None,
    )


async def _first_difference(before: list[str], after: list[str], blur: Blur) -> int | None:
    """Return the index of the first line that differs by more than what differs by itself."""
    pace = Pace()
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        if old != new and (max(len(old), len(new)) > LONGEST_LINE or blur.output(old) != blur.output(new)):
            return index
        await pace.pause()
    return None if len(before) == len(after) else min(len(before), len(after))


def _shown(value: Any) -> str:
    match value:
        case None:
            return "nothing"
        case str():
            return repr(clip(value, 120))
        case bool() | int() | float():
            return str(value)
        case _:
            return clip(repr(value), 120)


def _clipped(value: Any) -> Any:
    if isinstance(value, str):
        return clip(value, CLIPPED)
    if isinstance(value, list):
        entries = cast("list[Any]", value)
        return [_clipped(entry) for entry in entries[:100]]
    if isinstance(value, dict):
        return {key: _clipped(entry) for key, entry in cast("dict[str, Any]", value).items()}
    return value


def _diff(old: list[str], new: list[str]) -> str | None:
    """Return a short unified diff of two texts, without names; None when there is nothing to see."""
    if old[-1:] == new[-1:] == [""]:
        old, new = old[:-1], new[:-1]
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    start = max(0, start - 3)
    region = slice(start, start + COMPARED_LINES)
    hunks = list(difflib.unified_diff(old[region], new[region], "recorded", "here", lineterm="", n=3))[2:]
    lines = [clip(_moved(line, start) if line.startswith("@@") else line, 300) for line in hunks]
    if len(lines) > DIFF_LINES:
        lines[DIFF_LINES:] = [f"[... {len(lines) - DIFF_LINES} more lines ...]"]
    return "\n".join(lines) or None


def _moved(header: str, start: int) -> str:
    """Return the header of a hunk with its line numbers counted from the beginning of the text."""
    _, old, new, _ = header.split(" ")

    def moved(part: str) -> str:
        first, comma, count = part[1:].partition(",")
        return f"{part[0]}{int(first) + start}{comma}{count}"

    return f"@@ {moved(old)} {moved(new)} @@"
