"""A host's own model, which sends plain JSON."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agent_fakes import collect
from inbrowser.agent.errors import ModelError
from inbrowser.agent.models.contract import (
    AssistantMessage,
    End,
    Start,
    Text,
    TextPart,
    Thinking,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallPart,
    ToolCallStart,
    UsageEvent,
)
from inbrowser.agent.models.host import decode_events


def decode(*values: Any) -> list[Any]:
    async def source() -> AsyncIterator[Any]:
        for value in values:
            yield value

    return asyncio.run(collect(decode_events(source())))


def test_the_simplest_host_sends_text_and_nothing_else() -> None:
    events = decode({"type": "text", "delta": "Hel"}, {"type": "text", "delta": "lo"})
    assert events == [Text("Hel"), Text("lo"), End("end", AssistantMessage(parts=(TextPart(text="Hello"),)))]


def test_a_whole_call_in_one_event() -> None:
    begun, done, end = decode(
        {"type": "tool_call", "name": "ls", "arguments": {"path": "."}}, {"type": "end"}
    )
    assert begun == ToolCallStart(begun.id, "ls")
    assert done == ToolCallEnd(begun.id, "ls", '{"path": "."}')
    assert end.stop == "tool_use"
    assert end.message.calls == [ToolCallPart(id=begun.id, name="ls", arguments='{"path": "."}')]


@pytest.mark.parametrize("arguments", [None, "", "null", {}, "{}"])
def test_no_arguments(arguments: Any) -> None:
    assert decode({"type": "tool_call", "id": "a", "name": "ls", "arguments": arguments})[1].arguments == "{}"


def test_a_call_in_pieces_whose_end_may_be_missing() -> None:
    events = decode(
        {"type": "start", "model": "mine"},
        {"type": "thinking", "delta": "hm"},
        {"type": "tool_call_start", "id": "a", "name": "ls"},
        {"type": "tool_call_arguments", "id": "a", "delta": '{"path":'},
        {"type": "tool_call_arguments", "id": "a", "delta": '"."}'},
        {"type": "usage", "inputTokens": 3, "outputTokens": 4, "cost": 0.5},
        {"type": "end"},
    )
    assert events[:-1] == [
        Start("mine"),
        Thinking("hm"),
        ToolCallStart("a", "ls"),
        ToolCallArguments("a", '{"path":'),
        ToolCallArguments("a", '"."}'),
        UsageEvent(3, 4, cost=0.5),
        ToolCallEnd("a", "ls", '{"path":"."}'),
    ]


def test_a_message_of_its_own_is_kept() -> None:
    opaque = {"type": "opaque", "provider": "mine", "data": {"signature": "x"}}
    message = {"role": "assistant", "parts": [opaque, {"type": "text", "text": "Hi"}], "stop": "end"}
    [end] = decode({"type": "end", "stop": "end", "message": message})
    assert [part.type for part in end.message.parts] == ["opaque", "text"]


def test_nothing_comes_after_the_end() -> None:
    assert len(decode({"type": "end"}, {"type": "text", "delta": "late"})) == 1


@pytest.mark.parametrize(
    "value",
    [
        {"type": "txt", "delta": "x"},
        {"type": "text", "text": "x"},
        "text",
        None,
        {"type": "tool_call_end", "id": "a"},
    ],
)
def test_what_is_no_event_is_an_error_that_says_why(value: Any) -> None:
    with pytest.raises(ModelError, match="host's model sent") as caught:
        decode(value)
    assert caught.value.kind == "protocol"
    assert "\n" not in str(caught.value)
