"""The scanning change feed: what it tells of a directory that anybody changes."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from inbrowser.sandbox.changes import ScanningChanges


def write(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda root: write(root / "new.txt"), ["created new.txt"]),
        (lambda root: write(root / "a.txt", "2"), ["modified a.txt"]),
        (lambda root: write(root / "n/e/w.txt"), ["created n", "created n/e", "created n/e/w.txt"]),
        (lambda root: os.remove(root / "a.txt"), ["deleted a.txt"]),
        (lambda root: shutil.rmtree(root / "d"), ["deleted d/e/f.txt", "deleted d/e", "deleted d"]),
        (lambda root: os.rename(root / "a.txt", root / "b.txt"), ["renamed b.txt from a.txt"]),
        (lambda root: os.rename(root / "d", root / "g"), ["renamed g from d"]),
        (lambda root: os.rename(root / "d/e/f.txt", root / "f.txt"), ["renamed f.txt from d/e/f.txt"]),
        (lambda root: os.symlink("a.txt", root / "link"), ["created link"]),
        (lambda root: None, []),
    ],
)
def test_each_change_is_told(tmp_path: Path, change: Callable[[Path], None], told: list[str]) -> None:
    write(tmp_path / "a.txt", "1")
    write(tmp_path / "d/e/f.txt")
    feed = ScanningChanges(str(tmp_path))
    assert feed.drain() == []
    change(tmp_path)
    lines = [f"{c.kind} {c.path}" + (f" from {c.old_path}" if c.old_path else "") for c in feed.drain()]
    assert lines == told
    assert feed.drain() == []


def test_a_file_that_becomes_a_directory_is_deleted_and_created(tmp_path: Path) -> None:
    write(tmp_path / "a")
    feed = ScanningChanges(str(tmp_path))
    os.remove(tmp_path / "a")
    write(tmp_path / "a/b")
    assert [(c.kind, c.path) for c in feed.drain()] == [
        ("deleted", "a"),
        ("created", "a"),
        ("created", "a/b"),
    ]


def test_writes_of_the_same_size_in_quick_succession_are_all_told(tmp_path: Path) -> None:
    write(tmp_path / "a", "0")
    feed = ScanningChanges(str(tmp_path))
    for n in range(1, 10):
        write(tmp_path / "a", str(n))
        assert [(c.kind, c.path) for c in feed.drain()] == [("modified", "a")]
