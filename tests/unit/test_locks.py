"""Locks: refused for whoever tries, with a message that says who locked."""

import asyncio
import os
import re

import pytest
from conftest import Box
from inbrowser.sandbox.errors import PathLockedError, ReadOnlyError, SandboxError
from inbrowser.sandbox.locks import expression


@pytest.mark.parametrize(
    ("pattern", "locked", "free"),
    [
        ("README.md", ["README.md", "README.md/x"], ["docs/README.md", "README.md2", "READMEXmd"]),
        ("/project/src", ["src", "src/a/b.py"], ["src2", "lib/src"]),
        ("*.lock", ["a.lock", "deep/down/b.lock"], ["a.lock2", "lock"]),
        ("src/**/*.py", ["src/a.py", "src/b/c.py"], ["a.py", "src/a.js"]),
        ("a b-c#.txt", ["a b-c#.txt"], ["a b-c.txt"]),
        ("data/[ab]?.csv", ["data/a1.csv"], ["data/c1.csv", "data/a.csv"]),
        ("é😀", ["é😀"], ["é"]),
        (".", ["anything", "at/all"], []),
    ],
)
def test_a_pattern_locks_what_it_says(pattern: str, locked: list[str], free: list[str]) -> None:
    matcher = re.compile(expression(pattern), re.DOTALL)
    assert [path for path in locked if not matcher.match(path)] == []
    assert [path for path in free if matcher.match(path)] == []


@pytest.mark.parametrize("pattern", ["", "!*.py", "../x", "# *"])
def test_what_locks_nothing_is_refused(box: Box, pattern: str) -> None:
    with pytest.raises(SandboxError):
        box.sandbox.locks.add(pattern)
    assert box.sandbox.locks.list() == []


def test_a_locked_file_is_refused_to_tools_and_host_alike(box: Box) -> None:
    box.write("src/app.py", "print(1)\n")
    lock = box.sandbox.locks.add("src/app.py", by="Ada", reason="under review")
    for text in (
        box.refused("write", path="src/app.py", content="x"),
        box.refused("edit", path="src/app.py", edits=[{"old_text": "1", "new_text": "2"}]),
    ):
        assert "src/app.py is locked by Ada (under review)" in text
    for method, arguments in {
        "write": ("src/app.py", b"x"),
        "remove": ("src/app.py",),
        "rename": ("src/app.py", "other.py"),
    }.items():
        with pytest.raises(PathLockedError, match="locked by Ada"):
            box.fs(method, *arguments)
    with pytest.raises(PathLockedError, match="locked by Ada"):
        box.fs("remove", "src", recursive=True)
    with pytest.raises(PathLockedError, match="locked by Ada"):
        box.fs("rename", "src", "lib")
    assert box.bytes("src/app.py") == b"print(1)\n"
    box.sandbox.locks.remove(lock.id)
    assert box.call("write", path="src/app.py", content="x").ok


def test_a_lock_holds_through_a_link(box: Box) -> None:
    box.write("secret.txt", "mine")
    os.symlink("secret.txt", f"{box.root}/way-in")
    box.sandbox.locks.add("secret.txt", by="Ada")
    with pytest.raises(PathLockedError, match="Ada"):
        box.fs("write", "way-in", "yours")
    assert box.bytes("secret.txt") == b"mine"


def test_a_locked_pattern_stops_new_files_too(box: Box) -> None:
    box.sandbox.locks.add("generated/**", by="the build")
    with pytest.raises(PathLockedError, match=r"generated/new\.txt is locked by the build"):
        box.fs("write", "generated/new.txt", "x")
    assert not box.fs("exists", "generated/new.txt")


def test_a_read_only_sandbox_says_why(box: Box) -> None:
    box.write("a.txt", "x")
    box.sandbox.locks.set_read_only("this is a plan: nothing is changed before you agree")
    assert "this is a plan" in box.refused("write", path="a.txt", content="y")
    with pytest.raises(ReadOnlyError, match="this is a plan"):
        box.fs("mkdir", "b")
    assert box.ok("read", path="a.txt").endswith("x")
    box.sandbox.locks.set_read_only(None)
    box.write("a.txt", "y")


def test_an_unknown_lock_is_named(box: Box) -> None:
    with pytest.raises(SandboxError, match="lock-nobody"):
        box.sandbox.locks.remove("lock-nobody")


def test_locks_are_listed_with_who_and_why(box: Box) -> None:
    box.sandbox.locks.add("a", by="Ada")
    box.sandbox.locks.add("*.b", by="Bob", reason="why not")
    assert [(each.pattern, each.by, each.reason) for each in box.sandbox.locks.list()] == [
        ("a", "Ada", None),
        ("*.b", "Bob", "why not"),
    ]
    asyncio.run(box.sandbox.save())
