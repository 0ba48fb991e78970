"""OpenAI's Responses: how to ask, with nothing stored at the provider."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..adapter import address, bearer, fitting_id, get, given, key_of, own_data, post, steps
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
from ..options import OpenAIResponsesOptions
from ..transport import HttpRequest
from ..values import object_of
from .reader import ResponsesReader

_CALL_ID = ".{1,64}"


class ResponsesAdapter:
    """Builds requests and readers. Raises ModelOptionsError for a URL or key that cannot be."""

    def __init__(self, options: OpenAIResponsesOptions) -> None:
        self._options = options
        self._url = address(options.base_url, "/responses")
        self._headers = bearer(key_of(options))
        self._provider = f"openai-responses {host_of(self._url)}"

    def request(self, request: ModelRequest) -> HttpRequest:
        """Return the POST that asks `request`: no headers but content-type and, with a key, authorization."""
        options = self._options
        effort = request.effort or options.effort
        body = {
            "model": options.model,
            "instructions": request.system or None,
            "input": list(self._items(request.messages)),
            "stream": True,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "tools": [_tool(tool) for tool in request.tools] or None,
            "tool_choice": _tool_choice(request),
            "temperature": options.temperature,
            "max_output_tokens": request.max_tokens or options.max_tokens,
            "reasoning": given({"effort": effort, "summary": options.summary}) or None,
        }
        return post(self._url, self._headers, given(body) | options.extra)

    def reader(self, request: ModelRequest) -> ResponsesReader:
        """Return a reader for the answer to `request`."""
        return ResponsesReader(self._url, self._provider, request)

    def list_models(self) -> HttpRequest:
        """Return the GET for the models that the server has."""
        return get(self._url.removesuffix("/responses") + "/models", self._headers)

    def _items(self, messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
        for step in steps(messages):
            match step:
                case str():
                    yield {"type": "message", "role": "user", "content": step}
                case AssistantMessage():
                    yield from self._reply(step)
                case _:
                    yield from (_result(result) for result in step)

    def _reply(self, message: AssistantMessage) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                items.append({"type": "message", "role": "assistant", "content": part.text})
            elif isinstance(part, ToolCallPart):
                items.append(_call(part))
            elif data := own_data(part, self._provider):
                if data.get("type") == "message":  # more about the message that was just said
                    items[-1:] = [{**items[-1], **data}] if items else []
                else:
                    items.append(data)
        while items and items[-1]["type"] == "reasoning":  # refused without what was thought out
            items.pop()
        return items


def _call(part: ToolCallPart) -> dict[str, Any]:
    arguments = "{}" if object_of(part.arguments) is None else part.arguments
    id = fitting_id(part.id, _CALL_ID)
    return {"type": "function_call", "call_id": id, "name": part.name, "arguments": arguments}


def _result(message: ToolResultMessage) -> dict[str, Any]:
    id = fitting_id(message.call_id, _CALL_ID)
    return {"type": "function_call_output", "call_id": id, "output": message.text}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


def _tool_choice(request: ModelRequest) -> object:
    if not request.tools or request.tool_choice == "auto":
        return None
    if request.tool_choice in ("none", "required"):
        return request.tool_choice
    return {"type": "function", "name": request.tool_choice}
