"""Sandboxes that are gone leave nothing behind in the browser's memory."""

import os
import shutil
import subprocess
from collections import defaultdict

import pytest
from playwright.sync_api import Page

from tests.e2e.commands import errors, open_sandbox, output

ROUNDS = 50
FIRST = 5


@pytest.mark.skipif(not shutil.which("ps"), reason="the memory of processes is asked of `ps`")
def test_fifty_sandboxes_one_after_another_take_no_more_than_the_first(kernel_page: Page) -> None:
    sizes: list[int] = []
    for _ in range(ROUNDS):
        open_sandbox(kernel_page)
        output(kernel_page, "python -c 'x = bytearray(50_000_000)'")
        sizes.append(resident())
    assert max(sizes[-FIRST:]) < 1.5 * max(sizes[:FIRST]), sizes


@pytest.mark.parametrize(
    ("size", "error"),
    [
        ("2_000_000_000", "MemoryError"),
        # More than an address of WebAssembly can say, as in any Python of 32 bits.
        ("3_000_000_000", "OverflowError: cannot fit 'int' into an index-sized integer"),
    ],
)
def test_more_memory_than_there_can_be_is_an_error_of_python(
    kernel_page: Page, size: str, error: str
) -> None:
    open_sandbox(kernel_page)
    said = errors(kernel_page, f"python -c 'bytearray({size})'")
    assert error in said.splitlines()
    assert output(kernel_page, "python -c 'print(1)'") == "1\n"


def resident() -> int:
    """Kilobytes of all processes that this one has started, the browser's among them."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,rss="], capture_output=True, text=True, check=True)
    children: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for line in listed.stdout.splitlines():
        pid, parent, size = map(int, line.split())
        children[parent].append((pid, size))
    total, waiting = 0, [os.getpid()]
    while waiting:
        for pid, size in children[waiting.pop()]:
            total += size
            waiting.append(pid)
    return total
