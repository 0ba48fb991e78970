"""Google's Gemini: how to read the answer. Every event is a whole response with the next pieces in it."""

import json
from typing import Any

from ..contract import ModelRequest, Stop, Text, Thinking, UsageEvent
from ..failures import unusable
from ..reader import ReplyReader
from ..values import as_number, as_object, as_objects, as_text

_REFUSED = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "LANGUAGE",
        "IMAGE_SAFETY",
        "MODEL_ARMOR",
    }
)
_BROKEN = frozenset(
    {
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
    }
)
"""The model wrote what nobody can read; asked again it may do better."""


class GeminiReader(ReplyReader):
    """Reads one answer, response by response."""

    def __init__(self, url: str, provider: str, request: ModelRequest) -> None:
        super().__init__(url, provider, request)
        self._usage: dict[str, Any] = {}

    def plain_text(self, value: Any) -> str | None:
        """Return the text of a response that brings nothing else but counts, which come with every one."""
        try:
            [candidate] = value["candidates"]
            [part] = candidate["content"]["parts"]
            text = part["text"]
            plain = len(part) == 1 and not candidate.get("finishReason")
        except (AttributeError, KeyError, TypeError, ValueError):
            return None
        if not plain or not isinstance(text, str):
            return None
        self._usage |= as_object(value.get("usageMetadata"))
        return text

    def take(self, value: dict[str, Any]) -> None:
        """Take a response."""
        if value.get("error"):
            self.fail(value)
            return
        self.start(as_text(value.get("modelVersion")))
        self._usage |= as_object(value.get("usageMetadata"))
        for candidate in as_objects(value.get("candidates"))[:1]:
            for part in as_objects(as_object(candidate.get("content")).get("parts")):
                self._take_part(part)
            self.reason = as_text(candidate.get("finishReason")) or self.reason
            if self.reason in _BROKEN:
                message = as_text(candidate.get("finishMessage"))
                self.failure = unusable(self._url, message or self.reason)
        self.reason = as_text(as_object(value.get("promptFeedback")).get("blockReason")) or self.reason

    def take_whole(self, value: object) -> None:
        """Take a response, or the list of responses that a stream without SSE is."""
        for each in as_objects(value) or [as_object(value)]:
            self.take(each)

    def finish(self) -> Stop:
        """Tell the usage."""
        self.tell_usage(_usage(self._usage))
        if self.reason == "MAX_TOKENS":
            return "length"
        if self.reason in _REFUSED or self.reason in ("OTHER", "BLOCK_REASON_UNSPECIFIED"):
            return "refusal"
        return "tool_use" if self.calls.all else "end"

    def _take_part(self, part: dict[str, Any]) -> None:
        signature = as_text(part.get("thoughtSignature"))
        beside = {"thoughtSignature": signature} if signature else {}
        if function := as_object(part.get("functionCall")):
            self._take_call(function, beside)
        elif part.get("thought"):
            self.say(Thinking, as_text(part.get("text")))
            if signature:
                self.keep(part)
        elif "text" in part:
            self.say(Text, as_text(part["text"]))
            if signature:
                self.keep({"text": "", **beside})
        elif part:
            self.keep(part)

    def _take_call(self, function: dict[str, Any], beside: dict[str, str]) -> None:
        id = as_text(function.get("id"))
        beside = {**beside, "id": id} if id else beside
        if beside:
            self.keep({"call": dict(beside)})
        call = self.begin_call(id, as_text(function.get("name")))
        self.say_arguments(call, json.dumps(as_object(function.get("args")), ensure_ascii=False))
        self.end_call(call)


def _usage(counts: dict[str, Any]) -> UsageEvent:
    def total(*names: str) -> int | None:
        told = [count for name in names if (count := as_number(counts.get(name))) is not None]
        return sum(told) if told else None

    return UsageEvent(
        input_tokens=total("promptTokenCount", "toolUsePromptTokenCount"),
        output_tokens=total("candidatesTokenCount", "thoughtsTokenCount"),
        cached_tokens=total("cachedContentTokenCount"),
        reasoning_tokens=total("thoughtsTokenCount"),
    )
