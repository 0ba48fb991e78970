"""Models: one contract, one adapter an API."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..errors import ModelOptionsError
from .adapter import Adapter, key_of
from .contract import ModelClient
from .listing import ModelInfo, fetch_models
from .options import (
    AnthropicOptions,
    AskedOptions,
    GeminiOptions,
    GgufOptions,
    HttpOptions,
    LanguageModelOptions,
    ModelOptions,
    OllamaOptions,
    OpenAIChatOptions,
    OpenAIResponsesOptions,
    ReplayOptions,
    ScriptedOptions,
)
from .replay import ReplayModel
from .retry import RetryPolicy
from .scripted import ScriptedModel
from .streaming import StreamingModel
from .transport import Transport
from .wire import Wire


def create_model(api: str, *, transport: Transport | None = None, **options: Any) -> ModelClient:
    """Return a model that speaks `api`.

    One of "openai-chat", "openai-responses", "anthropic", "gemini", "ollama", "gguf", "language-model",
    "replay" and "scripted". The options of each are the fields of its record in `models.options`, in
    snake_case or camelCase. `transport` sends the requests; left out, it is the browser's fetch. "gguf" and
    "language-model" need one that leads to the page, and get it from JavaScript's `createModel`. Raises
    ModelOptionsError.
    """
    checked = options_for(api, options)
    if isinstance(checked, ScriptedOptions):
        return ScriptedModel(checked.script)
    if isinstance(checked, ReplayOptions):
        return ReplayModel(checked.history, checked.delay_ms / 1000)
    adapter, wire = adapter_for(checked), _wire(checked, transport)
    if isinstance(checked, HttpOptions):
        retries = RetryPolicy(max_retries=checked.max_retries)
        return StreamingModel(checked.model, adapter, wire, retries=retries, prices=checked.prices)
    return StreamingModel(checked.model, adapter, wire, retries=RetryPolicy(max_retries=0), prices=())


async def list_models(api: str, *, transport: Transport | None = None, **options: Any) -> list[ModelInfo]:
    """Return the models that a server has, by id; the options are those of `create_model`, without a model.

    Raises ModelOptionsError, and ModelError for whatever keeps the list from coming.
    """
    checked = options_for(api, {"model": "any", **options})
    if not isinstance(checked, HttpOptions):
        return []
    return await fetch_models(_wire(checked, transport), adapter_for(checked).list_models())


def options_for(api: str, options: Mapping[str, Any]) -> ModelOptions:
    """Return the checked options of a model that speaks `api`. Raises ModelOptionsError."""
    try:
        return _options().validate_python({"api": api, **options})
    except ValidationError as error:
        raise ModelOptionsError(_problems(error)) from None


def _wire(options: AskedOptions, transport: Transport | None) -> Wire:
    if isinstance(options, HttpOptions):
        return Wire(transport or _fetch(), secret=key_of(options), idle_timeout=options.idle_timeout)
    if transport is None:
        raise ModelOptionsError("A model that runs in the page is made there, by JavaScript's createModel")
    return Wire(transport, idle_timeout=options.idle_timeout)


def adapter_for(options: ModelOptions) -> Adapter:
    """Return the adapter of an API; only that one is imported."""
    match options:
        case OpenAIChatOptions():
            from .openai_chat.adapter import ChatAdapter

            return ChatAdapter(options)
        case OpenAIResponsesOptions():
            from .openai_responses.adapter import ResponsesAdapter

            return ResponsesAdapter(options)
        case AnthropicOptions():
            from .anthropic.adapter import AnthropicAdapter

            return AnthropicAdapter(options)
        case GeminiOptions():
            from .gemini.adapter import GeminiAdapter

            return GeminiAdapter(options)
        case OllamaOptions():
            from .ollama.adapter import OllamaAdapter

            return OllamaAdapter(options)
        case GgufOptions():
            from .on_device.gguf import gguf_adapter

            return gguf_adapter(options)
        case LanguageModelOptions():
            from .on_device.language_model import LanguageModelAdapter

            return LanguageModelAdapter(options)
        case _:
            raise ModelOptionsError(f"{type(options).__name__} is of no API that there is")


def _fetch() -> Transport:
    try:
        from ..web.transport import FetchTransport  # JavaScript is there only when the page runs
    except ImportError:
        raise ModelOptionsError("There is no fetch outside a browser; give a transport=") from None
    return FetchTransport()


def _problems(error: ValidationError) -> str:
    """Every problem in one line, without the values: one of them may be a key."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    told = (f"{'.'.join(str(part) for part in one['loc'][1:]) or 'api'}: {one['msg']}" for one in problems)
    return f"The model's options are not valid. {'; '.join(told)}"


@cache
def _options() -> TypeAdapter[ModelOptions]:
    return TypeAdapter(ModelOptions)
