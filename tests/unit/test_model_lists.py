"""Which models a server has, and whether one answers."""

import asyncio
import json
from typing import Any

import pytest
from agent_fakes import Answer, Network, chat_model, chunk, scripted, sse
from inbrowser.agent.errors import ModelError
from inbrowser.agent.models import list_models
from inbrowser.agent.models.listing import ModelInfo, check_connection
from inbrowser.agent.models.transport import TransportError

LISTS: dict[str, tuple[str, dict[str, Any], list[ModelInfo]]] = {
    "openai-chat": (
        "https://llm.test/v1/models",
        {"object": "list", "data": [{"id": "b", "context_length": 8192}, {"id": "a"}]},
        [ModelInfo(id="a"), ModelInfo(id="b", context=8192)],
    ),
    "openai-responses": ("https://llm.test/v1/models", {"data": []}, []),
    "anthropic": (
        "https://llm.test/v1/models?limit=1000",
        {"data": [{"id": "claude-x", "display_name": "Claude X", "max_input_tokens": 200_000}]},
        [ModelInfo(id="claude-x", name="Claude X", context=200_000)],
    ),
    "gemini": (
        "https://llm.test/v1/models?pageSize=1000",
        {
            "models": [
                {
                    "name": "models/gemini-x",
                    "displayName": "Gemini X",
                    "inputTokenLimit": 1000,
                    "supportedGenerationMethods": ["generateContent"],
                },
                {"name": "models/embedding-x", "supportedGenerationMethods": ["embedContent"]},
            ]
        },
        [ModelInfo(id="gemini-x", name="Gemini X", context=1000)],
    ),
    "ollama": (
        "https://llm.test/v1/api/tags",
        {"models": [{"name": "qwen3:8b", "model": "qwen3:8b"}]},
        [ModelInfo(id="qwen3:8b", name="qwen3:8b")],
    ),
}


def models_of(api: str, answer: Answer | TransportError) -> tuple[list[ModelInfo], Network]:
    network = Network(answer)
    listed = list_models(api, transport=network, base_url="https://llm.test/v1", api_key="secret-key")
    return asyncio.run(listed), network


@pytest.mark.parametrize("api", LISTS)
def test_the_models_of_a_server(api: str) -> None:
    url, body, expected = LISTS[api]
    answer = Answer(json.dumps(body).encode(), content_type="application/json")
    models, network = models_of(api, answer)
    assert models == expected
    [request] = network.requests
    assert (request.url, request.body) == (url, None)
    assert "secret-key" in str(dict(request.headers))
    assert answer.closed


@pytest.mark.parametrize(
    ("answer", "kind", "told"),
    [
        (Answer(b'{"error": {"message": "bad secret-key"}}', status=401), "auth", r"bad \[key\]"),
        (Answer(b"x" * 495 + b" secret-key", status=401), "auth", r"x \[key\.\.\."),
        (Answer(b"<html>", content_type="text/html"), "protocol", "web page"),
        (Answer(b"{}", content_type="application/json"), "protocol", "without a list of models"),
        (Answer(b"{", content_type="application/json"), "protocol", "cannot be read"),
        (TransportError("offline"), "network", "offline"),
    ],
)
def test_why_there_is_no_list(answer: Answer | TransportError, kind: str, told: str) -> None:
    with pytest.raises(ModelError, match=told) as raised:
        models_of("openai-chat", answer)
    assert raised.value.kind == kind


def test_a_connection_that_works() -> None:
    model, network = chat_model(Answer(sse(chunk(content="ready"), chunk("stop"))))
    check = asyncio.run(check_connection(model))
    assert (check.ok, check.message) == (True, "m-1 answered.")
    assert network.sent["max_tokens"] == 256


def test_a_connection_that_does_not_work_says_why() -> None:
    model, _ = chat_model(Answer(b'{"error": {"message": "No such model: m"}}', status=404))
    check = asyncio.run(check_connection(model))
    assert not check.ok
    assert "llm.test answered 404: No such model: m." in check.message
    assert not asyncio.run(check_connection(scripted())).ok
