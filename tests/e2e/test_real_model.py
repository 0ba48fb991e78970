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


def test_the_workbench_talks_to_it(page: Page, site: str, server: str) -> None:
    page.goto(f"{site}/")
    page.get_by_role("status").get_by_text("Ready").wait_for()
    page.get_by_role("button", name="Settings").click()
    settings = page.get_by_role("dialog", name="Settings")
    settings.get_by_label("OpenAI-compatible server").check()
    settings.get_by_label("Base URL").fill(server)
    settings.get_by_label("Model", exact=True).fill("SmolLM2-135M")
    settings.get_by_label("Temperature").fill("0")
    settings.get_by_role("button", name="Save").click()
    page.get_by_role("textbox", name="Message").fill(PROMPT)
    page.get_by_role("button", name="Send").click()
    page.get_by_role("region", name="Files").get_by_text("hello.txt").click()
    page.get_by_role("region", name="Editor").get_by_text("hi", exact=True).wait_for()
