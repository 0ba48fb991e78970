"""OpenAI's Responses: how to read the answer.

What an item holds at its end is taken for true; the pieces before are for display, and some servers leave
them out, or the numbers and ids that tell whose they are.
"""

from typing import Any

from ..calls import CallDraft
from ..contract import ModelRequest, Stop, Text, Thinking, UsageEvent
from ..reader import ReplyReader
from ..values import as_number, as_object, as_objects, as_text

_TEXT = "response.output_text.delta"
_THINKING = ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
_LAST = ("response.completed", "response.incomplete", "response.failed")
_LEFT_OUT = frozenset({"status", "id"})
"""What a message or a reasoning item needs not be sent back with where nothing is stored."""


class ResponsesReader(ReplyReader):
    """Reads one answer, event by event."""

    def __init__(self, url: str, provider: str, request: ModelRequest) -> None:
        super().__init__(url, provider, request)
        self._refused = False
        self._said = 0
        """Characters of text and thinking of the item that is under way."""
        self._open: dict[object, CallDraft] = {}
        """Calls under way, by whatever the server tells them apart with."""
        self._usage = UsageEvent()

    def plain_text(self, value: Any) -> str | None:
        """Return the text of a delta."""
        try:
            text = value["delta"] if value["type"] == _TEXT else None
        except (KeyError, TypeError):
            return None
        if not isinstance(text, str):
            return None
        self._said += len(text)
        return text

    def take(self, value: dict[str, Any]) -> None:
        """Take an event."""
        kind = as_text(value.get("type"))
        delta = as_text(value.get("delta"))
        if kind == "error" or (value.get("error") and not kind):
            self.fail(value)
        elif kind in ("response.created", "response.in_progress"):
            self.start(as_text(as_object(value.get("response")).get("model")))
        elif kind == "response.output_item.added":
            self._begin(value, as_object(value.get("item")))
        elif kind in (_TEXT, "response.refusal.delta"):
            self._refused = self._refused or kind != _TEXT
            self._say(Text, delta)
        elif kind in _THINKING:
            self._say(Thinking, delta)
        elif kind == "response.reasoning_summary_part.added" and self._said:
            self._say(Thinking, "\n\n")
        elif kind == "response.function_call_arguments.delta":
            if call := self._call(value):
                self.say_arguments(call, delta)
        elif kind == "response.output_item.done":
            self._end(value, as_object(value.get("item")))
        elif kind in _LAST:
            self._take_last(as_object(value.get("response")))

    def take_whole(self, value: object) -> None:
        """Take a response object."""
        response = as_object(value)
        if response.get("error") and not response.get("output"):
            self.fail(response)
            return
        self.start(as_text(response.get("model")))
        for item in as_objects(response.get("output")):
            self._begin({}, item)
            self._end({}, item)
        self._take_last(response)

    def finish(self) -> Stop:
        """Tell the usage, and the ends of calls whose end was not told."""
        for call in list(self._open.values()):
            self.end_call(call)
        self.tell_usage(self._usage)
        if self._refused or self.reason == "content_filter":
            return "refusal"
        if self.reason != "completed":
            return "length"
        return "tool_use" if self.calls.all else "end"

    def _say(self, kind: type[Text] | type[Thinking], text: str) -> None:
        self._said += len(text)
        self.say(kind, text)

    def _begin(self, event: dict[str, Any], item: dict[str, Any]) -> None:
        self._said = 0
        if item.get("type") == "function_call":
            call = self.begin_call(as_text(item.get("call_id")), as_text(item.get("name")))
            self._open[_place(event, item)] = call

    def _call(self, event: dict[str, Any]) -> CallDraft | None:
        place = _place(event, {"id": event.get("item_id")})
        return self._open.get(place) or next(reversed(self._open.values()), None)

    def _end(self, event: dict[str, Any], item: dict[str, Any]) -> None:
        kind = item.get("type")
        if kind == "function_call":
            self._end_call(event, item)
        elif kind == "message":
            self._end_message(item)
        elif kind:
            if kind == "reasoning" and not self._said:
                for part in as_objects(item.get("summary")) + as_objects(item.get("content")):
                    self.say(Thinking, as_text(part.get("text")))
            # An id without what it stands for would be looked up where nothing was stored.
            left_out = {"status"} if item.get("encrypted_content") or kind != "reasoning" else _LEFT_OUT
            self.keep({key: part for key, part in item.items() if key not in left_out and part is not None})

    def _end_call(self, event: dict[str, Any], item: dict[str, Any]) -> None:
        place = _place(event, item)
        if place not in self._open:
            same = (key for key, call in self._open.items() if call.wire_id == item.get("call_id"))
            place = next(same, place)
        if place not in self._open:
            self._begin(event, item)
        call = self._open.pop(place)
        whole = as_text(item.get("arguments"))
        if not call.pieces:
            self.say_arguments(call, whole)
        elif whole:
            call.pieces = [whole]
        self.end_call(call)

    def _end_message(self, item: dict[str, Any]) -> None:
        if not self._said:
            for part in as_objects(item.get("content")):
                self._refused = self._refused or bool(part.get("refusal"))
                self.say(Text, as_text(part.get("text")) or as_text(part.get("refusal")))
        if phase := as_text(item.get("phase")):
            self.keep({"type": "message", "phase": phase})

    def _take_last(self, response: dict[str, Any]) -> None:
        status = as_text(response.get("status"))
        if status == "failed" or response.get("error"):
            self.fail(response)
            return
        self.start(as_text(response.get("model")))
        details = as_object(response.get("incomplete_details"))
        self.reason = as_text(details.get("reason")) or status or "completed"
        self._usage = _usage(as_object(response.get("usage")))
        self.ended = True


def _place(event: dict[str, Any], item: dict[str, Any]) -> object:
    """Return what tells an item apart: its number, or its id, which some servers change on the way."""
    index = event.get("output_index")
    return index if isinstance(index, int) else as_text(item.get("id") or item.get("call_id"))


def _usage(usage: dict[str, Any]) -> UsageEvent:
    cached = as_object(usage.get("input_tokens_details"))
    cost = usage.get("cost")
    return UsageEvent(
        input_tokens=as_number(usage.get("input_tokens")),
        output_tokens=as_number(usage.get("output_tokens")),
        cached_tokens=as_number(cached.get("cached_tokens")),
        cache_write_tokens=as_number(cached.get("cache_write_tokens")),
        reasoning_tokens=as_number(as_object(usage.get("output_tokens_details")).get("reasoning_tokens")),
        cost=cost if isinstance(cost, int | float) else None,
    )
