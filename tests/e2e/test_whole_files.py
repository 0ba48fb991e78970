"""Files that several write at once, or whose writer is killed: always one whole version, never a mix or a half."""

import random
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.commands import open_sandbox, output, run, write
from tests.e2e.test_processes import embedded

__all__ = ["embedded"]

SIZE = 2_000_000
ROUNDS = 12

# Files whose every part says which version it is of, so that a mix of two or a half of one is seen.
WRITER = """
import sys, os
name, path, rounds, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for number in range(rounds):
    version = f"{name}{number:07d}"
    with open(path, "w") as file:
        for _ in range(4):
            file.write(version * (size // 4 // len(version)))
            file.flush()
print(name, "done")
"""

# Kills a command at a moment of its own: so long after the file was first seen to change.
KILLED = """
async ([command, path, ms]) => {
  const stop = new AbortController();
  const first = Promise.withResolvers();
  const off = sandbox.on((event) => event.type === "file" && event.path === path && first.resolve());
  const run = sandbox.runtime.run(command, { signal: stop.signal, timeoutMs: 60_000 }).catch(({ name }) => name);
  await first.promise;
  await new Promise((resolve) => setTimeout(resolve, ms));
  stop.abort();
  const how = await run;
  off();
  const text = await sandbox.fs.readText(path);
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { how, text, later: (await sandbox.fs.readText(path)) === text };
}
"""


def versions(text: str) -> set[str]:
    """Return which versions parts of a text are of."""
    return {text[at : at + 8] for at in range(0, len(text), 8)}


def watch(page: Page, path: str) -> None:
    """Have the page look at a file again and again, and note every state that is not one whole version."""
    page.evaluate(
        """([path, size]) => {
          window.looks = 0;
          window.broken = [];
          window.looking = true;
          window.looker = (async () => {
            while (looking) {
              const text = await sandbox.fs.readText(path).catch(() => "");
              if (text) {
                looks += 1;
                const whole = text.length === size && text === text.slice(0, 8).repeat(size / 8);
                if (!whole) broken.push([text.length, text.slice(0, 8), text.slice(-8)]);
              }
              await new Promise((resolve) => setTimeout(resolve));
            }
          })();
        }""",
        [path, SIZE],
    )


def seen(page: Page) -> dict[str, Any]:
    return page.evaluate("async () => { looking = false; await looker; return { looks, broken }; }")


def test_two_processes_and_a_shell_that_write_different_files_at_once_lose_none(embedded: Page) -> None:
    write(
        embedded,
        "many.py",
        "import sys, os\nn = sys.argv[1]\nos.makedirs(n)\n"
        "for i in range(300):\n    open(f'{n}/{i}', 'w').write(f'{n}{i}' * (1 if i % 10 else 20_000))\n",
    )
    shell = "mkdir s; for i in $(seq 0 299); do echo s$i > s/$i; done"
    output(embedded, f"python many.py p & python many.py q & {shell}; wait")
    check = (
        "import os\n"
        "for n in 'pq':\n  for i in range(300):\n"
        "    assert open(f'{n}/{i}').read() == f'{n}{i}' * (1 if i % 10 else 20_000), (n, i)\n"
        "for i in range(300): assert open(f's/{i}').read() == f's{i}\\n', i\nprint('all')\n"
    )
    write(embedded, "check.py", check)
    assert output(embedded, "python check.py") == "all\n"


def test_a_file_that_two_processes_and_a_shell_write_is_always_one_whole_version(embedded: Page) -> None:
    write(embedded, "writer.py", WRITER)
    watch(embedded, "same.txt")
    word = "sssssss0"
    shell = (
        f"x={word}; while [ ${{#x}} -lt {SIZE} ]; do x=$x$x; done; "
        f"for i in $(seq {ROUNDS}); do printf %s "
        f'"${{x:0:{SIZE}}}" > same.txt; done'
    )
    both = " & ".join(f"python writer.py {name} same.txt {ROUNDS} {SIZE}" for name in "ab")
    output(embedded, f"{both} & ({shell}) & wait")
    looked = seen(embedded)
    assert looked["broken"] == []
    assert looked["looks"] > 3


def test_who_closes_a_file_last_wins(embedded: Page) -> None:
    write(
        embedded,
        "slow.py",
        "import os, time\nwith open('same.txt', 'w') as file:\n"
        "    file.write('slow' * 1000)\n    file.flush()\n    open('opened', 'w').close()\n"
        "    while not os.path.exists('written'): time.sleep(0.02)\n",
    )
    command = (
        "python slow.py & until [ -e opened ]; do sleep 0.02; done; "
        "echo quick > same.txt; cat same.txt; touch written; wait; cat same.txt"
    )
    assert output(embedded, command) == "quick\n" + "slow" * 1000


@pytest.mark.parametrize("killed", ["a process", "a shell"])
def test_a_writer_that_is_killed_leaves_the_old_or_the_new_file(embedded: Page, killed: str) -> None:
    chance = random.Random(20261204)
    write(embedded, "writer.py", WRITER)
    command = f"python writer.py k file.txt 100000 {SIZE}"
    if killed == "a shell":
        command = (
            f"x=ssssssss; while [ ${{#x}} -lt {SIZE} ]; do x=$x$x; done; i=0; while :; do "
            f"printf -v v k%07d $((i++)); y=${{x:0:{SIZE}}}; printf %s "
            '"${y//ssssssss/$v}" > file.txt; done'
        )
    for _ in range(8):
        after = embedded.evaluate(KILLED, [command, "file.txt", chance.random() * 120])
        assert after["how"] == "CancelledError"
        assert after["later"]
        assert len(after["text"]) == SIZE
        assert len(versions(after["text"])) == 1


def test_a_process_that_a_limit_ends_leaves_the_old_file(embedded: Page) -> None:
    open_sandbox(embedded, processes={"output": 1 << 20})
    write(embedded, "file.txt", "old")
    write(
        embedded,
        "flood.py",
        "f = open('file.txt', 'w')\nf.write('new' * 100_000)\nf.flush()\nwhile True: print('x' * 1000)\n",
    )
    assert run(embedded, "python flood.py")["exitCode"] == 137
    assert output(embedded, "cat file.txt") == "old"
