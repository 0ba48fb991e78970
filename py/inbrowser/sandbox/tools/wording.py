"""How tools put things: paths that can be copied, and numbers with their nouns."""

import json
from collections.abc import Iterable


def show(path: str) -> str:
    """Return a path as it is, or in quotes with escapes when it would not fit on one line of text."""
    return path if path.isprintable() else json.dumps(path, ensure_ascii=False)


def plural(count: int, noun: str) -> str:
    """Return a number with its noun: `1 file`, `2,000 files`, `3 entries`, `2 matches`."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{count:,} {noun[:-1]}ies"
    return f"{count:,} {noun}{'es' if noun.endswith('ch') else 's'}"


def on_lines(numbers: Iterable[int], limit: int = 10) -> str:
    """Return `line 3` or `lines 1, 3`, at most `limit` numbers of them."""
    unique = list(dict.fromkeys(numbers))
    named = ", ".join(map(str, unique[:limit]))
    return f"line{'s' if len(unique) > 1 else ''} {named}{', ...' if len(unique) > limit else ''}"


def on_own_line(text: str, note: str) -> str:
    """Return `text` with a note in brackets on a line of its own after it."""
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}[{note}]"
