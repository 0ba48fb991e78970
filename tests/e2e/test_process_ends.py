"""However a process of Python ends: nobody waits for it, nobody is disturbed by it, and nothing of it comes later."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.conftest import watched
from tests.e2e.commands import open_sandbox, output, read, run, write

LATE = 2_000
"""Milliseconds after its deadline when a process must be gone. One that can be ended is gone within 200; a machine
that is busy with tests is slower, and one that cannot be ended lasts ten times as long."""

STUBBORN = {
    "sleep": "import time; time.sleep(60)",
    "asyncio sleep": "import asyncio\nasync def main(): await asyncio.sleep(60)\nasyncio.run(main())",
    "asyncio busy": "import asyncio\nasync def main():\n  while True: await asyncio.sleep(0)\nasyncio.run(main())",
    "sum": "sum(range(10**12))",
    "swallows everything": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    "loop": "while True: pass",
    "flood": "while True: print('flood')",
    "flood of both": "import sys\nwhile True: print('out'); print('err', file=sys.stderr)",
    "regex": "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
    "sorted": "import random; x = [random.random() for _ in range(10**6)]\nwhile True: sorted(x)",
    "ignores signals": "import signal\nfor n in range(1, 32):\n  try: signal.signal(n, signal.SIG_IGN)\n"
    "  except (OSError, ValueError): pass\nwhile True: pass",
    "deep": "def f(n): return f(n + 1) if n < 500 else 0\nwhile True: f(0)",
    "waits for a child": "import subprocess; subprocess.run('sleep 60', shell=True)",
}

STOPPED = """
async () => {
  const began = Promise.withResolvers();
  const stop = new AbortController();
  const later = [];
  let over = false;
  const off = sandbox.on(({ type, text }) => { if (over && type === "run:output") later.push(text) });
  const run = sandbox.runtime.run("python stubborn.py", {
    signal: stop.signal, timeoutMs: 60_000, onOutput: () => began.resolve(),
  }).then(() => "ended", ({ name }) => name);
  await began.promise;
  const started = performance.now();
  stop.abort();
  const how = await run;
  const late = performance.now() - started;
  over = true;
  const next = await sandbox.runtime.run("cat; echo next >&2; echo ok");
  off();
  return { how, late, later: later.filter((text) => !["ok\\n", "next\\n"].includes(text)), next };
}
"""

# Watches the page's own pace and the kernel's while commands run.
WATCHED = """
async (commands) => {
  let gap = 0, answer = 0, answers = 0, over = false;
  const pace = async () => {
    for (let last = performance.now(); !over; ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const now = performance.now();
      gap = Math.max(gap, now - last);
      last = now;
    }
  };
  const ask = async () => {
    while (!over) {
      const asked = performance.now();
      await sandbox.fs.exists("x");
      answer = Math.max(answer, performance.now() - asked);
      answers += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const watching = [pace(), ask()];
  const results = await Promise.all(commands.map(([command, timeoutMs]) => sandbox.runtime.run(command, { timeoutMs })));
  over = true;
  await Promise.all(watching);
  return { gap, answer, answers, results };
}
"""


@pytest.fixture(scope="module")
def kernel_page(visitor: BrowserContext, site: str) -> Iterator[Page]:
    """One kernel and its frames for all tests here; each has a sandbox of its own."""
    page = visitor.new_page()
    page.goto(f"{site}/pages/embed.html")
    yield from watched(page)
    page.close()


@pytest.fixture
def embedded(kernel_page: Page) -> Iterator[Page]:
    open_sandbox(kernel_page, processes={"processes": 3, "memory": 400 << 20})
    yield kernel_page
    kernel_page.evaluate("() => sandbox.destroy()")


@pytest.mark.parametrize("code", STUBBORN.values(), ids=STUBBORN.keys())
def test_a_stop_ends_it_at_once_and_nothing_of_it_comes_later(embedded: Page, code: str) -> None:
    write(embedded, "stubborn.py", f"print('started', flush=True)\n{code}\n")
    stopped = embedded.evaluate(STOPPED)
    assert stopped["late"] < LATE
    assert stopped["how"] == "CancelledError"
    assert stopped["later"] == []
    assert (stopped["next"]["stdout"], stopped["next"]["stderr"]) == ("ok\n", "next\n")


@pytest.mark.parametrize("code", STUBBORN.values(), ids=STUBBORN.keys())
def test_its_timeout_ends_it_in_time_and_keeps_its_output(embedded: Page, code: str) -> None:
    write(embedded, "stubborn.py", f"print('started', flush=True)\n{code}\n")
    result = run(embedded, "python stubborn.py", timeoutMs=3_000)
    assert (result["exitCode"], result["stopped"]) == (124, "timeout")
    assert result["stdout"].startswith("started\n")
    assert result["durationMs"] < 3_000 + LATE
    after = run(embedded, "cat", stdin="in\n")
    assert (after["stdout"], after["stderr"], after["exitCode"]) == ("in\n", "", 0)


HOSTILE = {
    "floods": "import os\nwhile True: os.write(1, b'x' * 100_000)",
    "fills memory": "x = []\nwhile True:\n  try: x.append(bytearray(1 << 20))\n  except MemoryError: pass",
    "fills the disk": "n = 0\nwhile True:\n  n += 1\n  open(f'/tmp/{n}', 'wb').write(bytes(1 << 20))",
    "writes without end": "n = 0\nwhile True:\n  n += 1\n  open(f'f{n % 500}', 'w').write('x' * 1000)",
    "forks": "import subprocess, sys\nwhile True:\n  subprocess.Popen([sys.executable, 'hostile.py'])",
    "ignores signals": STUBBORN["ignores signals"],
}


@pytest.mark.parametrize("code", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_one_is_gone_at_its_deadline_and_neither_page_nor_kernel_stutters(
    embedded: Page, code: str
) -> None:
    write(embedded, "hostile.py", code)
    # A guest is ready, so that nothing but the process itself is watched.
    output(embedded, "python -c ''")
    seen = embedded.evaluate(WATCHED, [["python hostile.py", 3_000]])
    (result,) = seen["results"]
    # Some meet another limit before.
    assert result["exitCode"] in (1, 124, 137)
    assert result["durationMs"] < 3_000 + LATE
    # A kernel or page that did the work of the process would stand still until its deadline.
    assert seen["gap"] < 1_500
    assert seen["answer"] < 1_500
    assert seen["answers"] > 10
    # All its places are free again, those of its children too.
    three = "python -c 'print(1)'"
    assert output(embedded, f"{three} & {three} & {three} & wait") == "1\n1\n1\n"


@pytest.mark.parametrize(
    "code",
    [
        "import json; json.loads('[' * 100_000)",
        "x = []\nfor _ in range(200_000): x = [x]\ndel x",
        "x = None\nfor _ in range(100_000): x = [x]\nprint(len(repr(x)))",
        "import pickle\nx = None\nfor _ in range(100_000): x = [x]\npickle.dumps(x)",
        "class A:\n  def __repr__(self): return repr(self)\nprint('%r' % A())",
        "from functools import partial\nx = []\nx.append(x)\nf = partial(max, key=lambda y: f(y, y))\nf(x, x)",
    ],
    ids=["json", "del", "repr", "pickle", "own repr", "partial"],
)
def test_deep_nesting_ends_it_with_one_plain_sentence_at_the_most(embedded: Page, code: str) -> None:
    write(embedded, "deep.py", f"open('before.txt', 'w').write('there')\nprint('before')\n{code}\n")
    result = run(embedded, "python deep.py")
    assert result["stdout"] == "before\n"
    assert read(embedded, "before.txt") == "there"
    if result["exitCode"] == 139:
        assert (
            result["stderr"]
            == "python: the interpreter crashed: it ran out of stack, by deep recursion in C code\n"
        )
    else:
        # Python itself noticed in time.
        assert result["exitCode"] == 1
        assert "RecursionError" in result["stderr"].splitlines()[-1]
    assert output(embedded, "python -c 'print(1)'") == "1\n"


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("import os; print('said'); os._exit(3)", 3),
        ("import os; print('said'); os.kill(os.getpid(), 15)", 143),
        ("import os; print('said'); os.kill(os.getpid(), 9)", 137),
        ("import signal; print('said'); signal.raise_signal(signal.SIGTERM)", 143),
        ("import sys; print('said'); sys.exit(300)", 44),
    ],
)
def test_one_that_ends_itself_ends_with_its_code_and_what_it_wrote(
    embedded: Page, code: str, ended: int
) -> None:
    write(embedded, "end.py", f"f = open('open.txt', 'w'); f.write('text'); f.flush()\n{code}\n")
    result = run(embedded, "python end.py")
    assert (result["stdout"], result["stderr"], result["exitCode"]) == ("said\n", "", ended)
    assert read(embedded, "open.txt") == "text"


def test_an_interpreter_that_aborts_says_nothing_but_that(embedded: Page) -> None:
    result = run(embedded, "python -c 'import os; print(\"before\"); os.abort()'")
    assert (result["stdout"], result["exitCode"]) == ("before\n", 139)
    assert result["stderr"].startswith("python: the interpreter crashed: ")
    assert result["stderr"].count("\n") == 1


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import http.server; http.server.HTTPServer(('', 8000), None)", "preview_compile"),
        ("import multiprocessing; multiprocessing.Process(target=print).start()", "use subprocess"),
        ("import os; os.fork()", "use subprocess"),
        ("import os; os.execvp('ls', ['ls'])", "use subprocess"),
        (
            "from concurrent.futures import ThreadPoolExecutor as P; P().submit(print)",
            "there are no threads",
        ),
    ],
)
def test_what_no_process_can_do_names_another_way_at_once(embedded: Page, code: str, says: str) -> None:
    result = run(embedded, f'python -c "{code}"', timeoutMs=20_000)
    assert (result["exitCode"], result["stopped"]) == (1, None)
    assert says in result["stderr"].splitlines()[-1]


def test_a_web_server_is_refused_with_a_word_on_the_preview(embedded: Page) -> None:
    result = run(embedded, "python -m http.server 8000", timeoutMs=20_000)
    assert (result["exitCode"], result["stopped"]) == (1, None)
    assert "web pages are shown by the preview" in result["stderr"].splitlines()[-1]


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"PYTHON_COLORS": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "PYTHON_COLORS": "0"}, False),
    ],
)
def test_tracebacks_have_colours_when_they_are_asked_for(
    embedded: Page, environment: dict[str, str], coloured: bool
) -> None:
    result: dict[str, Any] = run(embedded, "python -c '1/0'", env=environment)
    assert ("\x1b[" in result["stderr"]) is coloured
    assert "division by zero" in result["stderr"]


def test_a_hook_for_exceptions_of_the_programs_own_is_called(embedded: Page) -> None:
    write(embedded, "hook.py", "import sys\nsys.excepthook = lambda kind, *_: print(kind.__name__)\n1 / 0\n")
    assert run(embedded, "python hook.py")["stdout"] == "ZeroDivisionError\n"
