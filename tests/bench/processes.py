"""Benchmarks of processes: what it costs to start one, to compute in one, and to take over what it wrote."""

from playwright.sync_api import Page

from tests.bench.host import BenchHost
from tests.bench.measure import Row, compare
from tests.conftest import UNTIL_SNAPSHOT_IS_KEPT

READY_MS = 2500
"""By then the next process is ready, and nothing else is going on."""

COMPUTE = """
from time import perf_counter
def work():
    primes, table = 0, {}
    for n in range(2, 6000):
        for d in range(2, n):
            if n % d == 0:
                break
        else:
            primes += 1
        table[n % 97] = table.get(n % 97, 0) + n
    return primes, sorted(str(i) for i in range(60000))[0]
started = perf_counter()
work()
elapsed = (perf_counter() - started) * 1000
"""
BARE = """async () => {
  const started = performance.now();
  const worker = timedWorker("bare-pyodide.js");
  await worker.ask(null);
  const elapsed = performance.now() - started;
  worker.end();
  return elapsed;
}"""


def run(page: Page, command: str, *, wait: int = READY_MS) -> float:
    """Milliseconds of a command, which must succeed."""
    page.wait_for_timeout(wait)
    elapsed, result = page.evaluate(
        """async (command) => {
          const started = performance.now();
          const result = await sandbox.runtime.run(command);
          return [performance.now() - started, result];
        }""",
        command,
    )
    assert result["exitCode"] == 0, result
    return elapsed


def processes(host: BenchHost, runs: int) -> list[Row]:
    """A process of Python, through the shell, against bare Pyodide in a worker of the same page."""
    profile = host.profile()
    first = host.blank(profile)
    first.evaluate("async () => { await inbrowser.openSandbox() }")
    first.evaluate(UNTIL_SNAPSHOT_IS_KEPT)
    first.close()
    page = host.blank(profile)
    page.evaluate("async () => { window.sandbox = await inbrowser.openSandbox() }")

    def cold() -> float:
        page.evaluate(
            "async () => { await sandbox.destroy(); window.sandbox = await inbrowser.openSandbox() }"
        )
        return run(page, "python -c pass")

    def bare() -> float:
        page.wait_for_timeout(READY_MS)
        return page.evaluate(BARE)

    page.evaluate("(code) => sandbox.fs.write('compute.py', code)", COMPUTE + "print(elapsed)")
    page.evaluate("async () => { window.bare = timedWorker('bare-pyodide.js'); await bare.ask(null) }")

    def compute() -> float:
        page.wait_for_timeout(READY_MS)
        result = page.evaluate("() => sandbox.runtime.run('python compute.py')")
        return float(result["stdout"])

    rows = [
        compare(
            "a computing script, in a process",
            compute,
            lambda: page.evaluate("(code) => bare.ask(code)", COMPUTE + "elapsed"),
            aim=1.05,
            runs=runs,
        ),
        compare(
            "python -c pass, one kept ready", lambda: run(page, "python -c pass"), bare, aim=0.03, runs=runs
        ),
        compare("python -c pass, none kept ready", cold, bare, aim=0.2, runs=runs),
    ]
    page.evaluate(
        """() => sandbox.runtime.run(
          'for d in $(seq 20); do mkdir d$d; for f in $(seq 500); do echo $f > d$d/$f; done; done')"""
    )
    touch = 'python -c \'open("d1/1", "w").write("x")\''
    none = "python -c 'open(\"d1/1\").read()'"
    rows.append(
        compare(
            "a process that changes 1 of 10,000 files",
            lambda: run(page, touch),
            lambda: run(page, none),
            aim=1.1,
            runs=runs,
        )
    )
    profile.close()
    return rows
