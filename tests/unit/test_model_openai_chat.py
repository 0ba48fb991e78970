"""The openai-chat adapter: what it sends, and what it makes of the many dialects of the answer."""

import asyncio
import json
from typing import Any

import pytest
from agent_fakes import CUTS, Answer, ask, call_delta, chat, chat_model, chunk, sse
from inbrowser.agent.errors import ModelError, ModelOptionsError
from inbrowser.agent.models import create_model
from inbrowser.agent.models.contract import (
    AssistantMessage,
    End,
    OpaquePart,
    Start,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolCallArguments,
    ToolCallPart,
    ToolCallStart,
    ToolResultMessage,
    ToolSpec,
    UsageEvent,
    UserMessage,
)


def reply(body: bytes, cut: int | None = None, **answer: Any) -> AssistantMessage:
    """Return the whole message that a body gives."""
    return end_of(body, cut, **answer).message


def end_of(body: bytes, cut: int | None = None, **answer: Any) -> End:
    model, _ = chat_model(Answer(body, cut=cut, **answer))
    events = asyncio.run(chat(model))
    assert isinstance(events[-1], End)
    return events[-1]


def usage_of(*payloads: object) -> UsageEvent:
    model, _ = chat_model(Answer(sse(*payloads)))
    [usage] = [event for event in asyncio.run(chat(model)) if isinstance(event, UsageEvent)]
    return usage


def calls_of(body: bytes, cut: int | None = None) -> list[tuple[str, Any]]:
    return [(call.name, json.loads(call.arguments)) for call in reply(body, cut).calls]


TEXT = sse(
    chunk(role="assistant", content=""), chunk(content="Héllo "), chunk(content="wörld 😀"), chunk("stop")
)


@pytest.mark.parametrize("cut", CUTS)
def test_text_comes_in_pieces_and_whole(cut: int | None) -> None:
    model, network = chat_model(Answer(TEXT, cut=cut))
    events = asyncio.run(chat(model))
    assert events[0] == Start("m-1")
    assert "".join(event.delta for event in events if isinstance(event, Text)) == "Héllo wörld 😀"
    assert events[-1] == End("end", AssistantMessage(parts=(TextPart(text="Héllo wörld 😀"),)))
    assert network.requests[0].url == "https://llm.test/v1/chat/completions"


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
@pytest.mark.parametrize("cut", CUTS)
def test_other_line_ends_and_comments(line_end: str, cut: int | None) -> None:
    body = (b": PROCESSING\n\n" + TEXT).replace(b"\n", line_end.encode())
    assert reply(body, cut).text == "Héllo wörld 😀"


def test_pieces_that_came_together_leave_together() -> None:
    model, _ = chat_model(Answer(sse(*[chunk(content="x")] * 1000, chunk("stop"))))
    assert [event for event in asyncio.run(chat(model)) if isinstance(event, Text)] == [Text("x" * 1000)]


def test_a_server_that_does_not_stream() -> None:
    function = {"name": "ls", "arguments": "{}"}
    message = {"role": "assistant", "content": "Look:", "tool_calls": [{"id": "a", "function": function}]}
    body = {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 3}}
    whole = reply(json.dumps(body).encode(), 7, content_type="application/json; charset=utf-8")
    assert whole.text == "Look:"
    assert [call.name for call in whole.calls] == ["ls"]
    assert whole.stop == "tool_use"


# Calls


ONE_CALL = sse(
    chunk(tool_calls=[call_delta(0, "c1", "write", "")]),
    chunk(tool_calls=[call_delta(0, arguments='{"path": ')]),
    chunk(tool_calls=[call_delta(0, arguments='"a.txt"}')]),
    chunk("tool_calls"),
)


