"""Models that run in the page: a real GGUF file without any network, and the browser's own."""

from playwright.sync_api import Page

import build
from tests.e2e.commands import collected_until
from tests.llama import TEMPLATE

# Fewer of its examples: one thread in a tab takes 80 ms for each token of a prompt.
EXAMPLES_LEFT_OUT = ("['run date'", "['write 5 to n.txt")
SHORT_TEMPLATE = "".join(
    line
    for line in TEMPLATE.read_text().splitlines(keepends=True)
    if not line.strip().startswith(EXAMPLES_LEFT_OUT)
)
START = """
async ([chatTemplate, maxTurns]) => {
  const file = document.querySelector("#model").files[0];
  window.model = inbrowser.createModel({ api: "gguf", file, chatTemplate, context: 2048, temperature: 0, maxTokens: 100 });
  window.session = await inbrowser.createAgentSession({
    strategy: inbrowser.createReactLoopStrategy({ maxTurns }),
    llm: model,
    tools: await inbrowser.createSandboxAgentTools(sandbox, { names: ["read", "write"] }),
  });
}
"""
SUBMIT = """async (text) => {
  const events = [];
  for await (const event of session.submit(text)) events.push(event);
  return events;
}"""


def choose_the_model(page: Page) -> None:
    """Give the page its file, as a user does."""
    page.evaluate(
        """() => document.body.append(Object.assign(document.createElement("input"), { type: "file", id: "model" }))"""
    )
    page.locator("#model").set_input_files(build.MODEL)


def test_a_file_of_the_users_calls_tools_with_the_network_off(embedded: Page) -> None:
    choose_the_model(embedded)
    embedded.evaluate(START, [SHORT_TEMPLATE, 6])
    assert embedded.evaluate("() => inbrowser.checkModel(model)")["ok"] is True
    embedded.context.set_offline(True)
    events = embedded.evaluate(SUBMIT, "create hello.txt with hi")
    embedded.context.set_offline(False)
    finished = [event for event in events if event["kind"] == "tool_finished"]
    assert (finished[0]["name"], finished[0]["ok"]) == ("write", True)
    assert events[-1]["kind"] == "completed", events[-1]
    assert events[-1]["metrics"]["outputTokens"] > 0
    assert embedded.evaluate("() => sandbox.fs.readText('hello.txt')") == "hi"


def test_a_model_that_nothing_uses_leaves_the_memory(embedded: Page) -> None:
    choose_the_model(embedded)
    embedded.evaluate("""async () => {
      const file = document.querySelector("#model").files[0];
      let model = inbrowser.createModel({ api: "gguf", file, context: 512, maxTokens: 1 });
      window.session = await inbrowser.createAgentSession({
        strategy: inbrowser.createReactLoopStrategy(), llm: model, tools: [],
      });
      const checked = inbrowser.checkModel(model);
      model = undefined;
      window.ok = (await checked).ok;
    }""")
    assert embedded.evaluate("ok") is True
    idle = len(embedded.workers)
    embedded.request_gc()
    assert embedded.evaluate(SUBMIT, "hi")[-1]["kind"] == "completed"
    assert len(embedded.workers) == idle
    embedded.evaluate("() => { window.session = undefined }")
    # One collection finds the session, and once Python has let go of the model another finds that.
    assert collected_until(embedded, lambda: len(embedded.workers) == idle - 1)


def test_what_is_no_model_is_named(embedded: Page) -> None:
    check = """(file) => inbrowser.checkModel(inbrowser.createModel({ api: "gguf", file }))"""
    told = embedded.evaluate(f"() => ({check})(new Blob(['none']))")
    assert told["ok"] is False
    assert "the model's file is no GGUF file" in told["message"]
    told = embedded.evaluate(f"() => ({check})(new Blob(['GGUF', new Uint8Array(1000)]))")
    assert "the model's file could not be loaded" in told["message"]
    told = embedded.evaluate(check, "./none.gguf")
    assert "none.gguf: the server answered 404" in told["message"]


REFUSES = """
{%- for message in messages -%}
  {%- if 'draw' in message.content -%}{{ raise_exception('this template draws nothing') }}{%- endif -%}
  {{- message.content -}}
{%- endfor -%}
"""


def test_what_llama_cpp_says_is_told_and_the_next_request_begins_anew(embedded: Page) -> None:
    choose_the_model(embedded)
    told = embedded.evaluate(
        """async (chatTemplate) => {
          const file = document.querySelector("#model").files[0];
          const llm = inbrowser.createModel({ api: "gguf", file, chatTemplate, context: 512, maxTokens: 1 });
          const ends = [];
          for (const text of ["draw a house", "hi"]) {
            const strategy = inbrowser.createReactLoopStrategy();
            const session = await inbrowser.createAgentSession({ strategy, llm });
            let last;
            for await (const event of session.submit(text)) last = event;
            ends.push(last);
          }
          return ends;
        }""",
        REFUSES,
    )
    assert "Unable to generate parser for this template" in told[0]["message"]
    assert told[1]["kind"] == "completed"


BROWSERS_OWN = """
async (answers) => {
  const asked = (window.asked = []);
  window.LanguageModel = {
    availability: async () => "available",
    create: async ({ initialPrompts }) => ({
      inputUsage: 12,
      destroy() { asked.at(-1).destroyed = true; },
      promptStreaming(text) {
        asked.push({ initialPrompts, text });
        return new ReadableStream({
          start(controller) {
            for (const letter of answers.shift()) controller.enqueue(letter);
            controller.close();
          },
        });
      },
    }),
  };
  window.session = await inbrowser.createAgentSession({
    strategy: inbrowser.createReactLoopStrategy({ maxTurns: 4 }),
    llm: inbrowser.createModel({ api: "language-model" }),
    tools: await inbrowser.createSandboxAgentTools(sandbox, { names: ["write"] }),
    systemPrompt: "Be brief.",
  });
}
"""


def test_the_browsers_own_model_calls_tools(embedded: Page) -> None:
    call = '<tool_call>{"name": "write", "arguments": {"path": "a.txt", "content": "<b>"}}</tool_call>'
    embedded.evaluate(BROWSERS_OWN, [f"Well. {call}", "Written."])
    events = embedded.evaluate(SUBMIT, "write a.txt")
    assert "".join(event["delta"] for event in events if event["kind"] == "text") == "Well. Written."
    assert events[-1]["kind"] == "completed"
    assert embedded.evaluate("() => sandbox.fs.readText('a.txt')") == "<b>"
    first, second = embedded.evaluate("() => asked")
    assert first["initialPrompts"][0]["content"].startswith("Be brief.")
    assert '"name": "write"' in first["initialPrompts"][0]["content"]
    assert first["text"] == "write a.txt"
    assert [each["role"] for each in second["initialPrompts"]] == ["system", "user", "assistant"]
    assert second["text"].startswith('<tool_response name="write">')
    assert first["destroyed"] is second["destroyed"] is True


def test_a_browser_without_a_model_says_so(embedded: Page) -> None:
    embedded.evaluate("() => { delete window.LanguageModel; delete globalThis.LanguageModel; }")
    told = embedded.evaluate(
        """() => inbrowser.checkModel(inbrowser.createModel({ api: "language-model" }))"""
    )
    assert told["ok"] is False
    assert "this browser has no model of its own" in told["message"]
