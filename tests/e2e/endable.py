"""Pages whose kernel a test can end, and what they are told of it."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.conftest import watched

# Lets a test end the kernel's worker without anybody being told, or have it run what ends it.
WATCH_KERNELS = """
const kernels = [];
window.Worker = class extends Worker {
  constructor(url, options) {
    super(url, options);
    if (options?.name === "inbrowser kernel") kernels.push(this);
  }
};
window.terminateKernel = () => kernels.at(-1).terminate();
window.runInKernel = (code) => kernels.at(-1).postMessage({
  id: "test", type: "APPLY", path: ["runPython"], argumentList: [{ type: "RAW", value: code }, { type: "RAW" }],
});
"""

FATAL = "import json\njson.loads('[' * 100_000)"

# A crash that the test asks for is no failure of the test.
SET_UP = """
async () => {
  window.restarts = [];
  window.untilRestarted = (count = restarts.length + 1) => new Promise((resolve) => {
    const look = () => restarts.length >= count && resolve(restarts.at(-1));
    inbrowser.onKernelRestart((restart) => {
      if (restart.phase !== "restarting") restarts.push(restart);
      look();
    });
    look();
  });
  window.failure = (promise) => promise.then(() => null, ({ name, message }) => ({ name, message }));
}
"""


@pytest.fixture
def host(visitor: BrowserContext, site: str) -> Iterator[Page]:
    """A host's page whose kernel can be ended; nothing is open yet."""
    page = visitor.new_page()
    page.add_init_script(WATCH_KERNELS)
    page.goto(f"{site}/pages/embed.html")
    page.evaluate(SET_UP)
    yield from watched(page)
    page.close()


def crash(page: Page) -> dict[str, Any]:
    """Have Python fail fatally; returns what the page is told when that is over."""
    return page.evaluate(
        "async (code) => { const over = untilRestarted(); inbrowser.runPython(code).catch(() => {}); return over; }",
        FATAL,
    )
