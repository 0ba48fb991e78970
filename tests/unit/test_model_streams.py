"""Streams of every API, cut anywhere: what is told, how they fail, and what is kept to be sent back."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest
from agent_fakes import CUTS, Answer, ask, model_of
from inbrowser.agent.errors import ModelError
from inbrowser.agent.models.contract import (
    AssistantMessage,
    End,
    OpaquePart,
    Text,
    Thinking,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
    UsageEvent,
)
from model_streams import ALL, Stream, recorded


@dataclass
class Read:
    """What came out of a stream."""

    text: str = ""
    thinking: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    """By the call's id, from the pieces."""
    ended: list[tuple[str, str]] = field(default_factory=list)
    usage: UsageEvent | None = None
    message: AssistantMessage | None = None
    error: str = ""


def read(stream: Stream, cut: int | None) -> Read:
    model, _ = model_of(stream.api, Answer(stream.body, content_type=stream.content_type, cut=cut))
    found = Read()

    async def run() -> None:
        async for event in model.chat(ask()):
            match event:
                case Text(delta):
                    found.text += delta
                case Thinking(delta):
                    found.thinking += delta
                case ToolCallStart(id):
                    found.arguments[id] = ""
                case ToolCallArguments(id, delta):
                    found.arguments[id] += delta
                case ToolCallEnd(id, name, arguments):
                    assert (found.arguments[id] or "{}") == arguments
                    found.ended.append((name, arguments))
                case UsageEvent():
                    found.usage = event
                case End():
                    found.message = event.message
                case _:
                    pass

    try:
        asyncio.run(run())
    except ModelError as error:
        found.error = str(error)
    return found


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("name", ALL)
def test_a_stream_is_read_the_same_however_it_is_cut(name: str, cut: int | None) -> None:
    stream = ALL[name]
    found = read(stream, cut)
    assert (found.text, found.thinking, found.ended) == (stream.text, stream.thinking, stream.calls)
    if stream.error:
        assert stream.error in found.error
        assert found.message is None
        return
    assert found.error == ""
    assert found.message is not None
    assert found.message.stop == stream.stop
    assert found.message.text == stream.text
    assert [(call.name, call.arguments) for call in found.message.calls] == stream.calls
    if stream.usage:
        told = found.usage
        assert told is not None
        known = (told.input_tokens, told.output_tokens)
        assert known == (stream.usage.input_tokens, stream.usage.output_tokens)
        assert "llama.cpp" in name or told == stream.usage
    opaque = [part.data for part in found.message.parts if isinstance(part, OpaquePart)]
    assert opaque == stream.opaque


@pytest.mark.parametrize("line_end", [b"\r\n", b"\r"])
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(
    "name", [name for name, each in ALL.items() if each.content_type == "text/event-stream"]
)
def test_other_line_ends_and_comments(name: str, cut: int | None, line_end: bytes) -> None:
    stream = ALL[name]
    body = b": keep-alive\n\n" + stream.body.replace(b"\n\n", b"\n\n: ping\n\n")
    found, expected = read(replace(stream, body=body.replace(b"\n", line_end)), cut), read(stream, None)
    assert list(found.arguments.values()) == list(expected.arguments.values())
    assert (found.text, found.thinking, found.ended) == (expected.text, expected.thinking, expected.ended)
    assert (found.usage, found.error) == (expected.usage, expected.error)


# Over Responses this server calls an answer completed though it was cut.
@pytest.mark.parametrize("api", ["openai-chat", "anthropic"])
def test_what_a_real_server_cut_at_its_limit_is_told_so(api: str) -> None:
    called = read(Stream(api, recorded(f"{api}_cut")), 7)
    talked = read(Stream(api, recorded(f"{api}_text")), 7)
    assert called.message is not None
    assert talked.message is not None
    assert called.message.stop == talked.message.stop == "length"
    assert called.message.calls[0].name == "write"
    assert len(talked.text) > 20


@pytest.mark.parametrize("name", ["openai-chat - thinking, text and two calls", "ollama - text"])
def test_a_piece_that_is_not_json_is_named(name: str) -> None:
    stream = ALL[name]
    mark = b"" if stream.api == "ollama" else b"data: "
    body = stream.body.replace(b"\n", b"\n" + mark + b'{"half\n\n', 1)
    assert "not JSON" in read(replace(stream, body=body), None).error


@pytest.mark.parametrize(
    "name", [name for name, each in ALL.items() if each.calls and each.content_type != "application/json"]
)
def test_a_stream_that_ends_too_early_is_never_taken_for_a_whole_reply(name: str) -> None:
    stream = ALL[name]
    for cut in range(0, len(stream.body), 5):
        found = read(replace(stream, body=stream.body[:cut]), None)
        if found.message is None:
            assert "broke off before its end" in found.error or "an empty answer" in found.error
        else:
            assert (found.text, found.ended, found.message.stop) == (stream.text, stream.calls, stream.stop)


@pytest.mark.parametrize("api", ["anthropic", "openai-responses", "gemini", "ollama", "openai-chat"])
def test_what_nests_deeply_is_refused(api: str) -> None:
    deep = "[" * 6000 + "]" * 6000
    body = f'{{"a": {deep}}}\n\n' if api == "ollama" else f'data: {{"a": {deep}}}\n\n'
    assert "not JSON" in read(Stream(api, body.encode()), None).error
