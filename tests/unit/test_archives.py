"""Archives of a sandbox's tree: what goes in comes out, and how far it is."""

import asyncio
import errno
import os
import tarfile
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from io import BytesIO
from time import perf_counter

import pytest
from archive_makers import export, import_, tar_entry, tar_link, tar_of, tree, zip_entry, zip_link, zip_of
from conftest import Box
from inbrowser.sandbox import SandboxDestroyedError, SandboxError, create_sandbox, open_sandbox
from inbrowser.sandbox.archives.tar_writer import TarGzWriter
from inbrowser.sandbox.archives.zip_writer import ZipWriter
from inbrowser.sandbox.errors import (
    ArchiveConflictError,
    ArchiveEntryError,
    ArchiveError,
    CapabilityError,
    NotDirectoryError,
    PathLockedError,
    PathNotFoundError,
    PathOutsideRootError,
    ReadOnlyError,
)
from inbrowser.sandbox.files import DirectoryFileSystem, FileSystem

FORMATS = ["zip", "tar.gz"]
NAMES = [
    "with space",
    "trailing ",
    "q'uo\"te",
    "emoji \U0001f680",
    "new\nline",
    "-dash",
    "back\\slash",
    "C:colon*?",
    "caf\u00e9",
    "cafe\u0301",
    "Case",
    "case",
    ".hidden",
    "...",
    "x" * 255,
    "\u00e9" * 127,
    "__proto__",
]
SECOND = 1_234_567_890


@pytest.fixture
def other() -> Iterator[Box]:
    box = Box()
    yield box
    asyncio.run(box.sandbox.destroy())


def fill(box: Box) -> None:
    """Write everything that an archive has to keep."""
    for number, name in enumerate(NAMES):
        box.write(f"names/{name}", bytes([number]) * number)
    box.write("bytes.bin", bytes(range(256)) * 3000)
    box.write("noise.bin", os.urandom(700_000))
    box.write("zeros.bin", bytes(5_000_000))
    box.write("empty.txt", b"")
    box.write("run.sh", "#!/bin/sh\n")
    box.fs("mkdir", "nothing/in/here")
    os.symlink("../run.sh", f"{box.root}/names/link")
    os.symlink("nowhere", f"{box.root}/dangling")
    os.symlink("/project/names", f"{box.root}/absolute")
    os.symlink("loop", f"{box.root}/loop")
    os.chmod(f"{box.root}/run.sh", 0o755)
    os.chmod(f"{box.root}/empty.txt", 0o400)
    os.chmod(f"{box.root}/nothing/in", 0o700)
    for path in ("run.sh", "nothing", "names"):
        time = SECOND * 10**9 + 123_000_000
        os.utime(f"{box.root}/{path}", ns=(time, time))


@pytest.mark.parametrize("format", FORMATS)
def test_all_that_is_exported_is_imported(box: Box, other: Box, format: str) -> None:
    fill(box)
    report = import_(other, export(box, format))
    step = 100 if format == "zip" else 1
    assert tree(other, step) == tree(box, step)
    assert tree(other, 10**6)["nothing"][2] == SECOND * 1000 + 123
    assert report.format == format
    assert report.files == len(NAMES) + 5
    assert report.links == 4
    assert report.directories == 4
    assert report.bytes == sum(len(seen[3]) for seen in tree(box).values() if isinstance(seen[3], bytes))
    assert (report.replaced, report.skipped) == (0, 0)


@pytest.mark.parametrize("format", FORMATS)
def test_the_standard_library_reads_what_is_exported(box: Box, format: str) -> None:
    fill(box)
    data = export(box, format)
    if format == "zip":
        with zipfile.ZipFile(BytesIO(data)) as archive:
            assert archive.testzip() is None
            found = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
            assert archive.getinfo("run.sh").external_attr >> 16 == 0o100755
    else:
        with tarfile.open(fileobj=BytesIO(data)) as tar:
            found = {
                member.name: member.linkname.encode() if member.issym() else tar.extractfile(member).read()  # type: ignore
                for member in tar
                if not member.isdir()
            }
            assert tar.getmember("run.sh").mode == 0o755
            assert tar.getmember("run.sh").mtime == pytest.approx(SECOND + 0.123)
    expected = {path: seen[3] for path, seen in tree(box).items() if seen[0] != "directory"}
    assert found == {path: c.encode() if isinstance(c, str) else c for path, c in expected.items()}


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_tree_is_an_archive_too(box: Box, other: Box, format: str) -> None:
    report = import_(other, export(box, format))
    assert (report.files, report.directories, report.links) == (0, 0, 0)
    assert tree(other) == {}


