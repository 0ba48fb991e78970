"""Why a text was not found in a file: the place most like it, and what is different there."""

import difflib
import heapq
import re
import unicodedata
from collections import Counter
from collections.abc import Callable

from .binary import BOM
from .limits import clip
from .wording import on_lines, plural

WINDOW = 1_000_000
"""Bytes of a file that are looked through."""

SIMILAR_LINES = 3_000
"""Lines that are compared by similarity when none is the same."""

CANDIDATES = 10
COMPARED = 200
"""Lines that are compared in full, and characters of them."""

SHOWN_LINES = 12

_QUOTES = "'\"`\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2032\u2033\uff02\uff07"
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d"
_BLANKS = " \u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

_NUMBERED = re.compile(r"[ \t]*\d+(?:[ \t]*[|│→][ \t]?|\t|:[ \t]?)(.*)")


def explain_mismatch(data: bytes, wanted: str) -> str:
    """Say what differs between `wanted` and the nearest text in `data`; only the first line is the reason."""
    if not data:
        return "old_text was not found: the file is empty; use write to fill it"
    text = data[:WINDOW].removeprefix(BOM).decode(errors="replace").replace("\r\n", "\n")
    wanted = wanted.replace("\r\n", "\n")
    if pasted := _pasted_wrongly(text, wanted):
        return f"old_text was not found: {pasted}"
    wanted = wanted.strip("\n") or wanted
    keys, want = _keys(text), _keys(wanted)
    # A substring: the first and the last wanted lines may be parts of lines.
    position = keys.find(want) if want.strip() else -1
    at = _similar(keys.split("\n"), want.split("\n")) if position < 0 else keys.count("\n", 0, position)
    if at is not None:
        return _describe(text.split("\n"), wanted.split("\n"), at)
    where = " in the file's first megabyte" if len(data) > WINDOW else ""
    return f"old_text was not found, nor anything like it{where}; read the file again"


def _pasted_wrongly(text: str, wanted: str) -> str | None:
    lines = [line for line in wanted.split("\n") if line.strip()]
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if lines and all(numbered) and "\n".join(match[1] for match in numbered if match).strip() in text:
        return "line numbers were pasted along; leave out the numbers and what follows them"
    unescaped = wanted.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    if unescaped != wanted and unescaped in text:
        return (
            "its line breaks, tabs or quotes are escaped once too often (a backslash where the file has none)"
        )
    return None


Step = Callable[[str], str]

_BLANK_TABLE = str.maketrans(dict.fromkeys(_BLANKS, " "))
_QUOTE_TABLE = str.maketrans(dict.fromkeys(_QUOTES, '"'))
_DASH_TABLE = str.maketrans(dict.fromkeys(_DASHES, "-"))

_NOT_BLANK = re.compile(f"[^{_BLANKS}]+")


