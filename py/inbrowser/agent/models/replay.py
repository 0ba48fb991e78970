"""A model that plays a recorded conversation: what it said before, it says again."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import zip_longest

from ..errors import ModelError
from .contract import (
    AssistantMessage,
    End,
    Message,
    ModelEvent,
    ModelRequest,
    Start,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallPart,
    ToolCallStart,
    ToolResultMessage,
    UserMessage,
)

CHUNK = 12
"""Characters in a piece."""


class ReplayModel:
    """Answers as in `history`, for as long as the conversation goes as it went there.

    What the user says and which calls are answered must be the same; what the calls gave may differ. It keeps
    no count: the reply is that which stands in the recording where the request ends. `delay` is the wait
    before each piece, in seconds.
    """

    id = "replay"

    def __init__(self, history: Sequence[Message], delay: float = 0.0) -> None:
        self._history = history
        self._delay = delay

    async def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play the next reply. Raises ModelError where the recording ends, or went another way."""
        reply = self._next(request.messages)
        yield Start("replay")
        for event in _content(reply):
            if self._delay and not isinstance(event, ToolCallEnd):
                await asyncio.sleep(self._delay)
            yield event
        yield End(reply.stop, reply)

    def _next(self, messages: Sequence[Message]) -> AssistantMessage:
        for number, (said, recorded) in enumerate(zip_longest(messages, self._history), 1):
            if said is None:
                if isinstance(recorded, AssistantMessage):
                    return recorded
                raise ModelError(f"The recording has no reply as message {number}", kind="invalid")
            if recorded is None:
                raise ModelError(f"The recording ends before message {number}", kind="invalid")
            if _what(said) != _what(recorded):
                text = (
                    f"The conversation leaves the recording at message {number}, which is {_what(recorded)!r}"
                )
                raise ModelError(f"{text} there", kind="invalid")
        raise ModelError("The recording ends here", kind="invalid")


def _what(message: Message) -> str:
    """Return what must be the same in both conversations."""
    match message:
        case UserMessage(text=text):
            return f"user: {text}"
        case ToolResultMessage(call_id=call_id, name=name):
            return f"result of {name} {call_id}"
        case AssistantMessage():
            return f"reply: {message.text}"


def _content(reply: AssistantMessage) -> Iterator[ModelEvent]:
    for part in reply.parts:
        match part:
            case TextPart(text=text):
                yield from (Text(piece) for piece in _pieces(text))
            case ThinkingPart(text=text):
                yield from (Thinking(piece) for piece in _pieces(text))
            case ToolCallPart(id=id, name=name, arguments=arguments):
                yield ToolCallStart(id, name)
                yield from (ToolCallArguments(id, piece) for piece in _pieces(arguments))
                yield ToolCallEnd(id, name, arguments)
            case _:
                pass


def _pieces(text: str) -> Iterator[str]:
    return (text[start : start + CHUNK] for start in range(0, len(text), CHUNK))
