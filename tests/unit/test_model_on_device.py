"""Models that run in the page: what they are asked, and how calls are found in plain text."""

import asyncio
from typing import Any

import pytest
from agent_fakes import CUTS, Answer, Network, ask, call_delta, chat, chunk, sse
from inbrowser.agent.errors import ModelError, ModelOptionsError
from inbrowser.agent.models import create_model
from inbrowser.agent.models.contract import (
    AssistantMessage,
    End,
    Text,
    TextPart,
    ToolCallEnd,
    ToolCallPart,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)

WRITE = ToolSpec(name="write", description="Write", parameters={"type": "object", "properties": {}})


def told(*pieces: str, end: bool = True) -> bytes:
    return sse(*({"text": piece} for piece in pieces), *([{"done": True}] if end else []), done=False)


def read(body: bytes, cut: int | None = None) -> tuple[str, list[tuple[str, str]], str]:
    """Return the text, the calls and why it ended."""
    model = create_model("language-model", transport=Network(Answer(body, cut=cut)))
    events = asyncio.run(chat(model))
    text = "".join(event.delta for event in events if isinstance(event, Text))
    calls = [(event.name, event.arguments) for event in events if isinstance(event, ToolCallEnd)]
    last = events[-1]
    assert isinstance(last, End)
    return text, calls, last.stop


CALL = '<tool_call>\n{"name": "write", "arguments": {"path": "é < 1"}}\n</tool_call>'
FOUND = ("write", '{"path": "é < 1"}')


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize(
    ("text", "said", "calls", "stop"),
    [
        ("A <b> and <tool", "A <b> and <tool", [], "end"),
        (f"Well.{CALL}", "Well.", [FOUND], "tool_use"),
        (CALL + CALL, "", [FOUND, FOUND], "tool_use"),
        (CALL.removesuffix("</tool_call>"), "", [FOUND], "tool_use"),
        ('<tool_call>{"name": "write"}</tool_call>', "", [("write", "{}")], "tool_use"),
        ('<tool_call>{"name": "write", "arg', "", [("write", '{"name": "write", "arg')], "tool_use"),
        ("<tool_call>none</tool_call>", "<tool_call>none</tool_call>", [], "end"),
    ],
)
def test_calls_are_found_in_text(
    text: str, said: str, calls: list[tuple[str, str]], stop: str, cut: int | None
) -> None:
    assert read(told(*text), cut) == (said, calls, stop)
    assert read(told(text), cut) == (said, calls, stop)


def test_an_answer_without_an_end_is_not_whole() -> None:
    with pytest.raises(ModelError, match="broke off before its end"):
        read(told("Half", end=False))


def asked(request: Any, **options: Any) -> dict[str, Any]:
    network = Network(Answer(told("ok")))
    asyncio.run(chat(create_model("language-model", transport=network, **options), request))
    return network.sent


def test_tools_and_their_results_are_told_in_text() -> None:
    call = ToolCallPart(id="1", name="write", arguments='{"path": "a"}')
    history = (
        UserMessage(text="go"),
        AssistantMessage(parts=(TextPart(text="Yes."), call), stop="tool_use"),
        ToolResultMessage(call_id="1", name="write", text="wrote a"),
    )
    body = asked(ask(*history, system="Be brief.", tools=(WRITE,)), temperature=0.5)
    system, *rest = body["messages"]
    assert system["content"].startswith("Be brief.")
    assert '{"name": "write", "description": "Write"' in system["content"]
    assert [each["role"] for each in rest] == ["user", "assistant", "user"]
    assert rest[1]["content"] == 'Yes.\n<tool_call>{"name": "write", "arguments": {"path": "a"}}</tool_call>'
    assert rest[2]["content"] == '<tool_response name="write">\nwrote a\n</tool_response>'
    assert body["temperature"] == 0.5


def test_a_choice_of_tools_is_told_in_words() -> None:
    assert (
        "You must use write now." in asked(ask(tools=(WRITE,), tool_choice="write"))["messages"][0]["content"]
    )
    assert asked(ask(tools=(WRITE,), tool_choice="none"))["messages"] == [{"role": "user", "content": "go"}]


def test_a_file_is_asked_as_a_server_is() -> None:
    body = sse(chunk(tool_calls=[call_delta(0, "1", "write", "{}")]), chunk("tool_calls"))
    network = Network(Answer(body))
    model = create_model("gguf", transport=network, maxTokens=7, extra={"grammar": "root ::= x"})
    events = asyncio.run(chat(model, ask(tools=(WRITE,))))
    assert [(each.name, each.arguments) for each in events if isinstance(each, ToolCallEnd)] == [
        ("write", "{}")
    ]
    sent = network.sent
    assert (sent["max_tokens"], sent["grammar"]) == (7, "root ::= x")
    assert sent["tools"][0]["function"]["name"] == "write"


@pytest.mark.parametrize("api", ["gguf", "language-model"])
def test_without_a_page_there_is_none(api: str) -> None:
    with pytest.raises(ModelOptionsError, match="runs in the page"):
        create_model(api)
