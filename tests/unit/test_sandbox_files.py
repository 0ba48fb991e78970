"""The file system: every kind of path, and that none of them leads out."""

import asyncio
import os

import pytest
from conftest import Box
from inbrowser.sandbox.errors import (
    DirectoryNotEmptyError,
    FileDecodeError,
    InvalidPathError,
    IsDirectoryError,
    NotDirectoryError,
    PathExistsError,
    PathNotFoundError,
    PathOutsideRootError,
    SandboxError,
)
from inbrowser.sandbox.files import FileStat

STRANGE = [
    "with space",
    "q'uo\"te",
    "emoji \U0001f680",
    "new\nline",
    "-dash",
    "back\\slash",
    "caf\u00e9",
    "cafe\u0301",
]


def test_what_is_written_is_read(box: Box) -> None:
    box.fs("write", "a/b/c.txt", "hi \u00e9\r\n")
    box.fs("write", "/project/d.bin", b"\x00\xff")
    assert box.fs("read_text", "/project/a/b/c.txt") == "hi \u00e9\r\n"
    assert box.fs("read_bytes", "./a//b/../b/c.txt") == b"hi \xc3\xa9\r\n"
    assert box.fs("read_bytes", "d.bin", start=1) == b"\xff"
    assert box.fs("read_bytes", "a/b/c.txt", start=3, size=2) == "\u00e9".encode()
    assert box.fs("read_bytes", "d.bin", start=9, size=2) == b""


def test_writing_again_replaces_the_whole_file(box: Box) -> None:
    box.fs("write", "a.txt", "a long text")
    box.fs("write", "a.txt", "short")
    assert box.fs("read_text", "a.txt") == "short"


def test_a_directory_is_listed_by_name_with_what_each_entry_is(box: Box) -> None:
    box.fs("write", "d/b.txt", "abc")
    box.fs("write", "d/a/x", "")
    os.symlink("b.txt", f"{box.root}/d/c")
    listed: list[FileStat] = box.fs("list", "d")
    assert [(entry.path, entry.kind) for entry in listed] == [
        ("d/a", "directory"),
        ("d/b.txt", "file"),
        ("d/c", "symlink"),
    ]
    assert listed[1].size == 3
    assert listed[1].mode & 0o600 == 0o600
    assert [entry.path for entry in box.fs("list")] == ["d"]
    assert box.fs("stat", "d/c").path == "d/b.txt"
    assert box.fs("stat", ".").path == "."
    assert box.fs("scan", "d") == (["b.txt"], ["a"], ["c"])


def test_strange_names_are_kept_byte_for_byte(box: Box) -> None:
    for name in STRANGE:
        box.fs("write", f"d/{name}", name)
    assert {entry.path for entry in box.fs("list", "d")} == {f"d/{name}" for name in STRANGE}
    for name in STRANGE:
        assert box.fs("read_text", f"d/{name}") == name


@pytest.mark.parametrize("path", ["../x", "a/../../x", "/etc/passwd", "/", "/projects/x", "/project/../x"])
@pytest.mark.parametrize("method", ["read_bytes", "read_text", "list", "stat", "exists", "mkdir", "remove"])
def test_paths_that_lead_out_are_refused(box: Box, method: str, path: str) -> None:
    with pytest.raises(PathOutsideRootError, match="leads out of the sandbox's root"):
        box.fs(method, path)


def test_writing_and_moving_out_is_refused(box: Box) -> None:
    box.fs("write", "a.txt", "a")
    with pytest.raises(PathOutsideRootError):
        box.fs("write", "../x", "x")
    with pytest.raises(PathOutsideRootError):
        box.fs("write", "/lib/python3.14/os.py", "x")
    with pytest.raises(PathOutsideRootError):
        box.fs("rename", "a.txt", "../x")
    with pytest.raises(PathOutsideRootError):
        box.fs("rename", "../x", "b.txt")


@pytest.mark.parametrize(
    "target", ["/", "/etc", "../..", "../../etc", "/lib/no/such/thing", "inner/../../.."]
)
def test_links_that_lead_out_are_refused(box: Box, target: str) -> None:
    box.fs("mkdir", "d/inner")
    os.symlink(target, f"{box.root}/d/link")
    for method in ("read_bytes", "list", "stat", "exists", "mkdir"):
        with pytest.raises(PathOutsideRootError):
            box.fs(method, "d/link/x" if method != "list" else "d/link")
    with pytest.raises(PathOutsideRootError):
        box.fs("write", "d/link", "x")
    assert "leads out of the sandbox's root" in box.refused("read", path="d/link/passwd")
    assert "leads out of the sandbox's root" in box.refused("write", path="d/link/x", content="x")
    assert "leads out of the sandbox's root" in box.refused("edit", path="d/link", old_text="a", new_text="b")
    box.fs("remove", "d/link")
    assert [entry.path for entry in box.fs("list", "d")] == ["d/inner"]


