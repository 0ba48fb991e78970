"""A recorded conversation, played again by a model."""

import asyncio
from typing import Any

import pytest
from agent_fakes import collect, kinds, run, scripted, session_of
from inbrowser.agent import ToolSet, create_model
from inbrowser.agent.errors import ModelError
from inbrowser.agent.models.contract import ModelRequest, UserMessage

count = 0


def look(path: str) -> str:
    """Look at a file."""
    global count
    count += 1
    return f"{path} seen {count} times"


TURNS: list[dict[str, Any]] = [
    {"thinking": "Hm.", "text": "I look.", "tool_calls": [{"name": "look", "arguments": {"path": "é.txt"}}]},
    {"text": "It is fine, as far as I can see."},
    {"text": "You are welcome."},
]


def recorded() -> Any:
    session = session_of(scripted(*TURNS), tools=ToolSet([look]))
    asyncio.run(run(session))
    asyncio.run(run(session, "thanks"))
    return session.history


def test_a_conversation_is_played_again() -> None:
    history = recorded()
    session = session_of(create_model("replay", history=history), tools=ToolSet([look]))
    first = asyncio.run(run(session))
    assert kinds(first).count("tool_finished") == 1
    assert "".join(event.delta for event in first if event.kind == "thinking") == "Hm."
    assert first[-1].text == "It is fine, as far as I can see."  # type: ignore[union-attr]
    asyncio.run(run(session, "thanks"))
    said = [message for message in session.history if message.role == "assistant"]
    assert said == [message for message in history if message.role == "assistant"]


def test_it_goes_on_where_another_left_off() -> None:
    history = recorded()
    model = create_model("replay", history=[message.model_dump(mode="json") for message in history])
    session = session_of(model, history=history[:4])
    assert asyncio.run(run(session, "thanks"))[-1].text == "You are welcome."  # type: ignore[union-attr]


def test_another_conversation_is_not_answered() -> None:
    model = create_model("replay", history=recorded())
    request = ModelRequest(messages=(UserMessage(text="other"),))
    with pytest.raises(ModelError, match="leaves the recording at message 1, which is 'user: go' there"):
        asyncio.run(collect(model.chat(request)))


def test_the_end_of_the_recording_is_told() -> None:
    history = recorded()
    model = create_model("replay", history=history)
    request = ModelRequest(messages=(*history, UserMessage(text="more")))
    with pytest.raises(ModelError, match="ends before message 7"):
        asyncio.run(collect(model.chat(request)))