@pytest.mark.parametrize("format", FORMATS)
def test_a_part_of_the_tree_is_exported_by_its_own_names(box: Box, other: Box, format: str) -> None:
    box.write("a/b/c.txt", "c")
    box.write("a/d.txt", "d")
    box.write("e.txt", "e")
    import_(other, export(box, format, "a"), "/project/new/place")
    import_(other, export(box, format, "a/b/c.txt"))
    assert set(tree(other)) == {
        "c.txt",
        "new",
        "new/place",
        "new/place/b",
        "new/place/b/c.txt",
        "new/place/d.txt",
    }


def test_a_top_folder_stays(box: Box) -> None:
    report = import_(box, zip_of(("repo-main/", b""), ("repo-main/a.txt", b"a")))
    assert box.bytes("repo-main/a.txt") == b"a"
    assert (report.files, report.directories) == (1, 1)


def test_data_comes_in_pieces_of_any_kind(box: Box, other: Box) -> None:
    box.write("a.bin", os.urandom(3000))
    data = export(box, "tar.gz")

    async def slowly() -> AsyncIterator[bytes]:
        for byte in data:
            yield bytes([byte])

    pieces = [b"", data[:1], bytearray(data[1:700]), memoryview(data)[700:]]
    for number, source in enumerate([data, memoryview(data), slowly(), iter(pieces)]):
        import_(other, source, str(number))
        assert other.bytes(f"{number}/a.bin") == box.bytes("a.bin")
    with pytest.raises(SandboxError, match="pieces of bytes, not as str"):
        import_(other, ["text"])


