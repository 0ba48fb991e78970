"""What goes wrong between the page and a model's server gives one clear message, and the session lives on."""

import http.server
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.conftest import Server

KEY = "sk-canary-4711"

SESSION = """
async ([baseUrl, apiKey]) => {
  window.session = await inbrowser.createAgentSession({
    strategy: inbrowser.createReactLoopStrategy({ maxTurns: 3 }),
    llm: inbrowser.createModel({ api: "openai-chat", baseUrl, model: "m", apiKey, maxRetries: 0 }),
    tools: await inbrowser.createSandboxAgentTools(sandbox, { names: ["ls", "write"] }),
  });
}
"""
SUBMIT = "async () => { const events = []; for await (const e of session.submit('go')) events.push(e); return events }"


def chunk(**delta: object) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


def finish(reason: str) -> bytes:
    done = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    return b"data: " + json.dumps(done).encode() + b"\n\ndata: [DONE]\n\n"


def tool_call(arguments: str) -> bytes:
    function = {"name": "ls", "arguments": arguments}
    call = {"index": 0, "id": "c1", "type": "function", "function": function}
    return chunk(tool_calls=[call]) + finish("tool_calls")


TEXT = chunk(content="All good.") + finish("stop")
BODIES = {
    "text": TEXT,
    "cut": chunk(content="Half an ans"),
    "malformed": tool_call('{"path": "a'),
    "deep": tool_call('{"path": ' + "[" * 10_000 + "]" * 10_000 + "}"),
}


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers `/NAME/chat/completions` with a status or a stream; a repeated request with a tool result gets text."""

    def do_OPTIONS(self) -> None:
        self.send_response(204)
        if not self.path.startswith("/nocors"):
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Allow-Headers", "authorization, content-type")
        self.end_headers()

    def do_POST(self) -> None:
        name = self.path.split("/")[1]
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answered = request["messages"][-1]["role"] == "tool"
        status = int(name) if name.isdigit() else 200
        body = TEXT if answered else BODIES.get(name, b"")
        if status != 200:
            error = {
                "message": f"the provider says {status} for {self.headers['Authorization']}",
                "type": "x",
            }
            body = json.dumps({"error": error}).encode()
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", "text/event-stream" if status == 200 else "application/json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    server = Server(Provider)
    yield server.url
    server.close()


def submit(page: Page, base_url: str) -> list[dict]:
    page.evaluate(SESSION, [base_url, KEY])
    return page.evaluate(SUBMIT)


@pytest.mark.parametrize(
    ("name", "reason", "words"),
    [
        ("401", "auth", "key"),
        ("429", "rate_limit", "429"),
        ("500", "server", "500"),
        ("cut", "network", "broke off"),
        ("nocors", "network", "CORS"),
    ],
)
def test_a_failing_provider_is_named_and_the_session_lives_on(
    embedded: Page, provider: str, name: str, reason: str, words: str
) -> None:
    events = submit(embedded, f"{provider}/{name}")
    failure = events[-1]
    assert (failure["kind"], failure["reason"]) == ("error", reason)
    assert words.lower() in failure["message"].lower()
    assert "\n" not in failure["message"]
    assert KEY not in json.dumps(events)
    again = embedded.evaluate(SUBMIT)
    assert again[0]["kind"] == "turn_started"
    assert submit(embedded, f"{provider}/text")[-1]["text"] == "All good."


def test_an_unreachable_server_is_named(embedded: Page) -> None:
    failure = submit(embedded, "http://127.0.0.1:9")[-1]
    assert failure["kind"] == "error"
    assert "127.0.0.1:9" in failure["message"]


@pytest.mark.parametrize(("name", "words"), [("malformed", "JSON"), ("deep", "nested")])
def test_broken_arguments_are_not_run_and_the_model_is_told(
    embedded: Page, provider: str, name: str, words: str
) -> None:
    events = submit(embedded, f"{provider}/{name}")
    finished = next(event for event in events if event["kind"] == "tool_finished")
    assert finished["ok"] is False
    assert words in finished["text"]
    assert (events[-1]["kind"], events[-1]["text"]) == ("completed", "All good.")
    assert embedded.evaluate("() => sandbox.tools.run('ls', {})")["ok"] is True
