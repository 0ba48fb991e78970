"""Records what llama.cpp's server sends over each of its APIs: python -m tests.record_streams

The streams are what the readers of the APIs are tested with; see tests/unit/streams/.
"""

import json
import urllib.error
import urllib.request
from pathlib import Path

from inbrowser.agent.models import adapter_for
from inbrowser.agent.models.contract import ModelRequest, ToolSpec, UserMessage
from inbrowser.agent.models.options import (
    AnthropicOptions,
    HttpOptions,
    OpenAIChatOptions,
    OpenAIResponsesOptions,
)

import build
from tests.llama import llama_server

STREAMS = Path(__file__).parent / "unit" / "streams"
APIS: dict[str, type[HttpOptions]] = {
    "openai-chat": OpenAIChatOptions,
    "openai-responses": OpenAIResponsesOptions,
    "anthropic": AnthropicOptions,
}

TEXT = {"type": "string"}
TOOLS = (
    ToolSpec(
        name="write",
        description="Write a file",
        parameters={
            "type": "object",
            "properties": {"path": TEXT, "content": TEXT},
            "required": ["path", "content"],
        },
    ),
    ToolSpec(
        name="read",
        description="Read a file",
        parameters={"type": "object", "properties": {"path": TEXT}, "required": ["path"]},
    ),
)
ASKED = {
    "tool": ModelRequest(messages=(UserMessage(text="create hello.txt with hi"),), tools=TOOLS),
    "cut": ModelRequest(messages=(UserMessage(text="create hello.txt with hi"),), tools=TOOLS, max_tokens=8),
    "error": ModelRequest(messages=(UserMessage(text="run pwd"),), tools=TOOLS, max_tokens=60),
    "text": ModelRequest(messages=(UserMessage(text="Say hello in French."),), max_tokens=24),
}


def main() -> None:
    """Ask everything over every API and write down the answers."""
    STREAMS.mkdir(exist_ok=True)
    for template in (True, False):
        with llama_server() if template else llama_server(None) as server:
            for api, options_of in APIS.items():
                for name, asked in ASKED.items():
                    if (name == "text") == template:
                        continue
                    given = {"base_url": f"{server}/v1", "model": "SmolLM2-135M", "extra": {"temperature": 0}}
                    options = options_of.model_validate({"api": api, **given})
                    sent = adapter_for(options).request(asked)
                    request = urllib.request.Request(sent.url, sent.body, dict(sent.headers))
                    try:
                        with urllib.request.urlopen(request) as response:
                            body = response.read().replace(bytes(build.MODEL), build.MODEL.name.encode())
                    except urllib.error.HTTPError as error:
                        print(api, name, error.code, error.read()[:200])
                        continue
                    path = STREAMS / f"llamacpp_{api}_{name}.sse"
                    path.write_bytes(body)
                    print(path.name, len(body), json.dumps(body[-120:].decode()))


if __name__ == "__main__":
    main()
