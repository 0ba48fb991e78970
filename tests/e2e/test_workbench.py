"""The workbench as a visitor uses it."""

import json
import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.conftest import UNTIL_SNAPSHOT_IS_KEPT


@pytest.fixture
def workbench(page: Page, site: str) -> Page:
    page.goto(f"{site}/")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    return page


def run_demo(page: Page) -> None:
    page.get_by_role("button", name="Run demo").first.click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_role("button", name="Send")).to_be_visible(timeout=40_000)


def test_the_demo_builds_mends_and_shows_an_app(workbench: Page) -> None:
    run_demo(workbench)
    chat = workbench.get_by_role("region", name="Chat")
    expect(chat.get_by_text("preview_compile").first).to_be_visible()
    expect(chat.get_by_text(re.compile("Build failed")).first).to_be_visible()
    expect(chat.get_by_text(re.compile("Built src/main.tsx")).first).to_be_visible()

    files = workbench.get_by_role("region", name="Files")
    expect(files.get_by_role("treeitem", name=re.compile("main.tsx"))).to_be_visible()

    app = workbench.get_by_role("region", name="Preview").frame_locator("iframe")
    expect(app.get_by_role("heading").first).to_be_visible()
    expect(app.get_by_role("button").first).to_be_enabled()

    timeline = workbench.get_by_role("region", name="Timeline")
    expect(timeline.get_by_text("tool:finish").first).to_be_attached()


def test_the_demo_does_what_its_recording_says(workbench: Page) -> None:
    run_demo(workbench)
    expect(workbench.get_by_role("article", name="Assistant").get_by_text("As recorded: ")).to_be_visible()


def test_a_demo_that_starts_elsewhere_says_where_it_differs(workbench: Page) -> None:
    terminal = workbench.get_by_role("region", name="Terminal")
    terminal.click()
    workbench.keyboard.type("echo hello > mine.txt\n")
    files = workbench.get_by_role("region", name="Files")
    expect(files.get_by_role("treeitem", name=re.compile("mine.txt"))).to_be_visible()
    run_demo(workbench)
    reply = workbench.get_by_role("article", name="Assistant")
    expect(reply.get_by_text("Not as recorded: start, mine.txt: the log has no such file")).to_be_visible()


def test_the_demo_runs_twice(workbench: Page) -> None:
    run_demo(workbench)
    run_demo(workbench)
    app = workbench.get_by_role("region", name="Preview").frame_locator("iframe")
    expect(app.get_by_role("heading").first).to_be_visible()


def test_a_visitor_types_in_the_terminal(workbench: Page) -> None:
    terminal = workbench.get_by_role("region", name="Terminal")
    terminal.click()
    workbench.keyboard.type("mkdir -p notes && echo hello > notes/a.txt && cd notes && pwd\n")
    expect(terminal.get_by_text("/project/notes", exact=True).first).to_be_attached()
    files = workbench.get_by_role("region", name="Files")
    files.get_by_role("treeitem", name=re.compile("notes")).click()
    files.get_by_role("treeitem", name=re.compile("a.txt")).click()
    expect(workbench.get_by_role("region", name="Editor").get_by_text("hello")).to_be_visible()


def test_control_c_ends_a_command(workbench: Page) -> None:
    terminal = workbench.get_by_role("region", name="Terminal")
    terminal.click()
    workbench.keyboard.type("while true; do :; done\n")
    workbench.keyboard.press("Control+C")
    workbench.keyboard.type("echo al''ive\n")
    expect(terminal.get_by_text("alive", exact=True).first).to_be_attached()


def test_the_page_works_without_a_network_after_one_visit(
    context: BrowserContext, workbench: Page, site: str
) -> None:
    workbench.wait_for_function("navigator.serviceWorker.ready.then((r) => r.active.state === 'activated')")
    failed: list[str] = []
    workbench.close()  # Else the sandbox is in use.
    context.set_offline(True)
    again = context.new_page()
    again.on("requestfailed", lambda request: failed.append(request.url))
    again.goto(f"{site}/")
    expect(again.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    run_demo(again)
    app = again.get_by_role("region", name="Preview").frame_locator("iframe")
    expect(app.get_by_role("heading").first).to_be_visible()
    assert [url for url in failed if "sw.js" not in url] == []


def test_a_second_visit_starts_from_the_kept_snapshot(
    context: BrowserContext, workbench: Page, site: str
) -> None:
    workbench.evaluate(UNTIL_SNAPSHOT_IS_KEPT)
    workbench.close()  # Else the sandbox is in use.
    again = context.new_page()
    again.goto(f"{site}/")
    expect(again.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    assert again.evaluate("performance.getEntriesByName('inbrowser kernel ready')[0].detail") == "snapshot"
    run_demo(again)
    dice = "import random, uuid; [random.random(), str(uuid.uuid4())]"
    rolls = [again.evaluate("(code) => import('./inbrowser.js').then((m) => m.runPython(code))", dice)]
    again.reload()
    rolls.append(again.evaluate("(code) => import('./inbrowser.js').then((m) => m.runPython(code))", dice))
    assert rolls[0][0] != rolls[1][0]


@pytest.mark.parametrize("file", ["pyodide.asm", "stdlib", "kernel.js"])
def test_a_failed_start_says_why(context: BrowserContext, site: str, file: str) -> None:
    page = context.new_page()
    page.route(re.compile(re.escape(file)), lambda route: route.fulfill(status=404, body="gone"))
    page.goto(f"{site}/")
    expect(
        page.get_by_role("alert").get_by_text(re.compile(r"404|did not load|could not load"))
    ).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name=re.compile("again", re.IGNORECASE)).click()
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)


def test_nothing_leaves_the_page(context: BrowserContext, site: str) -> None:
    page = context.new_page()
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]) if "://" in request.url else None)
    page.goto(f"{site}/")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    run_demo(page)
    assert hosts == {site.split("/")[2]}, json.dumps(sorted(hosts))


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_nothing_overflows_the_window(workbench: Page, size: tuple[int, int]) -> None:
    workbench.set_viewport_size({"width": size[0], "height": size[1]})
    overflow = workbench.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow == 0
    expect(workbench.get_by_role("textbox", name="Message")).to_be_visible()
