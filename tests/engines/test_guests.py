"""Python that does its worst in a process of its own reaches nothing, and harms nobody but itself, in any engine."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.engines.driver import Page
from tests.engines.ground import NOTHING, PROBES, Ground

TAKE_PORT = (Path(__file__).parent / "take_port.js").read_text()

RUN_JS = "from pyodide.code import run_js\nrun_js(open('probe.js').read())\n"

PROBE = """
const own = { ...signals };
delete own.preconnect;
const groups = { data, network, signals: own };
void (async () => {
  const results = {};
  for (const group of Object.values(groups)) Object.assign(results, await run(group, %s));
  end(results);
})();
"""

OPEN = """async () => {
  window.inbrowser = await import("./inbrowser.js");
  window.failures = [];
  inbrowser.onKernelRestart(({ message }) => failures.push(message));
  for (const kind of ["error", "unhandledrejection"])
    addEventListener(kind, ({ message, reason }) => failures.push(String(message ?? reason)));
}"""
RUN = """async ([files, command, options]) => {
  failures.length = 0;
  const sandbox = await inbrowser.openSandbox(options);
  for (const [path, text] of Object.entries(files)) await sandbox.fs.write(path, text);
  const result = await sandbox.runtime.run(command, { timeoutMs: 60000 });
  const names = (await sandbox.fs.list()).map(({ path }) => path).sort();
  const after = await sandbox.runtime.run("python -c 'print(6 * 7)'");
  await sandbox.destroy();
  return { ...result, names, after: after.stdout, failures };
}"""


@pytest.fixture(scope="module")
def planted(ground: Ground) -> Iterator[Page]:
    """A page with something to find, and the embedding API."""
    page = ground.open()
    page.evaluate(OPEN)
    yield page
    page.close()


def run(
    page: Page, script: str, files: dict[str, str] | None = None, allow: list[str] | None = None
) -> dict[str, Any]:
    """Run JavaScript inside a process of Python; what it forges is told by TAKE_PORT."""
    files = {"probe.py": RUN_JS, "probe.js": script, **(files or {})}
    return page.evaluate(RUN, [files, "python probe.py", {"network": {"allow": allow or []}}])


def attempt(ground: Ground, page: Page, allow: list[str] | None = None) -> dict[str, str]:
    """Run the probes that need no DOM in a process; returns the results of all."""
    ground.forget()
    script = TAKE_PORT + PROBES.replace("export ", "") + PROBE % json.dumps(ground.to)
    result = run(page, script, allow=allow)
    assert result["exitCode"] == 0, result
    return json.loads(result["stdout"])


def test_from_a_process_nothing_is_reached(ground: Ground, planted: Page) -> None:
    results = attempt(ground, planted)
    assert len(results) > 20
    assert {name: result for name, result in results.items() if not result.startswith("denied")} == {}
    assert ground.arrived() == NOTHING


def test_of_two_hosts_the_allowed_one_alone_is_reached_and_without_cookies(
    ground: Ground, planted: Page
) -> None:
    other = attempt(ground, planted, [ground.other.url])
    assert other["fetchFromOther"] == other["fetchBehindStandIns"] == "reached: 200"
    assert other["fetchFromPage"].startswith("denied")
    arrived = ground.arrived()
    assert "fetchFromOther" in ground.other.seen
    assert ground.home.seen == set()
    assert (arrived["packets"], arrived["connections"]) == (0, 0)

    page = attempt(ground, planted, [ground.home.url])
    assert page["fetchFromPage"] == "reached: 200"
    ground.arrived()
    assert {"fetchFromPage", "fetchWithCookies", "xhrWithCookies"} <= ground.home.seen
    assert ground.other.seen == set()
    assert ground.home.cookies == []


def test_from_the_page_itself_cookies_are_sent(ground: Ground, planted: Page) -> None:
    ground.forget()
    planted.evaluate("(to) => fetch(`${to.page}fetchWithCookies`)", ground.to)
    assert ground.home.cookies == ["planted=planted"]


FORGED = {
    "garbage": "for (const each of [null, undefined, 1, 'x', [], {}, new Date(), { type: 'none' }]) post(each); end('ok')",
    "garbageOfTheWorker": "for (const each of [null, 1, { type: 'exit', code: 3 }]) postMessage(each); end('ok')",
    "unreadable": "post(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))); end('ok')",
    "exit": "post({ type: 'exit', code: [], hint: { toString: 1, valueOf: 1 } }); end('ok')",
    "dead": "post({ type: 'dead', reason: { toString: 1, valueOf: 1 } }); end('ok')",
    "installed": "post({ type: 'installed', reply: '{}' }); post({ type: 'post', message: 'x' }); end('ok')",
    "output": "post({ type: 'output', stream: '__proto__', bytes: 'x' }); post({ type: 'output' }); end('ok')",
    "ready": "for (let i = 0; i < 100; i++) { post({ type: 'ready' }); post({ type: 'seen' }); } end('ok')",
    "kill": "post({ type: 'kill', id: 'x' }); post({ type: 'kill', id: { valueOf: 1, toString: 1 } }); end('ok')",
    "child": "post({ type: 'spawn', id: NaN, child: { command: [], cwd: 1 } }); end('ok')",
    "childElsewhere": "post({ type: 'spawn', id: 1, child: { command: 'cat x', cwd: '/../..', env: {} } }); end('ok')",
    "mount": "change('__proto__', [{ op: 'gone', path: 'kept.txt' }]); end('ok')",
    "mountOfLength": "change('length', [{ op: 'gone', path: 'kept.txt' }]); end('ok')",
    "noMount": "change(7, [{ op: 'gone', path: 'kept.txt' }]); end('ok')",
    "outside": "change(0, [{ op: 'gone', path: '../kept.txt' }]); end('ok')",
    "prototype": "change(0, [{ op: 'attributes', path: '__proto__', mode: 1, mtime: 1 }]); end('ok')",
    "prototypeFolder": "change(0, [{ op: 'directory', path: '__proto__/constructor', mode: 1, mtime: 1 }]); end('ok')",
    "times": "change(0, [{ op: 'attributes', path: 'kept.txt', mode: 0o644, mtime: 1e300 }]); end('ok')",
    "data": "change(0, [{ op: 'file', path: 'x', data: 1e9, mode: 0o644, mtime: 1 }]); end('ok')",
    "unknown": "change(0, [{ op: 'rename', path: 'kept.txt', to: '../x' }]); end('ok')",
    "links": (
        "change(0, [{ op: 'link', path: 'out', target: '/', mtime: 1 },"
        " { op: 'directory', path: 'out/made', mode: 0o755, mtime: 1 }]); end('ok')"
    ),
}
"""What a process tells the kernel that is none of its business, or makes no sense."""


@pytest.mark.parametrize("name", FORGED)
def test_a_process_that_forges_messages_harms_only_itself(planted: Page, name: str) -> None:
    result = run(planted, TAKE_PORT + FORGED[name], {"kept.txt": "kept"})
    assert set(result["names"]) - {"out"} >= {"kept.txt", "probe.js", "probe.py"}
    assert result["after"] == "42\n"
    assert result["failures"] == []


REACHING_IN = """
import js, pyodide_js
print(pyodide_js._api is not None, js.Function.new("return typeof document")(), js.eval("typeof window"))
for name in ("FS", "_module"):
    print(getattr(pyodide_js, name) is not None)
pyodide_js.FS.writeFile("/lib/evil.txt", "x")
js.Object.prototype.polluted = 1
js.Array.prototype.push = None
js.eval("self.onmessage = null; self.close()")
"""


def test_what_a_process_does_to_its_interpreter_stays_in_it(planted: Page) -> None:
    result = planted.evaluate(RUN, [{"reach.py": REACHING_IN}, "python reach.py", {}])
    assert "True undefined undefined" in result["stdout"], result
    assert result["after"] == "42\n"
    assert result["failures"] == []
