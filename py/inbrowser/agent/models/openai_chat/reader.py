"""OpenAI's chat completions, and the many servers that speak them: how to read the answer."""

import json
from collections.abc import Iterator
from typing import Any

from .... import safejson
from ...errors import ModelError
from ..assembly import ReplyAssembly
from ..contract import (
    End,
    ModelEvent,
    OpaquePart,
    Start,
    Stop,
    Text,
    Thinking,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
)
from ..failures import cut_off, empty_answer, not_understood, stream_failure
from ..sse import SseEvent, parse_all
from .calls import CallDraft, CallDrafts
from .reasoning import Reasoning
from .usage import Usage
from .values import as_object, as_objects, as_text, ends_in_half, mended

_DONE = "[DONE]"
_STOPS: dict[str, Stop] = {"length": "length", "content_filter": "refusal"}

_Kind = type[Text] | type[Thinking] | CallDraft


class ChatReader:
    """Reads one answer, chunk by chunk; pieces of a kind that came together leave as one event."""

    def __init__(self, url: str, provider: str, taken_ids: set[str]) -> None:
        self.failure: ModelError | None = None
        self.ended = False
        self._url = url
        self._provider = provider
        self._finish = ""
        self._started = self._spoke = self._refused = False
        self._calls = CallDrafts(taken_ids)
        self._reasoning = Reasoning()
        self._usage = Usage()
        self._assembly = ReplyAssembly()
        self._out: list[ModelEvent] = []
        self._kind: _Kind = Text
        self._pieces: list[str] = []

    @property
    def finished(self) -> bool:
        """Whether the reply is whole."""
        return self.ended or bool(self._finish)

    def feed(self, events: list[SseEvent]) -> list[ModelEvent]:
        """Take the next events of the stream."""
        texts = [data for _, data in events]
        if _DONE in texts:
            self.ended = True
            texts = texts[: texts.index(_DONE)]
        for (name, data), chunk in zip(events, parse_all(texts), strict=False):
            if self._started and (text := _plain_text(chunk)):
                self._say(Text, text)
            elif name == "error" or isinstance(chunk, safejson.JsonError):
                self._fail(name, data, chunk)
            else:
                self._take(as_object(chunk))
            if self.failure is not None:
                break
        return self._taken()

    def whole(self, value: object) -> list[ModelEvent]:
        """Take the JSON body of a server that does not stream."""
        self._take(as_object(value))
        self.ended = self.failure is None
        return self._taken()

    def end(self) -> list[ModelEvent]:
        """Return the call ends, the usage and the end. Raises ModelError when the reply is not whole."""
        if not self._finish and not self._spoke:
            raise empty_answer(self._url)
        if not self.finished:
            raise cut_off(self._url)
        for call in self._calls.all:
            self._emit(ToolCallEnd(call.id, call.name, call.arguments))
        usage = self._usage.event()
        if usage is not None:
            self._emit(usage)
        fields = self._reasoning.fields()
        opaque = [OpaquePart(provider=self._provider, data=fields)] if fields else []
        stop = self._stop()
        self._emit(End(stop, self._assembly.message(stop, opaque)))
        return self._taken()

    def _fail(self, name: str, data: str, chunk: Any) -> None:
        if name == "error":
            self.failure = stream_failure(self._url, as_object(chunk) or data)
        elif data.strip():
            self.failure = not_understood(self._url, "sent a piece that is not JSON")

    def _take(self, chunk: dict[str, Any]) -> None:
        if chunk.get("error"):
            self.failure = stream_failure(self._url, chunk)
            return
        if not self._started:
            self._started = True
            self._emit(Start(as_text(chunk.get("model")) or None))
        for choice in as_objects(chunk.get("choices")):
            delta = choice.get("delta") or choice.get("message")
            if delta:
                self._take_delta(as_object(delta))
            if choice.get("finish_reason"):
                self._finish = as_text(choice["finish_reason"])
        if chunk.get("usage") or "x_groq" in chunk:
            self._usage.take(chunk)

    def _take_delta(self, delta: dict[str, Any]) -> None:
        content = delta.get("content")
        self._say(Text, content if isinstance(content, str) else "")
        for kind, piece in _blocks(content):
            self._say(kind, piece)
        self._say(Thinking, self._reasoning.take(delta))
        refusal = as_text(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        self._say(Text, refusal)
        for call in as_objects(delta.get("tool_calls")):
            self._take_call(call)

    def _take_call(self, fields: dict[str, Any]) -> None:
        index = fields.get("index")
        index = index if isinstance(index, int) else None
        wire_id = as_text(fields.get("id"))
        function = as_object(fields.get("function"))
        name = as_text(function.get("name"))
        call = self._calls.find(index, wire_id, name)
        if call is None:
            call = self._calls.begin(index, wire_id, name)
            self._emit(ToolCallStart(call.id, name))
        call.name = call.name or name
        arguments = function.get("arguments")
        if isinstance(arguments, dict):  # a few servers send the object itself
            arguments = json.dumps(arguments)
        if isinstance(arguments, str) and arguments:
            call.pieces.append(arguments)
            self._say(call, arguments)

    def _stop(self) -> Stop:
        if self._refused:
            return "refusal"
        return _STOPS.get(self._finish, "tool_use" if self._calls.all else "end")

    def _say(self, kind: _Kind, piece: str) -> None:
        if piece:
            if kind is not self._kind:
                self._flush()
                self._kind = kind
            self._pieces.append(piece)

    def _emit(self, event: ModelEvent) -> None:
        self._flush()
        self._add(event)

    def _taken(self) -> list[ModelEvent]:
        """Return what has come out, except half a character whose other half is still to come."""
        if self._pieces and ends_in_half(self._pieces[-1]) and not self.ended:
            half = self._pieces[-1][-1]
            self._pieces[-1] = self._pieces[-1][:-1]
            self._flush()
            self._pieces = [half]
        else:
            self._flush()
        out, self._out = self._out, []
        return out

    def _flush(self) -> None:
        text = mended("".join(self._pieces))
        self._pieces = []
        if not text:
            return
        if isinstance(self._kind, CallDraft):
            self._add(ToolCallArguments(self._kind.id, text))
        else:
            self._add(self._kind(text))

    def _add(self, event: ModelEvent) -> None:
        self._spoke = self._spoke or not isinstance(event, Start)
        self._assembly.add(event)
        self._out.append(event)


def _plain_text(chunk: Any) -> str | None:
    """Return the text of a chunk that brings nothing else, None for any other.

    Nearly all chunks are of this kind, and what is done for each decides how fast a stream can be read.
    """
    try:
        [choice] = chunk["choices"]
        delta = choice["delta"]
        text = delta["content"]
        plain = len(delta) == 1 and not (
            choice.get("finish_reason") or chunk.get("usage") or chunk.get("error")
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return text if plain and isinstance(text, str) else None


def _blocks(content: object) -> Iterator[tuple[type[Text] | type[Thinking], str]]:
    """Read content that comes as a list of blocks, which is how Mistral sends thinking."""
    for block in as_objects(content):
        yield Text, as_text(block.get("text"))
        thinking = block.get("thinking")
        yield Thinking, as_text(thinking)
        for inner in as_objects(thinking):
            yield Thinking, as_text(inner.get("text"))
