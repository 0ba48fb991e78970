"""The kernel's tree: every mutation is noted, whoever makes it."""

import asyncio
import json
import mmap
import os
import shutil
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from conftest import Box

bridge: Any = pytest.importorskip("inbrowser_bridge", reason="there is no tree outside the browser")
_numbers = count(1)


class Tree:
    """A mounted tree as Python sees it, and what is noted of it."""

    def __init__(self) -> None:
        self.root = f"/trees/{next(_numbers)}"
        self.tracked = bridge.mountTree(self.root)

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def write(self, name: str, text: str = "x") -> None:
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def notes(self) -> list[str]:
        notes = self.tracked.takeNotes().to_py()
        return [" ".join(note[key] for key in ("kind", "old_path", "path") if key in note) for note in notes]


@pytest.fixture
def tree() -> Iterator[Tree]:
    tree = Tree()
    yield tree
    tree.tracked.unmount()


def append(tree: Tree) -> None:
    with open(tree.path("a.txt"), "a") as file:
        file.write("more")


def write_a_mapped_page(tree: Tree) -> None:
    with open(tree.path("a.txt"), "r+b") as file, mmap.mmap(file.fileno(), 0) as page:
        page[0:1] = b"M"
        page.flush()


def save_as_editors_do(tree: Tree) -> None:
    tree.write("a.txt~", "new")
    os.replace(tree.path("a.txt~"), tree.path("a.txt"))


def rename_a_new_directory(tree: Tree) -> None:
    tree.write("n/x.txt")
    os.rename(tree.path("n"), tree.path("m"))
    tree.write("n", "a file now")


def write_to_a_removed_file(tree: Tree) -> None:
    with open(tree.path("a.txt"), "a") as file:
        os.remove(tree.path("a.txt"))
        file.write("into the void")


@pytest.mark.parametrize(
    ("change", "notes"),
    [
        (lambda tree: tree.write("new.txt"), ["created new.txt"]),
        (lambda tree: tree.write("a.txt", "2"), ["modified a.txt"]),
        (append, ["modified a.txt"]),
        (write_a_mapped_page, ["modified a.txt"]),
        (lambda tree: os.truncate(tree.path("a.txt"), 0), ["modified a.txt"]),
        (lambda tree: os.chmod(tree.path("a.txt"), 0o755), ["modified a.txt"]),
        (lambda tree: os.utime(tree.path("a.txt"), (1, 1)), ["modified a.txt"]),
        (lambda tree: os.remove(tree.path("a.txt")), ["deleted a.txt"]),
        (lambda tree: tree.write("n/e/w.txt"), ["created n", "created n/e", "created n/e/w.txt"]),
        (lambda tree: shutil.rmtree(tree.path("d")), ["deleted d/e/f.txt", "deleted d/e", "deleted d"]),
        (lambda tree: os.rename(tree.path("d"), tree.path("g")), ["renamed d g"]),
        (lambda tree: os.replace(tree.path("a.txt"), tree.path("d/e/f.txt")), ["renamed a.txt d/e/f.txt"]),
        (lambda tree: os.symlink("a.txt", tree.path("link")), ["created link"]),
        (save_as_editors_do, ["modified a.txt"]),
        (
            rename_a_new_directory,
            ["created n", "created n/x.txt", "renamed n m", "created n"],
        ),
        (write_to_a_removed_file, ["deleted a.txt"]),
        (
            lambda tree: tree.write("__proto__/constructor"),
            ["created __proto__", "created __proto__/constructor"],
        ),
        (lambda tree: None, []),
    ],
)
def test_each_change_is_noted(tree: Tree, change: Callable[[Tree], None], notes: list[str]) -> None:
    tree.write("a.txt", "1")
    tree.write("d/e/f.txt")
    assert tree.notes() == ["created a.txt", "created d", "created d/e", "created d/e/f.txt"]
    change(tree)
    assert tree.notes() == notes
    assert tree.notes() == []


def test_what_comes_and_goes_between_two_looks_is_not_told(tree: Tree) -> None:
    tree.write("a.txt")
    os.remove(tree.path("a.txt"))
    for _ in range(1000):
        tree.write("b.txt")
    assert tree.notes() == ["created b.txt"]
    os.remove(tree.path("b.txt"))
    tree.write("b.txt")
    assert tree.notes() == ["modified b.txt"]


def test_odd_names_are_listed_and_noted(tree: Tree) -> None:
    names = ["__proto__", "constructor", "-rf", "a b", "l\nine", "it's", '"', "ü🎈", "*"]
    for name in names:
        tree.write(name, name)
    assert sorted(os.listdir(tree.root)) == sorted(names)
    assert tree.notes() == [f"created {name}" for name in names]


def test_a_burst_of_changes_calls_once(tree: Tree) -> None:
    async def changes() -> int:
        calls = 0
        called = asyncio.Event()

        def on_change() -> None:
            nonlocal calls
            calls += 1
            called.set()

        from pyodide.ffi import create_proxy

        proxy = create_proxy(on_change)
        tree.tracked.listeners.add(proxy)
        for number in range(100):
            tree.write(f"{number}.txt")
        await called.wait()
        tree.tracked.listeners.delete(proxy)
        proxy.destroy()
        return calls

    assert asyncio.run(changes()) == 1
    assert len(tree.notes()) == 100


def test_a_directory_that_replaces_another_brings_nothing_of_it_along(box: Box) -> None:
    box.ok("bash", command="mkdir old new && touch old/kept old/gone new/kept")
    shutil.rmtree(f"{box.root}/old")
    os.rename(f"{box.root}/new", f"{box.root}/old")
    assert box.ok("bash", command="ls old").strip() == "kept"


def test_a_directory_made_where_another_was_is_empty(box: Box) -> None:
    box.ok("bash", command="mkdir d && touch d/a d/b")
    os.rename(f"{box.root}/d", f"{box.root}/e")
    os.mkdir(f"{box.root}/d")
    assert box.ok("bash", command="echo d/* e/*").strip() == "d/* e/a e/b"


def test_a_restore_that_fails_half_way_is_taken_back(tree: Tree) -> None:
    tree.write("d/a.txt", "as it was")
    tree.write("link-to-be", "a file")
    snapshots = bridge.createSnapshots(tree.tracked)
    snapshots.capture()
    wanted = [
        ["d/a.txt"],
        ["d"],
        ["link-to-be", "symlink", 0o777, 0, "elsewhere"],
        ["new", "directory", 0o755, 0, ""],
        ["missing/link", "symlink", 0o777, 0, "elsewhere"],
    ]
    with pytest.raises(Exception, match="does not fit"):
        snapshots.restore(json.dumps(wanted))
    with open(tree.path("d/a.txt")) as file:
        assert file.read() == "as it was"
    with open(tree.path("link-to-be")) as file:
        assert file.read() == "a file"
    assert sorted(os.listdir(tree.root)) == ["d", "link-to-be"]
