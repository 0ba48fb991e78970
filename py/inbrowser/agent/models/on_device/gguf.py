"""A GGUF file in the tab: llama.cpp there speaks OpenAI's chat completions."""

from ..openai_chat.adapter import ChatAdapter
from ..options import GgufOptions, OpenAIChatOptions

BASE_URL = "https://gguf.this-tab"
"""Nothing is sent there: it names the model in messages."""


def gguf_adapter(options: GgufOptions) -> ChatAdapter:
    """Return the adapter of a model in the tab."""
    return ChatAdapter(
        OpenAIChatOptions(
            api="openai-chat",
            base_url=BASE_URL,
            model=options.model,
            max_tokens=options.max_tokens,
            temperature=options.temperature,
            extra=options.extra,
        )
    )