@pytest.mark.parametrize("cut", CUTS)
def test_a_call_comes_in_pieces_and_whole(cut: int | None) -> None:
    model, _ = chat_model(Answer(ONE_CALL, cut=cut))
    events = asyncio.run(chat(model))
    assert [event for event in events if isinstance(event, ToolCallStart)] == [ToolCallStart("c1", "write")]
    pieces = [event.delta for event in events if isinstance(event, ToolCallArguments)]
    assert "".join(pieces) == '{"path": "a.txt"}'
    call = ToolCallPart(id="c1", name="write", arguments='{"path": "a.txt"}')
    assert events[-1] == End("tool_use", AssistantMessage(parts=(call,), stop="tool_use"))


A, B = ("read", {"p": 1}), ("read", {"p": 2})
PARALLEL = {
    "an index each": [
        [call_delta(0, "a", "read", '{"p"'), call_delta(1, "b", "read", "")],
        [call_delta(0, arguments=":1}"), call_delta(1, arguments='{"p":2}')],
    ],
    "one index for all, with ids": [
        [call_delta(0, "a", "read", '{"p":1}')],
        [call_delta(0, "b", "read", '{"p"')],
        [call_delta(0, "b", "read", ":2}")],
    ],
    "one index for all, without ids": [
        [call_delta(0, None, "read", '{"p":1}')],
        [call_delta(0, None, "read", '{"p"')],
        [call_delta(0, arguments=":2}")],
    ],
    "no index, with ids": [
        [call_delta(None, "a", "read", '{"p":1}'), call_delta(None, "b", "read")],
        [call_delta(None, "b", arguments='{"p":2}')],
    ],
    "no index, no ids": [
        [call_delta(None, None, "read", '{"p":1}'), call_delta(None, None, "read", '{"p":')],
        [call_delta(None, None, None, "2}")],
    ],
    "empty ids": [
        [call_delta(0, "", "read", '{"p":1}'), call_delta(1, "", "read", '{"p":2}')],
    ],
    "an empty id in later pieces": [
        [call_delta(0, "a", "read", '{"p"')],
        [call_delta(0, "", "", ":1}")],
        [call_delta(1, "b", "read", '{"p":2}')],
    ],
    "the same id twice": [
        [call_delta(0, "x", "read", '{"p":1}'), call_delta(1, "x", "read", '{"p":2}')],
    ],
    "a number for an id": [
        [call_delta(0, 0, "read", '{"p":1}'), call_delta(1, 1, "read", '{"p":2}')],  # type: ignore[arg-type]
    ],
    "objects for arguments": [
        [call_delta(0, "a", "read", {"p": 1}), call_delta(1, "b", "read", {"p": 2})],
    ],
}


@pytest.mark.parametrize("cut", [None, 7])
@pytest.mark.parametrize("name", PARALLEL)
def test_two_calls_are_told_apart(name: str, cut: int | None) -> None:
    body = sse(*[chunk(tool_calls=calls) for calls in PARALLEL[name]], chunk("tool_calls"))
    assert calls_of(body, cut) == [A, B]
    first, second = reply(body).calls
    assert first.id
    assert second.id
    assert first.id != second.id


def test_an_id_of_an_earlier_turn_is_not_used_again() -> None:
    earlier = AssistantMessage(parts=(ToolCallPart(id="0", name="ls", arguments="{}"),), stop="tool_use")
    model, _ = chat_model(Answer(sse(chunk("tool_calls", tool_calls=[call_delta(0, "0", "ls", "{}")]))))
    events = asyncio.run(chat(model, ask(UserMessage(text="go"), earlier)))
    assert events[-1].message.calls[0].id not in ("", "0")


@pytest.mark.parametrize("arguments", ["", None, "null", "  "])
def test_no_arguments_are_an_empty_object(arguments: str | None) -> None:
    call = call_delta(0, "a", "ls")
    call["function"]["arguments"] = arguments
    assert calls_of(sse(chunk(tool_calls=[call]), chunk("tool_calls"))) == [("ls", {})]


def test_missing_arguments_are_an_empty_object() -> None:
    assert calls_of(sse(chunk(tool_calls=[call_delta(0, "a", "ls")]), chunk("tool_calls"))) == [("ls", {})]


