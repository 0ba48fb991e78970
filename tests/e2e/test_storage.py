"""Kept sandboxes as a host's page sees them: reload, a second tab, a full disk, no storage at all."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

import build
from tests.conftest import CHROMIUM_FLAGS

OPEN = """
async (options) => {
  window.sandbox = await inbrowser.openSandbox({ id: "kept", storage: "indexeddb", ...options });
  window.events = [];
  sandbox.on((event) => events.push(event));
}
"""
ERROR = "(error) => ({ name: error.name, message: error.message })"


def open_page(context: BrowserContext, site: str) -> Page:
    page = context.new_page()
    page.goto(f"{site}/pages/embed.html")
    return page


def test_what_a_tool_reported_as_done_outlives_the_page(context: BrowserContext, site: str) -> None:
    page = open_page(context, site)
    page.evaluate(OPEN)
    page.evaluate("() => sandbox.tools.run('write', { path: 'a.txt', content: 'by a tool' })")
    page.evaluate(
        "() => sandbox.runtime.run('mkdir -p d && echo by a command > d/b.txt && chmod 700 d/b.txt')"
    )
    checkpoint = page.evaluate("() => sandbox.checkpoints.create({ label: 'both' })")
    page.close(run_before_unload=False)
    page = open_page(context, site)
    page.evaluate(OPEN, {"create": False})
    assert page.evaluate("() => sandbox.isNew") is False
    assert page.evaluate("() => sandbox.fs.readText('a.txt')") == "by a tool"
    assert page.evaluate("() => sandbox.fs.readText('d/b.txt')") == "by a command\n"
    assert page.evaluate("async () => (await sandbox.fs.stat('d/b.txt')).mode") == 0o700
    assert page.evaluate("() => sandbox.checkpoints.list({ label: 'both' })") == [checkpoint]


def test_a_file_written_without_a_call_to_save_is_saved_soon(context: BrowserContext, site: str) -> None:
    page = open_page(context, site)
    page.evaluate(OPEN)
    page.evaluate(
        """async () => {
          const saved = new Promise((resolve) => sandbox.on((event) => event.type === "storage" && event.saved && resolve()));
          await inbrowser.runPython("import glob; open(glob.glob('/sandboxes/*')[0] + '/x', 'w').write('1')");
          await saved;
        }"""
    )
    page.close(run_before_unload=False)
    page = open_page(context, site)
    page.evaluate(OPEN)
    assert page.evaluate("() => sandbox.fs.readText('x')") == "1"


def test_a_second_tab_is_refused_and_may_look_on(context: BrowserContext, site: str) -> None:
    first, second = open_page(context, site), open_page(context, site)
    first.evaluate(OPEN)
    first.evaluate("() => sandbox.tools.run('write', { path: 'a.txt', content: 'one' })")
    error = second.evaluate(f"() => ({OPEN})().catch({ERROR})")
    assert error["name"] == "SandboxInUseError"
    assert "open in another tab" in error["message"]
    second.evaluate(OPEN, {"mode": "read"})
    assert second.evaluate("() => sandbox.fs.readText('a.txt')") == "one"
    second.evaluate(
        """() => {
          window.changed = new Promise((resolve) => sandbox.on((event) => event.type === "file" && resolve(event.path)));
        }"""
    )
    first.evaluate("() => sandbox.tools.run('write', { path: 'a.txt', content: 'two' })")
    assert second.evaluate("() => window.changed") == "a.txt"
    assert second.evaluate("() => sandbox.fs.readText('a.txt')") == "two"
    refused = second.evaluate("() => sandbox.tools.run('write', { path: 'a.txt', content: 'three' })")
    assert not refused["ok"]
    first.close(run_before_unload=False)
    second.evaluate("() => sandbox.destroy()")
    second.evaluate(OPEN)
    assert second.evaluate("() => sandbox.fs.readText('a.txt')") == "two"


def test_a_sandbox_that_is_not_there_is_not_taken_for_an_empty_one(
    context: BrowserContext, site: str
) -> None:
    page = open_page(context, site)
    error = page.evaluate(f"() => ({OPEN})({{ create: false }}).catch({ERROR})")
    assert error["name"] == "SandboxNotFoundError"
    assert page.evaluate("() => inbrowser.listSandboxes()") == []


@pytest.fixture
def small_disk(browser: Any, site: str, tmp_path: Path) -> Iterator[tuple[Page, Any]]:
    """A page, and a function that sets how many bytes it may keep; only a lasting profile can be limited so."""
    context = browser.browser_type.launch_persistent_context(
        str(tmp_path / "profile"), executable_path=build.find_chromium(), args=CHROMIUM_FLAGS
    )
    page = open_page(context, site)
    session = context.new_cdp_session(page)
    origin = "/".join(site.split("/")[:3])

    def limit(quota: int | None) -> None:
        params = {"origin": origin} if quota is None else {"origin": origin, "quotaSize": quota}
        session.send("Storage.overrideQuotaForOrigin", params)

    yield page, limit
    context.close()


def test_a_full_disk_is_told_and_nothing_is_lost(small_disk: tuple[Page, Any]) -> None:
    page, limit = small_disk
    limit(4_000_000)
    page.evaluate(OPEN)
    page.evaluate("() => sandbox.tools.run('write', { path: 'early.txt', content: 'before' })")
    result = page.evaluate(
        """async () => {
          let content = "";
          while (content.length < 8_000_000)
            content += btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(65536))));
          return sandbox.tools.run("write", { path: "large.txt", content });
        }"""
    )
    assert result["ok"]
    assert "not saved" in result["summary"]
    assert "full" in result["summary"]
    error = page.evaluate(f"() => sandbox.flush().catch({ERROR})")
    assert error["name"] == "StorageFullError"
    assert "export" in error["message"]
    told = page.evaluate("() => events.filter((event) => event.type === 'storage').at(-1)")
    assert told["saved"] is False
    assert told["problem"] == error["message"]
    assert "StorageFullError" in page.evaluate(
        "() => events.filter((e) => e.type === 'error').map((e) => e.name)"
    )
    assert page.evaluate("async () => (await sandbox.fs.readText('large.txt')).length") > 7_999_999
    assert page.evaluate(f"() => sandbox.destroy().catch({ERROR})")["name"] == "StorageFullError"
    page.evaluate(
        """() => {
          window.saved = new Promise((resolve) => sandbox.on((event) => event.type === "storage" && event.saved && resolve()));
        }"""
    )
    limit(None)
    page.evaluate("() => window.saved")
    page.evaluate("() => sandbox.destroy()")
    page.evaluate(OPEN)
    assert page.evaluate("() => sandbox.fs.readText('early.txt')") == "before"
    assert page.evaluate("async () => (await sandbox.fs.readText('large.txt')).length") > 7_999_999


def test_a_browser_without_storage_says_so(context: BrowserContext, site: str) -> None:
    page = context.new_page()

    def without_storage(route: Any) -> None:
        script = route.fetch()
        broken = "indexedDB.open = () => { throw new DOMException('it is blocked', 'SecurityError') };\n"
        route.fulfill(response=script, body=broken + script.text())

    page.route("**/kernel.js", without_storage)
    page.goto(f"{site}/pages/embed.html")
    error = page.evaluate(f"() => ({OPEN})().catch({ERROR})")
    assert error["name"] == "StorageUnavailableError"
    assert "it is blocked" in error["message"]
    page.evaluate("async () => { window.sandbox = await inbrowser.openSandbox() }")
    assert page.evaluate("() => sandbox.fs.exists('a.txt')") is False


def test_two_sandboxes_are_listed_and_one_is_deleted(context: BrowserContext, site: str) -> None:
    page = open_page(context, site)
    page.evaluate(
        """async () => {
          for (const id of ["one", "two"]) {
            const each = await inbrowser.openSandbox({ id, storage: "indexeddb" });
            await each.fs.write("a.txt", id);
            await each.destroy();
          }
          await inbrowser.deleteSandbox("one");
        }"""
    )
    (left,) = page.evaluate("() => inbrowser.listSandboxes()")
    assert (left["id"], left["files"], left["bytes"], left["open"]) == ("two", 1, 3, False)
    estimate = page.evaluate("() => inbrowser.estimateStorage()")
    assert 0 < estimate["usage"] < estimate["quota"]
