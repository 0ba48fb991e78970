"""What goes wrong between the page and a model's server gives one clear message, and the session lives on.

Over each API, by the page's own fetch, from a server that fails as it is told.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.conftest import free_port
from tests.e2e.model_server import APIS, Answer, ModelServer

KEY = "sk-canary-4711"

OPEN = """
async () => {
  window.sandbox = await inbrowser.openSandbox();
  window.tools = await inbrowser.createSandboxAgentTools(sandbox, { names: ["ls", "write"] });
}
"""
BEGIN = """
async ([api, baseUrl, options]) => {
  window.session = await inbrowser.createAgentSession({
    strategy: inbrowser.createReactLoopStrategy({ maxTurns: 3 }),
    llm: inbrowser.createModel({ api, baseUrl, model: "m", ...options }),
    tools,
  });
}
"""
SUBMIT = """
async (baseUrl) => {
  const events = [];
  for await (const event of session.submit("go")) {
    events.push(event);
    if (event.kind === "text" && baseUrl) fetch(`${baseUrl}/seen`, { mode: "no-cors" });
  }
  return events;
}
"""
SUBMIT_AND_STOP = """
async () => {
  const events = [];
  for await (const event of session.submit("go")) {
    events.push(event);
    if (event.kind === "text") session.cancel();
  }
  return events;
}
"""
HISTORY = "() => session.history()"


@pytest.fixture(scope="module")
def host(kernel_page: Page) -> Page:
    """A page with the tools of a sandbox, for all tests of this module."""
    kernel_page.evaluate(OPEN)
    return kernel_page


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


each_api = pytest.mark.parametrize("api", APIS)


def begin(page: Page, api: str, base_url: str, **options: Any) -> None:
    """Begin a session with a model; it is asked again at most twice, unless `options` say otherwise."""
    page.evaluate(BEGIN, [api, base_url, {"apiKey": KEY, **options}])


def submit(page: Page, base_url: str = "") -> list[dict[str, Any]]:
    """Send a message and return all events up to the last; the server at `base_url` is told of text."""
    return page.evaluate(SUBMIT, base_url)


def kinds(events: list[dict[str, Any]]) -> list[str]:
    """The kinds of events, each once where several follow each other."""
    found = [event["kind"] for event in events]
    return [kind for kind, before in zip(found, ["", *found], strict=False) if kind != before]


def said(events: list[dict[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["kind"] == "text")


def lives_on(page: Page) -> None:
    """Check that the session answers the next message."""
    events = submit(page)
    assert (events[-1]["kind"], said(events)) == ("completed", "All good.")


def refused(api: str, status: int, **headers: str) -> Answer:
    body = json.dumps(APIS[api].error(f"The provider says {status} for {KEY}")).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(body, status, "application/json", named)


FAILURES: dict[str, tuple[Any, str, list[str]]] = {
    "a refused key": (lambda api: refused(api, 401), "auth", ["401", "says 401", "API key"]),
    "an error of its own": (lambda api: refused(api, 400), "invalid", ["400", "says 400"]),
    "a web page": (
        lambda api: Answer(b"<!doctype html><title>Sign in</title>", kind="text/html; charset=utf-8"),
        "protocol",
        ["a web page", "base URL"],
    ),
    "a closed door": (
        lambda api: Answer(open_to_pages=False),
        "network",
        ["CORS", "OLLAMA_ORIGINS"],
    ),
}


@each_api
@pytest.mark.parametrize("failure", FAILURES)
def test_what_waiting_does_not_cure_is_told_at_once(
    host: Page, server: ModelServer, api: str, failure: str
) -> None:
    answer, reason, words = FAILURES[failure]
    base = server.plan(answer(api))
    begin(host, api, base)
    events = submit(host)
    assert kinds(events) == ["turn_started", "error"]
    assert events[-1]["reason"] == reason
    message = events[-1]["message"]
    assert all(word in message for word in [server.url.removeprefix("http://"), *words])
    assert "\n" not in message
    assert KEY not in json.dumps(events)
    assert server.asked[base] == (0 if failure == "a closed door" else 1)
    lives_on(host)


@each_api
@pytest.mark.parametrize(
    ("status", "headers", "waits"),
    [
        (429, {"retry_after": "1", "access_control_expose_headers": "retry-after"}, 1000),
        (503, {}, None),
        (529, {"retry_after": "50"}, None),  # which a page cannot see
    ],
)
def test_a_busy_server_is_asked_again(
    host: Page, server: ModelServer, api: str, status: int, headers: dict[str, str], waits: int | None
) -> None:
    base = server.plan(refused(api, status, **headers))
    begin(host, api, base)
    events = submit(host)
    assert kinds(events) == ["turn_started", "strategy_event", "text", "turn_completed", "completed"]
    assert said(events) == "All good."
    assert server.asked[base] == 2
    retry = next(event for event in events if event["kind"] == "strategy_event")
    assert (retry["name"], retry["data"]["attempt"]) == ("retry", 1)
    assert f"answered {status}" in retry["data"]["reason"]
    assert retry["data"]["waitMs"] == waits or (waits is None and retry["data"]["waitMs"] <= 500)
    assert KEY not in json.dumps(events)
    lives_on(host)


@each_api
@pytest.mark.parametrize("so_far", [0, 1])
def test_a_silent_server_is_given_up(host: Page, server: ModelServer, api: str, so_far: int) -> None:
    half = APIS[api].text("Half of it")[: so_far and len(APIS[api].text("Half of it")) // 2]
    base = server.plan(Answer(half, kind=APIS[api].kind, silent=True))
    begin(host, api, base, idleTimeoutMs=1000, maxRetries=0)
    events = submit(host)
    assert kinds(events)[-1] == "error"
    assert events[-1]["reason"] == "stalled"
    assert "sent nothing for 1 s" in events[-1]["message"]
    assert server.asked[base] == 1
    lives_on(host)


@each_api
def test_stopping_a_silent_answer_ends_its_request(host: Page, server: ModelServer, api: str) -> None:
    half = APIS[api].text("Half of it")
    base = server.plan(Answer(half[: len(half) // 2], kind=APIS[api].kind, silent=True))
    begin(host, api, base)
    events = host.evaluate(SUBMIT_AND_STOP)
    assert (events[-1]["kind"], events[-1]["stop"]) == ("completed", "cancelled")
    assert server.left[base].wait(20)
    lives_on(host)


def test_a_page_that_is_offline_is_told_so(host: Page, server: ModelServer) -> None:
    begin(host, "openai-chat", server.plan(), maxRetries=0)
    host.context.set_offline(True)
    try:
        failure = submit(host)[-1]
    finally:
        host.context.set_offline(False)
    assert failure["reason"] == "network"
    assert (
        f"Could not reach {server.url.removeprefix('http://')}: the browser is offline" in failure["message"]
    )
    lives_on(host)


@each_api
@pytest.mark.parametrize("broken", [True, False], ids=["broken", "closed"])
def test_an_answer_cut_off_is_never_taken_for_a_whole_one(
    host: Page, server: ModelServer, api: str, broken: bool
) -> None:
    whole = APIS[api].text("Half an answer")
    cut = whole[: whole.index(b"answer") + 3]
    base = server.plan(Answer(cut, kind=APIS[api].kind, cut=broken))
    begin(host, api, base)
    events = submit(host, base)
    assert kinds(events) == ["turn_started", "text", "error"]
    assert said(events) == "Half an"
    assert "broke off before its end" in events[-1]["message"]
    assert server.asked[base] == 1
    assert host.evaluate(HISTORY)[-1]["stop"] == "incomplete"
    lives_on(host)


@each_api
def test_an_answer_that_breaks_before_it_says_anything_is_asked_for_again(
    host: Page, server: ModelServer, api: str
) -> None:
    begin(host, api, server.plan(Answer(kind=APIS[api].kind, cut=True)))
    events = submit(host)
    assert kinds(events) == ["turn_started", "strategy_event", "text", "turn_completed", "completed"]
    assert said(events) == "All good."


@each_api
@pytest.mark.parametrize("broken", [True, False], ids=["broken", "closed"])
def test_a_call_cut_in_its_arguments_is_not_run(
    host: Page, server: ModelServer, api: str, broken: bool
) -> None:
    whole = APIS[api].call('{"path": "never.txt", "content": "half of it"}')
    cut = whole[: whole.index(b" of it")]
    base = server.plan(Answer(cut, kind=APIS[api].kind, cut=broken))
    begin(host, api, base)
    events = submit(host, base)
    assert said(events) == "Let me."
    assert events[-1]["kind"] == "error"
    assert "broke off before its end" in events[-1]["message"]
    assert "tool_started" not in kinds(events)
    assert server.asked[base] == 1
    assert not host.evaluate("() => sandbox.fs.exists('never.txt')")
    lives_on(host)


@each_api
def test_an_answer_that_is_not_streamed_is_taken_too(host: Page, server: ModelServer, api: str) -> None:
    body = json.dumps(APIS[api].whole("Not streamed.")).encode()
    begin(host, api, server.plan(Answer(body, kind="application/json")))
    events = submit(host)
    assert (events[-1]["kind"], events[-1]["text"]) == ("completed", "Not streamed.")
    lives_on(host)


@each_api
def test_a_server_that_is_not_there_is_named_and_reached_once_it_is(host: Page, api: str) -> None:
    port = free_port()
    begin(host, api, f"http://127.0.0.1:{port}/1", maxRetries=0)
    events = submit(host)
    assert kinds(events) == ["turn_started", "error"]
    assert events[-1]["reason"] == "network"
    assert f"Could not reach 127.0.0.1:{port}: nothing answers there" in events[-1]["message"]
    server = ModelServer(port)
    try:
        lives_on(host)
    finally:
        server.close()


# Gemini and Ollama send arguments as an object, which is part of what they say: it cannot be broken alone.
@pytest.mark.parametrize("api", ["openai-chat", "openai-responses", "anthropic"])
@pytest.mark.parametrize(
    ("arguments", "words"),
    [('{"path": "a', "JSON"), ('{"path": ' + "[" * 10_000 + "]" * 10_000 + "}", "nested")],
    ids=["malformed", "deep"],
)
def test_broken_arguments_are_not_run_and_the_model_is_told(
    host: Page, server: ModelServer, api: str, arguments: str, words: str
) -> None:
    begin(host, api, server.plan(Answer(APIS[api].call(arguments))))
    events = submit(host)
    finished = next(event for event in events if event["kind"] == "tool_finished")
    assert finished["ok"] is False
    assert words in finished["text"]
    assert (events[-1]["kind"], events[-1]["text"]) == ("completed", "All good.")
    assert host.evaluate("() => sandbox.tools.run('ls', {})")["ok"] is True
