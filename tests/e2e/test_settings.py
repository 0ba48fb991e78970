"""Choosing a model in the settings: a real server over each of its APIs, and servers that do not work."""

import http.server
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import Server
from tests.e2e.settings_dialog import SettingsDialog, open_workbench, send
from tests.llama import llama_server

KEPT_BEFORE = {
    "source": "server",
    "baseUrl": "http://localhost:8080/v1",
    "model": "old-model",
    "apiKey": "sk-old",
    "temperature": 0.5,
    "remember": True,
}
"""What the page kept when there was one API."""
SENT = (
    chr(10)
    .join(
        f"data: {json.dumps(data)}\n"
        for data in (
            {"choices": [{"index": 0, "delta": {"content": "Done."}}]},
            {
                "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
                "usage": {
                    "prompt_tokens": 1200,
                    "completion_tokens": 80,
                    "prompt_tokens_details": {"cached_tokens": 1000},
                    "completion_tokens_details": {"reasoning_tokens": 50},
                    "cost": 0.0125,
                },
            },
        )
    )
    .encode()
)


class Provider(http.server.BaseHTTPRequestHandler):
    """Has 150 models; what is sent to it stays in `asked`. Below /refuses it answers 401, below /silent nothing."""

    asked: list[dict] = []  # noqa: RUF012

    def do_OPTIONS(self) -> None:
        self._answer(204, b"")

    def do_GET(self) -> None:
        models = [{"id": f"maker/model-{number:03}", "context_length": 131_072} for number in range(150)]
        self._answer(200, json.dumps({"data": models}).encode())

    def do_POST(self) -> None:
        self.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._answer(200, SENT, "text/event-stream")

    def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        if self.command != "OPTIONS" and self.path.startswith("/refuses"):
            status, body = 401, b'{"error": {"message": "No such key"}}'
        if self.command != "OPTIONS" and self.path.startswith("/silent"):
            self.rfile.read(1)  # until the page gives up
            return
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Headers", "*, authorization")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    with llama_server() as address:
        yield address


@pytest.fixture
def provider() -> Iterator[str]:
    Provider.asked = []
    server = Server(Provider)
    yield server.url
    server.close()


@pytest.fixture
def workbench(page: Page, site: str) -> Page:
    open_workbench(page, site)
    return page


@pytest.mark.parametrize(
    ("provider_id", "api", "path"),
    [
        ("llamacpp", "", "/v1"),
        ("custom", "openai-responses", "/v1"),
        ("custom", "anthropic", ""),
    ],
)
def test_a_real_server_over_each_of_its_apis(
    workbench: Page, llama: str, provider_id: str, api: str, path: str
) -> None:
    settings = SettingsDialog(workbench)
    settings.choose(provider_id, llama + path, api=api)
    settings.press("List models")
    expect(settings.models).to_have_count(1)
    settings.models.click()
    expect(settings.field("Model")).to_have_value("SmolLM2-135M")
    settings.dialog.get_by_label("Max tokens").fill("200")
    settings.press("Test connection")
    answered = re.compile(r"SmolLM2-135M answered\. It took [\d.]+ m?s")
    expect(settings.outcome).to_contain_text(answered, timeout=90_000)
    settings.save()

    send(workbench, "create hello.txt with hi")
    workbench.get_by_role("region", name="Files").get_by_text("hello.txt").click()
    expect(workbench.get_by_role("region", name="Editor").get_by_text("hi", exact=True)).to_be_visible()
    chat = workbench.get_by_role("region", name="Chat")
    expect(chat.get_by_title("This turn").first).to_have_text(
        re.compile(r"first token .* in .* out .*tokens/s")
    )
    expect(chat.get_by_title("This chat so far")).to_have_text(re.compile(r"Session: .* in .* out"))
    expect(chat.get_by_title("This chat so far")).not_to_contain_text("$")


