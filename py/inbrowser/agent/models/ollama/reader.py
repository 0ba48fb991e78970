"""Ollama's own API: how to read the answer, one JSON object a line."""

import json
from typing import Any

from ..contract import ModelRequest, Stop, Text, Thinking, UsageEvent
from ..lines import LineDecoder
from ..reader import ReplyReader
from ..values import as_number, as_object, as_objects, as_text


class OllamaReader(ReplyReader):
    """Reads one answer, line by line."""

    decoder = LineDecoder

    def __init__(self, url: str, provider: str, request: ModelRequest) -> None:
        super().__init__(url, provider, request)
        self._thoughts: list[str] = []
        self._usage = UsageEvent()

    def plain_text(self, value: Any) -> str | None:
        """Return the text of a line that brings nothing else."""
        try:
            message = value["message"]
            text = message["content"]
            plain = not (value.get("done") or message.get("thinking") or message.get("tool_calls"))
        except (AttributeError, KeyError, TypeError):
            return None
        return text if plain and isinstance(text, str) else None

    def take(self, value: dict[str, Any]) -> None:
        """Take a line."""
        if value.get("error"):
            self.fail(value)
            return
        self.start(as_text(value.get("model")))
        message = as_object(value.get("message"))
        thinking = as_text(message.get("thinking"))
        self._thoughts.append(thinking)
        self.say(Thinking, thinking)
        self.say(Text, as_text(message.get("content")))
        for entry in as_objects(message.get("tool_calls")):
            function = as_object(entry.get("function"))
            call = self.begin_call(as_text(entry.get("id")), as_text(function.get("name")))
            arguments = function.get("arguments")
            text = (
                json.dumps(arguments, ensure_ascii=False)
                if isinstance(arguments, dict)
                else as_text(arguments)
            )
            self.say_arguments(call, text)
            self.end_call(call)
        if value.get("done"):
            self.reason = as_text(value.get("done_reason")) or "stop"
            self.ended = True
            self._usage = UsageEvent(
                input_tokens=as_number(value.get("prompt_eval_count")),
                output_tokens=as_number(value.get("eval_count")),
            )

    def take_whole(self, value: object) -> None:
        """Take an answer that was not streamed, which is shaped like a line."""
        self.take(as_object(value))

    def finish(self) -> Stop:
        """Tell the usage, and the thinking that is to be sent back."""
        self.tell_usage(self._usage)
        if thinking := "".join(self._thoughts):
            self.keep({"thinking": thinking})
        if self.reason == "length":
            return "length"
        return "tool_use" if self.calls.all else "end"
