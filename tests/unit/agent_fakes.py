"""A network of recorded bytes, and small things that every test of the agent needs."""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from inbrowser.agent import create_agent_session, create_model, create_react_loop_strategy
from inbrowser.agent.events import SessionEvent
from inbrowser.agent.models.contract import ModelEvent, ModelRequest, UserMessage
from inbrowser.agent.models.transport import HttpRequest, TransportError

CUTS = (None, 1, 7, 64)
"""Sizes of the pieces in which a body arrives; None is all at once."""


class Answer:
    """One HTTP answer. `breaks` is what happens after the body's last byte instead of its end."""

    def __init__(
        self,
        body: bytes,
        *,
        status: int = 200,
        content_type: str = "text/event-stream",
        headers: Mapping[str, str] | None = None,
        cut: int | None = None,
        breaks: BaseException | None = None,
    ) -> None:
        self.status = status
        self.headers = {"content-type": content_type, **(headers or {})}
        self.closed = False
        size = cut or max(len(body), 1)
        self._pieces = [body[start : start + size] for start in range(0, len(body), size)]
        self._breaks = breaks

    async def read(self) -> bytes:
        if self._pieces:
            return self._pieces.pop(0)
        if self._breaks is not None:
            raise self._breaks
        return b""

    def close(self) -> None:
        self.closed = True


class Network:
    """A transport that gives the answers in turn, and keeps the requests."""

    def __init__(self, *answers: Answer | TransportError) -> None:
        self.requests: list[HttpRequest] = []
        self._answers = list(answers)

    async def open(self, request: HttpRequest) -> Answer:
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, TransportError):
            raise answer
        return answer

    @property
    def sent(self) -> dict[str, Any]:
        """The body of the last request."""
        return json.loads(self.requests[-1].body)


def model_of(api: str, *answers: Answer | TransportError, **options: Any):
    """A model whose server gives `answers`, and the network that it is asked over."""
    network = Network(*answers)
    given = {"base_url": "https://llm.test/v1", "model": "m", "max_retries": 0, **options}
    return create_model(api, transport=network, **given), network


def chat_model(*answers: Answer | TransportError, **options: Any):
    return model_of("openai-chat", *answers, **options)


def sse(*payloads: object, done: bool = True) -> bytes:
    """A stream of chunks as OpenAI frames them; text stands as it is."""
    texts = [payload if isinstance(payload, str) else json.dumps(payload) for payload in payloads]
    return "".join(f"data: {text}\n\n" for text in [*texts, *(["[DONE]"] if done else [])]).encode()


def chunk(finish: str | None = None, **delta: object) -> dict[str, Any]:
    return {"model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call_delta(
    index: int | None = 0, id: str | None = None, name: str | None = None, arguments: object = None
):
    """One entry of `tool_calls` in a delta; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    entry = {"index": index, "id": id, "function": function}
    return {key: value for key, value in entry.items() if value is not None}


def ask(*messages: Any, **fields: Any) -> ModelRequest:
    return ModelRequest(messages=messages or (UserMessage(text="go"),), **fields)


async def collect(events: AsyncIterator[Any]) -> list[Any]:
    return [event async for event in events]


async def chat(model: Any, request: ModelRequest | None = None) -> list[ModelEvent]:
    return await collect(model.chat(request or ask()))


def scripted(*turns: Mapping[str, Any]):
    return create_model("scripted", script={"turns": list(turns)})


def session_of(llm: Any, **options: Any):
    return create_agent_session(
        strategy=create_react_loop_strategy(options.pop("max_turns", 8)), llm=llm, **options
    )


async def run(session: Any, text: str = "go") -> list[SessionEvent]:
    return await collect(session.submit(text))


def kinds(events: Iterable[SessionEvent]) -> list[str]:
    return [event.kind for event in events]
