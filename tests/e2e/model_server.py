"""A server that speaks every API of models, and fails as it is told."""

import http.server
import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from tests.conftest import Server

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What one request gets: all of it, or a body that the connection does not live to the end of."""

    body: bytes = b""
    status: int = 200
    kind: str = "text/event-stream"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    open_to_pages: bool = True
    """Whether a page of another origin may ask, and read the answer."""
    cut: bool = False
    """Whether the connection breaks, though more was promised, once the page has told that it saw the body."""
    silent: bool = False
    """Whether nothing more comes after the body, not even the end; without a body, nothing at all."""


class ModelServer(Server):
    """Gives to each address the answers planned for it, one a request, and text to all that follow."""

    def __init__(self, port: int = 0) -> None:
        super().__init__(_Handler, port)
        self.asked: Counter[str] = Counter()
        """How many questions came, by address."""
        self.seen: dict[str, threading.Event] = {}
        """Set when a page asks for `/seen` below an address."""
        self.left: dict[str, threading.Event] = {}
        """Set when a page gives a silent answer at an address up."""
        self._plans: dict[str, list[Answer]] = {}

    def plan(self, *answers: Answer) -> str:
        """Return a new address, to be used as the base URL of any API."""
        base = f"{self.url}/{len(self._plans) + 1}"
        self._plans[base] = list(answers)
        self.seen[base], self.left[base] = threading.Event(), threading.Event()
        return base

    def base_of(self, path: str) -> str:
        """Return the address that a request's path belongs to."""
        return f"{self.url}/{path.split('/')[1]}"

    def coming(self, base: str) -> Answer | None:
        """Return what is planned for the next request."""
        return next(iter(self._plans.get(base, [])), None)

    def take(self, base: str) -> Answer | None:
        """Return what is planned for this request, None when the plan is over."""
        answers = self._plans.get(base)
        return answers.pop(0) if answers else None


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_OPTIONS(self) -> None:
        base = self._models.base_of(self.path)
        refused = (answer := self._models.coming(base)) is not None and not answer.open_to_pages
        if refused:
            self._models.take(base)
        self.send_response(204)
        if not refused:
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "*, authorization")
        self.end_headers()

    def do_GET(self) -> None:
        """Hear what the page has seen, or that it wants to know whether anybody is there."""
        if self.path.endswith("/seen"):
            self._models.seen[self._models.base_of(self.path)].set()
        self.send_response(404)
        self.end_headers()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        base = self._models.base_of(self.path)
        self._models.asked[base] += 1
        answer = self._models.take(base)
        if answer is None:
            api = next(api for api in APIS.values() if api.path in self.path)
            answer = Answer(api.text("All good."), kind=api.kind)
        if answer.body or not answer.silent:
            self._send(answer)
        if answer.silent:
            self.rfile.read(1)  # until the page gives up
            self._models.left[base].set()
        if answer.cut and answer.body:
            self._models.seen[base].wait(20)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", answer.kind)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.cut:
            self.send_header("Content-Length", str(len(answer.body) + 1000))
        self.end_headers()
        self.wfile.write(answer.body)
        self.wfile.flush()

    @property
    def _models(self) -> ModelServer:
        return cast("ModelServer", self.server)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""


@dataclass(frozen=True)
class Api:
    """How an API says the same things as the others."""

    path: str
    """What the address of every question has in it."""
    text: Callable[[str], bytes]
    """The stream of a reply that says something."""
    call: Callable[[str], bytes]
    """The stream of a reply that says "Let me." and calls `write` with these arguments, a JSON text."""
    whole: Callable[[str], Json]
    """The reply of `text`, not streamed."""
    error: Callable[[str], Json]
    """What explains a status that is not 200."""
    kind: str = "text/event-stream"


def _sse(*events: Json | str) -> bytes:
    """Frame events; the type of those that have one is their name too."""
    framed = ""
    for event in events:
        name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
        framed += f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n"
    return framed.encode()


def _halves(text: str) -> tuple[str, str]:
    middle = len(text) // 2
    return text[:middle], text[middle:]


# OpenAI's chat completions


def _chunk(finish: str | None = None, **delta: Any) -> Json:
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _chat_text(text: str) -> bytes:
    pieces = [_chunk(content=piece) for piece in _halves(text)]
    return _sse(*pieces, _chunk("stop"), "[DONE]")


def _chat_call(arguments: str) -> bytes:
    first, second = _halves(arguments)
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "write", "arguments": first}}
    rest = {"index": 0, "function": {"arguments": second}}
    chunks = [_chunk(content="Let me."), _chunk(tool_calls=[call]), _chunk(tool_calls=[rest])]
    return _sse(*chunks, _chunk("tool_calls"), "[DONE]")


def _chat_whole(text: str) -> Json:
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}


def _openai_error(message: str) -> Json:
    return {"error": {"message": message, "type": "some_error", "code": None}}


