"""A key that is typed into the page goes into the headers of requests, and nowhere else.

One visit uses a key in every way there is, with a server that echoes it and a model that spies; each test then looks for
the key in one place. Places that keep what a visitor does hold `CONTROL`, which shows that looking there finds things.
"""

import http.server
import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import Server, new_context
from tests.e2e.settings_dialog import SettingsDialog, open_workbench, send

KEY = "sk-canary-0815"
CONTROL = "marmalade-4711"

SPY_JS = """
(() => {
  const key = ["sk", "canary", "0815"].join("-");
  globalThis.planted = { deep: key };
  const hits = [], seen = new Set(), queue = [[globalThis, "globalThis"]];
  for (let at = 0; at < queue.length && at < 50_000; at++) {
    const [value, path] = queue[at];
    let names = [];
    try { names = Reflect.ownKeys(value); } catch { continue; }
    for (const name of names) {
      let found;
      try { found = value[name]; } catch { continue; }
      if (`${String(name)} ${typeof found === "string" ? found : ""}`.includes(key)) hits.push(`${path}.${String(name)}`);
      if (found instanceof Promise) found.catch(() => {});
      const deep = found !== null && (typeof found === "object" || typeof found === "function");
      if (deep && !seen.has(found)) { seen.add(found); queue.push([found, `${path}.${String(name)}`]); }
    }
  }
  for (const place of ["localStorage", "sessionStorage", "document.cookie", "parent.document", "top.localStorage"]) {
    try { if (JSON.stringify(eval(place)).includes(key)) hits.push(place); } catch {}
  }
  return `looked at ${seen.size} objects, found ${hits.length}: ${hits}`;
})()
"""
SPY_PY = f"""
import gc, os, sys
key = "-".join(["sk", "canary", "0815"])
texts = [*os.environ.values(), *sys.argv, *(each for each in gc.get_objects() if isinstance(each, str))]
for each in gc.get_objects():
    if isinstance(each, dict):
        texts += [text for text in [*each.keys(), *each.values()] if isinstance(text, str)]
print("looked at", len(texts) > 1000, "found", sum(key in text and text != key for text in texts))
for module in ("js", "pyodide_js", "pyodide.code"):
    try:
        found = __import__(module, fromlist=["run_js"])
        run = getattr(found, "eval", None) or getattr(found, "run_js", None)
        print(module, run({SPY_JS!r}) if run else "has no eval")
    except BaseException as error:
        print(module, type(error).__name__)
"""
FILES = {
    "control.txt": CONTROL,
    "spy.py": SPY_PY,
    "index.html": '<body><script type="module" src="spy.js"></script></body>',
    "spy.js": f"document.body.append({SPY_JS.strip()});",
}
CALLS = [
    *({"name": "write", "arguments": {"path": path, "content": text}} for path, text in FILES.items()),
    {"name": "bash", "arguments": {"command": "env; python spy.py"}},
    {"name": "preview_compile", "arguments": {"entry": "index.html"}},
]

DATABASES = """
async (needles) => {
  const promised = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const found = new Set();
  let bytes = 0;
  const search = (text) => {
    bytes += text.length;
    for (const needle of needles) if (text.includes(needle)) found.add(needle);
  };
  const look = async (value) => {
    if (typeof value === "string") search(value);
    else if (value instanceof Blob) await look(await value.arrayBuffer());
    else if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
      const view = ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value);
      search(new TextDecoder("latin1").decode(view));
      search(new TextDecoder("utf-16le").decode(view.subarray(0, view.length & ~1)));
    } else if (value instanceof Map || value instanceof Set) for (const each of value) await look(each);
    else if (value && typeof value === "object")
      for (const [name, each] of Object.entries(value)) { search(name); await look(each); }
  };
  for (const { name } of await indexedDB.databases()) {
    const database = await promised(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const keys = await promised(database.transaction(store).objectStore(store).getAllKeys());
      for (const key of keys) {
        await look(key);
        await look(await promised(database.transaction(store).objectStore(store).get(key)));
      }
    }
    database.close();
  }
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      search(request.url);
      for (const header of request.headers) search(header.join(": "));
    }
  }
  return { found: [...found], bytes };
}
"""
IN_MEMORY = {
    "sandbox events": "JSON.stringify(document.querySelector('inb-timeline').log.rows)",
    "session events": "JSON.stringify(document.querySelector('inb-chat').conversation.entries)",
    "document": "document.documentElement.outerHTML",
    "fields": "JSON.stringify([...document.querySelectorAll('input, select, textarea')].map((field) => field.value))",
    "storage": "JSON.stringify([{ ...localStorage }, { ...sessionStorage }])",
    "address": "JSON.stringify([location.href, document.cookie, name, history.state])",
    "timeline": "document.querySelector('inb-timeline').innerText",
    "chat": "document.querySelector('inb-chat').innerText",
}


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers a first message with calls that spy, later ones with text; below /refuses, 401 with what it was sent."""

    seen: list[tuple[str, str, str]] = []  # noqa: RUF012
    """Key, path and body of each request."""

    def do_OPTIONS(self) -> None:
        self._answer(204, b"")

    def do_GET(self) -> None:
        self._take("")
        self._answer(200, b'{"data": [{"id": "m"}]}')

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._take(text)
        request = json.loads(text)
        tools, last = request.get("tools"), request["messages"][-1]["role"]
        calls = [
            {
                "index": at,
                "id": f"c{at}",
                "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])},
            }
            for at, call in enumerate(CALLS)
        ]
        delta = {"tool_calls": calls} if tools and last == "user" else {"content": "Done."}
        reply = {"choices": [{"index": 0, "delta": delta, "finish_reason": "stop"}]}
        self._answer(200, f"data: {json.dumps(reply)}\n\ndata: [DONE]\n\n".encode(), "text/event-stream")

    def _take(self, body: str) -> None:
        self.seen.append((self.headers["Authorization"] or "", self.path, body))

    def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        if self.command != "OPTIONS" and self.path.startswith("/refuses"):
            status = 401
            body = json.dumps({"error": {"message": f"{CONTROL}: {self.headers['Authorization']}"}}).encode()
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Access-Control-Allow-Headers", "authorization, content-type")
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep the tests' output clean."""


