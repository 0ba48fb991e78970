"""What `create_model` accepts, one record an API."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, SecretStr

from ...records import Record
from .scripted import Script


class _Options(Record):
    model_config = ConfigDict(hide_input_in_errors=True)


class OpenAIChatOptions(_Options):
    """A server that speaks OpenAI's chat completions."""

    api: Literal["openai-chat"]
    base_url: str
    """Ends before `/chat/completions`, for instance `https://api.openai.com/v1`."""
    model: str
    api_key: SecretStr | None = None
    """Sent as a bearer token; left out, no authorization header is sent."""
    temperature: float | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    """Limit of one reply, reasoning included; left out, the server's own."""
    effort: str | None = None
    """Reasoning effort in the provider's own words, for instance `low`."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further fields of the request body, sent as they are."""
    idle_timeout: float = Field(default=120.0, gt=0)
    """Seconds without a single byte after which a request is given up."""
    max_retries: int = Field(default=2, ge=0)
    """How often a request that failed before any content is sent again."""


class ScriptedOptions(_Options):
    """Turns played from a script."""

    api: Literal["scripted"]
    script: Script


ModelOptions = Annotated[OpenAIChatOptions | ScriptedOptions, Field(discriminator="api")]
