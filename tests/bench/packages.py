"""Benchmark of packages: what it costs to install one wheel and import it."""

from itertools import count

import build
from tests.bench.host import BenchHost
from tests.bench.measure import Row, compare
from tests.bench.processes import READY_MS, run
from tests.conftest import UNTIL_SNAPSHOT_IS_KEPT
from tests.package_index import PackageIndex

FRESH = """async (options) => {
  await window.sandbox?.destroy();
  window.sandbox = await inbrowser.openSandbox(options);
}"""
MICROPIP = """async (request) => {
  const started = performance.now();
  const worker = timedWorker("micropip.js");
  await worker.ask(request);
  const elapsed = performance.now() - started;
  worker.end();
  return elapsed;
}"""


def packages(host: BenchHost, runs: int) -> list[Row]:
    """`pip install` in a fresh sandbox and an import, against micropip in a plain worker of the same page."""
    index = PackageIndex()
    micropip = next((build.CACHE / "bundled-wheels").glob("micropip-*.whl"))
    index.add_file("micropip", micropip)
    index.add("known")
    numbers = count()
    profile = host.profile()
    first = host.blank(profile)
    first.evaluate(FRESH, {})
    first.evaluate(UNTIL_SNAPSHOT_IS_KEPT)
    first.close()
    page = host.blank(profile)

    def unknown() -> str:
        name = f"new{next(numbers)}"
        index.add(name)
        return name

    def ours(name: str) -> float:
        page.evaluate(FRESH, {"packages": {"indexUrls": [index.simple]}})
        return run(page, f"pip install {name} && python -c 'import {name}'")

    def bare(name: str) -> float:
        page.wait_for_timeout(READY_MS)
        request = {"micropip": f"{index.url}/files/{micropip.name}", "index": index.simple, "name": name}
        return page.evaluate(MICROPIP, request)

    rows = [
        compare("pip install, new wheel", lambda: ours(unknown()), lambda: bare(unknown()), aim=1, runs=runs),
        compare(
            "pip install, wheel seen before", lambda: ours("known"), lambda: bare("known"), aim=1, runs=runs
        ),
    ]
    profile.close()
    index.close()
    return rows
