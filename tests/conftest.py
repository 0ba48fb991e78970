"""A real browser, the built page behind real static servers, and pages to drive."""

import functools
import http.server
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import build

# Machines that run the tests are small, and busy with nothing but them.
expect.set_options(timeout=20_000)

TESTS = Path(__file__).parent
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


UNTIL_SNAPSHOT_IS_KEPT = """async () => {
  const count = () => new Promise((resolve) => {
    const request = indexedDB.open("inbrowser-snapshots", 1);
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = () => resolve(0);
    request.onsuccess = () => {
      const counted = request.result.transaction("snapshots").objectStore("snapshots").count();
      counted.onsuccess = () => resolve(counted.result);
      request.result.close();
    };
  });
  while ((await count()) < 2) await new Promise((resolve) => setTimeout(resolve, 100));
}"""


class Server(http.server.ThreadingHTTPServer):
    """A server on the loopback address, on a free port unless one is named."""

    daemon_threads = True

    def __init__(self, handler: Callable[..., http.server.BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop serving and free the port."""
        self.shutdown()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Pages leave while they load; that is no error here."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a copy of dist/ in a sub-folder of a plain static host, with the tests' pages in it."""
    root = tmp_path_factory.mktemp("host")
    shutil.copytree(build.DIST, root / "some" / "folder")
    shutil.copytree(TESTS / "e2e" / "pages", root / "some" / "folder" / "pages")
    server = Server(functools.partial(build.StaticFiles, directory=str(root)))
    yield f"{server.url}/some/folder"
    server.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=build.find_chromium(), args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile, for what depends on a first visit."""
    context = new_context(browser)
    yield context
    context.close()


@pytest.fixture(scope="session")
def visitor(browser: Browser, site: str) -> Iterator[BrowserContext]:
    """A profile that was here before, so that its kernels start from a kept snapshot."""
    context = new_context(browser)
    page = context.new_page()
    page.goto(f"{site}/pages/embed.html")
    page.evaluate("async () => { await inbrowser.openSandbox() }")
    page.evaluate(UNTIL_SNAPSHOT_IS_KEPT)
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page in a fresh profile."""
    yield from watched(context.new_page())


@pytest.fixture
def embedded(visitor: BrowserContext, site: str) -> Iterator[Page]:
    """A host's page with the embedding API on `window.inbrowser` and an open sandbox on `window.sandbox`."""
    page = visitor.new_page()
    page.goto(f"{site}/pages/embed.html")
    page.evaluate("async () => { window.sandbox = await inbrowser.openSandbox({ id: 'test' }) }")
    yield from watched(page)
    page.close()


def free_port() -> int:
    """Return a port of the loopback address at which nothing answers yet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def new_context(browser: Browser) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(30_000)
    return context


def watched(page: Page) -> Iterator[Page]:
    """Yield the page; errors that nobody handled in it fail the test."""
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    yield page
    assert failures == []
