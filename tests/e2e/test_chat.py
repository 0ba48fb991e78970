"""What the workbench makes of replies, typing and odd files."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

Play = Callable[..., None]

MARKDOWN = """\
# Title

- first
- second with [a link][ref]

| a | b |
|---|---|
| 1 | 2 |

```py
print("code")
```

![tracker](http://tracker.example/pixel.png) <img src="//tracker.example/2.png">
<b class="boot-failure" style="position: fixed" onclick="alert(1)">bold</b> <script>alert(1)</script>

[ref]: https://example.org/page
"""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Without the service worker, behind which Playwright could not answer requests itself."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, service_workers="block")
    context.set_default_timeout(30_000)
    yield context
    context.close()


def recording_of(turns: tuple[dict[str, Any], ...]) -> Iterator[dict[str, object]]:
    """Yield the lines of a demo's log that make the script of these turns."""
    yield {"entry": "note", "name": "prompt", "data": "Go"}
    for turn in turns:
        yield {
            "entry": "note",
            "name": "turn",
            "data": {key: turn[key] for key in turn if key != "tool_calls"},
        }
        yield from ({"entry": "call", **call} for call in turn.get("tool_calls", ()))


@pytest.fixture
def play(page: Page, site: str) -> Play:
    """Open the workbench with a script in place of the demo's, and play it."""

    def start(*turns: dict[str, Any], wait: bool = True) -> None:
        log = "".join(f"{json.dumps(line)}\n" for line in recording_of(turns))
        page.route("**/assets/demo.jsonl", lambda route: route.fulfill(body=log))
        page.goto(f"{site}/")
        expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
        page.get_by_role("textbox", name="Message").fill("Whatever")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Stop")).to_be_visible(timeout=30_000)
        if wait:
            expect(page.get_by_role("button", name="Send")).to_be_visible(timeout=30_000)

    return start


def test_a_streamed_reply_is_markdown_that_loads_nothing(page: Page, play: Play) -> None:
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]) if "://" in request.url else None)
    play({"text": MARKDOWN, "chunk": 3})
    reply = page.get_by_role("article", name="Assistant")
    expect(reply.get_by_role("heading", name="Title")).to_be_visible()
    expect(reply.get_by_role("cell", name="2")).to_be_visible()
    expect(reply.locator("pre")).to_have_text('print("code")')
    expect(reply.get_by_role("link", name="a link")).to_have_attribute("href", "https://example.org/page")
    expect(reply.get_by_role("link", name="a link")).to_have_attribute("rel", "noopener noreferrer")
    expect(reply.get_by_role("link", name="image: tracker")).to_be_visible()
    expect(reply.get_by_text("bold", exact=True)).to_have_js_property("className", "")
    assert reply.locator("img, script, [style], [onclick]").count() == 0
    assert not any("tracker" in host for host in hosts)


def test_a_long_result_is_shown_in_part_until_asked_for(page: Page, play: Play) -> None:
    lines = "".join(f"line {number}\n" for number in range(1000))
    write = {"name": "write", "arguments": {"path": "long.txt", "content": lines}}
    play({"tool_calls": [write], "chunk": 5000}, {"text": "Done."})
    card = page.locator("inb-tool")
    card.get_by_role("button", name=re.compile("long.txt")).click()
    expect(card.locator("pre").first).not_to_contain_text("line 999")
    card.get_by_role("button", name=re.compile("Show all")).click()
    expect(card.locator("pre").first).to_contain_text("line 999")


def test_an_edit_shows_its_diff(page: Page, play: Play) -> None:
    write = {"name": "write", "arguments": {"path": "a.txt", "content": "one\ntwo\n"}}
    edit = {"name": "edit", "arguments": {"path": "a.txt", "edits": [{"old_text": "two", "new_text": "2"}]}}
    play({"tool_calls": [write]}, {"tool_calls": [edit]}, {"text": "Done."})
    card = page.locator("inb-tool").nth(1)
    card.get_by_role("button", name=re.compile("edit")).click()
    expect(card.locator(".diff-removed")).to_have_text("-two")
    expect(card.locator(".diff-added")).to_have_text("+2")


def test_a_stopped_run_leaves_the_chat_ready_for_more(page: Page, play: Play) -> None:
    play({"text": "word " * 500, "delay_ms": 20}, wait=False)
    expect(page.get_by_role("article", name="Assistant").get_by_text("word").first).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("article", name="Assistant").get_by_text("Stopped")).to_be_visible()
    page.get_by_role("textbox", name="Message").fill("again")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("article", name="Assistant")).to_have_count(2)
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Send")).to_be_visible(timeout=30_000)


def test_the_terminal_edits_its_line_and_remembers(page: Page, play: Play) -> None:
    play({"text": "Hello."})
    terminal = page.get_by_role("region", name="Terminal")
    terminal.click()
    keyboard = page.keyboard
    keyboard.type("cho on")
    keyboard.press("Home")
    keyboard.type("e")
    keyboard.press("End")
    keyboard.type("e two\n")
    expect(terminal.get_by_text("one two", exact=True).first).to_be_attached()
    keyboard.press("ArrowUp")
    keyboard.press("Control+w")
    keyboard.type("three\n")
    expect(terminal.get_by_text("one three", exact=True).first).to_be_attached()


def test_odd_file_names_are_shown_and_opened(page: Page, play: Play) -> None:
    name = "sp ace 'q' \"d\" <b>é🎈\nnew.txt"
    write = {"name": "write", "arguments": {"path": f"src/{name}", "content": "odd indeed"}}
    play({"tool_calls": [write]}, {"text": "Done."})
    file = page.get_by_role("region", name="Files").get_by_role("treeitem", name=re.compile("sp ace"))
    expect(file).to_have_text(re.compile(re.escape("sp ace 'q' \"d\" <b>é🎈␊new.txt")))
    file.click()
    expect(page.get_by_role("region", name="Editor").get_by_text("odd indeed")).to_be_visible()
