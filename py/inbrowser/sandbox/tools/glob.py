"""File name patterns: `*`, `?`, `[...]`, `{a,b}` and, between slashes, `**` for any number of directories."""

import fnmatch
import re
from collections.abc import Callable

from ..errors import SandboxError

MAX_ALTERNATIVES = 100

Part = Callable[[str], object] | None
"""Matches one name; None stands for `**`."""


def compile_glob(pattern: str) -> Callable[[str], bool]:
    """Return a test for paths. A pattern without a slash is matched against the name alone.

    Raises SandboxError for a pattern with too many alternatives.
    """
    matchers = [_compile(alternative) for alternative in _alternatives(pattern)]
    if len(matchers) == 1:
        return matchers[0]
    return lambda path: any(matches(path) for matches in matchers)


def literal_start(pattern: str) -> str:
    """Return the directories that a pattern with slashes names before its first wildcard, `.` if none."""
    parts = pattern.split("/")[:-1]
    for index, part in enumerate(parts):
        if re.search(r"[*?\[{]", part):
            parts = parts[:index]
            break
    return "/".join(parts) or "."


def _compile(pattern: str) -> Callable[[str], bool]:
    pattern = pattern.removeprefix("./").rstrip("/")
    if "/" not in pattern and pattern != "**":
        name = _part(pattern)
        return lambda path: bool(name(path.rpartition("/")[2]))
    parts: list[Part] = [None if part == "**" else _part(part) for part in pattern.lstrip("/").split("/")]
    return lambda path: _matches(parts, path.split("/"))


def _part(pattern: str) -> Callable[[str], object]:
    # fnmatch writes its expressions so that they never go back: no pattern takes long.
    return re.compile(fnmatch.translate(pattern)).match


def _matches(parts: list[Part], names: list[str]) -> bool:
    """Match names one by one, keeping every place in the pattern that fits so far."""
    places = _skip(parts, {0})
    for name in names:
        reached: set[int] = set()
        for place in places:
            if place < len(parts):
                part = parts[place]
                if part is None:
                    reached.add(place)
                elif part(name):
                    reached.add(place + 1)
        places = _skip(parts, reached)
    return len(parts) in places


def _skip(parts: list[Part], places: set[int]) -> set[int]:
    """Add the places after each `**`, which may stand for nothing."""
    for place in sorted(places):
        while place < len(parts) and parts[place] is None:
            place += 1
            places.add(place)
    return places


def _alternatives(pattern: str) -> list[str]:
    """Return what `{a,b}` stands for, written out."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        current = waiting.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", current)
        if not braces:
            done.append(current)
            continue
        before, after = current[: braces.start()], current[braces.end() :]
        waiting.extend(before + choice + after for choice in braces[1].split(","))
        if len(waiting) + len(done) > MAX_ALTERNATIVES:
            raise SandboxError(
                f"the pattern stands for more than {MAX_ALTERNATIVES} alternatives; use fewer braces"
            )
    return done
