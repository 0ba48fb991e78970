"""The benchmarks, by name. Each returns its rows."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext

from tests.bench.files import files
from tests.bench.host import BenchHost
from tests.bench.measure import Row, compare, report
from tests.bench.models import models
from tests.bench.packages import packages
from tests.bench.processes import processes
from tests.conftest import UNTIL_SNAPSHOT_IS_KEPT

OURS = """async () => {
  const started = performance.now();
  await inbrowser.openSandbox({ id: "bench" });
  return performance.now() - started;
}"""
BARE_PYODIDE = """async () => {
  const started = performance.now();
  const worker = timedWorker("bare-pyodide.js");
  await worker.ask(null);
  return performance.now() - started;
}"""


def start(host: BenchHost, runs: int) -> list[Row]:
    """Kernel ready, pydantic models usable and a sandbox open, against bare loadPyodide() as shipped."""

    def timed(context: BrowserContext, script: str) -> float:
        page = host.blank(context)
        elapsed = page.evaluate(script)
        page.close()
        return elapsed

    def first_visit(script: str) -> Callable[[], float]:
        def visit() -> float:
            context = host.profile()
            elapsed = timed(context, script)
            context.close()
            return elapsed

        return visit

    known = host.profile()
    page = host.blank(known)
    page.evaluate("async () => { await inbrowser.openSandbox() }")
    page.evaluate(UNTIL_SNAPSHOT_IS_KEPT)
    page.close()
    rows = [
        compare(
            "start, warm", lambda: timed(known, OURS), lambda: timed(known, BARE_PYODIDE), aim=0.3, runs=runs
        ),
        compare("start, first visit", first_visit(OURS), first_visit(BARE_PYODIDE), aim=0.6, runs=runs),
    ]
    known.close()
    return rows


def restart(host: BenchHost, runs: int) -> list[Row]:
    """From the crash of a kernel until a kept sandbox answers again, against a boot without a snapshot."""
    known, unknown = host.profile(), host.profile()
    page = host.blank(known)
    page.evaluate("async () => { await inbrowser.openSandbox() }")
    page.evaluate(UNTIL_SNAPSHOT_IS_KEPT)
    page.close()
    ours = """async (code) => {
      const sandbox = await inbrowser.openSandbox({ id: "restart", storage: "indexeddb" });
      await sandbox.fs.write("a.txt", "a");
      await sandbox.flush();
      let crashed;
      inbrowser.onKernelRestart(({ phase }) => {
        if (phase === "restarting") crashed = performance.now();
      });
      await inbrowser.runPython(code).catch(() => {});
      await sandbox.fs.readText("a.txt");
      return performance.now() - crashed;
    }"""

    def timed(context: BrowserContext, script: str) -> float:
        # A page that is closed soon keeps no snapshot.
        page = host.blank(context)
        elapsed = page.evaluate(script, "import json\njson.loads('[' * 100_000)")
        page.close()
        return elapsed

    row = compare("restart", lambda: timed(known, ours), lambda: timed(unknown, OURS), aim=1, runs=runs)
    known.close()
    unknown.close()
    return [row]


def bash(host: BenchHost, runs: int) -> list[Row]:
    """`echo hi` through the bash tool, against just-bash alone behind one message to a worker and one back."""
    page = host.page()
    page.evaluate("() => { window.shell = timedWorker('bare-shell.js') }")
    ours = """async () => await inbrowser.runPython(`
from time import perf_counter
from inbrowser.sandbox import open_sandbox
if "sandbox" not in globals():
    sandbox = await open_sandbox()
started = perf_counter()
for _ in range(200):
    result = await sandbox.tools.run("bash", {"command": "echo hi"})
assert result.ok, result.summary
(perf_counter() - started) * 1000 / 200
`)"""
    bare = """async () => {
      const started = performance.now();
      for (let i = 0; i < 200; i++) await shell.ask({ command: "echo hi" });
      return (performance.now() - started) / 200;
    }"""
    return [
        compare("bash echo hi", lambda: page.evaluate(ours), lambda: page.evaluate(bare), aim=3, runs=runs),
    ]


def grep(host: BenchHost, runs: int) -> list[Row]:
    """The grep tool over 1,000 files of 2 kB, against just-bash's grep -rn over its in-memory file system."""
    page = host.page()
    page.evaluate(
        """async () => {
          window.shell = timedWorker("bare-shell.js");
          const line = "the quick brown fox jumps over the lazy dog, again\\n";
          const files = {};
          for (let i = 0; i < 1000; i++)
            files[`/src/d${i % 20}/f${i}.txt`] = line.repeat(39) + (i % 10 ? "" : "here is a needle\\n");
          await shell.ask({ files, command: "true" });
          for (const [path, text] of Object.entries(files)) await sandbox.fs.write(path.slice(1), text);
        }"""
    )
    rows = []
    for name, pattern in (("grep literal", "needle"), ("grep regex", "ne+dle$")):
        search = f"""async () => {{
          const started = performance.now();
          const result = await sandbox.tools.run("grep", {{ pattern: "{pattern}", limit: 1000 }});
          if (!result.ok || !result.summary.includes("100")) throw new Error(result.summary);
          return performance.now() - started;
        }}"""
        bare = f"""async () => {{
          const result = await shell.ask({{ command: "grep -rnE '{pattern}' /src" }});
          if (result.stdout.split("\\n").length !== 101) throw new Error("not 100 hits");
          return result.ms;
        }}"""
        rows.append(
            compare(
                f"{name}, 1,000 files",
                lambda search=search: page.evaluate(search),
                lambda bare=bare: page.evaluate(bare),
                aim=1,
                runs=runs,
            )
        )
    return rows


def calls(host: BenchHost, runs: int) -> list[Row]:
    """What one call of a small tool costs, from Python in the kernel and from the page."""
    page = host.page()
    page.evaluate("() => sandbox.fs.write('a.txt', 'a\\n')")
    python = """async () => await inbrowser.runPython(`
from time import perf_counter
from inbrowser.sandbox import open_sandbox
if "sandbox" not in globals():
    sandbox = await open_sandbox()
    await sandbox.fs.write("a.txt", "a")
started = perf_counter()
for _ in range(1000):
    await sandbox.tools.run("read", {"path": "a.txt"})
(perf_counter() - started) * 1000
`)"""
    javascript = """async () => {
      const started = performance.now();
      for (let i = 0; i < 1000; i++) await sandbox.tools.run("read", { path: "a.txt" });
      return performance.now() - started;
    }"""
    return [
        report("tools.run('read') from Python", lambda: page.evaluate(python), unit="us", runs=runs),
        report("tools.run('read') from the page", lambda: page.evaluate(javascript), unit="us", runs=runs),
    ]


BENCHMARKS: dict[str, Callable[[BenchHost, int], list[Row]]] = {
    "start": start,
    "restart": restart,
    "bash": bash,
    "grep": grep,
    "models": models,
    "calls": calls,
    "files": files,
    "processes": processes,
    "packages": packages,
}
