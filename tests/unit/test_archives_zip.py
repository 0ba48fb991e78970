"""The zip format where it is hard: 64-bit sizes, many entries, and what real programs make of it."""

import os
import shutil
import struct
import subprocess
import time
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from archive_makers import export, import_, tree
from conftest import Box
from inbrowser.sandbox.archives.entries import Entry
from inbrowser.sandbox.archives.spool import Spool
from inbrowser.sandbox.archives.zip_layout import moment, times
from inbrowser.sandbox.archives.zip_reader import ZipReader
from inbrowser.sandbox.archives.zip_writer import ZipWriter


def written(entries: list[Entry], large: int = 2**40) -> bytes:
    writer = ZipWriter(large)
    pieces = [piece for entry in entries for piece in writer.entry(entry)]
    return b"".join([*pieces, *writer.end()])


def file(name: str, data: bytes) -> Entry:
    return Entry(name, "file", 0o644, 0, len(data), content=lambda: iter([data[:500_000], data[500_000:]]))


def read(tmp_path: Path, data: bytes) -> Iterator[Entry]:
    spool = Spool(str(tmp_path), len(data))
    spool.append(data)
    try:
        yield from ZipReader(spool).entries()
    finally:
        spool.close()


def test_large_files_get_64_bit_sizes(tmp_path: Path) -> None:
    content = os.urandom(300_000) + bytes(300_000)
    data = written([file("a", content), file("small", b"s")], large=500_000)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.read("a") == content
        assert archive.getinfo("a").extract_version == 45
        assert archive.getinfo("small").extract_version == 20
    found = {entry.path: b"".join(entry.content()) for entry in read(tmp_path, data)}
    assert found == {"a": content, "small": b"s"}


def test_more_than_65535_entries(tmp_path: Path) -> None:
    data = written([Entry(f"d{number}", "directory", 0o755, 0) for number in range(66_000)])
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert len(archive.namelist()) == 66_000
    assert sum(entry.kind == "directory" for entry in read(tmp_path, data)) == 66_000


def test_64_bit_sizes_of_other_programs_are_read(box: Box) -> None:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("a", "w", force_zip64=True) as target:
            target.write(b"x" * 1000)
        archive.getinfo("a").file_size = 1000
    import_(box, buffer.getvalue())
    assert box.bytes("a") == b"x" * 1000


def test_a_spool_reads_across_its_files(tmp_path: Path) -> None:
    spool = Spool(str(tmp_path), 50_000_000)
    piece = bytes(range(250)) * 4000
    for _ in range(33):
        spool.append(piece)
    assert spool.size == 33_000_000
    assert len(list(tmp_path.iterdir())) == 3
    assert spool.pread(15_999_999, 3) == bytes([249, 0, 1])
    assert spool.pread(0, 33_000_000) == piece * 33
    assert spool.pread(33_000_000, 5) == b""
    spool.close()


@pytest.mark.parametrize(
    "ns",
    [
        0,
        -1_500_000_000,
        1_234_567_890_123_456_700,
        2**31 * 10**9 + 100,
        -(2**31) * 10**9,
        7_000_000_000 * 10**9,
    ],
)
def test_times_are_kept_to_100_nanoseconds(ns: int) -> None:
    from inbrowser.sandbox.archives.zip_layout import fields_of

    clock, date, extra = times(ns)
    assert 0 <= clock <= 0xFFFF
    assert 0 <= date <= 0xFFFF
    assert moment(clock, date, fields_of(extra)) == ns


def test_times_come_from_the_best_field_there_is() -> None:
    stamp = struct.pack("<Bl", 1, 1_000_000_001)
    assert moment(0, 0, {0x5455: stamp}) == 1_000_000_001 * 10**9
    assert moment(0, 0, {0x5455: b"\0"}) == int(time.mktime((1980, 1, 1, 0, 0, 0, 0, 0, -1))) * 10**9
    assert moment(0xFFFF, 0xFFFF, {}) > 0


@pytest.mark.cpython
@pytest.mark.parametrize("format", ["zip", "tar.gz"])
def test_real_programs_unpack_what_is_exported(box: Box, tmp_path: Path, format: str) -> None:
    program = "unzip" if format == "zip" else "tar"
    if not shutil.which(program):
        pytest.skip(f"there is no {program} here")
    names = ["with space", "q'uo\"te", "new\nline", "-dash", "caf\u00e9", "cafe\u0301", "x" * 255]
    for name in names:
        box.write(f"d/{name}", name)
    box.write("large.bin", os.urandom(1_000_000) + bytes(2_000_000))
    box.write("run.sh", "#!/bin/sh\n")
    os.chmod(f"{box.root}/run.sh", 0o755)
    os.utime(f"{box.root}/run.sh", (1_234_567_891, 1_234_567_891))
    box.fs("mkdir", "empty/folder")
    os.symlink("d/-dash", f"{box.root}/link")
    archive, target = tmp_path / f"a.{format}", tmp_path / "out"
    archive.write_bytes(export(box, format))
    target.mkdir()
    command = (
        ["unzip", "-q", archive, "-d", target] if format == "zip" else ["tar", "-xzf", archive, "-C", target]
    )
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (result.returncode, result.stderr) == (0, "")
    for name in names:
        # unzip takes control characters out of names.
        unpacked = name.replace("\n", "") if format == "zip" else name
        assert (target / "d" / unpacked).read_text() == name
    assert (target / "large.bin").read_bytes() == box.bytes("large.bin")
    assert (target / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (target / "run.sh").stat().st_mtime == 1_234_567_891
    assert os.readlink(target / "link") == "d/-dash"
    assert (target / "empty" / "folder").is_dir()


@pytest.mark.cpython
@pytest.mark.parametrize(
    "command",
    [
        ["zip", "-qry", "{}", "."],
        ["zip", "-qry0", "{}", "."],
        ["tar", "-czf", "{}", "."],
        ["tar", "--format=pax", "-cf", "{}", "."],
        ["tar", "--format=gnu", "-czf", "{}", "."],
        ["tar", "--format=ustar", "-cf", "{}", "."],
    ],
    ids=" ".join,
)
def test_what_real_programs_pack_is_imported(box: Box, tmp_path: Path, command: list[str]) -> None:
    if not shutil.which(command[0]):
        pytest.skip(f"there is no {command[0]} here")
    source = tmp_path / "source"
    (source / "empty" / "folder").mkdir(parents=True)
    (source / "caf\u00e9 \U0001f680").write_bytes(b"cake")
    (source / "-dash").write_bytes(os.urandom(400_000))
    (source / "run.sh").write_bytes(b"#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    os.utime(source / "run.sh", (1_234_567_891, 1_234_567_891))
    (source / "link").symlink_to("run.sh")
    archive = tmp_path / "archive"
    packed = [part.replace("{}", str(archive)) for part in command]
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    subprocess.run(packed, cwd=source, check=True, capture_output=True, env=environment)
    found = archive if archive.exists() else archive.with_suffix(".zip")
    import_(box, found.read_bytes())
    seen = {path: (kind, content) for path, (kind, _, _, content) in tree(box).items()}
    assert seen == {
        "empty": ("directory", None),
        "empty/folder": ("directory", None),
        "caf\u00e9 \U0001f680": ("file", b"cake"),
        "-dash": ("file", (source / "-dash").read_bytes()),
        "run.sh": ("file", b"#!/bin/sh\n"),
        "link": ("link", "run.sh"),
    }
    assert tree(box, 10**9)["run.sh"][1:3] == (0o755, 1_234_567_891)
