"""JSON from outside, checked for depth before it is parsed, and values of a host's before they are written.

A few kilobytes of nested brackets overflow the C stack of an interpreter in WebAssembly. That ends the
interpreter rather than raising RecursionError, so foreign text never reaches `json.loads` unchecked, nor a
value that somebody else made `json.dumps`, `repr` or `==`.
"""

import json
from collections.abc import Iterable
from itertools import accumulate
from typing import Any, cast

from .errors import InBrowserError

MAX_DEPTH = 200

_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
"""What each bracket adds to the depth, as a signed byte."""
_HOLDERS: tuple[type, ...] = (dict, list, tuple, set, frozenset)


class JsonError(InBrowserError):
    """Text that is not JSON, or what is nested more deeply than `MAX_DEPTH`."""


def loads(text: str | bytes, *, what: str = "JSON") -> Any:
    """Parse `text`, refusing what is nested more than `MAX_DEPTH` levels deep; bytes are UTF-8.

    `what` names the text in messages. Raises JsonError with the position of the fault.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError as error:
            raise JsonError(f"{what} is not valid JSON: byte {error.start} is not UTF-8") from None
    if (depth := nesting(text)) > MAX_DEPTH:
        raise JsonError(
            f"{what} is nested more than {MAX_DEPTH} levels deep ({depth:,}); send a flatter value"
        )
    try:
        return json.loads(text)
    except ValueError as error:
        raise JsonError(f"{what} is not valid JSON: {error}") from None


def dumps(value: object, *, what: str = "the value") -> str:
    """Return `value` as JSON, refusing what is nested more than `MAX_DEPTH` levels deep, or in itself.

    Raises JsonError for that, and TypeError or ValueError for what JSON has no form for.
    """
    check(value, what=what)
    return json.dumps(value, ensure_ascii=False)


def nesting(text: str) -> int:
    """Return how deeply `text` nests arrays and objects, or 0 if it has too few to exceed `MAX_DEPTH`.

    Of what is no JSON it is the depth that a parser may reach before it meets the first fault, or more.
    """
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    data = text.encode(errors="surrogatepass")
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    # Every second piece is inside of a string.
    outside = b"".join(data.split(b'"')[::2])
    steps = memoryview(outside.translate(_STEPS, _NO_BRACKETS)).cast("b")
    return max(accumulate(steps), default=0)


def check(value: object, *, what: str = "the value") -> None:
    """Raise JsonError if `value` is more than `MAX_DEPTH` levels of dicts, lists, tuples and sets deep.

    Something that holds itself is.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        # What several hold is looked into once a level: there may be more ways to it than can be walked.
        holders = {id(each): each for each in level if isinstance(each, _HOLDERS)}
        if not holders:
            return
        level = [item for each in holders.values() for item in _items(each)]
    raise JsonError(f"{what} is nested more than {MAX_DEPTH} levels deep; make it flatter")


def _items(holder: object) -> Iterable[object]:
    values = cast("dict[object, object]", holder).values() if isinstance(holder, dict) else holder
    return cast("Iterable[object]", values)
