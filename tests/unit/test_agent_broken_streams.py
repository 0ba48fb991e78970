"""What a session makes of a stream that fails after it began well."""

import asyncio
from typing import Any

import pytest
from agent_fakes import Answer, call_delta, chunk, kinds, model_of, run, session_of, sse
from inbrowser.agent.models.contract import ToolSpec
from model_streams import (
    block,
    candidate,
    done,
    events,
    function_call,
    json_delta,
    line,
    lines,
    message_start,
    response,
    tool_use,
)


async def never(call: Any) -> str:
    raise AssertionError(f"{call.name} was run")


CALL = chunk(tool_calls=[call_delta(0, "a", "write", '{"path": "x"}')])
OVERLOADED = {
    "openai-chat": sse(CALL, {"error": {"message": "Overloaded now", "code": 529}}, done=False),
    "openai-chat, an empty chunk and an end": sse(
        CALL, {"choices": [], "error": {"message": "Overloaded now", "code": 502}}
    ),
    "anthropic": events(
        message_start(),
        *block(0, tool_use("a", "write"), json_delta('{"path": "x"}')),
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded now"}},
    ),
    "openai-responses": events(
        done(0, function_call("write", "a", '{"path": "x"}')),
        response("failed", error={"code": "server_error", "message": "Overloaded now"}),
    ),
    "gemini": sse(
        candidate({"functionCall": {"name": "write", "args": {"path": "x"}}}),
        {"error": {"code": 503, "message": "Overloaded now"}},
        done=False,
    ),
    "ollama": lines(
        line(tool_calls=[{"function": {"name": "write", "arguments": {"path": "x"}}}]),
        {"error": "Overloaded now"},
    ),
}


@pytest.mark.parametrize("name", OVERLOADED)
def test_a_call_before_an_error_in_a_stream_is_not_run(name: str) -> None:
    api = name.partition(",")[0]
    kind = "application/x-ndjson" if api == "ollama" else "text/event-stream"
    llm, network = model_of(api, Answer(OVERLOADED[name], content_type=kind), max_retries=2)
    session = session_of(llm, tools=never, tool_list=[ToolSpec(name="write")])
    told = asyncio.run(run(session))
    assert kinds(told) == ["turn_started", "strategy_event", "error"]
    assert told[1].name == "tool_call_announced"
    assert (told[-1].reason, told[-1].retryable) == ("overloaded", True)
    assert "Overloaded now." in told[-1].message
    assert len(network.requests) == 1
    assert [message.role for message in session.history] == ["user"]
