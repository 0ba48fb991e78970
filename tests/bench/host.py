"""What the benchmarks run in: one browser, and one server with dist/, bare Pyodide and the baselines."""

import functools
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

from playwright.sync_api import BrowserContext, Page, sync_playwright

import build
from tests.conftest import CHROMIUM_FLAGS, Server

PAGES = Path(__file__).parent / "pages"
EVENTS = 20_000


def _data(*payloads: str) -> str:
    return "".join(f"data: {payload}\n\n" for payload in payloads)


def _named(*payloads: str) -> str:
    return "".join(f"event: {json.loads(payload)['type']}\ndata: {payload}\n\n" for payload in payloads)


STREAMS = {
    "openai-chat": (
        _data('{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}'),
        _data('{"choices":[{"index":0,"delta":{"content":"word and "}}]}'),
        _data('{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', "[DONE]"),
    ),
    "openai-responses": (
        _named('{"type":"response.created","response":{"model":"m"}}'),
        _named('{"type":"response.output_text.delta","output_index":0,"delta":"word and "}'),
        _named('{"type":"response.completed","response":{"status":"completed"}}'),
    ),
    "anthropic": (
        _named(
            '{"type":"message_start","message":{"model":"m"}}',
            '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
        ),
        _named('{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word and "}}'),
        _named(
            '{"type":"content_block_stop","index":0}',
            '{"type":"message_delta","delta":{"stop_reason":"end_turn"}}',
            '{"type":"message_stop"}',
        ),
    ),
    "gemini": (
        _data('{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"}}]}'),
        _data(
            '{"candidates":[{"content":{"parts":[{"text":"word and "}],"role":"model"},"index":0}],'
            '"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":9},"modelVersion":"m"}'
        ),
        _data('{"candidates":[{"content":{"parts":[],"role":"model"},"finishReason":"STOP"}]}'),
    ),
    "ollama": (
        '{"model":"m","message":{"role":"assistant","content":""},"done":false}\n',
        '{"model":"m","message":{"role":"assistant","content":"word and "},"done":false}\n',
        '{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n',
    ),
}
"""What each API sends first, again and again, and last."""


class Host(build.StaticFiles):
    """Serves files, and on POST a stream of as many events as fit a long answer, in the API that the path names."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        begin, event, end = STREAMS[self.path.split("/")[1]]
        self.send_response(200)
        lines = begin.startswith("{")
        self.send_header("Content-Type", "application/x-ndjson" if lines else "text/event-stream")
        self.end_headers()
        self.wfile.write(begin.encode())
        for _ in range(EVENTS // 100):
            self.wfile.write(event.encode() * 100)
        self.wfile.write(end.encode())


class IsolatedHost(Host):
    """The same for pages that may measure their memory, which a browser allows behind these headers alone."""

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()


class BenchHost:
    """Enter it for a browser and a site; `page()` gives a page whose kernel runs and has a sandbox."""

    def __enter__(self) -> "BenchHost":
        self._folder = tempfile.TemporaryDirectory()
        root = Path(self._folder.name)
        shutil.copytree(build.DIST, root, dirs_exist_ok=True)
        shutil.copytree(PAGES, root / "pages")
        (root / "pyodide").symlink_to(build.WEB / "node_modules" / "pyodide")
        subprocess.run(
            [
                build.WEB / "node_modules" / ".bin" / "esbuild",
                "--bundle",
                "--minify",
                "--format=esm",
                "--target=es2022",
                f"--alias:node:zlib={build.WEB / 'src' / 'zlib.ts'}",
                "--external:node:*",
                "--log-level=error",
                f"--outfile={root / 'pages' / 'bare-shell.js'}",
                PAGES / "bare-shell.src.js",
            ],
            check=True,
            cwd=build.WEB,
            env={"NODE_PATH": str(build.WEB / "node_modules"), "PATH": str(build.node()[0].parent)},
        )
        self._server = Server(functools.partial(Host, directory=str(root)))
        self.url = self._server.url
        self._isolated = Server(functools.partial(IsolatedHost, directory=str(root)))
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=build.find_chromium(),
            # Memory is measured at once instead of at the next collection of garbage.
            args=[*CHROMIUM_FLAGS, "--enable-blink-features=ForceEagerMeasureMemory"],
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._browser.close()
        self._playwright.stop()
        self._server.close()
        self._isolated.close()
        self._folder.cleanup()

    def profile(self) -> BrowserContext:
        """A fresh profile: empty caches, nothing kept."""
        context = self._browser.new_context()
        context.set_default_timeout(60_000)
        return context

    def blank(self, context: BrowserContext, url: str | None = None) -> Page:
        """A page that has loaded the embedding API and started nothing."""
        page = context.new_page()
        page.goto(f"{url or self.url}/pages/bench.html")
        page.wait_for_function("window.inbrowser")
        return page

    def page(self, url: str | None = None) -> Page:
        """A page with a running kernel and `window.sandbox`."""
        page = self.blank(self.profile(), url)
        page.evaluate("async () => { window.sandbox = await inbrowser.openSandbox({ id: 'bench' }) }")
        return page

    def isolated_page(self) -> Page:
        """Such a page that may measure its memory."""
        return self.page(self._isolated.url)
