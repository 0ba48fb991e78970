"""Benchmarks of the tree: what noting, saving, opening, keeping and restoring it costs."""

from typing import Any

from tests.bench.host import BenchHost
from tests.bench.measure import Row, compare, report

# Each piece of Python runs in the kernel and gives milliseconds, or what it was asked for.
SETUP = """
import os, shutil
from time import perf_counter
from inbrowser.sandbox import delete_sandbox, open_sandbox
from pyodide.code import run_js

def now():
    return perf_counter() * 1000

def fill(root, files, size, salt=0):
    for folder in range(20):
        os.makedirs(f"{root}/d{folder}", exist_ok=True)
    for number in range(files):
        with open(f"{root}/d{number % 20}/f{number}.txt", "wb") as file:
            file.write(bytes([(number + salt) % 251]) * size)

def root_of(sandbox):
    return sandbox._parts.fs.root

raw_put = run_js('''async (files, size) => {
  const open = indexedDB.open("bench raw " + Math.random(), 1);
  open.onupgradeneeded = () => open.result.createObjectStore("files");
  await new Promise((resolve) => { open.onsuccess = resolve; });
  const contents = Array.from({ length: files }, (_, i) => new Uint8Array(size).fill(i % 251));
  const started = performance.now();
  const transaction = open.result.transaction("files", "readwrite", { durability: "relaxed" });
  const store = transaction.objectStore("files");
  contents.forEach((data, i) => store.put(data, `d${i % 20}/f${i}.txt`));
  transaction.commit();
  await new Promise((resolve) => { transaction.oncomplete = resolve; });
  const elapsed = performance.now() - started;
  open.result.close();
  indexedDB.deleteDatabase(open.result.name);
  return elapsed;
}''')

raw_get = run_js('''async (name) => {
  const started = performance.now();
  const open = indexedDB.open(name);
  await new Promise((resolve) => { open.onsuccess = resolve; });
  const request = open.result.transaction("entries").objectStore("entries").getAll();
  await new Promise((resolve) => { request.onsuccess = resolve; });
  const elapsed = performance.now() - started;
  open.result.close();
  return elapsed;
}''')
None
"""

WRITES = """
sandbox = await open_sandbox()
started = now()
fill(root_of(sandbox), 10_000, 100)
elapsed = now() - started
await sandbox.destroy()
elapsed
"""
WRITES_PLAIN = """
started = now()
fill("/plain", 10_000, 100)
elapsed = now() - started
shutil.rmtree("/plain")
elapsed
"""

SAVE = """
sandbox = await open_sandbox("save", storage="indexeddb")
fill(root_of(sandbox), 1_000, 4096)
started = now()
await sandbox.storage.flush()
elapsed = now() - started
await sandbox.destroy()
await delete_sandbox("save")
elapsed
"""

KEEP_MANY = """
sandbox = await open_sandbox("many", storage="indexeddb")
fill(root_of(sandbox), 10_000, 1000)
await sandbox.destroy()
None
"""
REOPEN = """
started = now()
sandbox = await open_sandbox("many", storage="indexeddb")
elapsed = now() - started
await sandbox.destroy()
elapsed
"""

MANY = """
many = await open_sandbox()
fill(root_of(many), 10_000, 1000)
await many.checkpoints.create()
salt = 0
None
"""
CHECKPOINT = """
salt += 1
with open(root_of(many) + "/d3/f3.txt", "w") as file:
    file.write(f"changed {salt}")
started = now()
checkpoint = await many.checkpoints.create()
elapsed = now() - started
assert checkpoint.changed == 1
elapsed
"""
RESTORE = """
previous = checkpoint.parent
started = now()
restored = await many.checkpoints.restore(previous)
elapsed = now() - started
assert restored.changed == ["d3/f3.txt"]
elapsed
"""
COPY = """
started = now()
shutil.copytree(root_of(many), "/copy")
elapsed = now() - started
shutil.rmtree("/copy")
elapsed
"""

LARGE = 1 << 20
TWENTY = f"""
for number in range(20):
    with open(root_of(many) + "/d3/f3.txt", "wb") as file:
        file.write(os.urandom({LARGE}))
    await many.checkpoints.create()
None
"""
HEAP = "async () => (await performance.measureUserAgentSpecificMemory()).bytes"

PAGE_WORK = """async () => {
  let longest = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) longest = Math.max(longest, task.duration);
  }).observe({ type: "longtask" });
  const sandbox = await inbrowser.openSandbox({ id: "many", storage: "indexeddb" });
  sandbox.on(() => {});
  await sandbox.fs.list("d3");
  await sandbox.tools.run("grep", { pattern: "nothing like it" });
  const first = await sandbox.checkpoints.create();
  await sandbox.runtime.run("for d in d*; do for f in $d/*1.txt; do echo x > $f; done; done");
  await sandbox.checkpoints.restore(first.id);
  await sandbox.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  return longest;
}"""


def files(host: BenchHost, runs: int) -> list[Row]:
    """Writing, saving, opening, keeping and restoring many small files, each against the plainest way."""
    page = host.page()

    def kernel(code: str) -> Any:
        return page.evaluate("(code) => inbrowser.runPython(code)", code)

    def ms(code: str) -> Any:
        return lambda: kernel(code)

    kernel(SETUP)
    rows = [
        compare("10,000 writes, against plain MEMFS", ms(WRITES), ms(WRITES_PLAIN), aim=1.5, runs=runs),
        compare(
            "save 1,000 files of 4 kB, against one bare transaction",
            ms(SAVE),
            ms("await raw_put(1000, 4096)"),
            aim=1.5,
            runs=runs,
        ),
    ]
    kernel(KEEP_MANY)
    rows.append(
        compare(
            "reopen 10,000 files, against reading the records",
            ms(REOPEN),
            ms("await raw_get('inbrowser sandbox many')"),
            aim=2,
            runs=runs,
        )
    )
    kernel(MANY)
    rows += [
        compare(
            "checkpoint, 1 change in 10,000 files, against a copy",
            ms(CHECKPOINT),
            ms(COPY),
            aim=0.02,
            runs=runs,
        ),
        compare(
            "restore, 1 change in 10,000 files, against a copy",
            lambda: (kernel(CHECKPOINT), kernel(RESTORE))[1],
            ms(COPY),
            runs=runs,
        ),
        report(
            "longest pause of the page, 10,000 files", lambda: page.evaluate(PAGE_WORK), unit="ms", runs=1
        ),
        heap(host),
    ]
    return rows


def heap(host: BenchHost) -> Row:
    """What 20 checkpoints of 1 MiB changed among 10,000 files leave in memory, against those changes."""
    page = host.isolated_page()
    for code in (SETUP, MANY):
        page.evaluate("(code) => inbrowser.runPython(code)", code)
    before = page.evaluate(HEAP)
    page.evaluate("(code) => inbrowser.runPython(code)", TWENTY)
    growth = page.evaluate(HEAP) - before
    return Row(
        "heap after 20 checkpoints, against the changes",
        growth / LARGE,
        "MiB",
        20,
        growth / LARGE / 20,
        2,
        1,
    )
