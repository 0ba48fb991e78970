"""OpenAI's chat completions, and the many servers that speak them: how to ask."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..adapter import (
    address,
    bearer,
    fitting_id,
    function_tool,
    get,
    given,
    key_of,
    own_data,
    post,
    steps,
    system_message,
)
from ..contract import AssistantMessage, Message, ModelRequest, ToolCallPart, ToolResultMessage
from ..failures import host_of
from ..options import OpenAIChatOptions
from ..transport import HttpRequest
from ..values import object_of
from .reader import ChatReader

_CACHED = {"cache_control": {"type": "ephemeral"}}


@dataclass(frozen=True, slots=True)
class Quirks:
    """Where a server differs from the rest."""

    stream_options: dict[str, bool] | None = field(default_factory=lambda: {"include_usage": True})
    """None where unknown fields are refused; usage comes anyway there."""
    limit: str = "max_tokens"
    wants_reasoning: bool = False
    """A reply with calls must carry `reasoning_content`, even an empty one."""
    call_id: str = ".{1,40}"
    """What an id of a call must look like."""


_QUIRKS = {
    "api.openai.com": Quirks(
        stream_options={"include_usage": True, "include_obfuscation": False}, limit="max_completion_tokens"
    ),
    "api.mistral.ai": Quirks(stream_options=None, call_id="[A-Za-z0-9]{9}"),
    "api.deepseek.com": Quirks(wants_reasoning=True),
}


class ChatAdapter:
    """Builds requests and readers. Raises ModelOptionsError for a URL or key that cannot be."""

    def __init__(self, options: OpenAIChatOptions) -> None:
        self._options = options
        self._url = address(options.base_url, "/chat/completions")
        self._headers = bearer(key_of(options))
        host = host_of(self._url)
        self._quirks = _QUIRKS.get(host, Quirks())
        self._provider = f"openai-chat {host}"
        # OpenRouter hands the mark on to Claude, which caches nothing that is not marked.
        self._marks_cache = host == "openrouter.ai" and options.model.startswith("anthropic/")

    def request(self, request: ModelRequest) -> HttpRequest:
        """Return the POST that asks `request`: no headers but content-type and, with a key, authorization."""
        options, quirks = self._options, self._quirks
        messages = [*system_message(request.system), *self._messages(request.messages)]
        if self._marks_cache and request.cache:
            _mark(messages[0])
            _mark(messages[-1])
        body = {
            "model": options.model,
            "messages": messages,
            "stream": True,
            "stream_options": quirks.stream_options,
            "tools": [function_tool(tool) for tool in request.tools] or None,
            "tool_choice": _tool_choice(request),
            "temperature": options.temperature,
            quirks.limit: request.max_tokens or options.max_tokens,
            "reasoning_effort": request.effort or options.effort,
        }
        return post(self._url, self._headers, given(body) | options.extra)

    def reader(self, request: ModelRequest) -> ChatReader:
        """Return a reader for the answer to `request`."""
        return ChatReader(self._url, self._provider, request)

    def list_models(self) -> HttpRequest:
        """Return the GET for the models that the server has."""
        return get(self._url.removesuffix("/chat/completions") + "/models", self._headers)

    def _messages(self, messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
        for step in steps(messages):
            match step:
                case str():
                    yield {"role": "user", "content": step}
                case AssistantMessage():
                    yield self._assistant(step)
                case _:
                    yield from (self._result(result) for result in step)

    def _assistant(self, message: AssistantMessage) -> dict[str, Any]:
        calls = [self._call(part) for part in message.calls]
        sent: dict[str, Any] = {"role": "assistant", "content": message.text or (None if calls else "")}
        if calls:
            sent["tool_calls"] = calls
            if self._quirks.wants_reasoning:
                sent["reasoning_content"] = ""
        for part in message.parts:
            sent |= own_data(part, self._provider) or {}
        return sent

    def _call(self, part: ToolCallPart) -> dict[str, Any]:
        """Send a call back as it was written; broken JSON makes many servers refuse the whole history."""
        arguments = "{}" if object_of(part.arguments) is None else part.arguments
        function = {"name": part.name, "arguments": arguments}
        return {"id": self._id(part.id), "type": "function", "function": function}

    def _result(self, message: ToolResultMessage) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": self._id(message.call_id), "content": message.text}

    def _id(self, id: str) -> str:
        return fitting_id(id, self._quirks.call_id)


def _mark(message: dict[str, Any]) -> None:
    """Mark that what goes up to this message is worth caching."""
    if isinstance(message.get("content"), str):
        message["content"] = [{"type": "text", "text": message["content"], **_CACHED}]


def _tool_choice(request: ModelRequest) -> object:
    if not request.tools or request.tool_choice == "auto":
        return None
    if request.tool_choice in ("none", "required"):
        return request.tool_choice
    return {"type": "function", "function": {"name": request.tool_choice}}
