"""What an adapter is, and what all of them need: addresses, keys, bodies, and values sent to several APIs."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, Protocol

from ..errors import ModelOptionsError
from .contract import (
    AssistantMessage,
    Message,
    ModelRequest,
    OpaquePart,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from .options import HttpOptions
from .reader import ReplyReader
from .transport import HttpRequest
from .values import object_of

_ADDRESSES = ("http://", "https://", "/")


class Adapter(Protocol):
    """One API: how to ask, and how to read the answer. Holds nothing that changes."""

    def request(self, request: ModelRequest) -> HttpRequest:
        """Return the HTTP request that asks `request`."""
        ...

    def reader(self, request: ModelRequest) -> ReplyReader:
        """Return a fresh reader for the answer to `request`."""
        ...

    def list_models(self) -> HttpRequest:
        """Return the HTTP request for the models that the server has."""
        ...


def address(base_url: str, path: str) -> str:
    """Return where `path` of an API is; the base URL may have it at its end already.

    Raises ModelOptionsError for what is no address.
    """
    base = base_url.strip().rstrip("/").removesuffix(path)
    if not base.startswith(_ADDRESSES):
        raise ModelOptionsError("base_url must start with https:// (or http://, or / for this page's server)")
    return base + path


def key_of(options: HttpOptions) -> str:
    """Return the key as it is sent, empty without one. Raises ModelOptionsError if it cannot be."""
    key = options.api_key.get_secret_value().strip() if options.api_key else ""
    if not (key.isascii() and key.isprintable()):
        raise ModelOptionsError("api_key has characters that no HTTP header can carry; copy it again")
    return key


def post(url: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> HttpRequest:
    """Return a POST of `body` as JSON; headers without a value are left out."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    sent = {name: value for name, value in headers.items() if value}
    return HttpRequest(url, {"content-type": "application/json", **sent}, text.encode("utf-8", "replace"))


def get(url: str, headers: Mapping[str, str]) -> HttpRequest:
    """Return a GET; headers without a value are left out."""
    return HttpRequest(url, {name: value for name, value in headers.items() if value})


def bearer(key: str) -> dict[str, str]:
    """Return the header that most APIs want a key in."""
    return {"authorization": f"Bearer {key}" if key else ""}


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}


def system_message(text: str) -> list[dict[str, Any]]:
    """Return the message that most APIs begin with, none where there is nothing to say."""
    return [{"role": "system", "content": text}] if text else []


def described(tool: ToolSpec) -> dict[str, Any]:
    """Return a tool as most APIs describe a function."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def function_tool(tool: ToolSpec) -> dict[str, Any]:
    """Return a tool as chat completions take it, and Ollama."""
    return {"type": "function", "function": described(tool)}


def steps(messages: Iterable[Message]) -> Iterator[AssistantMessage | list[ToolResultMessage] | str]:
    """Go through a history: replies, the results that follow one, and what the user said, joined.

    Many servers and chat templates want the roles to alternate.
    """
    for kind, group in groupby(messages, type):
        if kind is UserMessage:
            yield "\n\n".join(message.text for message in group if isinstance(message, UserMessage))
        elif kind is ToolResultMessage:
            yield [message for message in group if isinstance(message, ToolResultMessage)]
        else:
            yield from (message for message in group if isinstance(message, AssistantMessage))


def own_data(part: object, provider: str) -> dict[str, Any] | None:
    """Return what `provider` gave to be sent back, None for any other part."""
    if isinstance(part, OpaquePart) and part.provider == provider:
        return part.data if isinstance(part.data, dict) else {}
    return None


def arguments_of(text: str) -> dict[str, Any]:
    """Return a call's arguments, none where the model wrote what is no JSON object."""
    return object_of(text) or {}


def fitting_id(id: str, pattern: str) -> str:
    """Return the id of a call as an API takes it: as it is if it fits, else one made of it."""
    return id if re.fullmatch(pattern, id) else hashlib.sha256(id.encode()).hexdigest()[:9]
