"""OpenAI's chat completions, and the many servers that speak them."""

from ...errors import ModelOptionsError
from ..options import OpenAIChatOptions
from ..retry import RetryPolicy
from ..streaming import StreamingModel
from ..transport import Transport
from .adapter import ChatAdapter

ENDPOINT = "/chat/completions"


def create_openai_chat(options: OpenAIChatOptions, transport: Transport) -> StreamingModel:
    """Return the model that `options` describe. Raises ModelOptionsError for a URL or key that cannot be."""
    key = _key(options)
    return StreamingModel(
        options.model,
        ChatAdapter(options, _url(options.base_url), key),
        transport,
        secret=key,
        idle_timeout=options.idle_timeout,
        retries=RetryPolicy(max_retries=options.max_retries),
    )


def _url(base_url: str) -> str:
    base = base_url.strip().rstrip("/").removesuffix(ENDPOINT)
    if not base.startswith(("http://", "https://", "/")):
        raise ModelOptionsError("base_url must start with https:// (or http://, or / for this page's server)")
    return base + ENDPOINT


def _key(options: OpenAIChatOptions) -> str:
    key = options.api_key.get_secret_value().strip() if options.api_key else ""
    if not (key.isascii() and key.isprintable()):
        raise ModelOptionsError("api_key has characters that no HTTP header can carry; copy it again")
    return key