# OpenAI's Responses


def _message_item(text: str) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "m1", "role": "assistant", "content": content}


def _message_events(text: str) -> list[Json]:
    place = {"output_index": 0, "item_id": "m1"}
    return [
        {"type": "response.created", "response": {"model": "m", "status": "in_progress"}},
        {"type": "response.output_item.added", "item": {**_message_item(""), "content": []}, **place},
        *({"type": "response.output_text.delta", "delta": piece, **place} for piece in _halves(text)),
        {"type": "response.output_item.done", "item": _message_item(text), **place},
    ]


def _response(*items: Json) -> Json:
    return {"model": "m", "status": "completed", "output": list(items)}


def _responses_text(text: str) -> bytes:
    return _sse(*_message_events(text), {"type": "response.completed", "response": _response()})


def _responses_call(arguments: str) -> bytes:
    place = {"output_index": 1, "item_id": "f1"}
    item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "write"}
    kind = "response.function_call_arguments.delta"
    return _sse(
        *_message_events("Let me."),
        {"type": "response.output_item.added", "item": {**item, "arguments": ""}, **place},
        *({"type": kind, "delta": piece, **place} for piece in _halves(arguments)),
        {"type": "response.output_item.done", "item": {**item, "arguments": arguments}, **place},
        {"type": "response.completed", "response": _response()},
    )


# Anthropic's Messages


def _block(index: int, block: Json, *deltas: Json) -> list[Json]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _message(stop: str, *blocks: Json) -> bytes:
    start = {"type": "message_start", "message": {"model": "m", "content": [], "usage": {"input_tokens": 3}}}
    delta = {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 4}}
    return _sse(start, *blocks, delta, {"type": "message_stop"})


def _text_block(text: str) -> list[Json]:
    pieces = [{"type": "text_delta", "text": piece} for piece in _halves(text)]
    return _block(0, {"type": "text", "text": ""}, *pieces)


def _anthropic_call(arguments: str) -> bytes:
    pieces = [{"type": "input_json_delta", "partial_json": piece} for piece in _halves(arguments)]
    call = {"type": "tool_use", "id": "c1", "name": "write", "input": {}}
    return _message("tool_use", *_text_block("Let me."), *_block(1, call, *pieces))


def _anthropic_whole(text: str) -> Json:
    return {"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}


def _anthropic_error(message: str) -> Json:
    return {"type": "error", "error": {"type": "some_error", "message": message}}


# Gemini


def _candidate(*parts: Json, finish: str | None = None) -> Json:
    end = {"finishReason": finish} if finish else {}
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **end}], "modelVersion": "m"}


def _gemini_text(text: str) -> bytes:
    first, second = _halves(text)
    return _sse(_candidate({"text": first}), _candidate({"text": second}, finish="STOP"))


def _gemini_call(arguments: str) -> bytes:
    call = json.dumps(_candidate({"functionCall": {"name": "write", "args": "HERE"}}, finish="STOP"))
    return _sse(_candidate({"text": "Let me."}), call.replace('"HERE"', arguments))


def _gemini_whole(text: str) -> Json:
    return _candidate({"text": text}, finish="STOP")


def _gemini_error(message: str) -> Json:
    return {"error": {"code": 0, "message": message, "status": "SOME_STATUS"}}


# Ollama


def _line(done: bool = False, **fields: Any) -> str:
    end = {"done_reason": "stop"} if done else {}
    message = {"role": "assistant", "content": "", **fields}
    return json.dumps({"model": "m", "message": message, "done": done, **end}) + "\n"


def _ollama_text(text: str) -> bytes:
    return "".join([*(_line(content=piece) for piece in _halves(text)), _line(done=True)]).encode()


def _ollama_call(arguments: str) -> bytes:
    call = _line(tool_calls=[{"function": {"name": "write", "arguments": "HERE"}}])
    return (_line(content="Let me.") + call.replace('"HERE"', arguments) + _line(done=True)).encode()


def _ollama_whole(text: str) -> Json:
    return json.loads(_line(done=True, content=text))


APIS = {
    "openai-chat": Api("/chat/completions", _chat_text, _chat_call, _chat_whole, _openai_error),
    "openai-responses": Api(
        "/responses",
        _responses_text,
        _responses_call,
        lambda text: _response(_message_item(text)),
        _openai_error,
    ),
    "anthropic": Api(
        "/v1/messages",
        lambda text: _message("end_turn", *_text_block(text)),
        _anthropic_call,
        _anthropic_whole,
        _anthropic_error,
    ),
    "gemini": Api("/models/m:", _gemini_text, _gemini_call, _gemini_whole, _gemini_error),
    "ollama": Api(
        "/api/chat",
        _ollama_text,
        _ollama_call,
        _ollama_whole,
        lambda message: {"error": message},
        "application/x-ndjson",
    ),
}
