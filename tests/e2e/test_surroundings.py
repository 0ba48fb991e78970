"""Where the page may find itself: reloaded past every cache, in a frame of another site, in an app with a session."""

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import build
from tests.conftest import Server
from tests.e2e.commands import run

WORKS = """async () => {
  const sandbox = await inbrowser.openSandbox();
  const { stdout } = await sandbox.runtime.run("echo shell; python -c 'print(6 * 7)'", { timeoutMs: 60_000 });
  await sandbox.destroy();
  return stdout;
}"""


def test_a_reload_past_all_caches_starts_once_and_works(
    context: BrowserContext, page: Page, site: str
) -> None:
    page.goto(f"{site}/")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    page.wait_for_function("navigator.serviceWorker.ready.then((r) => r.active.state === 'activated')")
    visits: list[str] = []
    page.on("framenavigated", lambda frame: visits.append(frame.url) if frame == page.main_frame else None)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setBypassServiceWorker", {"bypass": True})
    with page.expect_navigation():
        session.send("Page.reload", {"ignoreCache": True})
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    assert page.evaluate("() => navigator.serviceWorker.controller") is None
    assert page.evaluate(
        f"async () => {{ const inbrowser = await import('./inbrowser.js'); return ({WORKS})() }}"
    ) == ("shell\n42\n")
    assert len(visits) == 1


@pytest.fixture
def elsewhere(tmp_path: Path, site: str) -> Iterator[str]:
    """Another site that shows a page of ours in a frame."""
    (tmp_path / "index.html").write_text(
        f'<!doctype html><title>Elsewhere</title><iframe src="{site}/pages/embed.html"></iframe>'
    )
    server = Server(functools.partial(build.StaticFiles, directory=str(tmp_path)))
    yield server.url.replace("127.0.0.1", "localhost")
    server.close()


def test_it_works_in_a_frame_of_another_site(page: Page, elsewhere: str) -> None:
    page.goto(elsewhere)
    frame = page.frame_locator("iframe").locator("html")
    frame.wait_for()
    inner = page.frames[1]
    inner.wait_for_function("() => 'inbrowser' in window")
    assert inner.evaluate(WORKS) == "shell\n42\n"


ASKS = """
import js
from pyodide.ffi import run_sync
tried = []
def ways(name, work):
    try: work(); tried.append(name + " done")
    except BaseException as error: tried.append(name)
url = "{url}"
def fetch():
    answer = run_sync(js.fetch(url, **{{"credentials": "include"}}))
    run_sync(answer.text())
def xhr():
    request = js.XMLHttpRequest.new()
    request.open("GET", url, False)
    request.send()
ways("fetch", fetch)
ways("xhr", xhr)
ways("socket", lambda: js.WebSocket.new(url.replace("http", "ws")))
ways("events", lambda: js.EventSource.new(url))
ways("beacon", lambda: js.navigator.sendBeacon(url))
ways("script", lambda: js.importScripts(url))
ways("cookies", lambda: js.document.cookie)
ways("storage", lambda: js.localStorage.length)
ways("database", lambda: js.indexedDB.open("x").result)
ways("caches", lambda: run_sync(js.caches.keys()))
import urllib.request
ways("urllib", lambda: urllib.request.urlopen(url).read())
print(js.self.origin, sorted(tried))
"""


class App(build.StaticFiles):
    """Serves an app's page, and notes who asks for who they are."""

    asked: ClassVar[list[tuple[str, str | None]]] = []

    def do_GET(self) -> None:
        if "whoami" in self.path:
            self.asked.append((self.path, self.headers["Cookie"]))
        super().do_GET()

    do_POST = do_GET


def test_a_process_cannot_act_as_the_visitor_of_the_app(page: Page, tmp_path: Path) -> None:
    (tmp_path / "dist").symlink_to(build.DIST)
    (tmp_path / "app.html").write_text(
        "<!doctype html><script type=module>import * as inbrowser from './dist/inbrowser.js';"
        "document.cookie = 'session=visitor'; window.inbrowser = inbrowser</script>"
    )
    server = Server(functools.partial(App, directory=str(tmp_path)))
    page.goto(f"{server.url}/app.html")
    page.evaluate("async () => { window.sandbox = await inbrowser.openSandbox() }")
    code = ASKS.format(url=f"{server.url}/whoami?process")
    page.evaluate("(code) => sandbox.fs.write('ask.py', code)", code)
    result = run(page, "python ask.py")
    assert result["exitCode"] == 0, result
    assert result["stdout"].startswith("null [")
    assert "fetch done" not in result["stdout"]
    run(page, f"curl -s '{server.url}/whoami?shell'")
    # The page itself is heard, and known.
    page.evaluate("() => fetch('whoami?page').then(() => 0)")
    assert App.asked == [("/whoami?page", "session=visitor")]
    server.close()
