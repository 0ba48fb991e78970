"""Previews: what is built, what the page in the frame may do, and what is told of it."""

import http.server
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from tests.conftest import Server

REACT_APP = {
    "src/main.tsx": (
        'import { createRoot } from "react-dom/client";\nimport { Counter } from "@/Counter";\n'
        'import "./style.css";\n\ncreateRoot(document.getElementById("root")!).render(<Counter />);\n'
    ),
    "src/Counter.tsx": (
        'import { useState } from "react";\nimport { start } from "./start.json";\n'
        "\nexport function Counter() {\n  const [n, setN] = useState(start);\n"
        '  if (n === 43) throw new Error("too far");\n'
        "  return <button onClick={() => setN(n + 1)}>n = {n}</button>;\n}\n"
    ),
    "src/start.json": '{"start": 41}',
    "src/style.css": "button { color: rgb(1, 2, 3) }",
    "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}} // aliases',
}

MOUNT = """
async () => {
  window.told = [];
  sandbox.on((event) => event.type.startsWith("preview:") && told.push(event));
  const place = document.getElementById("app");
  place.style = "width: 400px; height: 300px";
  window.mounted = sandbox.services.preview.mount(place);
}
"""


class Previews:
    """The embedding API's preview, on a host's page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.evaluate(MOUNT)

    def write(self, files: dict[str, str]) -> None:
        for path, text in files.items():
            self.page.evaluate("([path, text]) => sandbox.fs.write(path, text)", [path, text])

    def build(self, files: dict[str, str] | None = None, **arguments: str) -> dict[str, Any]:
        """Write files and build; returns the tool's result."""
        self.write(files or {})
        return self.page.evaluate("(args) => sandbox.tools.run('preview_compile', args)", arguments)

    def refusal(self, files: dict[str, str], **arguments: str) -> str:
        result = self.build(files, **arguments)
        assert not result["ok"], result
        return f"{result['summary']}\n{result['data'].get('text', '')}"

    def told(self, kind: str, text: str) -> dict[str, Any]:
        """Wait for an event of that kind whose message contains the text."""
        expression = "([k, t]) => told.find((e) => e.type === k && (e.text ?? e.message).includes(t))"
        return self.page.wait_for_function(expression, arg=[f"preview:{kind}", text]).json_value()

    @property
    def frame(self) -> Frame:
        """The frame that the previewed page is in."""
        return self.page.frames[-1]


@pytest.fixture(scope="module")
def host(browser: Browser, site: str) -> Iterator[Page]:
    """A host's page with the embedding API; it starts once, each test has a sandbox of its own on it."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{site}/pages/embed.html")
    yield page
    context.close()


@pytest.fixture
def previews(host: Page) -> Iterator[Previews]:
    host.evaluate("async () => { window.sandbox = await inbrowser.openSandbox() }")
    yield Previews(host)
    host.evaluate("async () => { mounted.unmount(); await sandbox.destroy() }")


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    """A server that no preview may reach, and the requests it got."""
    requests: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, format: str, *args: object) -> None: ...

    server = Server(Handler)
    yield server.url, requests
    server.shutdown()
    server.server_close()


def test_a_react_app_runs_and_its_errors_have_the_authors_places(previews: Previews) -> None:
    result = previews.build(REACT_APP)
    assert result["ok"], result
    assert result["summary"].startswith("Built src/main.tsx in ")
    button = previews.page.frame_locator("iframe").frame_locator("iframe").get_by_role("button")
    expect(button).to_have_text("n = 41")
    expect(button).to_have_css("color", "rgb(1, 2, 3)")
    button.click()
    expect(button).to_have_text("n = 42")
    button.click()
    error = previews.told("error", "too far")
    assert (error["file"], error["line"]) == ("src/Counter.tsx", 6)
    assert "at Counter (src/Counter.tsx:6:" in error["stack"]


def test_a_missing_export_says_which_names_there_are(previews: Previews) -> None:
    files = {
        "main.ts": 'import { Foot } from "./parts";\nconsole.log(Foot);',
        "parts.ts": 'export const Foo = 1;\nexport * from "./more";',
        "more.ts": "export const Bar = 2;\nexport type Baz = string;",
    }
    text = previews.refusal(files)
    assert "Build failed: 1 error" in text
    assert "main.ts:1:10: error: No matching export" in text
    assert "It exports Bar, Foo" in text or "It exports Foo, Bar" in text
    assert '1 | import { Foot } from "./parts";\n  |          ^^^^' in text
    assert "inbrowser-" not in text


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            'import _ from "lodash"; _();',
            '"lodash" is not available offline. Available are: react, react-dom',
        ),
        ('import { useStat } from "react";\nuseStat();', 'No matching export in "react"'),
        ('import x from "https://esm.sh/x"; x();', "a preview has no network"),
        ('import fs from "node:fs"; fs();', "a preview runs in a browser"),
        ('import "./nope";', "./nope"),
        ('import "@/nope";', "tsconfig.json"),
        ("const a = ;", 'main.ts:1:11: error: Unexpected ";"'),
        ('const s = "日本語😀"; const t = ;', "main.ts:1:29: error"),
    ],
)
def test_an_error_names_its_place_and_what_to_do(previews: Previews, code: str, says: str) -> None:
    text = previews.refusal({"main.ts": code})
    assert says in text
    assert "inbrowser-" not in text


def test_a_plain_page_of_a_subfolder_is_served_as_its_own_server_would(previews: Previews) -> None:
    previews.build(
        {
            "shop/index.html": (
                '<!doctype html>\n<link rel="stylesheet" href="/a.css">\n<h1>-</h1>\n<script>\n'
                '  document.querySelector("h1").textContent = "inline";\n  nope();\n</script>\n'
                '<script src="/classic.js"></script>\n<script type="module" src="/main.js"></script>'
            ),
            "shop/a.css": "h1 { color: rgb(4, 5, 6) }",
            "shop/classic.js": "window.classic = 1;",
            "shop/main.js": 'document.querySelector("h1").textContent += ` ${window.classic}`;',
        }
    )
    error = previews.told("error", "nope is not defined")
    assert (error["file"], error["line"], error["column"]) == ("shop/index.html", 6, 3)
    heading = previews.page.frame_locator("iframe").frame_locator("iframe").get_by_role("heading")
    expect(heading).to_have_text("inline 1")
    expect(heading).to_have_css("color", "rgb(4, 5, 6)")


def test_console_rejections_and_workers_are_told(previews: Previews) -> None:
    previews.build(
        {
            "main.ts": (
                'console.warn("has %s", "it", { a: [1] });\n'
                'const worker = new Worker(new URL("./work.ts", import.meta.url));\n'
                "worker.postMessage(1);\n"
                'void Promise.reject(new Error("rejected"));\n'
            ),
            "work.ts": 'self.onmessage = () => {\n  console.log("works");\n  throw new Error("worker fails");\n};',
        }
    )
    assert previews.told("console", "has it")["text"] == "has it {a: [1]}"
    assert previews.told("console", "works")["level"] == "log"
    rejected = previews.told("error", "rejected")
    assert (rejected["file"], rejected["line"]) == ("main.ts", 4)
    failed = previews.told("error", "worker fails")
    assert (failed["file"], failed["line"]) == ("work.ts", 3)


def test_storage_lasts_as_long_as_the_preview(previews: Previews) -> None:
    previews.build(
        {
            "main.ts": (
                "localStorage.visits = Number(localStorage.visits ?? 0) + 1;\n"
                "sessionStorage.setItem('a', 'b');\n"
                "console.log(localStorage.getItem('visits'), Object.keys(localStorage), sessionStorage.length);"
            )
        }
    )
    previews.told("console", '1 ["visits"] 1')
    previews.page.evaluate("mounted.reload()")
    previews.told("console", '2 ["visits"] 1')


def test_nothing_leaves_a_preview(previews: Previews, elsewhere: tuple[str, list[str]]) -> None:
    url, requests = elsewhere
    tries = f"""