def _compatible(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


_DETAILS: dict[str, Step] = {
    "special blanks differ": lambda line: line.translate(_BLANK_TABLE),
    "indentation differs": str.lstrip,
    "blanks at the end differ": str.rstrip,
    "blanks inside differ": lambda line: re.sub(r"(?<=\S)[ \t]+(?=\S)", "", line),
    "quotes differ": lambda line: line.translate(_QUOTE_TABLE),
    "dashes differ": lambda line: line.translate(_DASH_TABLE),
    "letter case differs": str.casefold,
    "forms of characters differ": lambda line: _NOT_BLANK.sub(_compatible, line),
}
"""What may differ in lines that mean the same, and what takes each difference away."""


def _keys(text: str) -> str:
    """Return a text with every such difference taken away; of all lines at once, as that is faster."""
    text = unicodedata.normalize("NFKC", text.translate(_QUOTE_TABLE).translate(_DASH_TABLE)).casefold()
    return re.sub(r"[^\S\n]+", "", text)


def _fits(line: str, wanted: str, index: int, last: int) -> bool:
    """Compare one of the wanted lines: the first and the last may be parts of lines."""
    if index == last == 0:
        return wanted in line
    if index == 0:
        return line.endswith(wanted)
    return line.startswith(wanted) if index == last else line == wanted


def _similar(keys: list[str], want: list[str]) -> int | None:
    """Return where most of the wanted lines are the same or, failing that, where one is similar."""
    places: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        places.setdefault(key, []).append(at)
    votes = Counter[int]()
    for index, line in enumerate(want):
        if len(line) > 3:
            for at in places.get(line, [])[:100]:
                votes[max(at - index, 0)] += len(line)
    if votes:
        return votes.most_common(1)[0][0]
    longest = max(range(len(want)), key=lambda index: len(want[index]))
    near = _most_similar(want[longest], keys)
    return None if near is None else max(near - longest, 0)


def _most_similar(line: str, lines: list[str]) -> int | None:
    line, others = line[:COMPARED], [other[:COMPARED] for other in lines[:SIMILAR_LINES]]
    parts = _trigrams(line)
    shared = [(len(parts & _trigrams(other)), at) for at, other in enumerate(others)]
    # Comparing in full is slow, so only the most promising lines are.
    best = [at for score, at in heapq.nlargest(CANDIDATES, shared) if score]
    near = difflib.get_close_matches(line, [others[at] for at in best], n=1)
    return others.index(near[0]) if near else None


def _trigrams(text: str) -> set[tuple[str, str, str]]:
    return set(zip(text, text[1:], text[2:], strict=False))


def _describe(have: list[str], want: list[str], at: int) -> str:
    """Say where the nearest text is and what differs, and show both with their blanks visible."""
    near = have[at : at + len(want)]
    last = len(want) - 1
    details: dict[str, list[int]] = {}
    different: list[int] = []
    for index, (line, wanted) in enumerate(zip(near, want, strict=False)):
        if not _fits(line, wanted, index, last):
            different.append(index)
            for name in _differing(line, wanted, index, last):
                details.setdefault(name, []).append(at + index + 1)
    place = f"line {at + 1}" if len(near) == 1 else f"lines {at + 1}-{at + len(near)}"
    reason = f"old_text was not found; the nearest text is on {place}"
    if details:
        reason += ": " + ", ".join(f"{name} on {on_lines(lines, 5)}" for name, lines in details.items())
    if special := _special("".join(near), "".join(want)):
        reason += f"; the file has {special}"
    shown = [f"{at + index + 1:>6} | {_visible(line)}" for index, line in enumerate(near[:SHOWN_LINES])]
    theirs = [f"{at + index + 1:>6} | {_visible(want[index])}" for index in different[:SHOWN_LINES]]
    parts = [reason, "the file has (tabs as \\t, blanks at the end of a line as ·):", *shown]
    if len(near) > SHOWN_LINES:
        parts.append(f"       ... {plural(len(near) - SHOWN_LINES, 'more line')}")
    return "\n".join([*parts, "where old_text has:", *theirs] if theirs else parts)


def _differing(line: str, wanted: str, index: int, last: int) -> list[str]:
    """Name what keeps two lines from being the same; nothing when it is more than details."""

    def fits(left_out: str | None) -> bool:
        one, other = line, wanted
        for name, step in _DETAILS.items():
            if name != left_out:
                one, other = step(one), step(other)
        return _fits(one, other, index, last)

    return [name for name in _DETAILS if not fits(name)] if fits(None) else []


def _special(have: str, want: str) -> str:
    """Name the characters that the file has and that are easily taken for others."""
    lookalikes = (set(_QUOTES + _DASHES + _BLANKS) - set(" '\"`-")) & (set(have) - set(want))
    return ", ".join(f"{_visible(each)} (U+{ord(each):04X})" for each in sorted(lookalikes)[:8])


def _visible(line: str) -> str:
    body = line.rstrip(" ")
    shown = body.replace("\t", "\\t") + "·" * (len(line) - len(body))
    return clip("".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in shown[:2000]))
