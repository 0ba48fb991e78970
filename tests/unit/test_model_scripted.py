"""A model that plays a script."""

import asyncio

import pytest
from agent_fakes import chat, scripted
from inbrowser.agent.errors import ModelError, ModelOptionsError
from inbrowser.agent.models.contract import (
    End,
    Start,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
    UsageEvent,
)


def test_a_turn_comes_in_small_pieces_as_from_a_real_model() -> None:
    call = {"name": "write", "arguments": {"path": "a.txt", "content": "hi"}}
    model = scripted({"thinking": "Hm, so.", "text": "I write a file.", "toolCalls": [call], "chunk": 4})
    events = asyncio.run(chat(model))
    assert isinstance(events[0], Start)
    assert [event.delta for event in events if isinstance(event, Thinking)] == ["Hm, ", "so."]
    assert [event.delta for event in events if isinstance(event, Text)] == ["I wr", "ite ", "a fi", "le."]
    [begun] = [event for event in events if isinstance(event, ToolCallStart)]
    [done] = [event for event in events if isinstance(event, ToolCallEnd)]
    pieces = [event.delta for event in events if isinstance(event, ToolCallArguments)]
    assert begun.id == done.id
    assert "".join(pieces) == done.arguments == '{"path": "a.txt", "content": "hi"}'
    end = events[-1]
    assert isinstance(end, End)
    assert end.stop == "tool_use"
    assert end.message.parts[:2] == (ThinkingPart(text="Hm, so."), TextPart(text="I write a file."))
    assert end.message.calls[0].arguments == done.arguments


def test_turns_are_played_one_a_request_until_none_is_left() -> None:
    model = scripted({"text": "one"}, {"text": "two"})
    assert [asyncio.run(chat(model))[-1].message.text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ModelError, match="has 2 turns and all are played"):
        asyncio.run(chat(model))


def test_broken_arguments_usage_and_another_stop_can_be_played() -> None:
    turn = {
        "tool_calls": [{"name": "ls", "arguments": '{"a'}],
        "stop": "length",
        "inputTokens": 3,
        "delayMs": 1,
    }
    events = asyncio.run(chat(scripted(turn)))
    assert UsageEvent(3) in events
    assert events[-1].stop == "length"
    assert events[-1].message.calls[0].arguments == '{"a'


def test_a_script_that_is_none_is_refused() -> None:
    with pytest.raises(ModelOptionsError, match=r"script\.turns\.0\.txt: Extra inputs are not permitted"):
        scripted({"txt": "typo"})
