"""OpenAI's chat completions, and the many servers that speak them: how to ask."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..contract import (
    AssistantMessage,
    Message,
    ModelRequest,
    OpaquePart,
    ToolCallPart,
    ToolResultMessage,
    UserMessage,
)
from ..failures import host_of
from ..options import OpenAIChatOptions
from ..transport import HttpRequest
from .reader import ChatReader
from .values import is_object_text


class ChatAdapter:
    """Builds requests and readers; holds nothing that changes."""

    def __init__(self, options: OpenAIChatOptions, url: str, key: str) -> None:
        self._options = options
        self._url = url
        self._key = key
        host = host_of(url)
        self._quirks = _QUIRKS.get(host, _Quirks())
        self._provider = f"openai-chat {host}"

    def request(self, request: ModelRequest) -> HttpRequest:
        """Return the POST that asks `request`: no headers but content-type and, with a key, authorization."""
        headers = {"content-type": "application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        body = json.dumps(self._body(request), ensure_ascii=False, separators=(",", ":"))
        return HttpRequest(self._url, headers, body.encode("utf-8", "replace"))

    def reader(self, request: ModelRequest) -> ChatReader:
        """Return a reader whose call ids differ from all in `request`."""
        taken = {
            call.id
            for message in request.messages
            if isinstance(message, AssistantMessage)
            for call in message.calls
        }
        return ChatReader(self._url, self._provider, taken)

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        options, quirks = self._options, self._quirks
        body: dict[str, Any] = {
            "model": options.model,
            "messages": [*_system(request.system), *self._messages(request.messages)],
            "stream": True,
        }
        if quirks.stream_options is not None:
            body["stream_options"] = quirks.stream_options
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.tools
            ]
            if request.tool_choice != "auto":
                body["tool_choice"] = _tool_choice(request.tool_choice)
        settings = {
            "temperature": options.temperature,
            quirks.limit: request.max_tokens or options.max_tokens,
            "reasoning_effort": request.effort or options.effort,
        }
        body |= {name: value for name, value in settings.items() if value is not None}
        return body | options.extra

    def _messages(self, messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
        said: list[str] = []
        for message in messages:
            if isinstance(message, UserMessage):
                said.append(message.text)
                continue
            yield from _user(said)
            said = []
            if isinstance(message, ToolResultMessage):
                yield {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
            else:
                yield self._assistant(message)
        yield from _user(said)

    def _assistant(self, message: AssistantMessage) -> dict[str, Any]:
        calls = [_call(part) for part in message.calls]
        sent: dict[str, Any] = {"role": "assistant", "content": message.text or (None if calls else "")}
        if calls:
            sent["tool_calls"] = calls
            if self._quirks.wants_reasoning:
                sent["reasoning_content"] = ""
        for part in message.parts:
            if isinstance(part, OpaquePart) and part.provider == self._provider:
                sent |= part.data if isinstance(part.data, dict) else {}
        return sent


@dataclass(frozen=True, slots=True)
class _Quirks:
    """Where a server differs from the rest."""

    stream_options: dict[str, bool] | None = field(default_factory=lambda: {"include_usage": True})
    """None where unknown fields are refused; usage comes anyway there."""
    limit: str = "max_tokens"
    wants_reasoning: bool = False
    """A reply with calls must carry `reasoning_content`, even an empty one."""


_QUIRKS = {
    "api.openai.com": _Quirks(
        stream_options={"include_usage": True, "include_obfuscation": False}, limit="max_completion_tokens"
    ),
    "api.mistral.ai": _Quirks(stream_options=None),
    "api.deepseek.com": _Quirks(wants_reasoning=True),
}


def _system(text: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": text}] if text else []


def _user(said: list[str]) -> list[dict[str, Any]]:
    """Join what the user said in a row: many chat templates want the roles to alternate."""
    return [{"role": "user", "content": "\n\n".join(said)}] if said else []


def _call(part: ToolCallPart) -> dict[str, Any]:
    """Send a call back as it was written; broken JSON makes many servers refuse the whole history."""
    arguments = part.arguments if is_object_text(part.arguments) else "{}"
    return {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": arguments}}


def _tool_choice(choice: str) -> object:
    if choice in ("none", "required"):
        return choice
    return {"type": "function", "function": {"name": choice}}
