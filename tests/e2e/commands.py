"""A sandbox on `window.sandbox`, as tests use it that run commands."""

import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page


def open_sandbox(page: Page, **options: object) -> None:
    """Open one in place of the last; options are those of `openSandbox`."""
    page.evaluate(
        """async (options) => {
          await window.sandbox?.destroy();
          window.sandbox = await inbrowser.openSandbox(options);
        }""",
        options,
    )


def run(page: Page, command: str, **options: object) -> dict[str, Any]:
    options = {"timeoutMs": 60_000, **options}
    return page.evaluate("([command, options]) => sandbox.runtime.run(command, options)", [command, options])


def output(page: Page, command: str) -> str:
    """What a command prints, which must succeed."""
    result = run(page, command)
    assert result["exitCode"] == 0, result
    return result["stdout"]


def errors(page: Page, command: str) -> str:
    """What a command says on standard error, which must fail."""
    result = run(page, command)
    assert result["exitCode"] != 0, result
    return result["stderr"]


def write(page: Page, path: str, content: str) -> None:
    page.evaluate("([path, content]) => sandbox.fs.write(path, content)", [path, content])


def read(page: Page, path: str) -> str:
    return page.evaluate("(path) => sandbox.fs.readText(path)", path)


def collected_until(page: Page, done: Callable[[], bool]) -> bool:
    """Have the page's garbage collected until something is so; nothing tells when what follows from that is over."""
    deadline = time.monotonic() + 20
    while not (is_done := done()) and time.monotonic() < deadline:
        page.request_gc()
        page.wait_for_timeout(100)
    return is_done
