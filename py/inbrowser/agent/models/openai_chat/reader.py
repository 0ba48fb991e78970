"""OpenAI's chat completions, and the many servers that speak them: how to read the answer."""

import json
from collections.abc import Iterator
from typing import Any

from ..contract import ModelRequest, Stop, Text, Thinking
from ..reader import ReplyReader
from ..values import as_object, as_objects, as_text
from .reasoning import Reasoning
from .usage import Usage

_STOPS: dict[str, Stop] = {"length": "length", "content_filter": "refusal"}


class ChatReader(ReplyReader):
    """Reads one answer, chunk by chunk."""

    def __init__(self, url: str, provider: str, request: ModelRequest) -> None:
        super().__init__(url, provider, request)
        self._refused = False
        self._reasoning = Reasoning()
        self._usage = Usage()

    @property
    def finished(self) -> bool:
        """Whether the reply is whole; some servers give no reason, and end with the mark alone."""
        return self.ended or bool(self.reason)

    def plain_text(self, value: Any) -> str | None:
        """Return the text of a chunk that brings nothing else."""
        try:
            [choice] = value["choices"]
            delta = choice["delta"]
            text = delta["content"]
            plain = len(delta) == 1 and not (
                choice.get("finish_reason") or value.get("usage") or value.get("error")
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            return None
        return text if plain and isinstance(text, str) else None

    def take(self, value: dict[str, Any]) -> None:
        """Take a chunk."""
        if value.get("error"):
            self.fail(value)
            return
        self.start(as_text(value.get("model")))
        for choice in as_objects(value.get("choices")):
            self._take_delta(as_object(choice.get("delta") or choice.get("message")))
            self.reason = as_text(choice.get("finish_reason")) or self.reason
        self._usage.take(value)

    def take_whole(self, value: object) -> None:
        """Take a completion, which is shaped like a chunk."""
        self.take(as_object(value))

    def finish(self) -> Stop:
        """Tell the ends of the calls, the usage, and what is to be sent back."""
        for call in self.calls.all:
            self.end_call(call)
        self.tell_usage(self._usage.event())
        if fields := self._reasoning.fields():
            self.keep(fields)
        if self._refused:
            return "refusal"
        return _STOPS.get(self.reason, "tool_use" if self.calls.all else "end")

    def _take_delta(self, delta: dict[str, Any]) -> None:
        content = delta.get("content")
        self.say(Text, content if isinstance(content, str) else "")
        for kind, piece in _blocks(content):
            self.say(kind, piece)
        self.say(Thinking, self._reasoning.take(delta))
        refusal = as_text(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        self.say(Text, refusal)
        for call in as_objects(delta.get("tool_calls")):
            self._take_call(call)

    def _take_call(self, fields: dict[str, Any]) -> None:
        index = fields.get("index")
        index = index if isinstance(index, int) else None
        wire_id = as_text(fields.get("id"))
        function = as_object(fields.get("function"))
        name = as_text(function.get("name"))
        call = self.calls.find(index, wire_id, name) or self.begin_call(wire_id, name, index)
        call.name = call.name or name
        arguments = function.get("arguments")
        if isinstance(arguments, dict):  # a few servers send the object itself
            arguments = json.dumps(arguments)
        self.say_arguments(call, arguments if isinstance(arguments, str) else "")


def _blocks(content: object) -> Iterator[tuple[type[Text] | type[Thinking], str]]:
    """Read content that comes as a list of blocks, which is how Mistral sends thinking."""
    for block in as_objects(content):
        yield Text, as_text(block.get("text"))
        thinking = block.get("thinking")
        yield Thinking, as_text(thinking)
        for inner in as_objects(thinking):
            yield Thinking, as_text(inner.get("text"))