def test_arguments_stay_as_the_model_wrote_them() -> None:
    broken = '{"path": "a'
    body = sse(chunk(tool_calls=[call_delta(0, "a", "ls", broken)]), chunk("length"))
    assert reply(body).calls[0].arguments == broken
    assert reply(body).stop == "length"


# Text beside text


def test_reasoning_is_shown_and_sent_back_in_the_field_it_came_in() -> None:
    body = sse(
        chunk(role="assistant", reasoning_content="Let me "),
        chunk(reasoning_content="think.", content=None),
        chunk(content="Done."),
        chunk("stop"),
    )
    model, network = chat_model(Answer(body), Answer(TEXT))
    events = asyncio.run(chat(model))
    assert "".join(event.delta for event in events if isinstance(event, Thinking)) == "Let me think."
    message = events[-1].message
    assert [part.type for part in message.parts] == ["thinking", "text", "opaque"]
    asyncio.run(chat(model, ask(UserMessage(text="go"), message, UserMessage(text="on"))))
    assert network.sent["messages"][1] == {
        "role": "assistant",
        "content": "Done.",
        "reasoning_content": "Let me think.",
    }


def test_reasoning_details_are_joined_by_index_and_sent_back_with_their_signature() -> None:
    def detail(**fields: object) -> dict[str, object]:
        return {"type": "reasoning.text", "index": 0, **fields}

    body = sse(
        chunk(reasoning="I ", reasoning_details=[detail(text="I ", signature="")]),
        chunk(reasoning="see.", reasoning_details=[detail(text="see.")]),
        chunk(
            reasoning=None,
            reasoning_details=[detail(signature="SIG"), {"type": "reasoning.encrypted", "data": "x"}],
        ),
        chunk("stop", content="4"),
    )
    opaque = reply(body).parts[-1]
    assert isinstance(opaque, OpaquePart)
    assert opaque.data == {
        "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "I see.", "signature": "SIG"},
            {"type": "reasoning.encrypted", "data": "x"},
        ]
    }


def test_another_server_never_sees_them() -> None:
    opaque = OpaquePart(provider="openai-chat elsewhere.test", data={"reasoning_content": "secret"})
    model, network = chat_model(Answer(TEXT))
    asyncio.run(chat(model, ask(AssistantMessage(parts=(opaque, TextPart(text="Hi"))))))
    assert network.sent["messages"] == [{"role": "assistant", "content": "Hi"}]


def test_content_as_a_list_of_blocks() -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    body = sse(chunk(content=[thinking]), chunk(content=[{"type": "text", "text": "Yes."}]), chunk("stop"))
    assert reply(body).parts == (ThinkingPart(text="Hm."), TextPart(text="Yes."))


def test_a_refusal_is_text_and_says_so() -> None:
    message = reply(sse(chunk(content=None, refusal=""), chunk(refusal="I can't."), chunk("stop")))
    assert (message.text, message.stop) == ("I can't.", "refusal")


@pytest.mark.parametrize(
    ("finish", "stop"), [("stop", "end"), ("length", "length"), ("content_filter", "refusal"), ("eos", "end")]
)
def test_why_a_reply_ended(finish: str, stop: str) -> None:
    assert end_of(sse(chunk(content="x"), chunk(finish))).stop == stop


def test_a_character_in_two_halves_is_put_together() -> None:
    halves = sse(
        '{"choices":[{"delta":{"content":"a\\ud83d"}}]}',
        '{"choices":[{"delta":{"content":"\\ude00b\\ud83d"}}]}',
    )
    assert reply(halves).text == "a😀b\ufffd"
    assert reply(halves, 7).text == "a😀b\ufffd"


# Ends


def test_no_end_mark_but_a_finish_reason() -> None:
    assert reply(sse(chunk(content="x"), chunk("stop"), done=False)).text == "x"