const url = "{url}" as string;
const attempt = (name: string, action: () => unknown) => {{
  try {{ Promise.resolve(action()).catch(() => {{}}); }} catch (error) {{ console.log(name, (error as Error).name); }}
}};
attempt("fetch", () => fetch(url + "/fetch", {{ mode: "no-cors" }}));
attempt("beacon", () => navigator.sendBeacon(url + "/beacon", "x"));
attempt("image", () => {{ new Image().src = url + "/image"; }});
attempt("import", () => import(url + "/import"));
attempt("socket", () => new WebSocket(url.replace("http", "ws") + "/socket"));
attempt("style", () => {{ document.body.style.background = `url(${{url}}/style)`; }});
attempt("form", () => {{
  const form = document.body.appendChild(document.createElement("form"));
  form.action = url + "/form";
  form.submit();
}});
attempt("frame", () => {{ document.body.appendChild(document.createElement("iframe")).src = url + "/frame"; }});
attempt("popup", () => window.open(url + "/popup"));
attempt("worker", () => new Worker(URL.createObjectURL(new Blob([`fetch("${{url}}/worker")`]))));
attempt("top", () => {{ top!.location.href = url + "/top"; }});
attempt("parent", () => parent.document.title);
attempt("database", () => caches.keys());
setTimeout(() => {{ location.href = url + "/leave"; }}, 300);
"""
    previews.build({"main.ts": tries})
    for name in ("top", "parent", "database"):
        previews.told("console", f"{name} SecurityError")
    previews.told("error", "/fetch was not loaded")
    previews.told("error", "tried to leave the preview")
    assert requests == []
    assert previews.page.url.endswith("/embed.html")


def test_a_loop_in_a_click_handler_leaves_the_page_around_alive(previews: Previews) -> None:
    previews.build({"main.ts": 'document.body.onclick = () => { while (true); };\nconsole.log("up");'})
    previews.told("console", "up")
    previews.frame.evaluate("void setTimeout(() => document.body.click())")
    previews.told("error", "has not answered")
    assert previews.page.evaluate("sandbox.fs.exists('main.ts')")
    previews.build({"main.ts": 'console.log("mended");'})
    previews.told("console", "mended")


def test_two_sandboxes_share_a_compiler_and_one_outlives_the_other(previews: Previews) -> None:
    assert previews.build({"main.ts": "1"})["ok"]
    other = """
    async () => {
      const second = await inbrowser.openSandbox();
      await second.fs.write("main.ts", "2");
      const built = await second.services.preview.compile();
      await second.destroy();
      return built;
    }
    """
    assert previews.page.evaluate(other)["ok"]
    assert previews.build({"main.ts": "3"})["ok"]


def test_builds_asked_for_together_see_the_last_edit(previews: Previews) -> None:
    ids = previews.page.evaluate("""
    async () => {
      const builds = [];
      for (let i = 0; i < 10; i++) {
        await sandbox.fs.write("main.ts", `console.log("edit ${i}")`);
        builds.push(sandbox.services.preview.compile());
      }
      return (await Promise.all(builds)).map((build) => build.buildId);
    }
    """)
    assert ids == sorted(ids)
    previews.told("console", "edit 9")
