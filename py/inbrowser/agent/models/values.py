"""Values out of foreign JSON, where any field may be missing or of another type than promised."""

import re
from typing import Any

from ... import safejson

_HALF = re.compile("[\ud800-\udfff]")


def as_object(value: Any) -> dict[str, Any]:
    """Return an object as it is, an empty one for anything else."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def as_text(value: object) -> str:
    """Return text as it is and a number as digits, nothing for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def as_objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list, none for anything else."""
    items = value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]
    return [item for item in items if isinstance(item, dict)]  # pyright: ignore[reportUnknownVariableType]


def as_number(value: object) -> int | None:
    """Return a count, None for anything else."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def object_of(text: str) -> dict[str, Any] | None:
    """Return the JSON object that `text` is, None if it is none or is nested too deeply to be parsed."""
    try:
        value = safejson.loads(text)
    except safejson.JsonError:
        return None
    return value if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType]


def ends_in_half(text: str) -> bool:
    """Whether the last character is the first half of one whose second half is in the next delta."""
    return bool(text) and "\ud800" <= text[-1] <= "\udbff"


def mended(text: str) -> str:
    """Put together characters that came as two halves; a half that stays alone becomes U+FFFD."""
    if text.isascii() or not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