@pytest.mark.parametrize("format", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_tars_of_every_dialect_are_read(box: Box, format: int, mode: str) -> None:
    long = "/".join(["d" * 40] * 5)
    names = ["plain", long] + ([] if format == tarfile.USTAR_FORMAT else ["caf\u00e9" * 40])
    entries = [tar_entry(name, name.encode(), mode=0o750) for name in names]
    report = import_(box, tar_of(tar_entry("./", type=tarfile.DIRTYPE), *entries, mode=mode, format=format))
    assert report.format == ("tar" if mode == "w" else "tar.gz")
    assert report.skipped == 1
    for name in names:
        assert box.bytes(name) == name.encode()
    assert os.stat(f"{box.root}/plain").st_mode & 0o777 == 0o750


def test_hard_links_become_copies(box: Box) -> None:
    archive = tar_of(
        tar_entry("a", b"content", mode=0o755),
        tar_link("d/b", "a", tarfile.LNKTYPE),
        tar_link("l", "a"),
        tar_link("m", "l", tarfile.LNKTYPE),
    )
    report = import_(box, archive)
    assert (report.files, report.links, report.bytes) == (2, 2, 14)
    box.write("a", "changed")
    assert box.bytes("d/b") == b"content"
    assert os.readlink(f"{box.root}/m") == "a"


def test_gzip_of_several_members_and_padding_is_read(box: Box, other: Box) -> None:
    import gzip

    tar = tar_of(tar_entry("a", b"x" * 5000))
    data = b"".join(gzip.compress(tar[at : at + 3000]) for at in range(0, len(tar), 3000)) + bytes(512)
    import_(box, data)
    assert box.bytes("a") == b"x" * 5000


def test_the_last_of_several_entries_with_one_path_counts(box: Box) -> None:
    report = import_(box, tar_of(tar_entry("a", b"old"), tar_entry("b", b""), tar_entry("./a", b"newer")))
    assert box.bytes("a") == b"newer"
    assert (report.files, report.bytes, report.skipped) == (2, 5, 1)


def test_names_of_old_zips_are_understood(box: Box) -> None:
    def raw(name: bytes) -> bytes:
        return zip_of(("n" * len(name), b"x")).replace(b"n" * len(name), name)

    import_(box, raw("caf\u00e9".encode("cp437")))
    import_(box, raw("na\u00efve".encode()))
    assert set(tree(box)) == {"caf\u00e9", "na\u00efve"}


def test_zips_without_unix_modes_get_usual_ones(box: Box) -> None:
    import_(box, zip_of((zip_entry("d/", 0, system=0), b""), (zip_entry("f", 0o4777, system=0), b"f")))
    assert os.stat(f"{box.root}/f").st_mode & 0o7777 == 0o644
    import_(box, zip_of((zip_entry("suid", 0o104755), b"")))
    assert os.stat(f"{box.root}/suid").st_mode & 0o7777 == 0o755


def test_what_exists_is_an_error_or_replaced(box: Box) -> None:
    archive = zip_of(*((f"d/f{number}", b"new") for number in range(8)))
    for number in range(7):
        box.write(f"d/f{number}", "old")
    os.unlink(f"{box.root}/d/f1")
    os.symlink("f0", f"{box.root}/d/f1")
    os.chmod(f"{box.root}/d/f2", 0o755)
    before = tree(box)
    with pytest.raises(ArchiveConflictError, match=r"'d/f0', .*'d/f4' and 2 more are .*overwrite"):
        import_(box, archive)
    assert tree(box) == before
    report = import_(box, archive, on_conflict="overwrite")
    assert report.replaced == 7
    assert report.directories == 0
    assert {path: seen[3] for path, seen in tree(box).items() if path != "d"} == {
        f"d/f{number}": b"new" for number in range(8)
    }
    assert {path: seen[0] for path, seen in tree(box).items() if path != "d"} == {
        f"d/f{number}": "file" for number in range(8)
    }
    import_(box, tar_of(tar_link("d/f0", "f1")), on_conflict="overwrite")
    assert os.readlink(f"{box.root}/d/f0") == "f1"


def test_files_and_directories_never_replace_each_other(box: Box) -> None:
    box.write("d/f", "x")
    before = tree(box)
    with pytest.raises(ArchiveConflictError, match="'d' is a directory in the sandbox and a file"):
        import_(box, zip_of(("a", b""), ("d", b"")), on_conflict="overwrite")
    with pytest.raises(ArchiveConflictError, match="'d/f' is a file in the sandbox and a directory"):
        import_(box, zip_of(("a", b""), ("d/f/x", b"")), on_conflict="overwrite")
    assert tree(box) == before


def test_an_import_is_told_as_changes_of_files(box: Box) -> None:
    box.write("old", "1")
    box.events.clear()
    import_(box, zip_of(("d/new", b"n"), ("old", b"2")), on_conflict="overwrite")
    told = {(event.change, event.path) for event in box.told("file")}
    assert told == {("created", "d"), ("created", "d/new"), ("modified", "old")}


@pytest.mark.parametrize("format", FORMATS)
def test_progress_is_told_up_to_the_end(box: Box, other: Box, format: str) -> None:
    for number in range(30):
        box.write(f"{number}", os.urandom(200_000))
    started = perf_counter()
    import_(other, export(box, format))
    most = 2 + (perf_counter() - started) / 0.05 + 2
    for events, direction in ((box.events, "export"), (other.events, "import")):
        told = [event for event in events if event.type == "archive:progress"]
        assert 2 <= len(told) <= most
        assert {event.direction for event in told} == {direction}
        assert len({event.archive_id for event in told}) == 1
        assert [event.finished for event in told] == [False] * (len(told) - 1) + [True]
        counts = [(event.files_done, event.bytes_done) for event in told]
        assert counts == sorted(counts)
        last = told[-1]
        assert (last.files_done, last.files_total) == (30, 30)
        assert (last.bytes_done, last.bytes_total) == (6_000_000, 6_000_000)
        assert last.error is None


def test_a_failed_import_says_so_in_its_last_event(box: Box) -> None:
    with pytest.raises(ArchiveError) as raised:
        import_(box, b"no archive")
    [*_, last] = box.told("archive:progress")
    assert last.finished
    assert last.error == str(raised.value)


def test_bad_arguments_are_refused(box: Box) -> None:
    box.write("f", "x")
    with pytest.raises(SandboxError, match="no archive format 'rar'"):
        export(box, "rar")
    with pytest.raises(PathNotFoundError, match="nothing"):
        export(box, "zip", "nothing")
    with pytest.raises(PathOutsideRootError):
        export(box, "zip", "../..")
    with pytest.raises(SandboxError, match="no archive format 'rar'"):
        import_(box, b"", format="rar")
    with pytest.raises(SandboxError, match="'error' or 'overwrite', not 'ask'"):
        import_(box, b"", on_conflict="ask")
    with pytest.raises(NotDirectoryError, match="f is a file"):
        import_(box, zip_of(), "f")
    with pytest.raises(PathOutsideRootError):
        import_(box, zip_of(), "../out")


def test_a_sandbox_that_cannot_write_or_is_gone_refuses(box: Box) -> None:
    box.write("f", "x")
    reader = create_sandbox(fs=DirectoryFileSystem(box.root), capabilities=["read"])
    with pytest.raises(CapabilityError, match="cannot write"):
        asyncio.run(reader.import_archive(zip_of(("g", b""))))

    async def first() -> bytes:
        return b"".join([piece async for piece in reader.export_archive()])

    assert zipfile.ZipFile(BytesIO(asyncio.run(first()))).namelist() == ["f"]
    asyncio.run(reader.destroy())
    with pytest.raises(SandboxDestroyedError):
        asyncio.run(first())
    with pytest.raises(SandboxDestroyedError):
        asyncio.run(reader.import_archive(zip_of()))
    assert set(tree(box)) == {"f"}


def test_files_in_no_directory_have_no_archives(box: Box) -> None:
    class Foreign(FileSystem):
        pass

    sandbox = create_sandbox(fs=Foreign())  # type: ignore[abstract]
    with pytest.raises(CapabilityError, match="in no directory"):
        sandbox.export_archive()
    with pytest.raises(CapabilityError, match="in no directory"):
        asyncio.run(sandbox.import_archive(zip_of()))


@pytest.mark.parametrize("format", FORMATS)
def test_destroying_the_sandbox_ends_an_export(format: str) -> None:
    async def run() -> None:
        sandbox = await open_sandbox()
        await sandbox.fs.write("a", os.urandom(3_000_000))
        pieces = sandbox.export_archive(format)  # type: ignore[arg-type]
        assert await anext(pieces)
        await sandbox.destroy()
        with pytest.raises(SandboxDestroyedError):
            async for _ in pieces:
                pass

    asyncio.run(run())


class Failing(DirectoryFileSystem):
    """A disk that does something bad after twenty files."""

    def __init__(self, root: str, bad: Callable[[], None]) -> None:
        super().__init__(root)
        self._bad = bad
        self._left = 20

    def exchange(self, outside: str, inside: str) -> None:
        self._left -= 1
        if self._left == 0:
            self._bad()
        super().exchange(outside, inside)


def full_disk() -> None:
    raise OSError(errno.ENOSPC, "no space")


@pytest.mark.parametrize("how", ["cancelled", "full"])
def test_an_import_that_ends_while_it_moves_files_changes_nothing(box: Box, how: str) -> None:
    box.write("d/3", "keep")
    box.write("d/4", "keep")
    box.write("real", "keep")
    os.symlink("real", f"{box.root}/d/5")
    os.chmod(f"{box.root}/d/3", 0o755)
    box.write("d/link", "keep")
    before = tree(box)
    links = [zip_link("d/link", "elsewhere"), zip_link("new/link", "x")]
    archive = zip_of(*links, *((f"d/{number}", b"new") for number in range(300)), ("e/f/g", b""))

    async def run() -> None:
        if how == "full":
            sandbox = create_sandbox(fs=Failing(box.root, full_disk))
            with pytest.raises(SandboxError, match="no space is left"):
                await sandbox.import_archive(archive, on_conflict="overwrite")
        else:
            sandbox = create_sandbox(fs=Failing(box.root, lambda: work.cancel() and None))
            work = asyncio.ensure_future(sandbox.import_archive(archive, on_conflict="overwrite"))
            with pytest.raises(asyncio.CancelledError):
                await work

    asyncio.run(run())
    # A directory's time tells that something was in it for a moment.
    after = tree(box)
    before["d"] = after["d"]
    assert after == before


def test_what_is_locked_stays_as_it_is(box: Box) -> None:
    box.write("d/f", "old")
    lock = box.sandbox.locks.add("d/f", by="a test")
    before = tree(box)
    archive = zip_of(("a", b""), ("d/f", b"new"))
    with pytest.raises(PathLockedError, match="d/f is locked by a test"):
        import_(box, archive, on_conflict="overwrite")
    with pytest.raises(PathLockedError, match="d/f is locked by a test"):
        import_(box, zip_of(("f", b"new")), "d", on_conflict="overwrite")
    assert tree(box) == before
    box.sandbox.locks.remove(lock.id)
    box.sandbox.locks.set_read_only("just looking")
    with pytest.raises(ReadOnlyError, match="just looking"):
        import_(box, archive, on_conflict="overwrite")
    assert tree(box) == before
    box.sandbox.locks.set_read_only(None)
    assert import_(box, archive, on_conflict="overwrite").replaced == 1


def test_a_lock_that_comes_while_files_move_takes_all_back(box: Box) -> None:
    box.write("f0", "old")
    before = tree(box)
    fs = box.sandbox._parts.fs
    assert isinstance(fs, DirectoryFileSystem)
    exchange, left = fs.exchange, 20

    class Locking(type(fs)):  # type: ignore[misc]
        def exchange(self, outside: str, inside: str) -> None:
            nonlocal left
            left -= 1
            if left == 0:
                box.sandbox.locks.set_read_only("enough")
            exchange(outside, inside)

    fs.__class__ = Locking
    with pytest.raises((ReadOnlyError, PathLockedError), match=r"enough|may be changed"):
        import_(box, zip_of(*((f"f{n}", b"new") for n in range(50))), on_conflict="overwrite")
    assert tree(box) == before


def test_checkpoints_keep_what_an_import_replaced(box: Box) -> None:
    box.write("f", b"old " * 1000)
    checkpoint = asyncio.run(box.sandbox.checkpoints.create())
    import_(box, zip_of(("f", b"new" * 2000), ("g", b"")), on_conflict="overwrite")
    newer = asyncio.run(box.sandbox.checkpoints.create())
    asyncio.run(box.sandbox.checkpoints.restore(checkpoint.id))
    assert {path: seen[3] for path, seen in tree(box).items()} == {"f": b"old " * 1000}
    asyncio.run(box.sandbox.checkpoints.restore(newer.id))
    assert box.bytes("f") == b"new" * 2000


def test_an_abandoned_export_is_told_as_stopped(box: Box) -> None:
    box.write("a", os.urandom(3_000_000))

    async def run() -> None:
        pieces = box.sandbox.export_archive()
        await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())
    assert box.told("archive:progress")[-1].error == "stopped"