def test_no_finish_reason_but_an_end_mark() -> None:
    assert reply(sse(chunk(content="x"))).stop == "end"
    assert reply(sse(chunk(tool_calls=[call_delta(0, "a", "ls", "{}")]))).stop == "tool_use"


def test_a_break_after_the_finish_reason_does_no_harm() -> None:
    from inbrowser.agent.models.transport import TransportError

    assert reply(sse(chunk("stop", content="x"), done=False), breaks=TransportError()).text == "x"


def test_nothing_is_read_after_the_end_mark() -> None:
    assert reply(TEXT + b"data: rubbish\n\n", breaks=AssertionError("read on")).text == "Héllo wörld 😀"
    assert reply(TEXT, 7, breaks=AssertionError("read on")).text == "Héllo wörld 😀"


def test_unknown_fields_and_odd_values_are_passed_over() -> None:
    body = sse(
        {"choices": [], "prompt_filter_results": []},
        {"choices": None},
        {"choices": [None, {"delta": None}, {"delta": {"content": 5, "audio": {}, "tool_calls": None}}]},
        ["a", "list"],
        '""',
        " ",
        {**chunk(content="ok", annotations=[]), "obfuscation": "xyz", "error": None},
        chunk("stop"),
    )
    assert reply(body).text == "ok"


# Usage


def test_the_last_usage_counts() -> None:
    counts = [
        {**chunk(content="x"), "usage": {"prompt_tokens": 9, "completion_tokens": n}} for n in (1, 5, 7)
    ]
    assert usage_of(*counts, chunk("stop")) == UsageEvent(input_tokens=9, output_tokens=7)


def test_usage_after_the_finish_reason_counts() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 8},
        "cost": 0.0125,
        "is_byok": False,
    }
    expected = UsageEvent(100, 20, 64, 3, 8, 0.0125)
    assert usage_of(chunk("stop", content="x"), {"choices": [], "usage": usage}) == expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"x_groq": {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}}, UsageEvent(1, 2)),
        ({"usage": {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}}, UsageEvent(9, None, 4)),
        (
            {"usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 31}},
            UsageEvent(9, 22),
        ),
    ],
    ids=["beside the usual place", "cached tokens by another name", "reasoning only in the total"],
)
def test_usage_in_other_shapes(told: dict[str, Any], expected: UsageEvent) -> None:
    assert usage_of({**chunk("stop", content="x"), **told}) == expected


def test_no_usage_is_unknown_and_not_zero() -> None:
    model, _ = chat_model(Answer(TEXT))
    assert not any(isinstance(event, UsageEvent) for event in asyncio.run(chat(model)))


# Requests


def test_headers_are_the_two_that_every_server_allows() -> None:
    model, network = chat_model(Answer(TEXT), Answer(TEXT), api_key=" sk-1 \n")
    asyncio.run(chat(model))
    assert network.requests[0].headers == {"content-type": "application/json", "authorization": "Bearer sk-1"}
    model, network = chat_model(Answer(TEXT))
    asyncio.run(chat(model))
    assert network.requests[0].headers == {"content-type": "application/json"}


def test_a_whole_conversation_as_it_is_sent() -> None:
    call = ToolCallPart(id="c1", name="ls", arguments='{"path": "."}')
    broken = ToolCallPart(id="c2", name="ls", arguments='{"path')
    model, network = chat_model(Answer(TEXT), temperature=0, max_tokens=50, effort="low", extra={"seed": 1})
    request = ask(
        UserMessage(text="one"),
        UserMessage(text="two"),
        AssistantMessage(parts=(ThinkingPart(text="hm"), call, broken), stop="tool_use"),
        ToolResultMessage(call_id="c1", name="ls", text="a.txt"),
        ToolResultMessage(call_id="c2", name="ls", text="not run", is_error=True),
        UserMessage(text="thanks \ud83d"),
        system="Be brief.",
        tools=(ToolSpec(name="ls", description="List.", parameters={"type": "object"}),),
        tool_choice="ls",
    )
    asyncio.run(chat(model, request))
    assert network.sent == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "one\n\ntwo"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "ls", "arguments": '{"path": "."}'},
                    },
                    {"id": "c2", "type": "function", "function": {"name": "ls", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
            {"role": "tool", "tool_call_id": "c2", "content": "not run"},
            {"role": "user", "content": "thanks ?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {"name": "ls", "description": "List.", "parameters": {"type": "object"}},
            }
        ],
        "tool_choice": {"type": "function", "function": {"name": "ls"}},
        "temperature": 0.0,
        "max_tokens": 50,
        "reasoning_effort": "low",
        "seed": 1,
    }


