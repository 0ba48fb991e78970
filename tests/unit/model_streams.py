"""Answers of each API as they come over the wire, and what they must be read as."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent_fakes import call_delta, chunk, sse
from inbrowser.agent.models.contract import UsageEvent

RECORDED = Path(__file__).parent / "streams"
"""What a real llama.cpp server sent; tests/record_streams.py records it."""


@dataclass(frozen=True)
class Stream:
    """An answer; `error` is a part of the message of a stream that fails."""

    api: str
    body: bytes
    text: str = ""
    thinking: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    stop: str = "end"
    usage: UsageEvent | None = None
    opaque: list[Any] = field(default_factory=list)
    error: str = ""
    content_type: str = "text/event-stream"


def events(*payloads: dict[str, Any], between: str = "") -> bytes:
    """A stream whose events are named after the type of their data, as Anthropic and OpenAI name them."""
    return between.join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in payloads).encode()


def lines(*payloads: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in payloads).encode()


def recorded(name: str) -> bytes:
    return (RECORDED / f"llamacpp_{name}.sse").read_bytes()


# Anthropic


def message_start(**usage: int) -> dict[str, Any]:
    return {"type": "message_start", "message": {"model": "claude-x", "content": [], "usage": usage}}


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """All events of one block."""
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text_delta(text: str) -> dict[str, Any]:
    return {"type": "text_delta", "text": text}


def json_delta(text: str) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": text}


def message_end(reason: str | None, **usage: int) -> list[dict[str, Any]]:
    delta = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}
    return [delta, {"type": "message_stop"}]


TEXT_BLOCK: dict[str, Any] = {"type": "text", "text": ""}
PING = {"type": "ping"}
THINKING = {"type": "thinking", "thinking": "Let me see. Yes.", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "ZGF0YQ=="}
SEARCH = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "q é"}}
NEWS = {"type": "something_new", "of": {"any": ["shape"]}}


def tool_use(id: str, name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": {}}


ANTHROPIC = {
    "text": Stream(
        "anthropic",
        events(
            message_start(input_tokens=10, cache_read_input_tokens=5, cache_creation_input_tokens=2),
            *block(0, TEXT_BLOCK, text_delta("Héllo "), text_delta("wörld 😀")),
            PING,
            *message_end("end_turn", output_tokens=7),
        ),
        text="Héllo wörld 😀",
        usage=UsageEvent(17, 7, 5, 2),
    ),
    "thinking, text and two calls": Stream(
        "anthropic",
        events(
            message_start(input_tokens=1),
            *block(
                0,
                {"type": "thinking", "thinking": "", "signature": ""},
                {"type": "thinking_delta", "thinking": "Let me see."},
                {"type": "thinking_delta", "thinking": " Yes."},
                {"type": "signature_delta", "signature": "c2ln"},
            ),
            *block(1, REDACTED),
            *block(2, TEXT_BLOCK, text_delta("Both:")),
            *block(3, tool_use("a", "read"), json_delta(""), json_delta('{"path"'), json_delta(': "é"}')),
            *block(4, tool_use("b", "ls"), json_delta("")),
            *message_end("tool_use", output_tokens=9),
        ),
        text="Both:",
        thinking="Let me see. Yes.",
        calls=[("read", '{"path": "é"}'), ("ls", "{}")],
        stop="tool_use",
        usage=UsageEvent(1, 9),
        opaque=[THINKING, REDACTED],
    ),
    "blocks of the provider's own, and of kinds unknown": Stream(
        "anthropic",
        events(
            message_start(),
            *block(0, SEARCH | {"input": {}}, json_delta('{"query": '), json_delta('"q é"}')),
            *block(1, NEWS, {"type": "new_delta", "x": 1}),
            {"type": "new_event"},
            *block(2, TEXT_BLOCK, text_delta("found")),
            *message_end("pause_turn"),
        ),
        text="found",
        stop="pause",
        opaque=[SEARCH, NEWS],
    ),
    "arguments cut by the limit": Stream(
        "anthropic",
        events(
            message_start(),
            *block(0, tool_use("a", "write"), json_delta('{"path": "a')),
            *message_end("max_tokens"),
        ),
        calls=[("write", '{"path": "a')],
        stop="length",
    ),
    "a refusal": Stream(
        "anthropic",
        events(message_start(), *block(0, TEXT_BLOCK, text_delta("No.")), *message_end("refusal")),
        text="No.",
        stop="refusal",
    ),
    "an error in the middle": Stream(
        "anthropic",
        events(
            message_start(),
            *block(0, TEXT_BLOCK, text_delta("Half")),
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        ),
        text="Half",
        error="Overloaded",
    ),
    "no end": Stream(
        "anthropic",
        events(message_start(), *block(0, TEXT_BLOCK, text_delta("Half"))),
        text="Half",
        error="broke off before its end",
    ),
    "no message_stop": Stream(
        "anthropic",
        events(message_start(), *block(0, TEXT_BLOCK, text_delta("All")), message_end("end_turn")[0]),
        text="All",
    ),
    "plain JSON": Stream(
        "anthropic",
        json.dumps(
            {
                "type": "message",
                "model": "m",
                "content": [
                    THINKING,
                    {"type": "text", "text": "Hi"},
                    {"type": "tool_use", "id": "a", "name": "ls", "input": {"path": "."}},
                ],
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 3, "output_tokens": 4},
            }
        ).encode(),
        text="Hi",
        thinking="Let me see. Yes.",
        calls=[("ls", '{"path": "."}')],
        stop="tool_use",
        usage=UsageEvent(3, 4),
        opaque=[THINKING],
        content_type="application/json",
    ),
}

# OpenAI's Responses


def added(index: int | None, item: dict[str, Any]) -> dict[str, Any]:
    return numbered(index, {"type": "response.output_item.added", "item": item})


def done(index: int | None, item: dict[str, Any]) -> dict[str, Any]:
    return numbered(index, {"type": "response.output_item.done", "item": item})


def piece(index: int | None, kind: str, delta: str, id: str = "i") -> dict[str, Any]:
    return numbered(index, {"type": f"response.{kind}.delta", "delta": delta, "item_id": id})


def numbered(index: int | None, event: dict[str, Any]) -> dict[str, Any]:
    return event if index is None else {**event, "output_index": index}


def response(kind: str = "completed", **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "response": {"status": kind, "model": "gpt-x", **fields}}


CREATED = response("created")
CREATED["response"]["status"] = "in_progress"
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5j"}
SUMMARY = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I think"}]}


def function_call(name: str, call_id: str, arguments: str = "", id: str = "i") -> dict[str, Any]:
    return {"type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": arguments}


def message_item(text: str, **fields: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "role": "assistant", "id": "msg_1", "content": content, **fields}


RESPONSES_USAGE = {
    "input_tokens": 20,
    "input_tokens_details": {"cached_tokens": 8},
    "output_tokens": 6,
    "output_tokens_details": {"reasoning_tokens": 2},
}

RESPONSES = {
    "reasoning, text and two calls": Stream(
        "openai-responses",
        events(
            CREATED,
            added(0, REASONING | {"encrypted_content": "half"}),
            done(0, REASONING),
            added(1, message_item("") | {"content": []}),
            piece(1, "output_text", "Héllo "),
            piece(1, "output_text", "😀"),
            done(1, message_item("Héllo 😀", phase="commentary")),
            added(2, function_call("read", "c1")),
            added(3, function_call("ls", "c2", id="j")),
            piece(2, "function_call_arguments", '{"path":'),
            piece(2, "function_call_arguments", '"a"}'),
            done(2, function_call("read", "c1", '{"path":"a"}')),
            done(3, function_call("ls", "c2", id="other")),
            response(usage=RESPONSES_USAGE),
        ),
        text="Héllo 😀",
        calls=[("read", '{"path":"a"}'), ("ls", "{}")],
        stop="tool_use",
        usage=UsageEvent(20, 6, 8, None, 2),
        opaque=[REASONING, {"type": "message", "phase": "commentary"}],
    ),
    "no numbers, changing ids": Stream(
        "openai-responses",
        events(
            CREATED,
            added(None, function_call("read", "c1", id="one")),
            piece(None, "function_call_arguments", '{"path":', id="two"),
            piece(None, "function_call_arguments", '"a"}', id="three"),
            done(None, function_call("read", "c1", '{"path":"a"}', id="four")),
            response(),
        ),
        calls=[("read", '{"path":"a"}')],
        stop="tool_use",
    ),
    "items without pieces": Stream(
        "openai-responses",
        events(
            CREATED,
            done(0, SUMMARY),
            done(1, message_item("Whole.")),
            done(2, function_call("ls", "c1", "{}")),
            response(),
        ),
        text="Whole.",
        thinking="I think",
        calls=[("ls", "{}")],
        stop="tool_use",
        opaque=[SUMMARY],
    ),
    "summaries in parts": Stream(
        "openai-responses",
        events(
            CREATED,
            added(0, REASONING),
            {"type": "response.reasoning_summary_part.added", "output_index": 0},
            piece(0, "reasoning_summary_text", "One."),
            {"type": "response.reasoning_summary_part.added", "output_index": 0},
            piece(0, "reasoning_summary_text", "Two."),
            done(0, REASONING),
            response(),
        ),
        thinking="One.\n\nTwo.",
        opaque=[REASONING],
    ),
    "a refusal": Stream(
        "openai-responses",
        events(CREATED, added(0, message_item("")), piece(0, "refusal", "I can't."), response()),
        text="I can't.",
        stop="refusal",
    ),
    "arguments cut by the limit": Stream(
        "openai-responses",
        events(
            CREATED,
            added(0, function_call("write", "c1")),
            piece(0, "function_call_arguments", '{"path'),
            response("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        ),
        calls=[("write", '{"path')],
        stop="length",
    ),
    "an error": Stream(
        "openai-responses",
        events(
            CREATED,
            piece(0, "output_text", "Half"),
            {"type": "error", "error": {"code": "server_error", "message": "It broke"}},
            response("failed", error={"code": "server_error", "message": "It broke"}),
        ),
        text="Half",
        error="It broke",
    ),
    "a flat error": Stream(
        "openai-responses",
        events(CREATED, {"type": "error", "code": "rate_limit_exceeded", "message": "Slow down"}),
        error="Slow down",
    ),
    "a failure alone": Stream(
        "openai-responses",
        events(CREATED, response("failed", error={"code": "server_error", "message": "It broke"})),
        error="It broke",
    ),
    "no end": Stream(
        "openai-responses",
        events(CREATED, piece(0, "output_text", "Half")),
        text="Half",
        error="broke off before its end",
    ),
    "hosted tools and unknown events": Stream(
        "openai-responses",
        b": PROCESSING\n\n"
        + events(
            CREATED,
            {"type": "response.web_search_call.searching"},
            done(0, {"type": "web_search_call", "id": "ws_1", "status": "completed"}),
            piece(1, "output_text", "4"),
            response(usage={"cost": 0.5}),
        )
        + b"data: [DONE]\n\n",
        text="4",
        usage=UsageEvent(cost=0.5),
        opaque=[{"type": "web_search_call", "id": "ws_1"}],
    ),
    "plain JSON": Stream(
        "openai-responses",
        json.dumps(
            {
                "status": "completed",
                "model": "m",
                "output": [REASONING, message_item("Hi"), function_call("ls", "c1", '{"path": "."}')],
                "usage": RESPONSES_USAGE,
            }
        ).encode(),
        text="Hi",
        calls=[("ls", '{"path": "."}')],
        stop="tool_use",
        usage=UsageEvent(20, 6, 8, None, 2),
        opaque=[REASONING],
        content_type="application/json",
    ),
}

# Gemini


def candidate(*parts: dict[str, Any], finish: str | None = None, **fields: Any) -> dict[str, Any]:
    one: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    return {
        "candidates": [{**one, "finishReason": finish} if finish else one],
        "modelVersion": "g-3",
        **fields,
    }


def gemini_usage(prompt: int, candidates: int, **more: int) -> dict[str, Any]:
    return {"usageMetadata": {"promptTokenCount": prompt, "candidatesTokenCount": candidates, **more}}


READ = {"functionCall": {"name": "read", "args": {"path": "é"}}}
LIST = {"functionCall": {"name": "ls"}}
SIGNED = {"thoughtSignature": "c2ln"}

GEMINI = {
    "text, and counts with every piece": Stream(
        "gemini",
        sse(
            candidate({"text": "Héllo "}, **gemini_usage(5, 1)),
            candidate({"text": "wörld "}, **gemini_usage(5, 2, cachedContentTokenCount=3)),
            candidate({"text": "😀"}, finish="STOP", **gemini_usage(5, 4, thoughtsTokenCount=6)),
            done=False,
        ),
        text="Héllo wörld 😀",
        usage=UsageEvent(5, 10, 3, None, 6),
    ),
    "thoughts and two calls": Stream(
        "gemini",
        sse(
            candidate({"text": "Hm.", "thought": True}),
            candidate({"text": "Both:", **SIGNED}),
            candidate({**READ, **SIGNED}, LIST, finish="STOP"),
            done=False,
        ),
        text="Both:",
        thinking="Hm.",
        calls=[("read", '{"path": "é"}'), ("ls", "{}")],
        stop="tool_use",
        opaque=[{"text": "", **SIGNED}, {"call": SIGNED}],
    ),
    "parts unknown": Stream(
        "gemini",
        sse(candidate({"executableCode": {"code": "1"}}, {"text": "1"}, finish="STOP"), done=False),
        text="1",
        opaque=[{"executableCode": {"code": "1"}}],
    ),
    "the limit": Stream(
        "gemini", sse(candidate({"text": "Ha"}, finish="MAX_TOKENS"), done=False), text="Ha", stop="length"
    ),
    "a refusal": Stream("gemini", sse(candidate(finish="SAFETY"), done=False), stop="refusal"),
    "a prompt refused": Stream(
        "gemini", sse({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, done=False), stop="refusal"
    ),
    "a call that nobody can read": Stream(
        "gemini",
        sse(candidate(finish="MALFORMED_FUNCTION_CALL"), done=False),
        error="MALFORMED_FUNCTION_CALL",
    ),
    "an error": Stream(
        "gemini",
        sse(
            candidate({"text": "Half"}), {"error": {"code": 503, "message": "The model is busy"}}, done=False
        ),
        text="Half",
        error="The model is busy",
    ),
    "no end": Stream(
        "gemini", sse(candidate({"text": "Half"}), done=False), text="Half", error="broke off before its end"
    ),
    "a list instead of a stream": Stream(
        "gemini",
        json.dumps([candidate({"text": "a"}), candidate({"text": "b"}, finish="STOP")], indent=1).encode(),
        text="ab",
        content_type="application/json",
    ),
}

# Ollama


def line(done: bool = False, **fields: Any) -> dict[str, Any]:
    return {"model": "q", "message": {"role": "assistant", "content": "", **fields}, "done": done}


OLLAMA = {
    "text": Stream(
        "ollama",
        lines(
            line(content="Héllo "),
            line(content="😀"),
            line(done=True) | {"done_reason": "stop", "prompt_eval_count": 4, "eval_count": 2},
        ),
        text="Héllo 😀",
        usage=UsageEvent(4, 2),
        content_type="application/x-ndjson",
    ),
    "thinking and calls in one line": Stream(
        "ollama",
        lines(
            line(
                done=True,
                thinking="Hm.",
                tool_calls=[
                    {"function": {"name": "read", "arguments": {"path": "é"}}},
                    {"function": {"name": "ls"}},
                ],
            )
        ).rstrip(),
        thinking="Hm.",
        calls=[("read", '{"path": "é"}'), ("ls", "{}")],
        stop="tool_use",
        opaque=[{"thinking": "Hm."}],
        content_type="application/x-ndjson",
    ),
    "the limit": Stream(
        "ollama",
        lines(line(content="Ha"), line(done=True) | {"done_reason": "length"}),
        text="Ha",
        stop="length",
        content_type="application/x-ndjson",
    ),
    "an error": Stream(
        "ollama",
        lines(line(content="Half"), {"error": "out of memory"}),
        text="Half",
        error="out of memory",
        content_type="application/x-ndjson",
    ),
    "no end": Stream(
        "ollama",
        lines(line(content="Half")),
        text="Half",
        error="broke off before its end",
        content_type="application/x-ndjson",
    ),
    "not streamed": Stream(
        "ollama",
        lines(line(done=True, content="Hi") | {"done_reason": "stop"}),
        text="Hi",
        content_type="application/json",
    ),
}

# OpenAI's chat completions; what its many dialects do is in test_model_openai_chat.py

CHAT = {
    "thinking, text and two calls": Stream(
        "openai-chat",
        sse(
            chunk(role="assistant", reasoning_content="Hm."),
            chunk(content="Both: "),
            chunk(content="é 😀"),
            chunk(tool_calls=[call_delta(0, "a", "read", ""), call_delta(1, "b", "ls", "")]),
            chunk(tool_calls=[call_delta(0, arguments='{"path":')]),
            chunk(tool_calls=[call_delta(0, arguments='"é"}')]),
            chunk("tool_calls"),
        ),
        text="Both: é 😀",
        thinking="Hm.",
        calls=[("read", '{"path":"é"}'), ("ls", "{}")],
        stop="tool_use",
        opaque=[{"reasoning_content": "Hm."}],
    ),
}

# llama.cpp

WRITE = [("write", '{"path": "hello.txt", "content": "hi"}')]
UNREADABLE = "does not match the expected peg-native format"
LLAMA = {
    **{
        f"{api}: a call": Stream(
            api, recorded(f"{api}_tool"), calls=WRITE, stop="tool_use", usage=UsageEvent(490, 17)
        )
        for api in ("openai-chat", "openai-responses", "anthropic")
    },
    **{
        f"{api}: an answer that its template cannot read": Stream(
            api, recorded(f"{api}_error"), error=UNREADABLE
        )
        for api in ("openai-chat", "openai-responses", "anthropic")
    },
}

ALL = {
    f"{api} - {name}": stream
    for api, streams in {
        "anthropic": ANTHROPIC,
        "openai-responses": RESPONSES,
        "gemini": GEMINI,
        "ollama": OLLAMA,
        "openai-chat": CHAT,
        "llama.cpp": LLAMA,
    }.items()
    for name, stream in streams.items()
}
