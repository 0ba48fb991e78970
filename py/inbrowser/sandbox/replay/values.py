"""Values in a log: JSON, and a tag for what JSON cannot hold.

A tagged value is an object with one key that begins with a single `$`:

| value | in the log |
|---|---|
| bytes | `{"$bytes": "<base64>"}` |
| date, datetime | `{"$date": "2026-12-02"}`, `{"$datetime": "2026-12-02T09:00:00+00:00"}` |
| NaN, the infinities | `{"$float": "nan"}`, `"inf"`, `"-inf"` |
| tuple, set, frozenset | `{"$tuple": [...]}`, `{"$set": [...]}`, `{"$frozenset": [...]}` |
| a dictionary with keys that are not text | `{"$map": [[key, value], ...]}` |
| anything else, or nested too deeply | `{"$lost": "<what it was>"}`, which reads back as `Lost` |

Keys of ordinary dictionaries that begin with `$` get another one in front, so that none is taken for a tag.
"""

import base64
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, cast

MAX_DEPTH = 190
"""Levels of brackets that a line may have; JSON that is read may have 200."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Stands for a value that a log could not hold."""

    what: str


def encode(value: object) -> Any:
    """Return a value as JSON can hold it."""
    return _encode(value, (), 0)


def decode(value: Any) -> Any:
    """Return what was encoded. Raises ValueError for a tag that is unknown or does not fit its content."""
    if isinstance(value, list):
        return [decode(entry) for entry in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    plain = cast("dict[str, Any]", value)
    if len(plain) == 1:
        [(key, content)] = plain.items()
        if key.startswith("$") and not key.startswith("$$"):
            return _untag(key, content)
    return {key[1:] if key.startswith("$$") else key: decode(entry) for key, entry in plain.items()}


def _encode(value: object, outer: tuple[int, ...], depth: int) -> Any:
    match value:
        case None | bool() | str():
            return value
        case int():
            # Longer ones Python refuses to write and to read.
            return value if value.bit_length() < 10_000 else {"$lost": "a very long int"}
        case float():
            return value if math.isfinite(value) else {"$float": repr(float(value))}
        case bytes() | bytearray():
            return {"$bytes": base64.b64encode(value).decode()}
        case datetime():
            return {"$datetime": value.isoformat()}
        case date():
            return {"$date": value.isoformat()}
        case dict() | list() | tuple() | set() | frozenset():
            return _container(cast("Any", value), outer, depth)
        case _:
            return {"$lost": type(value).__name__}


def _container(value: Any, outer: tuple[int, ...], depth: int) -> Any:
    tag, levels = _shape(value)
    if depth + levels > MAX_DEPTH or id(value) in outer:
        return {"$lost": f"a {type(value).__name__} nested too deeply"}

    def each(entries: Iterable[Any]) -> list[Any]:
        return [_encode(entry, (*outer, id(value)), depth + levels) for entry in entries]

    match tag:
        case "":
            return each(value)
        case "$tuple":
            return {tag: each(value)}
        case "$set" | "$frozenset":
            return {tag: sorted(each(value), key=repr)}
        case "$map":
            return {tag: [each(pair) for pair in value.items()]}
        case _:
            keys = (f"${key}" if key.startswith("$") else key for key in value)
            return dict(zip(keys, each(value.values()), strict=True))


def _shape(value: Any) -> tuple[str, int]:
    """Return the tag of a container and how many levels of brackets it takes."""
    match value:
        case list():
            return "", 1
        case tuple():
            return "$tuple", 2
        case set():
            return "$set", 2
        case frozenset():
            return "$frozenset", 2
        case _:
            return ("{}", 1) if all(isinstance(key, str) for key in value) else ("$map", 3)


_TAGS: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "$bytes": (str, lambda text: base64.b64decode(text, validate=True)),
    "$date": (str, date.fromisoformat),
    "$datetime": (str, datetime.fromisoformat),
    "$float": (str, float),
    "$tuple": (list, lambda entries: tuple(map(decode, entries))),
    "$set": (list, lambda entries: set(map(decode, entries))),
    "$frozenset": (list, lambda entries: frozenset(map(decode, entries))),
    "$map": (list, lambda pairs: {decode(key): decode(entry) for key, entry in pairs}),
    "$lost": (str, Lost),
}


def _untag(tag: str, content: Any) -> Any:
    kind, make = _TAGS.get(tag, (None, None))
    if kind is None or make is None:
        raise ValueError(f"{tag} is no tag of a value; the tags are {', '.join(_TAGS)}")
    if not isinstance(content, kind):
        raise ValueError(f"{tag} holds a {type(content).__name__}, not a {kind.__name__}")
    try:
        return make(content)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{tag} holds no such value: {error}") from None
