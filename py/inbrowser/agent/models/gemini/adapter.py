"""Google's Gemini: how to ask."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import ModelOptionsError
from ..adapter import address, arguments_of, get, given, key_of, own_data, post, steps
from ..contract import (
    AssistantMessage,
    Message,
    ModelRequest,
    Part,
    TextPart,
    ToolCallPart,
    ToolResultMessage,
    ToolSpec,
)
from ..failures import host_of
from ..options import GeminiOptions
from ..transport import HttpRequest
from .reader import GeminiReader
from .schemas import light_schema

_LEVELS = re.compile(r"gemini-([3-9]|\d\d)")
"""Models that take levels of thinking, and want a signature with every first call of a step."""
_BUDGETS = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24_576}
"""Tokens of thinking, for the models before those."""
_NO_SIGNATURE = "skip_thought_signature_validator"
"""Stands for the signature of another model's call: ai.google.dev/gemini-api/docs/thought-signatures"""


class GeminiAdapter:
    """Builds requests and readers. Raises ModelOptionsError for a URL, model or key that cannot be."""

    def __init__(self, options: GeminiOptions) -> None:
        model = options.model.removeprefix("models/")
        if not re.fullmatch(r"[\w.@-]+", model):
            raise ModelOptionsError(f"model: {options.model!r} is no name of a Gemini model")
        self._options = options
        self._url = address(options.base_url, f"/models/{model}:streamGenerateContent?alt=sse")
        self._headers = {"x-goog-api-key": key_of(options)}
        self._provider = f"gemini {host_of(self._url)}"
        self._has_levels = bool(_LEVELS.match(model))

    def request(self, request: ModelRequest) -> HttpRequest:
        """Return the POST that asks `request`: no headers but content-type and the key's."""
        options = self._options
        config = {
            "maxOutputTokens": request.max_tokens or options.max_tokens,
            "temperature": options.temperature,
            "thinkingConfig": self._thinking(request.effort or options.effort),
        }
        tools = [_tool(tool) for tool in request.tools]
        body = {
            "contents": list(self._contents(request.messages)),
            "systemInstruction": {"parts": [{"text": request.system}]} if request.system else None,
            "tools": [{"functionDeclarations": tools}] if tools else None,
            "toolConfig": _tool_config(request),
            "generationConfig": given(config) or None,
        }
        return post(self._url, self._headers, given(body) | options.extra)

    def reader(self, request: ModelRequest) -> GeminiReader:
        """Return a reader for the answer to `request`."""
        return GeminiReader(self._url, self._provider, request)

    def list_models(self) -> HttpRequest:
        """Return the GET for the models that the server has."""
        return get(address(self._options.base_url, "/models") + "?pageSize=1000", self._headers)

    def _thinking(self, effort: str | None) -> dict[str, Any] | None:
        if effort is None:
            return None
        if self._has_levels:
            return {"includeThoughts": True, "thinkingLevel": effort.upper()}
        budget = _BUDGETS.get(effort.lower(), effort)
        try:
            return {"includeThoughts": True, "thinkingBudget": int(budget)}
        except ValueError:
            known = ", ".join(_BUDGETS)
            raise ModelOptionsError(
                f"effort: {effort!r} is neither of {known} nor a number of tokens"
            ) from None

    def _contents(self, messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
        ids: dict[str, str] = {}
        """The ids that the server itself gave to calls; others are not sent."""
        for step in steps(messages):
            if isinstance(step, str):
                yield {"role": "user", "parts": [{"text": step}]}
            elif isinstance(step, AssistantMessage):
                if parts := self._parts(step, ids):
                    yield {"role": "model", "parts": parts}
            else:
                yield {"role": "user", "parts": [_result(result, ids) for result in step]}

    def _parts(self, message: AssistantMessage, ids: dict[str, str]) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = []
        beside: dict[str, Any] = {}
        """What the server put beside the next call: its id and a signature."""
        for part in message.parts:
            data = own_data(part, self._provider)
            if data is not None and "call" in data:
                beside = data["call"]
            elif data is not None:
                parts.append(data)
            elif sent := _part(part, beside):
                if isinstance(part, ToolCallPart) and "id" in beside:
                    ids[part.id] = beside["id"]
                parts.append(sent)
                beside = {}
        self._sign(parts)
        return parts

    def _sign(self, parts: list[dict[str, Any]]) -> None:
        """Give the first call of another model's step what stands for a signature."""
        first = next((part for part in parts if "functionCall" in part), None)
        if self._has_levels and first and not any("thoughtSignature" in part for part in parts):
            first["thoughtSignature"] = _NO_SIGNATURE


def _part(part: Part, beside: dict[str, Any]) -> dict[str, Any] | None:
    if isinstance(part, TextPart):
        return {"text": part.text}
    if not isinstance(part, ToolCallPart):
        return None
    call = {"name": part.name, "args": arguments_of(part.arguments)}
    signature = {key: value for key, value in beside.items() if key != "id"}
    return {"functionCall": {**call, "id": beside["id"]} if "id" in beside else call, **signature}


def _result(message: ToolResultMessage, ids: dict[str, str]) -> dict[str, Any]:
    response = {"error" if message.is_error else "output": message.text}
    result: dict[str, Any] = {"name": message.name, "response": response}
    return {
        "functionResponse": {**result, **({"id": ids[message.call_id]} if message.call_id in ids else {})}
    }


def _tool(tool: ToolSpec) -> dict[str, Any]:
    declaration: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.parameters.get("properties"):
        declaration["parametersJsonSchema"] = light_schema(tool.parameters)
    return declaration


def _tool_config(request: ModelRequest) -> dict[str, Any] | None:
    if not request.tools or request.tool_choice == "auto":
        return None
    modes: dict[str, dict[str, Any]] = {"none": {"mode": "NONE"}, "required": {"mode": "ANY"}}
    one = {"mode": "ANY", "allowedFunctionNames": [request.tool_choice]}
    return {"functionCallingConfig": modes.get(request.tool_choice, one)}