def test_others_have_their_turn_meanwhile(box: Box, other: Box) -> None:
    box.write("noise", os.urandom(8_000_000))
    os.mkdir(f"{box.root}/d")
    for number in range(2000):
        with open(f"{box.root}/d/{number}", "w") as file:
            file.write("x" * 100)

    async def run() -> int:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.ensure_future(count())
        data = [piece async for piece in box.sandbox.export_archive("tar.gz")]
        exported = turns
        await other.sandbox.import_archive(iter(data))
        counting.cancel()
        assert max(map(len, data)) < 1_000_000
        return min(exported, turns - exported)

    assert asyncio.run(run()) > 10


def test_what_goes_while_it_is_exported_is_left_out(box: Box) -> None:
    box.write("a", os.urandom(1_000_000))
    box.write("b/gone", "x")
    box.write("c/moved", "x")
    box.write("z", "x")

    async def run() -> bytes:
        pieces = box.sandbox.export_archive()
        data = await anext(pieces)
        await box.sandbox.fs.remove("b/gone")
        await box.sandbox.fs.rename("c", "secret")
        # Another tree's files must not come in through a link that was put in place of a directory.
        os.symlink("secret", f"{box.root}/c")
        return data + b"".join([piece async for piece in pieces])

    names = zipfile.ZipFile(BytesIO(asyncio.run(run()))).namelist()
    assert "a" in names
    assert "z" in names
    assert "b/gone" not in names
    assert "c/moved" not in names


@pytest.mark.cpython
def test_pipes_are_not_exported(box: Box) -> None:
    os.mkfifo(f"{box.root}/pipe")
    with pytest.raises(ArchiveEntryError, match="'pipe' is a device or a pipe"):
        export(box)


def test_writers_are_given_what_they_need() -> None:
    assert b"".join(ZipWriter().end()) == zip_of()
    with tarfile.open(fileobj=BytesIO(b"".join(TarGzWriter().end()))) as archive:
        assert archive.getnames() == []
