"""Reasoning beside the text of a reply: shown as it comes, sent back as it came."""

from typing import Any, cast

from pydantic import JsonValue

from ..values import as_objects, as_text, mended


class Reasoning:
    """What a reasoning model said besides its text; the next request must carry it in the same fields."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {"reasoning_content": [], "reasoning": []}
        self._details: list[dict[str, Any]] = []

    def take(self, delta: dict[str, Any]) -> str:
        """Take the next delta and return what of it can be shown."""
        shown = ""
        for name, pieces in self._texts.items():
            if piece := as_text(delta.get(name)):
                pieces.append(piece)
                shown = shown or piece
        for detail in as_objects(delta.get("reasoning_details")):
            self._take_detail(detail)
        return shown

    def fields(self) -> dict[str, JsonValue]:
        """Return the fields to send back, none when there was no reasoning."""
        texts = {name: mended("".join(pieces)) for name, pieces in self._texts.items()}
        fields: dict[str, JsonValue] = {name: text for name, text in texts.items() if text}
        if self._details:
            fields.pop("reasoning", None)  # the details hold it, with its signature
            fields["reasoning_details"] = cast("JsonValue", self._details)
        return fields

    def _take_detail(self, detail: dict[str, Any]) -> None:
        """Add to the detail with the same type and index, or begin one."""
        same = (one for one in self._details if "index" in one and _key(one) == _key(detail))
        known = next(same, None)
        if known is None:
            self._details.append(dict(detail))
            return
        for name, value in detail.items():
            if name in ("text", "summary", "data"):
                known[name] = as_text(known.get(name)) + as_text(value)
            elif value not in (None, ""):
                known[name] = value


def _key(detail: dict[str, Any]) -> tuple[object, object]:
    return detail.get("type"), detail.get("index")
