"""What the readers of all APIs share: pieces merged, calls told apart, failures and the end told."""

from collections.abc import Iterable
from typing import Any

from pydantic import JsonValue

from ... import safejson
from ..errors import ModelError
from .assembly import ReplyAssembly
from .calls import CallDraft, CallDrafts
from .contract import (
    AssistantMessage,
    End,
    ModelEvent,
    ModelRequest,
    OpaquePart,
    Start,
    Stop,
    Text,
    Thinking,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
    UsageEvent,
)
from .failures import cut_off, empty_answer, not_understood, stream_failure
from .lines import LineDecoder
from .sse import SseDecoder, SseEvent, parse_all
from .values import as_object, ends_in_half, mended

_DONE = "[DONE]"
_Kind = type[Text] | type[Thinking] | CallDraft


class ReplyReader:
    """Makes model events of one answer; does no input or output itself. One subclass an API.

    Pieces of a kind that came together leave as one event. `failure` is an error that came inside the stream,
    after whatever `feed` returned; `ended` says that nothing more is worth waiting for.
    """

    decoder: type[SseDecoder] | type[LineDecoder] = SseDecoder
    """How the stream is framed."""

    def __init__(self, url: str, provider: str, request: ModelRequest) -> None:
        self.failure: ModelError | None = None
        self.ended = False
        self.reason = ""
        """Why the reply ended, in the provider's word, once it has said so."""
        self.calls = CallDrafts(_ids_in(request))
        self._url = url
        self._provider = provider
        self._started = self._spoke = self._closing = False
        self._assembly = ReplyAssembly()
        self._out: list[ModelEvent] = []
        self._kind: _Kind = Text
        self._pieces: list[str] = []

    # What an API's reader says of itself.

    @property
    def finished(self) -> bool:
        """Whether the reply is whole, though more (usage, the end mark) may follow."""
        return bool(self.reason)

    def take(self, value: dict[str, Any]) -> None:
        """Take one JSON object of the stream."""
        raise NotImplementedError

    def take_whole(self, value: object) -> None:
        """Take the JSON body of a server that does not stream."""
        raise NotImplementedError

    def finish(self) -> Stop:
        """Tell what is told last; returns why the reply ended."""
        raise NotImplementedError

    def plain_text(self, value: Any) -> str | None:
        """Return the text of an event that brings nothing else, None for any other.

        Nearly all events are of this kind, and what is done for each decides how fast a stream is read.
        """
        return None

    # What the client does with a reader.

    def feed(self, events: list[SseEvent]) -> list[ModelEvent]:
        """Take the next events of a stream."""
        texts = [data for _, data in events]
        if _DONE in texts:
            self.ended = True
            texts = texts[: texts.index(_DONE)]
        for (name, data), value in zip(events, parse_all(texts), strict=False):
            if self._started and (text := self.plain_text(value)):
                self.say(Text, text)
            elif name == "error" or isinstance(value, safejson.JsonError):
                self._fail(name, data, value)
            else:
                self.take(as_object(value))
            if self.failure is not None:
                break
        return self._taken()

    def close(self, events: list[SseEvent]) -> list[ModelEvent]:
        """Take what the end of the body completes; half an event is what a cut connection leaves."""
        self._closing = True
        return self.feed(events)

    def whole(self, value: object) -> list[ModelEvent]:
        """Take the JSON body of a server that does not stream."""
        self.take_whole(value)
        self.ended = self.failure is None
        return self._taken()

    def end(self) -> list[ModelEvent]:
        """Return the last events. Raises ModelError when the reply is not whole."""
        if not self.reason and not self._spoke:
            raise empty_answer(self._url)
        if not self.finished:
            raise cut_off(self._url)
        stop = self.finish()
        self.emit(End(stop, self._assembly.message(stop)))
        return self._taken()

    # What an API's reader says of the reply.

    def start(self, model: str) -> None:
        """Tell that the answer begins, if that was not told yet."""
        if not self._started:
            self._started = True
            self.emit(Start(model or None))

    def say(self, kind: _Kind, piece: str) -> None:
        """Tell a piece of text, of thinking, or of a call's arguments."""
        if piece:
            if kind is not self._kind:
                self._flush()
                self._kind = kind
            self._pieces.append(piece)

    def begin_call(self, wire_id: str, name: str, index: int | None = None) -> CallDraft:
        """Tell that a call begins."""
        call = self.calls.begin(index, wire_id, name)
        self.emit(ToolCallStart(call.id, name))
        return call

    def say_arguments(self, call: CallDraft, piece: str) -> None:
        """Tell a piece of a call's arguments, as JSON text."""
        if piece:
            call.pieces.append(piece)
            self.say(call, piece)

    def end_call(self, call: CallDraft) -> None:
        """Tell that a call is written."""
        self.emit(ToolCallEnd(call.id, call.name, call.arguments))

    def keep(self, data: JsonValue) -> None:
        """Keep what the provider must get back, at this place of the reply."""
        self._flush()
        self._spoke = True
        self._assembly.add_opaque(OpaquePart(provider=self._provider, data=data))

    def emit(self, event: ModelEvent) -> None:
        """Tell an event after all that was said before."""
        self._flush()
        self._add(event)

    def fail(self, payload: object) -> None:
        """Give the reply up for an error that came inside the stream."""
        self.failure = stream_failure(self._url, payload)

    def tell_usage(self, usage: UsageEvent) -> None:
        """Tell token counts, where there are any."""
        if usage != UsageEvent():
            self.emit(usage)

    def _fail(self, name: str, data: str, value: Any) -> None:
        if name == "error":
            self.fail(as_object(value) or data)
        elif data.strip() and not (self._closing and data.lstrip().startswith(("{", "["))):
            self.failure = not_understood(self._url, "sent a piece that is not JSON")

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


def _ids_in(request: ModelRequest) -> Iterable[str]:
    """Return the ids of the calls so far; a new call must have another one."""
    replies = (message for message in request.messages if isinstance(message, AssistantMessage))
    return (call.id for reply in replies for call in reply.calls)
