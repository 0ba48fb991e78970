"""Anthropic's Messages: how to read the answer.

Blocks that are neither text nor a call of ours (thinking with its signature, redacted thinking, tools of the
provider's own, kinds yet unknown) are kept as they came, at their place, to be sent back.
"""

import json
from typing import Any

from pydantic import JsonValue

from ..calls import CallDraft
from ..contract import ModelRequest, Stop, Text, Thinking, UsageEvent
from ..reader import ReplyReader
from ..values import as_number, as_object, as_objects, as_text, object_of

_STOPS: dict[str, Stop] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "pause",
    "refusal": "refusal",
}


class AnthropicReader(ReplyReader):
    """Reads one answer, event by event."""

    def __init__(self, url: str, provider: str, request: ModelRequest) -> None:
        super().__init__(url, provider, request)
        self._drafts: dict[object, CallDraft] = {}
        """Calls under way, by the number of their block."""
        self._kept: dict[object, dict[str, JsonValue]] = {}
        """Other blocks under way."""
        self._usage: dict[str, Any] = {}

    def plain_text(self, value: Any) -> str | None:
        """Return the text of a delta."""
        try:
            delta = value["delta"] if value["type"] == "content_block_delta" else None
            text = delta["text"] if delta and delta["type"] == "text_delta" else None
        except (KeyError, TypeError):
            return None
        return text if isinstance(text, str) else None

    def take(self, value: dict[str, Any]) -> None:
        """Take an event; those of unknown kinds change nothing."""
        index = value.get("index")
        match value.get("type"):
            case "message_start":
                message = as_object(value.get("message"))
                self.start(as_text(message.get("model")))
                self._take_usage(message)
                self.tell_usage(_usage(self._usage))
            case "content_block_start":
                self._begin(index, as_object(value.get("content_block")))
            case "content_block_delta":
                self._go_on(index, as_object(value.get("delta")))
            case "content_block_stop":
                self._end(index)
            case "message_delta":
                self.reason = as_text(as_object(value.get("delta")).get("stop_reason")) or self.reason
                self._take_usage(value)
            case "message_stop":
                self.reason = self.reason or "end_turn"
                self.ended = True
            case _ if value.get("error"):
                self.fail(value)
            case _:
                pass

    def take_whole(self, value: object) -> None:
        """Take a message object."""
        message = as_object(value)
        if message.get("error"):
            self.fail(message)
            return
        self.start(as_text(message.get("model")))
        for index, block in enumerate(as_objects(message.get("content"))):
            self._begin(index, block)
            self._end(index)
        self.reason = as_text(message.get("stop_reason")) or "end_turn"
        self._take_usage(message)

    def finish(self) -> Stop:
        """Tell the usage, and the ends of calls whose end was not told."""
        for index in list(self._drafts):
            self._end(index)
        self.tell_usage(_usage(self._usage))
        return _STOPS.get(self.reason, "tool_use" if self.calls.all else "end")

    def _begin(self, index: object, block: dict[str, Any]) -> None:
        match block.get("type"):
            case "text":
                self.say(Text, as_text(block.get("text")))
            case "tool_use":
                call = self.begin_call(as_text(block.get("id")), as_text(block.get("name")))
                self._drafts[index] = call
                if given := as_object(block.get("input")):
                    self.say_arguments(call, json.dumps(given))
            case _:
                self.say(Thinking, as_text(block.get("thinking")))
                self._kept[index] = dict(block)

    def _go_on(self, index: object, delta: dict[str, Any]) -> None:
        kept = self._kept.get(index, {})
        match delta.get("type"):
            case "text_delta":
                self.say(Text, as_text(delta.get("text")))
            case "thinking_delta":
                piece = as_text(delta.get("thinking"))
                kept["thinking"] = as_text(kept.get("thinking")) + piece
                self.say(Thinking, piece)
            case "signature_delta":
                kept["signature"] = as_text(delta.get("signature"))
            case "input_json_delta" if index in self._drafts:
                self.say_arguments(self._drafts[index], as_text(delta.get("partial_json")))
            case "input_json_delta":
                kept["input"] = _text_of(kept.get("input")) + as_text(delta.get("partial_json"))
            case _:
                pass

    def _end(self, index: object) -> None:
        if call := self._drafts.pop(index, None):
            self.end_call(call)
        elif block := self._kept.pop(index, None):
            if isinstance(block.get("input"), str):
                block["input"] = object_of(as_text(block["input"])) or {}
            self.keep(block)

    def _take_usage(self, holder: dict[str, Any]) -> None:
        """Take the last value of each count: they are totals."""
        counts = as_object(holder.get("usage"))
        self._usage |= {name: count for name, count in counts.items() if count is not None}


def _text_of(value: object) -> str:
    """Return what came of an input before this piece: a block begins with an empty object for one."""
    return value if isinstance(value, str) else ""


def _usage(counts: dict[str, Any]) -> UsageEvent:
    fresh = as_number(counts.get("input_tokens"))
    cached = as_number(counts.get("cache_read_input_tokens"))
    written = as_number(counts.get("cache_creation_input_tokens"))
    details = as_object(counts.get("output_tokens_details"))
    return UsageEvent(
        input_tokens=None if fresh is None else fresh + (cached or 0) + (written or 0),
        output_tokens=as_number(counts.get("output_tokens")),
        cached_tokens=cached,
        cache_write_tokens=written,
        reasoning_tokens=as_number(details.get("thinking_tokens")),
    )