def test_links_inside_are_followed(box: Box) -> None:
    box.fs("write", "real/f.txt", "one")
    os.symlink("real", f"{box.root}/rel")
    os.symlink("/project/real/f.txt", f"{box.root}/abs")
    os.symlink(f"{box.root}/real", f"{box.root}/os")
    os.symlink("real/new.txt", f"{box.root}/dangling")
    assert box.fs("read_text", "rel/f.txt") == "one"
    assert box.fs("read_text", "abs") == "one"
    assert box.fs("read_text", "os/../rel/./f.txt") == "one"
    assert not box.fs("exists", "dangling")
    box.fs("write", "dangling", "two")
    assert box.fs("read_text", "real/new.txt") == "two"
    box.fs("write", "abs", "three")
    assert box.fs("read_text", "real/f.txt") == "three"


def test_links_in_a_circle_are_refused(box: Box) -> None:
    os.symlink("b", f"{box.root}/a")
    os.symlink("a", f"{box.root}/b")
    with pytest.raises(InvalidPathError, match="too many symbolic links"):
        box.fs("read_bytes", "a")
    box.fs("rename", "a", "c")
    assert [entry.path for entry in box.fs("list")] == ["b", "c"]


@pytest.mark.parametrize("path", ["", "a\0b", "x" * 300, "d/" + "\u00e9" * 130, "\ud800"])
def test_paths_that_no_file_can_have_are_refused(box: Box, path: str) -> None:
    with pytest.raises(InvalidPathError):
        box.fs("read_bytes", path)
    with pytest.raises(InvalidPathError):
        box.fs("write", path, "x")
    assert len(box.refused("write", path=path, content="x")) < 300


def test_each_cause_has_its_own_error(box: Box) -> None:
    box.fs("write", "d/f.txt", b"caf\xe9")
    with pytest.raises(PathNotFoundError, match=r"d/x\.txt"):
        box.fs("read_bytes", "d/x.txt")
    with pytest.raises(PathNotFoundError):
        box.fs("list", "nothing")
    with pytest.raises(PathNotFoundError):
        box.fs("remove", "nothing")
    with pytest.raises(PathNotFoundError):
        box.fs("rename", "nothing", "x")
    with pytest.raises(IsDirectoryError):
        box.fs("read_bytes", "d")
    with pytest.raises(IsDirectoryError):
        box.fs("write", "d", "x")
    with pytest.raises(NotDirectoryError):
        box.fs("list", "d/f.txt")
    with pytest.raises(NotDirectoryError):
        box.fs("write", "d/f.txt/x", "x")
    with pytest.raises(DirectoryNotEmptyError):
        box.fs("remove", "d")
    with pytest.raises(FileDecodeError, match=r"d/f\.txt is not UTF-8 text \(byte 0xe9 at 3\)"):
        box.fs("read_text", "d/f.txt")
    with pytest.raises(PathExistsError):
        box.fs("mkdir", "d/f.txt")
    with pytest.raises(PathExistsError):
        box.fs("mkdir", "d", parents=False)
    with pytest.raises(PathNotFoundError):
        box.fs("mkdir", "no/such", parents=False)
    with pytest.raises(InvalidPathError):
        box.fs("remove", ".", recursive=True)
    with pytest.raises(InvalidPathError):
        box.fs("rename", "d", "d/inside")
    with pytest.raises(SandboxError, match="half of a surrogate pair"):
        box.fs("write", "s.txt", "\udc80")
    assert not box.fs("exists", "s.txt")
    assert not box.fs("exists", "d/f.txt/x")


def test_moving_and_removing(box: Box) -> None:
    box.fs("write", "a/f.txt", "one")
    box.fs("write", "g.txt", "two")
    box.fs("rename", "a/f.txt", "new/deep/f.txt")
    assert box.fs("read_text", "new/deep/f.txt") == "one"
    box.fs("rename", "g.txt", "new/deep/f.txt")
    assert box.fs("read_text", "new/deep/f.txt") == "two"
    box.fs("rename", "new", "old")
    assert box.fs("exists", "old/deep/f.txt")
    box.fs("mkdir", "a")
    box.fs("remove", "a")
    box.fs("remove", "old", recursive=True)
    assert box.fs("list") == []


def test_many_files_are_read_at_once_and_what_is_gone_is_left_out(box: Box) -> None:
    box.fs("write", "d/a", "x" * 200_000)
    box.fs("write", "d/b", "b")
    os.symlink("/etc/passwd", f"{box.root}/d/link")

    async def read() -> dict[str, bytes]:
        files = box.sandbox.fs.read_files("d", ["a", "gone", "link", "b"], limit=100_000)
        return {name: data async for name, data in files}

    assert asyncio.run(read()) == {"a": b"x" * 100_000, "b": b"b"}
