"""JSON from outside, checked for depth before it is parsed.

A few kilobytes of nested brackets overflow the C stack of an interpreter in WebAssembly. That ends the
interpreter rather than raising RecursionError, so foreign text never reaches `json.loads` unchecked.
"""

import json
import re
from typing import Any

from .errors import InBrowserError

MAX_DEPTH = 200

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_NOT_BRACKET = re.compile(r"[^\[\]{}]+")


class JsonError(InBrowserError):
    """Text that is not JSON, or is nested more deeply than `MAX_DEPTH`."""


def loads(text: str, *, what: str = "JSON") -> Any:
    """Parse `text`, refusing what is nested more than `MAX_DEPTH` levels deep.

    `what` names the text in messages. Raises JsonError with the position of the fault.
    """
    if nesting(text) > MAX_DEPTH:
        raise JsonError(f"{what} is nested more than {MAX_DEPTH} levels deep; send a flatter value")
    try:
        return json.loads(text)
    except ValueError as error:
        raise JsonError(f"{what} is not valid JSON: {error}") from None


def nesting(text: str) -> int:
    """Return how deeply the arrays and objects of `text` are nested, or a lower bound known to be safe."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for bracket in _NOT_BRACKET.sub("", _STRING.sub("", text)):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest
