"""A real language model behind a real HTTP server, asked by the page's own fetch, changes a real sandbox."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.llama import llama_server

PROMPT = "create hello.txt with hi"

ASK = """
async ([baseUrl, prompt]) => {
  const { createAgentSession, createModel, createReactLoopStrategy, createSandboxAgentTools } = inbrowser;
  const session = await createAgentSession({
    strategy: createReactLoopStrategy({ maxTurns: 6 }),
    llm: createModel({ api: "openai-chat", baseUrl, model: "SmolLM2-135M", temperature: 0, maxTokens: 200 }),
    tools: await createSandboxAgentTools(sandbox, { names: ["read", "write"] }),
  });
  const events = [];
  for await (const event of session.submit(prompt)) events.push(event);
  return events;
}
"""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """llama.cpp's server with SmolLM2-135M; yields the base URL."""
    with llama_server() as address:
        yield f"{address}/v1"


def test_a_real_model_creates_a_file(embedded: Page, server: str) -> None:
    events = embedded.evaluate(ASK, [server, PROMPT])
    finished = [event for event in events if event["kind"] == "tool_finished"]
    assert finished[0]["name"] == "write"
    assert finished[0]["ok"] is True
    assert events[-1]["kind"] == "completed"
    assert events[-1]["metrics"]["outputTokens"] > 0
    assert embedded.evaluate("() => sandbox.fs.readText('hello.txt')") == "hi"