def test_the_list_narrows_and_is_used_by_keyboard(workbench: Page, provider: str) -> None:
    settings = SettingsDialog(workbench)
    settings.choose("custom", f"{provider}/v1")
    keyboard, field = workbench.keyboard, settings.field("Model")
    field.focus()
    keyboard.press("ArrowDown")
    expect(settings.outcome).to_contain_text("150 models")
    expect(settings.models).to_have_count(100)
    keyboard.type("14 maker")
    expect(settings.models).to_have_count(12)
    keyboard.press("Escape")
    expect(settings.models).to_have_count(0)
    expect(settings.dialog).to_be_visible()
    field.fill("model-14")
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    expect(settings.dialog.get_by_role("listbox").get_by_role("option", selected=True)).to_contain_text(
        "maker/model-141"
    )
    keyboard.press("Enter")
    expect(field).to_have_value("maker/model-141")
    field.fill("a-model-of-mine")
    settings.save()
    expect(workbench.get_by_role("region", name="Chat").get_by_text("a-model-of-mine")).to_be_visible()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/refuses", "answered 401: No such key. Check the API key"),
        ("/v2/nothing-here", "Check the base URL"),
        (None, "Could not reach 127.0.0.1:9"),
    ],
)
def test_what_fails_is_told(workbench: Page, provider: str, llama: str, path: str | None, words: str) -> None:
    base = {"/refuses": f"{provider}/refuses", None: "http://127.0.0.1:9/v1"}.get(path, f"{llama}{path}")
    settings = SettingsDialog(workbench)
    settings.choose("custom", base, model="m", key="sk-wrong")
    for button in ("Test connection", "List models", "Test connection"):
        settings.press(button)
        expect(settings.outcome).to_contain_text(words)
    settings.field("Model").press("Tab")
    settings.field("Model").fill("another")
    expect(settings.outcome).to_have_text("")


def test_a_test_can_be_stopped(workbench: Page, provider: str) -> None:
    settings = SettingsDialog(workbench)
    settings.choose("custom", f"{provider}/silent", model="m")
    settings.press("Test connection")
    expect(settings.outcome).to_contain_text("Asking m at 127.0.0.1")
    settings.press("Stop")
    expect(settings.outcome).to_have_text("")
    expect(settings.dialog.get_by_role("button", name="Test connection")).to_be_visible()


def test_what_is_chosen_is_sent_and_what_it_took_is_shown(workbench: Page, provider: str) -> None:
    settings = SettingsDialog(workbench)
    settings.choose("openrouter", f"{provider}/v1", model="maker/model")
    settings.field("Effort").select_option("low")
    settings.dialog.get_by_label("Temperature").fill("0.2")
    settings.dialog.get_by_label("Max tokens").fill("300")
    settings.save()
    send(workbench, "go")
    send(workbench, "on")
    sent = Provider.asked[0]
    assert (sent["reasoning_effort"], sent["temperature"], sent["model"]) == ("low", 0.2, "maker/model")
    assert 300 in (sent.get("max_tokens"), sent.get("max_completion_tokens"))
    chat = workbench.get_by_role("region", name="Chat")
    turn = chat.get_by_title("This turn").first
    expect(turn).to_contain_text("1,200 in (1,000 cached) · 80 out (50 reasoning)")
    expect(turn).to_contain_text("$0.013")
    session = chat.get_by_title("This chat so far")
    expect(session).to_contain_text("2,400 in (2,000 cached) · 160 out (100 reasoning)")
    expect(session).to_contain_text("$0.025")


def test_an_estimated_cost_is_marked(workbench: Page, provider: str) -> None:
    reply = {"kind": "turn", "metrics": {"durationMs": 1000, "cost": 0.0012, "costEstimated": True}}
    settings = SettingsDialog(workbench)
    settings.choose("custom", f"{provider}/v1", model="m")
    settings.save()
    send(workbench, "go")
    workbench.evaluate(
        """(part) => {
          const { reply } = document.querySelector("inb-reply");
          reply.parts.push(part);
          reply.changed();
        }""",
        reply,
    )
    estimate = workbench.get_by_title("estimated from a price table")
    expect(estimate).to_have_text("≈ $0.0012")
    expect(workbench.get_by_title("This turn").last).to_have_text("1.0 s · ≈ $0.0012")


def test_the_form_fits_the_provider(workbench: Page) -> None:
    settings = SettingsDialog(workbench)
    temperature = settings.dialog.get_by_label("Temperature")
    settings.provider.select_option("anthropic")
    expect(settings.field("Base URL")).to_have_value("https://api.anthropic.com")
    expect(temperature).to_have_count(0)
    expect(settings.field("Effort").locator("option")).to_have_text(
        ["Provider's default", "low", "medium", "high", "xhigh", "max"]
    )
    expect(settings.key).to_have_attribute("required", "")
    settings.field("Base URL").fill("https://proxy.example/anthropic")
    expect(settings.key).not_to_have_attribute("required", "")
    settings.key.fill("sk-for-anthropic")
    settings.provider.select_option("ollama")
    expect(settings.field("Base URL")).to_have_value("http://localhost:11434")
    expect(settings.key).to_have_value("")
    expect(
        settings.dialog.get_by_text(re.compile(r"OLLAMA_ORIGINS=http://127\.0\.0\.1:\d+\."))
    ).to_be_visible()
    expect(temperature).to_be_visible()
    workbench.keyboard.press("Escape")
    expect(settings.dialog).to_be_hidden()
    expect(workbench.get_by_role("button", name="Settings")).to_be_focused()


