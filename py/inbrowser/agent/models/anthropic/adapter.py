"""Anthropic's Messages: how to ask."""

from collections.abc import Iterable
from typing import Any

from ..adapter import address, arguments_of, bearer, fitting_id, get, given, key_of, own_data, post, steps
from ..contract import (
    AssistantMessage,
    Message,
    ModelRequest,
    TextPart,
    ToolCallPart,
    ToolResultMessage,
    ToolSpec,
)
from ..failures import host_of
from ..options import AnthropicOptions
from ..transport import HttpRequest
from .reader import AnthropicReader

_CALL_ID = "[A-Za-z0-9_-]{1,64}"
_MAX_TOKENS = 32_000
"""The API wants a limit to be given."""
_CACHED = {"cache_control": {"type": "ephemeral"}}


class AnthropicAdapter:
    """Builds requests and readers. Raises ModelOptionsError for a URL or key that cannot be."""

    def __init__(self, options: AnthropicOptions) -> None:
        self._options = options
        base = options.base_url.strip().rstrip("/").removesuffix("/messages")
        self._url = address(base if base.endswith("/v1") else f"{base}/v1", "/messages")
        host = host_of(self._url)
        self._provider = f"anthropic {host}"
        self._checks_signatures = host == "api.anthropic.com"
        self._headers = {"anthropic-version": options.version, **_auth(host, key_of(options))}

    def request(self, request: ModelRequest) -> HttpRequest:
        """Return the POST that asks `request`."""
        options = self._options
        effort = request.effort or options.effort
        tools = [_tool(tool) for tool in request.tools]
        system: list[dict[str, Any]] = [{"type": "text", "text": request.system}] if request.system else []
        messages = self._messages(request.messages)
        if request.cache:
            for blocks in (tools, system, messages[-1]["content"] if messages else []):
                if blocks:
                    blocks[-1] = {**blocks[-1], **_CACHED}
        body = {
            "model": options.model,
            "max_tokens": request.max_tokens or options.max_tokens or _MAX_TOKENS,
            "system": system or None,
            "messages": messages,
            "stream": True,
            "tools": tools or None,
            "tool_choice": _tool_choice(request),
            "thinking": _thinking(options.thinking, effort),
            "output_config": {"effort": effort} if effort else None,
        }
        return post(self._url, self._headers, given(body) | options.extra)

    def reader(self, request: ModelRequest) -> AnthropicReader:
        """Return a reader for the answer to `request`."""
        return AnthropicReader(self._url, self._provider, request)

    def list_models(self) -> HttpRequest:
        """Return the GET for the models that the server has."""
        return get(self._url.removesuffix("/messages") + "/models?limit=1000", self._headers)

    def _messages(self, messages: Iterable[Message]) -> list[dict[str, Any]]:
        """Return messages whose roles alternate; results come first in the user's."""
        sent: list[dict[str, Any]] = []
        for step in steps(messages):
            if isinstance(step, AssistantMessage):
                role, blocks = "assistant", self._blocks(step)
            else:
                role, blocks = (
                    "user",
                    _text(step) if isinstance(step, str) else [_result(each) for each in step],
                )
            if not blocks:
                continue
            if sent and sent[-1]["role"] == role:
                sent[-1]["content"] += blocks
            else:
                sent.append({"role": role, "content": blocks})
        return sent

    def _blocks(self, message: AssistantMessage) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                blocks += _text(part.text)
            elif isinstance(part, ToolCallPart):
                id = fitting_id(part.id, _CALL_ID)
                arguments = arguments_of(part.arguments)
                blocks.append({"type": "tool_use", "id": id, "name": part.name, "input": arguments})
            elif (data := own_data(part, self._provider)) and not self._is_unsigned(data):
                blocks.append(data)
        return blocks

    def _is_unsigned(self, block: dict[str, Any]) -> bool:
        """Whether a block is thinking that was cut before its signature, with which a history is refused."""
        return self._checks_signatures and block.get("type") == "thinking" and not block.get("signature")


def _auth(host: str, key: str) -> dict[str, str]:
    """Return the headers of a key. Anthropic answers a web page only if it says that it means to be one."""
    if host == "openrouter.ai":
        return bearer(key)
    direct = {"anthropic-dangerous-direct-browser-access": "true"} if host == "api.anthropic.com" else {}
    return {"x-api-key": key, **direct}


def _text(text: str) -> list[dict[str, Any]]:
    """Return a block of text; one without a visible character is refused."""
    return [{"type": "text", "text": text}] if text.strip() else []


def _result(message: ToolResultMessage) -> dict[str, Any]:
    id = fitting_id(message.call_id, _CALL_ID)
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": id, "content": message.text}
    return {**result, "is_error": True} if message.is_error else result


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _tool_choice(request: ModelRequest) -> dict[str, str] | None:
    if not request.tools or request.tool_choice == "auto":
        return None
    kinds = {"none": {"type": "none"}, "required": {"type": "any"}}
    return kinds.get(request.tool_choice) or {"type": "tool", "name": request.tool_choice}


def _thinking(thinking: str | int | None, effort: str | None) -> dict[str, Any] | None:
    match thinking:
        case int():
            return {"type": "enabled", "budget_tokens": thinking}
        case None if not effort:
            return None
        case "disabled":
            return {"type": "disabled"}
        case _:
            return {"type": "adaptive", "display": "summarized"}
