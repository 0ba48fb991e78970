"""Ollama's own API: how to ask."""

from collections.abc import Iterable, Iterator
from typing import Any

from ..adapter import (
    address,
    arguments_of,
    bearer,
    function_tool,
    get,
    given,
    key_of,
    own_data,
    post,
    steps,
    system_message,
)
from ..contract import AssistantMessage, Message, ModelRequest
from ..failures import host_of
from ..options import OllamaOptions
from ..transport import HttpRequest
from .reader import OllamaReader

_SWITCHES = {"none": False, "off": False, "on": True}


class OllamaAdapter:
    """Builds requests and readers. Raises ModelOptionsError for a URL or key that cannot be."""

    def __init__(self, options: OllamaOptions) -> None:
        self._options = options
        self._url = address(options.base_url, "/api/chat")
        self._headers = bearer(key_of(options))
        self._provider = f"ollama {host_of(self._url)}"

    def request(self, request: ModelRequest) -> HttpRequest:
        """Return the POST that asks `request`. There is no way to choose a tool: "none" leaves all out."""
        options = self._options
        effort = request.effort or options.effort
        tools = [] if request.tool_choice == "none" else [function_tool(tool) for tool in request.tools]
        settings = {
            "num_ctx": options.context,
            "num_predict": request.max_tokens or options.max_tokens,
            "temperature": options.temperature,
        }
        body = {
            "model": options.model,
            "messages": [*system_message(request.system), *self._messages(request.messages)],
            "stream": True,
            "tools": tools or None,
            "think": _SWITCHES.get(effort, effort) if effort else None,
            "options": given(settings),
        }
        return post(self._url, self._headers, given(body) | options.extra)

    def reader(self, request: ModelRequest) -> OllamaReader:
        """Return a reader for the answer to `request`."""
        return OllamaReader(self._url, self._provider, request)

    def list_models(self) -> HttpRequest:
        """Return the GET for the models that the server has."""
        return get(self._url.removesuffix("/api/chat") + "/api/tags", self._headers)

    def _messages(self, messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
        for step in steps(messages):
            if isinstance(step, str):
                yield {"role": "user", "content": step}
            elif isinstance(step, AssistantMessage):
                yield self._assistant(step)
            else:
                for result in step:
                    yield {"role": "tool", "tool_name": result.name, "content": result.text}

    def _assistant(self, message: AssistantMessage) -> dict[str, Any]:
        sent: dict[str, Any] = {"role": "assistant", "content": message.text}
        if message.calls:
            sent["tool_calls"] = [
                {"function": {"name": call.name, "arguments": arguments_of(call.arguments)}}
                for call in message.calls
            ]
        for part in message.parts:
            sent |= own_data(part, self._provider) or {}
        return sent
