"""Models that a host brings along: plain JSON events in, model events out."""

import json
import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any, Literal

from pydantic import Field, ValidationError

from ... import safejson
from ...records import Record
from ..errors import ModelError
from .assembly import ReplyAssembly
from .contract import (
    AssistantMessage,
    End,
    ModelEvent,
    Start,
    Stop,
    Text,
    Thinking,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
    UsageEvent,
)


class HostEvent(Record):
    """One event of a host's model; `type` says which of the fields count.

    `text` and `thinking` carry a `delta`; `tool_call` a whole call. A call may also come in pieces:
    `tool_call_start`, `tool_call_arguments` with a `delta`, `tool_call_end`. `end` may leave out `stop` and
    `message`, and a stream may leave out `end`.
    """

    type: Literal[
        "start",
        "text",
        "thinking",
        "tool_call",
        "tool_call_start",
        "tool_call_arguments",
        "tool_call_end",
        "usage",
        "end",
    ]
    delta: str = ""
    id: str = ""
    name: str = ""
    arguments: dict[str, Any] | str | None = Field(default=None, description="an object, or its JSON text")
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    stop: Stop | None = None
    message: AssistantMessage | None = None


async def decode_events(events: AsyncIterator[Any]) -> AsyncIterator[ModelEvent]:
    """Turn JSON objects, camelCase or snake_case, into model events; the last one is always `End`.

    Raises ModelError for an object that is no event.
    """
    decoder = _Decoder()
    async for value in events:
        for event in decoder.decode(_checked(value)):
            yield event
        if decoder.ended:
            return
    for event in decoder.decode(HostEvent(type="end")):
        yield event


class _Decoder:
    def __init__(self) -> None:
        self.ended = False
        self._assembly = ReplyAssembly()
        self._open: dict[str, tuple[str, list[str]]] = {}
        """Calls that have begun and not ended, by id: name and pieces of the arguments."""
        self._called = False

    def decode(self, host: HostEvent) -> Iterator[ModelEvent]:
        """Yield what one event means."""
        for event in self._events(host):
            self._assembly.add(event)
            yield event

    def _events(self, host: HostEvent) -> Iterator[ModelEvent]:
        match host.type:
            case "start":
                yield Start(host.model)
            case "text":
                yield Text(host.delta)
            case "thinking":
                yield Thinking(host.delta)
            case "tool_call":
                id = host.id or secrets.token_hex(4)
                yield self._begin(id, host.name)
                yield self._finish(id, host.arguments)
            case "tool_call_start":
                yield self._begin(host.id, host.name)
            case "tool_call_arguments":
                self._call(host)[1].append(host.delta)
                yield ToolCallArguments(host.id, host.delta)
            case "tool_call_end":
                self._call(host)
                yield self._finish(host.id, host.arguments)
            case "usage":
                yield UsageEvent(
                    host.input_tokens,
                    host.output_tokens,
                    host.cached_tokens,
                    host.cache_write_tokens,
                    host.reasoning_tokens,
                    host.cost,
                )
            case "end":
                self.ended = True
                yield from [self._finish(id, None) for id in list(self._open)]
                stop: Stop = host.stop or ("tool_use" if self._called else "end")
                yield End(stop, host.message or self._assembly.message(stop))

    def _begin(self, id: str, name: str) -> ToolCallStart:
        self._called = True
        self._open[id] = (name, [])
        return ToolCallStart(id, name)

    def _call(self, host: HostEvent) -> tuple[str, list[str]]:
        if host.id not in self._open:
            text = f"The host's model sent {host.type} for {host.id!r}, a call that has not begun"
            raise ModelError(text, kind="protocol")
        return self._open[host.id]

    def _finish(self, id: str, arguments: dict[str, Any] | str | None) -> ToolCallEnd:
        name, pieces = self._open.pop(id)
        text = _text(arguments) if isinstance(arguments, dict) else arguments or "".join(pieces)
        return ToolCallEnd(id, name, "{}" if text.strip() in ("", "null") else text)


def _text(arguments: dict[str, Any]) -> str:
    try:
        safejson.check(arguments, what="the argument object")
    except safejson.JsonError as error:
        raise ModelError(f"The host's model sent a call that cannot be: {error}", kind="protocol") from None
    return json.dumps(arguments)


def _checked(value: object) -> HostEvent:
    try:
        return HostEvent.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        text = f"The host's model sent what is no event: {place} {problem['msg']}".replace("  ", " ")
        raise ModelError(text, kind="protocol") from None