def test_servers_that_want_other_fields() -> None:
    def sent(base_url: str, *messages: Any) -> dict[str, Any]:
        model, network = chat_model(Answer(TEXT), base_url=base_url, max_tokens=9)
        asyncio.run(chat(model, ask(*messages)))
        return network.sent

    openai = sent("https://api.openai.com/v1")
    assert (openai["max_completion_tokens"], "max_tokens" in openai) == (9, False)
    assert "stream_options" not in sent("https://api.mistral.ai/v1")
    call = AssistantMessage(parts=(ToolCallPart(id="a", name="ls", arguments="{}"),))
    assert sent("https://api.deepseek.com", call)["messages"][0]["reasoning_content"] == ""


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/chat/completions"),
        (" https://a.test/v1/chat/completions ", "https://a.test/v1/chat/completions"),
        ("/proxy", "/proxy/chat/completions"),
    ],
)
def test_the_address_is_completed(base_url: str, url: str) -> None:
    model, network = chat_model(Answer(TEXT), base_url=base_url)
    asyncio.run(chat(model))
    assert network.requests[0].url == url


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"base_url": "localhost:8080"}, "base_url must start with https://"),
        ({"api_key": "sk-secret\u2026"}, "api_key has characters"),
        ({"api_key": ["sk-secret"]}, "api_key: Input should be a valid string"),
        ({"model": None}, "model: Input should be a valid string"),
        ({"temprature": 1}, "temprature: Extra inputs are not permitted"),
        ({"max_tokens": 0, "idle_timeout": 0}, "max_tokens: "),
    ],
)
def test_wrong_options_are_named_without_their_values(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ModelOptionsError) as caught:
        chat_model(**options)
    assert told in str(caught.value)
    assert "sk-secret" not in str(caught.value)


def test_an_unknown_api_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(ModelOptionsError, match=r"openai-chat.*scripted"):
        create_model("openai")


@pytest.mark.cpython
def test_without_a_browser_a_transport_must_be_given() -> None:
    with pytest.raises(ModelOptionsError, match="transport="):
        create_model("openai-chat", base_url="https://a.test", model="m")


def test_options_are_taken_in_camel_case_too() -> None:
    model, network = chat_model(Answer(TEXT), maxTokens=5)
    asyncio.run(chat(model))
    assert network.sent["max_tokens"] == 5


@pytest.mark.parametrize("name", ["idleTimeoutMs", "idle_timeout_ms"])
def test_how_long_a_server_may_be_silent_is_told_in_milliseconds(name: str) -> None:
    class Silent(Answer):
        async def read(self) -> bytes:
            return await asyncio.Future()

    model, _ = chat_model(Silent(b""), **{name: 20})
    with pytest.raises(ModelError, match=r"sent nothing for 0\.02 s"):
        asyncio.run(chat(model))


def test_the_model_names_itself() -> None:
    model, _ = chat_model(Answer(TEXT))
    assert model.id == "m"


def test_an_answer_nested_without_end_is_an_error_and_not_the_end_of_the_interpreter() -> None:
    model, _ = chat_model(Answer(sse("[" * 100_000)))
    with pytest.raises(ModelError, match="not JSON"):
        asyncio.run(chat(model))