def test_settings_kept_by_an_earlier_version_still_hold(page: Page, site: str, provider: str) -> None:
    kept = json.dumps(json.dumps(KEPT_BEFORE))
    page.add_init_script(f"if (window === top) localStorage['inbrowser.model'] ??= {kept}")
    open_workbench(page, site)
    expect(page.get_by_role("region", name="Chat").get_by_text("old-model")).to_be_visible()
    settings = SettingsDialog(page)
    expect(settings.provider).to_have_value("custom")
    expect(settings.field("API")).to_have_value("openai-chat")
    expect(settings.field("Base URL")).to_have_value("http://localhost:8080/v1")
    expect(settings.dialog.get_by_label("Temperature")).to_have_value("0.5")
    settings.field("Base URL").fill(f"{provider}/v1")
    settings.save()
    send(page, "go")
    assert Provider.asked[0]["model"] == "old-model"


def test_what_is_remembered_is_there_again_until_it_is_erased(workbench: Page, provider: str) -> None:
    settings = SettingsDialog(workbench)
    settings.choose("custom", provider, api="anthropic", model="m-1", key="sk-remembered")
    settings.field("Effort").select_option("max")
    settings.field("Remember on this device").check()
    settings.save()
    workbench.reload()
    settings = SettingsDialog(workbench)
    expect(settings.field("API")).to_have_value("anthropic")
    expect(settings.field("Base URL")).to_have_value(provider)
    expect(settings.field("Model")).to_have_value("m-1")
    expect(settings.field("Effort")).to_have_value("max")
    expect(settings.key).to_have_value("sk-remembered")
    settings.field("Remember on this device").uncheck()
    settings.save()
    assert workbench.evaluate("localStorage.getItem('inbrowser.model')") is None
    workbench.reload()
    settings = SettingsDialog(workbench)
    expect(settings.provider).to_have_value("scripted")


@pytest.mark.parametrize("size", [(1440, 900), (400, 800)])
def test_nothing_of_it_overflows(workbench: Page, size: tuple[int, int]) -> None:
    workbench.set_viewport_size({"width": size[0], "height": size[1]})
    settings = SettingsDialog(workbench)
    settings.choose("custom", "http://127.0.0.1:9/v1", model="m" * 80)
    settings.press("Test connection")
    expect(settings.outcome).to_contain_text("127.0.0.1:9")
    expect(settings.outcome).to_be_in_viewport(ratio=1)
    for element in (settings.dialog, workbench.locator("html")):
        assert element.evaluate("(it) => it.scrollWidth - it.clientWidth") == 0


def test_a_file_is_a_model_of_this_tab_alone(page: Page, site: str, tmp_path: Path) -> None:
    """What a real one answers is tested without the workbench, whose tools are much to read for a small model."""
    file = tmp_path / "tiny.gguf"
    file.write_text("GGUF, or not")
    open_workbench(page, site)
    settings = SettingsDialog(page)
    settings.provider.select_option("file")
    settings.press("Save")
    expect(settings.dialog).to_be_visible()  # There is no file yet.
    settings.field("GGUF file").set_input_files(file)
    settings.field("Remember on this device").check()
    settings.save()
    expect(page.get_by_text("tiny.gguf")).to_be_visible()
    send(page, "hi")
    reply = page.get_by_role("article", name="Assistant").last
    expect(reply).to_contain_text("the model's file could not be loaded")
    open_workbench(page, site)
    expect(page.get_by_text("No model yet: replies are scripted.")).to_be_visible()


def test_the_browsers_own_model_is_chosen(page: Page, site: str) -> None:
    page.add_init_script("delete globalThis.LanguageModel")
    open_workbench(page, site)
    settings = SettingsDialog(page)
    settings.provider.select_option(label="This browser's own model")
    settings.save()
    send(page, "hi")
    reply = page.get_by_role("article", name="Assistant").last
    expect(reply).to_contain_text("this browser has no model of its own")
