"""A real language model behind a real HTTP server, asked by the page's own fetch, changes a real sandbox."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.llama import llama_server

PROMPT = "create hello.txt with hi"

# The model is so small that it can go on after a result only if that looks like those in its few examples.
OPEN = """
async () => {
  window.sandbox = await inbrowser.openSandbox();
  window.standardTools = await inbrowser.createSandboxAgentTools(sandbox, { names: ["read", "write"] });
  const path = { type: "string" };
  const content = { type: "string" };
  window.plainTools = [
    {
      name: "write",
      description: "Write a file",
      parameters: { type: "object", properties: { path, content }, required: ["path", "content"] },
      async execute({ path, content }) {
        await sandbox.fs.write(path, content);
        return `wrote ${content.length} bytes to ${path}`;
      },
    },
    {
      name: "read",
      description: "Read a file",
      parameters: { type: "object", properties: { path }, required: ["path"] },
      execute: ({ path }) => sandbox.fs.readText(path),
    },
  ];
}
"""
ASK = """
async ([tools, options, prompt]) => {
  const session = await inbrowser.createAgentSession({
    strategy: inbrowser.createReactLoopStrategy({ maxTurns: 6 }),
    llm: inbrowser.createModel({ model: "SmolLM2-135M", maxTokens: 60, maxRetries: 0, ...options }),
    tools: window[tools],
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


@pytest.fixture
def host(kernel_page: Page) -> Page:
    """A page with a fresh sandbox, its own tools, and plainer ones that work on its files."""
    kernel_page.evaluate(OPEN)
    return kernel_page


def ask(page: Page, tools: str, prompt: str, **options: Any) -> list[dict[str, Any]]:
    return page.evaluate(ASK, [tools, options, prompt])


def runs(events: list[dict[str, Any]]) -> list[tuple[str, bool]]:
    return [(event["name"], event["ok"]) for event in events if event["kind"] == "tool_finished"]


each_api = pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic"])


def test_a_real_model_creates_a_file(host: Page, server: str) -> None:
    events = ask(host, "standardTools", PROMPT, api="openai-chat", baseUrl=server)
    assert runs(events)[0] == ("write", True)
    assert events[-1]["kind"] == "completed"
    assert host.evaluate("() => sandbox.fs.readText('hello.txt')") == "hi"


@each_api
def test_a_real_model_goes_on_from_one_result_to_the_next_call(host: Page, server: str, api: str) -> None:
    events = ask(host, "plainTools", PROMPT, api=api, baseUrl=server)
    assert runs(events) == [("write", True), ("read", True)]
    assert host.evaluate("() => sandbox.fs.readText('hello.txt')") == "hi"
    end = events[-1]
    assert (end["kind"], end["stop"], end["turns"]) == ("completed", "end", 3)
    assert end["text"] == "The output is: hi"
    assert end["metrics"]["outputTokens"] > 0


@each_api
@pytest.mark.parametrize(
    ("prompt", "options", "reason", "words"),
    [
        ("word " * 6000, {}, "context", ["exceeds the available context size", "too long for this model"]),
        ("hi", {"extra": {"temperature": "hot"}}, "invalid", ["answered 400", "temperature"]),
        ("run pwd", {}, "server", ["broke off with an error", "does not match the expected"]),
    ],
    ids=["too long", "a bad setting", "an answer that its own server cannot read"],
)
def test_what_a_real_server_refuses_is_told_in_one_line(
    host: Page, server: str, api: str, prompt: str, options: dict[str, Any], reason: str, words: list[str]
) -> None:
    events = ask(host, "plainTools", prompt, api=api, baseUrl=server, **options)
    failure = events[-1]
    assert (failure["kind"], failure.get("reason")) == ("error", reason), failure
    assert all(word in failure["message"] for word in [server.split("/")[2], *words])
    assert "\n" not in failure["message"]
    assert runs(events) == []
