"""The types of the providers' official SDKs, as strict checks of what is sent."""

import inspect
import sys
from collections.abc import Callable
from typing import Any

from anthropic.types.message_create_params import MessageCreateParamsStreaming
from google.genai import types as genai
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import ConfigDict, TypeAdapter
from typing_extensions import is_typeddict


def _forbid_more(package: str) -> None:
    """Have typed dictionaries of a package refuse keys that they do not name."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{package}.types"):
            for _, each in inspect.getmembers(module, is_typeddict):
                each.__pydantic_config__ = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def _exhaust(value: Any) -> None:
    """Go through all of a value: pydantic checks the items of an iterable only as they are asked for."""
    if isinstance(value, dict):
        for each in value.values():
            _exhaust(each)
    elif hasattr(value, "__iter__") and not isinstance(value, str):
        for each in value:
            _exhaust(each)


def _checked_by(kind: Any) -> Callable[[dict[str, Any]], None]:
    adapter = TypeAdapter(kind)
    return lambda body: _exhaust(adapter.validate_python(body))


def _gemini(body: dict[str, Any]) -> None:
    fields = {
        "contents": list[genai.Content],
        "systemInstruction": genai.Content,
        "tools": list[genai.Tool],
        "toolConfig": genai.ToolConfig,
        "generationConfig": genai.GenerationConfig,
    }
    for name, value in body.items():
        TypeAdapter(fields.get(name)).validate_python(value)


_forbid_more("openai")
_forbid_more("anthropic")

CHECKS = {
    "openai-chat": _checked_by(CompletionCreateParamsStreaming),
    "openai-responses": _checked_by(ResponseCreateParamsStreaming),
    "anthropic": _checked_by(MessageCreateParamsStreaming),
    "gemini": _gemini,
}