@pytest.fixture(scope="module")
def places(browser: Browser, site: str) -> Iterator[dict[str, str]]:
    """What there is to read after a visit, by place."""
    server = Server(Provider)
    context = new_context(browser)
    page = context.new_page()
    told: list[str] = []
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    open_workbench(page, site)
    yield visit(page, server.url) | {"console": "\n".join(told)}
    context.close()
    server.close()


def visit(page: Page, server: str) -> dict[str, str]:
    outcomes = [
        *try_connection(page, f"{server}/v1"),
        *try_connection(page, f"{server}/refuses/v1"),
        *try_connection(page, "http://127.0.0.1:9/v1"),
    ]
    for base_url in (f"{server}/v1", f"{server}/refuses/v1", f"{server}/v1"):
        settings = SettingsDialog(page)
        settings.choose("custom", base_url, model="m", key=KEY)
        settings.save()
        send(page, f"Please build the {CONTROL}")
    preview = page.get_by_role("region", name="Preview").frame_locator("iframe").locator("body")
    expect(preview).to_contain_text("looked at")
    with page.expect_download() as downloading:
        page.get_by_role("region", name="Files").get_by_role("button", name="Download").click()
    archive = zipfile.ZipFile(io.BytesIO(Path(downloading.value.path()).read_bytes()))
    databases = page.evaluate(DATABASES, [KEY, CONTROL])
    assert databases["bytes"] > 1_000_000
    return {name: page.evaluate(code) for name, code in IN_MEMORY.items()} | {
        "error texts": "\n".join(outcomes),
        "preview": preview.inner_text(),
        "archive": "\n".join(
            [*archive.namelist(), *(archive.read(name).decode("latin1") for name in archive.namelist())]
        ),
        "databases": "\n".join(databases["found"]),
        "addresses and bodies of requests": "\n".join(f"{path} {body}" for _, path, body in Provider.seen),
    }


def try_connection(page: Page, base_url: str) -> Iterator[str]:
    """Ask for a list and test the connection; yields the outcomes, and the document as it is meanwhile."""
    settings = SettingsDialog(page)
    settings.choose("custom", base_url, model="m", key=KEY)
    for button in ("List models", "Test connection"):
        settings.press(button)
        expect(settings.outcome).to_have_text(re.compile("1 model|answered|reach"))
        yield settings.outcome.inner_text()
        yield page.content()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(settings.dialog).to_be_hidden()


def test_the_key_was_sent(places: dict[str, str]) -> None:
    assert len(Provider.seen) >= 9
    assert {key for key, _, _ in Provider.seen} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    "place",
    [
        "sandbox events",
        "session events",
        "document",
        "chat",
        "archive",
        "databases",
        "error texts",
    ],
)
def test_what_keeps_a_visit_keeps_no_key(places: dict[str, str], place: str) -> None:
    assert KEY not in places[place]
    assert CONTROL in places[place]


@pytest.mark.parametrize(
    "place", ["timeline", "fields", "storage", "address", "console", "addresses and bodies of requests"]
)
def test_no_other_place_has_it(places: dict[str, str], place: str) -> None:
    assert KEY not in places[place]


def test_a_process_and_a_preview_cannot_reach_it(places: dict[str, str]) -> None:
    assert "looked at True found 0" in places["session events"]
    for place, count in (("session events", 2), ("preview", 1)):
        reports = re.findall(r"looked at (\d+) objects, found (.*?)(?:\\n|$)", places[place])
        assert len(reports) >= count
        assert {found for _, found in reports} == {"1: globalThis.planted.deep"}
        assert all(int(objects) > 1000 for objects, _ in reports)
