"""What `create_model` accepts, one record an API."""

from typing import Annotated, Any, Literal, cast

from pydantic import AliasChoices, ConfigDict, Field, SecretStr, field_validator, model_validator

from ...records import Record
from .contract import Message
from .prices import Price
from .scripted import Script

_IN_MILLISECONDS = AliasChoices("idleTimeoutMs", "idle_timeout_ms")


class _Options(Record):
    model_config = ConfigDict(hide_input_in_errors=True)


class AskedOptions(_Options):
    """What all models have in common that are asked for each reply."""

    model: str
    max_tokens: int | None = Field(default=None, ge=1)
    """Limit of one reply, reasoning included; left out, the model's own."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further fields of the request body, sent as they are."""
    idle_timeout: float = Field(default=120.0, gt=0, validation_alias=_IN_MILLISECONDS)
    """Seconds without a single byte after which a request is given up."""

    @model_validator(mode="before")
    @classmethod
    def _in_milliseconds(cls, value: Any) -> Any:
        fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        seconds = fields.get("idle_timeout")
        if not isinstance(seconds, int | float):
            return cast("Any", value)
        rest = {name: field for name, field in fields.items() if name != "idle_timeout"}
        return {**rest, "idleTimeoutMs": seconds * 1000}

    @field_validator("idle_timeout")
    @classmethod
    def _in_seconds(cls, milliseconds: float) -> float:
        return milliseconds / 1000


class HttpOptions(AskedOptions):
    """What all models behind HTTP have in common."""

    base_url: str
    api_key: SecretStr | None = None
    """Sent as the API wants it; left out, no header is sent for it."""
    effort: str | None = None
    """Reasoning effort in the provider's own words, for instance `low`."""
    max_retries: int = Field(default=2, ge=0)
    """How often a request that failed before any content is sent again."""
    prices: tuple[Price, ...] | None = None
    """Prices to estimate costs with, instead of those that come along; none at all estimates nothing."""


class OpenAIChatOptions(HttpOptions):
    """A server that speaks OpenAI's chat completions."""

    api: Literal["openai-chat"]
    base_url: str = "https://api.openai.com/v1"
    """Ends before `/chat/completions`."""
    temperature: float | None = None


class OpenAIResponsesOptions(HttpOptions):
    """A server that speaks OpenAI's Responses; nothing is stored there."""

    api: Literal["openai-responses"]
    base_url: str = "https://api.openai.com/v1"
    """Ends before `/responses`."""
    temperature: float | None = None
    summary: Literal["auto", "concise", "detailed"] | None = None
    """Asks for summaries of the reasoning; OpenAI gives them to verified organisations only."""


class AnthropicOptions(HttpOptions):
    """A server that speaks Anthropic's Messages. It has no temperature: newer models refuse one."""

    api: Literal["anthropic"]
    base_url: str = "https://api.anthropic.com"
    """Ends before `/v1/messages`, or before `/messages`."""
    thinking: Literal["adaptive", "disabled"] | int | None = None
    """A number is a budget in tokens, for older models; left out, an effort asks for adaptive thinking."""
    version: str = "2023-06-01"
    """The API's version, sent as `anthropic-version`."""


class GeminiOptions(HttpOptions):
    """Google's Gemini."""

    api: Literal["gemini"]
    base_url: str = "https://generativelanguage.googleapis.com/v1beta"
    """Ends before `/models/`."""
    temperature: float | None = None


class OllamaOptions(HttpOptions):
    """Ollama's own API."""

    api: Literal["ollama"]
    base_url: str = "http://localhost:11434"
    """Ends before `/api/chat`."""
    temperature: float | None = None
    context: int = Field(default=16_384, ge=1)
    """Tokens of context to make room for; Ollama's own default is small, and cuts a prompt without a word."""


class OnDeviceOptions(AskedOptions):
    """What the models have in common that run in the page itself; the page brings them along."""

    temperature: float | None = None
    idle_timeout: float = Field(default=600.0, gt=0, validation_alias=_IN_MILLISECONDS)
    """Seconds without a single piece after which a request is given up; loading takes its time."""


class GgufOptions(OnDeviceOptions):
    """A GGUF file that runs in the tab."""

    api: Literal["gguf"]
    model: str = "gguf"
    """What to call it."""


class LanguageModelOptions(OnDeviceOptions):
    """The browser's own model (https://webmachinelearning.github.io/prompt-api/)."""

    api: Literal["language-model"]
    model: str = "language-model"
    """What to call it."""


class ScriptedOptions(_Options):
    """Turns played from a script."""

    api: Literal["scripted"]
    script: Script


class ReplayOptions(_Options):
    """A conversation played again."""

    api: Literal["replay"]
    history: tuple[Message, ...]
    """What a session's `history` gave."""
    delay_ms: float = Field(default=0, ge=0)
    """Wait before each piece."""


ModelOptions = Annotated[
    OpenAIChatOptions
    | OpenAIResponsesOptions
    | AnthropicOptions
    | GeminiOptions
    | OllamaOptions
    | GgufOptions
    | LanguageModelOptions
    | ReplayOptions
    | ScriptedOptions,
    Field(discriminator="api"),
]
