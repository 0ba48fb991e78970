"""What is sent to each API for any history, its own or another model's."""

import asyncio
import json
from typing import Any

import pytest
from agent_fakes import Answer, ask, chat, model_of
from inbrowser.agent.errors import ModelOptionsError
from inbrowser.agent.history import INTERRUPTED, dump, load, repair
from inbrowser.agent.models import create_model
from inbrowser.agent.models.contract import (
    AssistantMessage,
    End,
    Message,
    ModelRequest,
    OpaquePart,
    TextPart,
    ToolCallPart,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from model_streams import ALL, Stream

TWO_CALLS = {
    "anthropic": "anthropic - thinking, text and two calls",
    "openai-responses": "openai-responses - reasoning, text and two calls",
    "gemini": "gemini - thoughts and two calls",
    "ollama": "ollama - thinking and calls in one line",
    "openai-chat": "openai-chat - thinking, text and two calls",
}
APIS = list(TWO_CALLS)
END = {
    "anthropic": "anthropic - text",
    "openai-responses": "openai-responses - items without pieces",
    "gemini": "gemini - text, and counts with every piece",
    "ollama": "ollama - text",
    "openai-chat": "openai-chat - thinking, text and two calls",
}
TOOLS = (
    ToolSpec(
        name="read",
        description="Read a file",
        parameters={
            "type": "object",
            "properties": {"path": {"type": "string"}, "limit": {"$ref": "#/$defs/Limit"}},
            "required": ["path"],
            "additionalProperties": False,
            "$defs": {"Limit": {"title": "Limit", "type": "integer", "exclusiveMinimum": 0}},
        },
    ),
    ToolSpec(name="ls", description="List files"),
)


def said(stream: Stream) -> AssistantMessage:
    """The reply that an adapter makes of a stream."""
    model, _ = model_of(stream.api, Answer(stream.body, content_type=stream.content_type))
    [*_, end] = asyncio.run(chat(model))
    assert isinstance(end, End)
    return end.message


def history_of(reply: AssistantMessage) -> list[Message]:
    """A history with that reply: its results, a failed one among them, and a broken-off reply after it."""
    results = [
        ToolResultMessage(call_id=call.id, name=call.name, text=f"result {index}", is_error=bool(index))
        for index, call in enumerate(reply.calls)
    ]
    cut = AssistantMessage(parts=(TextPart(text="I was"),), stop="incomplete")
    return [UserMessage(text="go"), reply, *results, UserMessage(text="more"), cut, UserMessage(text="on")]


def sent(api: str, request: ModelRequest, **options: Any) -> dict[str, Any]:
    stream = ALL[END[api]]
    model, network = model_of(api, Answer(stream.body, content_type=stream.content_type), **options)
    asyncio.run(chat(model, request))
    return network.sent


def headers(api: str, base_url: str) -> dict[str, str]:
    stream = ALL[END[api]]
    answer = Answer(stream.body, content_type=stream.content_type)
    model, network = model_of(api, answer, base_url=base_url, api_key="key")
    asyncio.run(chat(model))
    return dict(network.requests[0].headers)


def url(api: str, base_url: str, model: str = "m") -> str:
    stream = ALL[END[api]]
    answer = Answer(stream.body, content_type=stream.content_type)
    client, network = model_of(api, answer, base_url=base_url, model=model)
    asyncio.run(chat(client))
    return network.requests[0].url


@pytest.mark.parametrize(
    ("api", "base_url", "expected"),
    [
        ("anthropic", "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        ("anthropic", "http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1/messages"),
        ("anthropic", "https://a.test/anthropic/v1/messages", "https://a.test/anthropic/v1/messages"),
        ("openai-responses", "https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
        ("gemini", "https://g.test/v1beta", "https://g.test/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("ollama", "http://localhost:11434", "http://localhost:11434/api/chat"),
        ("openai-chat", "/proxy/v1", "/proxy/v1/chat/completions"),
    ],
)
def test_where_it_is_sent(api: str, base_url: str, expected: str) -> None:
    assert url(api, base_url) == expected


JSON = {"content-type": "application/json"}
VERSION = {"anthropic-version": "2023-06-01"}


@pytest.mark.parametrize(
    ("api", "base_url", "expected"),
    [
        (
            "anthropic",
            "https://api.anthropic.com",
            {**VERSION, "x-api-key": "key", "anthropic-dangerous-direct-browser-access": "true"},
        ),
        ("anthropic", "http://127.0.0.1:8080", {**VERSION, "x-api-key": "key"}),
        ("anthropic", "https://openrouter.ai/api", {**VERSION, "authorization": "Bearer key"}),
        ("openai-responses", "https://api.openai.com/v1", {"authorization": "Bearer key"}),
        ("openai-chat", "https://api.groq.com/openai/v1", {"authorization": "Bearer key"}),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta", {"x-goog-api-key": "key"}),
        ("ollama", "https://ollama.com", {"authorization": "Bearer key"}),
    ],
)
def test_exactly_these_headers(api: str, base_url: str, expected: dict[str, str]) -> None:
    assert headers(api, base_url) == JSON | expected


@pytest.mark.parametrize("api", APIS)
def test_options_that_cannot_be(api: str) -> None:
    for wrong in ({"base_url": "llm.test"}, {"api_key": "kéy"}, {"max_tokens": 0}, {"nonsense": 1}):
        with pytest.raises(ModelOptionsError, match=next(iter(wrong))):
            create_model(api, **{"base_url": "https://llm.test", "model": "m", **wrong})


def test_replies_of_anthropic_go_back_as_they_came() -> None:
    body = sent("anthropic", ask(*history_of(said(ALL[TWO_CALLS["anthropic"]]))))
    assert [message["role"] for message in body["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert body["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Let me see. Yes.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZGF0YQ=="},
        {"type": "text", "text": "Both:"},
        {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "é"}},
        {"type": "tool_use", "id": "b", "name": "ls", "input": {}},
    ]
    assert body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": "result 0"},
        {"type": "tool_result", "tool_use_id": "b", "content": "result 1", "is_error": True},
        {"type": "text", "text": "more"},
    ]


def test_replies_of_responses_go_back_as_they_came() -> None:
    body = sent("openai-responses", ask(*history_of(said(ALL[TWO_CALLS["openai-responses"]]))))
    assert body["store"] is False
    assert body["input"][:6] == [
        {"type": "message", "role": "user", "content": "go"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5j"},
        {"type": "message", "role": "assistant", "content": "Héllo 😀", "phase": "commentary"},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"path":"a"}'},
        {"type": "function_call", "call_id": "c2", "name": "ls", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "result 0"},
    ]


def test_replies_of_gemini_go_back_with_their_signatures() -> None:
    body = sent("gemini", ask(*history_of(said(ALL[TWO_CALLS["gemini"]]))), model="gemini-3-pro")
    assert body["contents"][1] == {
        "role": "model",
        "parts": [
            {"text": "Both:"},
            {"text": "", "thoughtSignature": "c2ln"},
            {"functionCall": {"name": "read", "args": {"path": "é"}}, "thoughtSignature": "c2ln"},
            {"functionCall": {"name": "ls", "args": {}}},
        ],
    }
    assert body["contents"][2] == {
        "role": "user",
        "parts": [
            {"functionResponse": {"name": "read", "response": {"output": "result 0"}}},
            {"functionResponse": {"name": "ls", "response": {"error": "result 1"}}},
        ],
    }


def test_gemini_is_told_when_a_call_was_another_models() -> None:
    foreign = history_of(said(ALL[TWO_CALLS["anthropic"]]))
    newer = sent("gemini", ask(*foreign), model="gemini-3-pro")["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in newer] == [
        None,
        "skip_thought_signature_validator",
        None,
    ]
    older = sent("gemini", ask(*foreign), model="gemini-2.5-flash")["contents"][1]["parts"]
    assert not any("thoughtSignature" in part for part in older)


def test_thinking_goes_back_to_ollama() -> None:
    body = sent("ollama", ask(*history_of(said(ALL[TWO_CALLS["ollama"]]))))
    assert body["options"]["num_ctx"] == 16_384
    assert body["messages"][1] == {
        "role": "assistant",
        "content": "",
        "thinking": "Hm.",
        "tool_calls": [
            {"function": {"name": "read", "arguments": {"path": "é"}}},
            {"function": {"name": "ls", "arguments": {}}},
        ],
    }
    assert body["messages"][2] == {"role": "tool", "tool_name": "read", "content": "result 0"}


@pytest.mark.parametrize("source", APIS)
@pytest.mark.parametrize("target", APIS)
def test_a_conversation_moves_from_one_provider_to_another(source: str, target: str) -> None:
    if source == target:
        return
    reply = said(ALL[TWO_CALLS[source]])
    body = json.dumps(sent(target, ask(*history_of(reply), tools=TOOLS)), ensure_ascii=False)
    assert "result 0" in body
    assert "result 1" in body
    for secret in ("c2ln", "ZGF0YQ==", "ZW5j", "Hm."):
        assert secret not in body


def test_ids_are_made_fit_where_a_provider_is_particular() -> None:
    call = ToolCallPart(id="call.with~dots and more", name="ls", arguments="{}")
    reply = AssistantMessage(parts=(call,), stop="tool_use")
    result = ToolResultMessage(call_id=call.id, name="ls", text="x")
    history = ask(UserMessage(text="go"), reply, result)
    claude = sent("anthropic", history)["messages"]
    assert claude[1]["content"][0]["id"] == claude[2]["content"][0]["tool_use_id"]
    assert claude[1]["content"][0]["id"].isalnum()
    mistral = sent("openai-chat", history, base_url="https://api.mistral.ai/v1")["messages"]
    assert mistral[1]["tool_calls"][0]["id"] == mistral[2]["tool_call_id"]
    assert len(mistral[2]["tool_call_id"]) == 9


@pytest.mark.parametrize("api", APIS)
def test_broken_arguments_are_not_sent_back(api: str) -> None:
    call = ToolCallPart(id="a", name="write", arguments='{"path": "a')
    history = history_of(AssistantMessage(parts=(call,), stop="length"))
    assert '{\\"path\\": \\"a' not in json.dumps(sent(api, ask(*history)))


@pytest.mark.parametrize("api", APIS)
def test_what_a_provider_must_get_back_outlives_saving_and_a_run_that_was_cut(api: str) -> None:
    reply = said(ALL[TWO_CALLS[api]])
    whole = history_of(reply)
    cut = [message for message in whole if not isinstance(message, ToolResultMessage)]
    results = [
        ToolResultMessage(call_id=call.id, name=call.name, text=INTERRUPTED, is_error=True)
        for call in reply.calls
    ]
    expected = sent(api, ask(*whole[:2], *results, *whole[4:]))
    assert sent(api, ask(*repair(load(dump(cut))))) == expected
    opaque = [part.data for part in reply.parts if isinstance(part, OpaquePart)]
    assert opaque
    body = json.dumps(expected)
    for data in opaque:
        assert isinstance(data, dict)
        kept = data.get("call", data)
        assert all(json.dumps(value) in body for value in kept.values())


def test_thinking_that_was_cut_before_its_signature_is_not_sent_back() -> None:
    thinking = {"type": "thinking", "thinking": "Let me", "signature": ""}
    address = "https://api.anthropic.com"
    for parts in ([], [TextPart(text="I was")]):
        opaque = OpaquePart(provider="anthropic api.anthropic.com", data=thinking)
        cut = AssistantMessage(parts=(opaque, *parts), stop="length")
        history = ask(UserMessage(text="go"), cut, UserMessage(text="on"))
        assert "thinking" not in json.dumps(sent("anthropic", history, base_url=address))


def test_reasoning_that_nothing_came_of_is_not_sent_back() -> None:
    opaque = OpaquePart(provider="openai-responses llm.test", data={"type": "reasoning", "id": "rs_1"})
    cut = AssistantMessage(parts=(opaque,), stop="length")
    body = sent("openai-responses", ask(UserMessage(text="go"), cut, UserMessage(text="on")))
    assert [item["type"] for item in body["input"]] == ["message", "message"]


# Choices and efforts

CHOICES = {
    "anthropic": ("tool_choice", {"type": "none"}, {"type": "any"}, {"type": "tool", "name": "ls"}),
    "openai-responses": ("tool_choice", "none", "required", {"type": "function", "name": "ls"}),
    "openai-chat": ("tool_choice", "none", "required", {"type": "function", "function": {"name": "ls"}}),
    "gemini": (
        "toolConfig",
        {"functionCallingConfig": {"mode": "NONE"}},
        {"functionCallingConfig": {"mode": "ANY"}},
        {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["ls"]}},
    ),
}


@pytest.mark.parametrize("api", CHOICES)
def test_which_tool_may_be_called(api: str) -> None:
    field, *expected = CHOICES[api]
    found = [
        sent(api, ask(tools=TOOLS, tool_choice=choice)).get(field)
        for choice in ("auto", "none", "required", "ls")
    ]
    assert found == [None, *expected]


EFFORTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("openai-chat", {}, {"reasoning_effort": "high"}),
    ("openai-responses", {}, {"reasoning": {"effort": "high"}}),
    ("openai-responses", {"summary": "auto"}, {"reasoning": {"effort": "high", "summary": "auto"}}),
    (
        "anthropic",
        {},
        {"thinking": {"type": "adaptive", "display": "summarized"}, "output_config": {"effort": "high"}},
    ),
    ("anthropic", {"thinking": 2000}, {"thinking": {"type": "enabled", "budget_tokens": 2000}}),
    ("anthropic", {"thinking": "disabled"}, {"thinking": {"type": "disabled"}}),
    (
        "gemini",
        {"model": "gemini-3-pro"},
        {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"}}},
    ),
    (
        "gemini",
        {"model": "gemini-2.5-pro"},
        {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": 24_576}}},
    ),
    ("ollama", {}, {"think": "high"}),
]


@pytest.mark.parametrize(("api", "options", "expected"), EFFORTS)
def test_how_hard_to_think(api: str, options: dict[str, Any], expected: dict[str, Any]) -> None:
    body = sent(api, ask(), effort="high", **options)
    assert {name: body.get(name) for name in expected} == expected
    plain = sent(api, ask(), **{"model": options["model"]} if "model" in options else {})
    assert not plain.keys() & {"reasoning", "reasoning_effort", "think", "generationConfig", "output_config"}


def test_an_effort_that_gemini_has_no_budget_for() -> None:
    with pytest.raises(ModelOptionsError, match="huge"):
        sent("gemini", ask(), model="gemini-2.5-pro", effort="huge")


def test_what_anthropic_is_to_cache_is_marked() -> None:
    body = sent("anthropic", ask(system="Be brief.", tools=TOOLS))
    marked = [body["tools"][-1], body["system"][-1], body["messages"][-1]["content"][-1]]
    assert all(each["cache_control"] == {"type": "ephemeral"} for each in marked)
    assert "cache_control" not in json.dumps(sent("anthropic", ask(system="x", tools=TOOLS, cache=False)))


def test_openrouter_hands_the_mark_on_to_claude() -> None:
    address = "https://openrouter.ai/api/v1"
    claude = sent("openai-chat", ask(system="x"), base_url=address, model="anthropic/claude")
    assert [message["content"][0].get("cache_control") for message in claude["messages"]] == [
        {"type": "ephemeral"},
        {"type": "ephemeral"},
    ]
    assert "cache_control" not in json.dumps(sent("openai-chat", ask(system="x"), base_url=address))


# The official SDKs' own types say what is accepted


def accepted(api: str, body: dict[str, Any]) -> None:
    """Check a body against the types of the provider's SDK; raises pydantic's ValidationError."""
    import sdk_types

    sdk_types.CHECKS[api](body)


@pytest.mark.cpython
@pytest.mark.parametrize("source", [*APIS, "none"])
@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_the_sdks_types_accept_it(source: str, target: str) -> None:
    history: list[Message] = [UserMessage(text="go")]
    if source != "none":
        reply = said(ALL[TWO_CALLS[source]])
        if source == target == "openai-chat":  # what other servers give back is no part of OpenAI's own API
            reply = reply.model_copy(update={"parts": reply.parts[:-1]})
        history = history_of(reply)
    request = ask(*history, system="Be brief.", tools=TOOLS, tool_choice="ls", max_tokens=100)
    accepted(target, sent(target, request, model="gemini-3-pro", effort="low"))


@pytest.mark.cpython
@pytest.mark.parametrize("target", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_the_check_refuses_what_is_wrong(target: str) -> None:
    from pydantic import ValidationError

    body = sent(target, ask(tools=TOOLS))
    for wrong in ({**body, "unheard": 1}, {**body, "tools": [{"x": 1}]}):
        with pytest.raises(ValidationError):
            accepted(target, wrong)
