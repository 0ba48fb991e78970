"""A model that plays turns from a script: for demos without a network, and for tests of everything else."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Iterator
from typing import Any

from pydantic import Field

from ...records import Record
from ..errors import ModelError
from .assembly import ReplyAssembly
from .contract import (
    End,
    ModelEvent,
    ModelRequest,
    Start,
    Stop,
    Text,
    Thinking,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
    UsageEvent,
)


class ScriptedCall(Record):
    """A tool call; `arguments` may be text, to play a model that writes broken JSON."""

    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)


class ScriptedTurn(Record):
    """One reply: thinking, then text, then calls."""

    thinking: str = ""
    text: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    stop: Stop | None = None
    """Left out: `tool_use` when there are calls, else `end`."""
    delay_ms: float = 0
    """Wait before each piece."""
    chunk: int = Field(default=12, ge=1)
    """Characters in a piece."""
    input_tokens: int | None = None
    output_tokens: int | None = None


class Script(Record):
    """What the model says, turn by turn."""

    turns: tuple[ScriptedTurn, ...]


class ScriptedModel:
    """Plays the script's turns, one a request; asking for more than it has is an error."""

    id = "scripted"

    def __init__(self, script: Script) -> None:
        self._script = script
        self._played = 0

    async def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play the next turn, in pieces as a real model sends them."""
        turns = self._script.turns
        if self._played == len(turns):
            raise ModelError(
                f"The script has {len(turns)} turns and all are played; add turns to it", kind="invalid"
            )
        turn = turns[self._played]
        self._played += 1
        assembly = ReplyAssembly()
        yield Start("scripted")
        for event in _content(turn):
            if turn.delay_ms and not isinstance(event, ToolCallEnd):
                await asyncio.sleep(turn.delay_ms / 1000)
            assembly.add(event)
            yield event
        if turn.input_tokens is not None or turn.output_tokens is not None:
            yield UsageEvent(turn.input_tokens, turn.output_tokens)
        stop: Stop = turn.stop or ("tool_use" if turn.tool_calls else "end")
        yield End(stop, assembly.message(stop))


def _content(turn: ScriptedTurn) -> Iterator[ModelEvent]:
    for piece in _pieces(turn.thinking, turn.chunk):
        yield Thinking(piece)
    for piece in _pieces(turn.text, turn.chunk):
        yield Text(piece)
    for call in turn.tool_calls:
        id = f"call_{secrets.token_hex(4)}"
        arguments = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        yield ToolCallStart(id, call.name)
        for piece in _pieces(arguments, turn.chunk):
            yield ToolCallArguments(id, piece)
        yield ToolCallEnd(id, call.name, arguments)


def _pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]
