"""Who offers models over the APIs, and where: what a form for settings needs to know."""

from typing import Literal

from ...records import Record

Api = Literal["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"]


class Provider(Record):
    """One place that models can be had from."""

    id: str
    name: str
    api: Api
    base_url: str
    """Empty for a server whose address only its owner knows."""
    key: Literal["needed", "optional", "none"]
    local: bool = False
    """Whether it runs on the visitor's own machine."""
    has_temperature: bool = True
    note: str = ""
    """What a visitor has to know before it works from a web page."""


_UNKNOWN_CORS = "If the browser may not read its answers (CORS), use a proxy's base URL."
_START = "Start it so that it allows requests from this page"

PROVIDERS = (
    Provider(
        id="anthropic",
        name="Anthropic",
        api="anthropic",
        base_url="https://api.anthropic.com",
        key="needed",
        has_temperature=False,
    ),
    Provider(
        id="openai",
        name="OpenAI",
        api="openai-responses",
        base_url="https://api.openai.com/v1",
        key="needed",
    ),
    Provider(
        id="gemini",
        name="Google Gemini",
        api="gemini",
        base_url="https://generativelanguage.googleapis.com/v1beta",
        key="needed",
    ),
    Provider(
        id="openrouter",
        name="OpenRouter",
        api="openai-chat",
        base_url="https://openrouter.ai/api/v1",
        key="needed",
    ),
    Provider(
        id="groq",
        name="Groq",
        api="openai-chat",
        base_url="https://api.groq.com/openai/v1",
        key="needed",
        note=_UNKNOWN_CORS,
    ),
    Provider(
        id="deepseek",
        name="DeepSeek",
        api="openai-chat",
        base_url="https://api.deepseek.com",
        key="needed",
        note=_UNKNOWN_CORS,
    ),
    Provider(
        id="mistral",
        name="Mistral",
        api="openai-chat",
        base_url="https://api.mistral.ai/v1",
        key="needed",
        note=_UNKNOWN_CORS,
    ),
    Provider(
        id="xai",
        name="xAI",
        api="openai-chat",
        base_url="https://api.x.ai/v1",
        key="needed",
        note=_UNKNOWN_CORS,
    ),
    Provider(
        id="qwen",
        name="Qwen (Alibaba Cloud)",
        api="openai-chat",
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        key="needed",
        note=_UNKNOWN_CORS,
    ),
    Provider(
        id="ollama",
        name="Ollama",
        api="ollama",
        base_url="http://localhost:11434",
        key="optional",
        local=True,
        note=f"{_START}: OLLAMA_ORIGINS=<this page's origin>.",
    ),
    Provider(
        id="llamacpp",
        name="llama.cpp",
        api="openai-chat",
        base_url="http://localhost:8080/v1",
        key="optional",
        local=True,
    ),
    Provider(
        id="lmstudio",
        name="LM Studio",
        api="openai-chat",
        base_url="http://localhost:1234/v1",
        key="optional",
        local=True,
        note=f"{_START}: switch CORS on in its server settings.",
    ),
    Provider(
        id="vllm",
        name="vLLM",
        api="openai-chat",
        base_url="http://localhost:8000/v1",
        key="optional",
        local=True,
        note=f"{_START}: --allowed-origins.",
    ),
    Provider(
        id="custom",
        name="Another server",
        api="openai-chat",
        base_url="",
        key="optional",
        note="Any server or proxy that speaks one of these APIs.",
    ),
)
