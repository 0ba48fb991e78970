"""Archives that mean harm or are broken: each is refused in words, and no file changes."""

import gzip
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from archive_makers import import_, tar_entry, tar_link, tar_of, tree, zip_entry, zip_link, zip_of
from conftest import Box
from inbrowser.sandbox.errors import (
    ArchiveConflictError,
    ArchiveEntryError,
    ArchiveError,
    ArchiveFormatError,
    ArchiveLimitError,
    SandboxError,
)


def refused(box: Box, error: type[ArchiveError], match: str, data: bytes, **options: Any) -> None:
    """Import what must be refused, beside files that must stay as they are."""
    box.write("here.txt", "here")
    before = tree(box)
    with pytest.raises(error, match=match) as raised:
        import_(box, data, **options)
    assert isinstance(raised.value, SandboxError)
    assert "\n" not in str(raised.value)
    assert tree(box) == before
    assert [name for name in os.listdir(os.path.dirname(box.root)) if name == "evil"] == []


@pytest.mark.parametrize(
    "name", ["../evil", "a/../../evil", "a/..", "..", "/evil", "/project/evil", "//evil"]
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_paths_that_lead_out(box: Box, name: str, kind: str) -> None:
    if kind == "zip":
        data = zip_of(("good.txt", b"good"), (name, b"evil"))
    else:
        data = tar_of(tar_entry("good.txt", b"good"), tar_entry(name, b"evil"))
    refused(box, ArchiveEntryError, r"'/*\.*.*(\.\.|absolute)", data)


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("l", "/etc/passwd"),
        ("l", "/projects"),
        ("l", "../evil"),
        ("a/b/l", "../../../evil"),
        ("l", "/project/../evil"),
        ("l", "a/../../evil"),
    ],
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_links_that_lead_out(box: Box, name: str, target: str, kind: str) -> None:
    good = "good.txt"
    if kind == "zip":
        data = zip_of((good, b"good"), zip_link(name, target))
    else:
        data = tar_of(tar_entry(good, b"good"), tar_link(name, target))
    refused(box, ArchiveEntryError, f"'{name}' to '.*' leads out of the sandbox", data)


def test_links_that_lead_out_by_way_of_others(box: Box) -> None:
    # Read as text, x/y/up/.. is x/y; followed, it is above the root.
    chain = tar_of(
        tar_entry("x/y", type=tarfile.DIRTYPE), tar_link("x/y/up", "../.."), tar_link("l", "x/y/up/..")
    )
    refused(box, ArchiveEntryError, "'l' to 'x/y/up/..' leads out", chain)
    box.fs("mkdir", "deep/er")
    os.symlink("../..", f"{box.root}/deep/er/up")
    os.symlink("/etc", f"{box.root}/etc")
    refused(
        box, ArchiveEntryError, "'l' to 'deep/er/up/..' leads out", zip_of(zip_link("l", "deep/er/up/.."))
    )
    refused(box, ArchiveEntryError, "'l' to 'etc/passwd' leads out", zip_of(zip_link("l", "etc/passwd")))
    refused(
        box, ArchiveEntryError, "'l' to '../../x' leads out", tar_of(tar_link("l", "../../x")), path="sub"
    )


def test_links_stay_inside_when_the_place_is_deep(box: Box) -> None:
    import_(box, tar_of(tar_link("l", "../x"), tar_link("m", "l/../y")), "sub")
    assert os.readlink(f"{box.root}/sub/l") == "../x"


def test_entries_through_a_link(box: Box) -> None:
    link, entry = tar_link("d", "elsewhere"), tar_entry("d/f", b"evil")
    for entries in ([link, entry], [entry, link], [link, tar_entry("d", type=tarfile.DIRTYPE), entry]):
        refused(box, ArchiveEntryError, "'d' is (a file or a link|both a file and)", tar_of(*entries))
    refused(box, ArchiveEntryError, "'d' is", zip_of(zip_link("d", "x"), ("d/f", b"evil")))
    os.makedirs(f"{box.root}/real")
    os.symlink("real", f"{box.root}/d")
    os.symlink("/tmp", f"{box.root}/out")
    for name in ("d/f", "out/evil"):
        refused(
            box,
            ArchiveEntryError,
            "is a symbolic link in the sandbox",
            zip_of((name, b"evil")),
            on_conflict="overwrite",
        )


def test_a_link_is_replaced_and_never_written_through(box: Box) -> None:
    box.write("real", "keep")
    os.symlink("real", f"{box.root}/l")
    import_(box, zip_of(("l", b"new")), on_conflict="overwrite")
    assert box.bytes("real") == b"keep"
    assert box.bytes("l") == b"new"


@pytest.mark.parametrize("target", ["/etc/passwd", "../evil", "later", "nothing", "d"])
def test_hard_links_to_what_is_no_file_of_the_archive(box: Box, target: str) -> None:
    box.write("nothing", "a file of the sandbox, not of the archive")
    data = tar_of(
        tar_entry("d", type=tarfile.DIRTYPE), tar_link("l", target, tarfile.LNKTYPE), tar_entry("later", b"x")
    )
    refused(box, ArchiveEntryError, "'", data)


@pytest.mark.parametrize("type", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, b"Z"])
def test_devices_and_pipes_in_a_tar(box: Box, type: bytes) -> None:
    refused(box, ArchiveEntryError, "'dev' is a device or a pipe", tar_of(tar_entry("dev", type=type)))


@pytest.mark.parametrize("type", [stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_devices_and_pipes_in_a_zip(box: Box, type: int) -> None:
    refused(
        box, ArchiveEntryError, "'dev' is a device or a pipe", zip_of((zip_entry("dev", type | 0o644), b""))
    )


@pytest.mark.parametrize(
    "name", ["x" * 256, "\u00e9" * 128, "d/" + "x" * 300 + "/f", "/".join(["x" * 200] * 20)]
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_names_that_no_file_can_have(box: Box, name: str, kind: str) -> None:
    data = zip_of((name, b"")) if kind == "zip" else tar_of(tar_entry(name))
    refused(box, ArchiveEntryError, "longer than", data)


def test_names_with_nul_and_other_bytes(box: Box) -> None:
    refused(box, ArchiveEntryError, "NUL", zip_of(("aQb", b"")).replace(b"aQb", b"a\0b"))
    not_utf8 = zip_of(("\u00e9", b"")).replace("\u00e9".encode(), b"\xff\xfe")
    refused(box, ArchiveEntryError, "is not the UTF-8", not_utf8)
    header, _ = tar_entry("name")
    raw = header.tobuf(tarfile.GNU_FORMAT)
    block = b"\xff\xfe" + raw[2:148] + b" " * 8 + raw[156:]
    block = block[:148] + b"%06o\0 " % sum(block) + block[156:]
    refused(box, ArchiveEntryError, "not UTF-8", block + bytes(1024))


def test_files_and_links_without_a_name(box: Box) -> None:
    refused(box, ArchiveEntryError, "no name of its own", tar_of(tar_link("./", "x")))
    refused(box, ArchiveEntryError, "empty, holds a NUL", zip_of(zip_link("l", "")))
    refused(box, ArchiveEntryError, "longer than|more than", zip_of(zip_link("l", "x/" * 3000)))
    refused(box, ArchiveEntryError, "holds a NUL", zip_of(zip_link("l", "a\0b")))


@pytest.mark.parametrize("flag", [0x1, 0x40, 0x2000])
def test_encrypted_entries(box: Box, flag: int) -> None:
    data = bytearray(zip_of(("good.txt", b"good"), ("secret.txt", b"secret")))
    at = data.rindex(b"PK\1\2") + 8
    data[at : at + 2] = struct.pack("<H", struct.unpack_from("<H", data, at)[0] | flag)
    refused(box, ArchiveFormatError, "'secret.txt' is encrypted", bytes(data))


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "empty"),
        (b"hello", "no archive of a known format"),
        (b"x" * 5000, "no archive of a known format"),
        (b"BZh91AY&SY" + bytes(600), "bzip2"),
        (b"\xfd7zXZ\0" + bytes(600), "an xz file"),
        (b"\x28\xb5\x2f\xfd" + bytes(600), "Zstandard"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(600), "7z"),
        (b"Rar!\x1a\x07" + bytes(600), "RAR"),
        (b"PK\7\x08" + bytes(600), "split zip"),
        (gzip.compress(b"only text"), "holds no tar"),
        (gzip.compress(b""), "holds no tar"),
    ],
)
def test_unknown_formats(box: Box, data: bytes, match: str) -> None:
    refused(box, ArchiveFormatError, match, data)


def test_a_format_that_is_not_what_the_bytes_are(box: Box) -> None:
    data = zip_of(("a", b"a"))
    for format in ("tar", "tar.gz"):
        refused(box, ArchiveFormatError, "known format|corrupt", data, format=format)
    refused(box, ArchiveFormatError, "cut short", tar_of(tar_entry("a")), format="zip")


def content() -> list[tuple[str, bytes]]:
    return [(f"file{number}", os.urandom(700) + b"x" * 700) for number in range(3)]


def as_tar() -> bytes:
    return tar_of(*(tar_entry(name, data) for name, data in content())).rstrip(b"\0") + bytes(2000)


@pytest.mark.parametrize(
    "make",
    [lambda: zip_of(*content()), as_tar, lambda: gzip.compress(as_tar())],
    ids=["zip", "tar", "tar.gz"],
)
def test_archives_that_are_cut_short_at_any_place(box: Box, make: Callable[[], bytes]) -> None:
    whole = make()
    # The last 512 bytes of a tar's end are not missed.
    for length in range(0, len(whole) - 2000 if whole.endswith(bytes(2000)) else len(whole), 97):
        refused(box, ArchiveFormatError, "cut short|empty|known format|corrupt|no tar", whole[:length])


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_any_changed_byte_of_content_is_noticed(box: Box, kind: str) -> None:
    whole = zip_of(*content()) if kind == "zip" else gzip.compress(as_tar())
    start, end = (40, 700) if kind == "zip" else (12, len(whole) - 4)
    for at in range(start, end, 61):
        damaged = bytearray(whole)
        damaged[at] ^= 0x40
        refused(box, ArchiveError, "corrupt|cut short|no tar", bytes(damaged))


def test_damaged_headers_of_a_tar(box: Box) -> None:
    whole = bytearray(tar_of(tar_entry("a", b"x" * 512), tar_entry("b", b"y" * 512)))
    whole[1024 + 5] ^= 1
    refused(box, ArchiveFormatError, "no header stands at byte 1,024", bytes(whole))


def edited(data: bytes, sign: bytes, offset: int, value: bytes) -> bytes:
    """Change a field of the last record with a signature."""
    at = data.rindex(sign) + offset
    return data[:at] + value + data[at + len(value) :]


@pytest.mark.parametrize(
    ("sign", "offset", "value", "match"),
    [
        (b"PK\1\2", 24, struct.pack("<L", 3), "has not the 3 bytes"),
        (b"PK\1\2", 24, struct.pack("<L", 9000), "has not the 9,000 bytes"),
        (b"PK\1\2", 24, struct.pack("<L", 2**31), "cannot be"),
        (b"PK\1\2", 16, b"\0\0\0\0", "another checksum"),
        (b"PK\1\2", 20, struct.pack("<L", 2**30), "longer than the archive"),
        (b"PK\1\2", 10, struct.pack("<H", 12), "method 12"),
        (b"PK\1\2", 10, struct.pack("<H", 99), "method 99"),
        (b"PK\1\2", 42, struct.pack("<L", 7), "not where the directory says"),
        (b"PK\1\2", 42, struct.pack("<L", 2**31), "not where the directory says"),
        (b"PK\1\2", 28, struct.pack("<H", 60000), "directory is broken"),
        (b"PK\1\2", 0, b"XX", "directory is broken"),
        (b"PK\3\4", 30, b"X", "another name where it begins"),
        (b"PK\5\6", 8, struct.pack("<2H", 2, 2), "directory is broken"),
        (b"PK\5\6", 8, struct.pack("<2H", 0, 0), "another size than it says"),
        (b"PK\5\6", 8, struct.pack("<2H", 1, 2), "split"),
        (b"PK\5\6", 4, struct.pack("<H", 1), "split"),
        (b"PK\5\6", 16, struct.pack("<L", 5), "not where it says"),
        (b"PK\5\6", 20, struct.pack("<H", 5), "cut short"),
    ],
)
def test_zips_that_contradict_themselves(
    box: Box, sign: bytes, offset: int, value: bytes, match: str
) -> None:
    data = zip_of(("a.txt", b"hello " * 200))
    refused(box, ArchiveFormatError, match, edited(data, sign, offset, value))


def test_more_bytes_than_the_limit(box: Box) -> None:
    entries = [(f"f{number}", bytes(60_000)) for number in range(4)]
    packed = zip_of(*entries)
    assert len(packed) < 2000
    tar = tar_of(*(tar_entry(name, data) for name, data in entries))
    for data in (packed, tar, gzip.compress(tar)):
        refused(box, ArchiveLimitError, "more than 200,000 bytes at 'f3'", data, max_bytes=200_000)
        assert import_(box, data, "ok", max_bytes=240_000, on_conflict="overwrite").bytes == 240_000
    links = tar_of(
        tar_entry("a", bytes(60_000)), *(tar_link(f"l{n}", "a", tarfile.LNKTYPE) for n in range(9))
    )
    refused(box, ArchiveLimitError, "more than 200,000 bytes at 'l2'", links, max_bytes=200_000)


def test_a_gzip_bomb_ends_at_the_limit(box: Box) -> None:
    bomb = gzip.compress(bytes(30_000_000))
    assert len(bomb) < 40_000
    refused(box, ArchiveLimitError, "more than its limit", bomb, max_bytes=1_000_000, max_entries=10)


def test_a_zip_bomb_is_refused_by_its_directory(box: Box) -> None:
    bomb = zip_of(*((f"{number}", bytes(1_000_000)) for number in range(20)))
    refused(box, ArchiveLimitError, "more than 5,000,000 bytes", bomb, max_bytes=5_000_000)
    # One that hides its size unpacks to no more than it says.
    small = edited(zip_of(("a", bytes(1_000_000))), b"PK\1\2", 24, struct.pack("<L", 10))
    refused(box, ArchiveFormatError, "has not the 10 bytes", small)


def test_more_entries_than_the_limit(box: Box) -> None:
    many = [f"f{number}" for number in range(11)]
    for data in (zip_of(*((name, b"") for name in many)), tar_of(*map(tar_entry, many))):
        refused(box, ArchiveLimitError, "more than 10 entries", data, max_entries=10)
    deep = "/".join("d" * 11)
    refused(box, ArchiveLimitError, "more than 10 entries", zip_of((deep, b"")), max_entries=10)
    again = tar_of(*(tar_entry("same") for _ in many))
    refused(box, ArchiveLimitError, "more than 10 entries", again, max_entries=10)


def test_sparse_files_and_endless_headers(box: Box) -> None:
    sparse = tar_entry("holes", type=tarfile.REGTYPE)[0]
    sparse.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": "9", "GNU.sparse.numblocks": "1"}
    refused(box, ArchiveFormatError, "'holes' is a sparse file", tar_of((sparse, b"")))
    long = tarfile.TarInfo("pax")
    long.type, long.size = tarfile.XHDTYPE, 10**10
    refused(box, ArchiveFormatError, "corrupt: a header", long.tobuf(tarfile.GNU_FORMAT) + bytes(2048))
    chained = tarfile.TarInfo("pax")
    chained.type, chained.size = tarfile.XHDTYPE, 12
    link = chained.tobuf(tarfile.USTAR_FORMAT) + b"12 path=abc\n".ljust(512, b"\0")
    refused(box, ArchiveFormatError, "corrupt", link * 5000 + bytes(1024))


@pytest.mark.parametrize("time", ["nan", "inf", "1e400", "x", "9" * 400, "1e9"])
def test_times_that_are_none(box: Box, time: str) -> None:
    header = tar_entry("f")[0]
    header.pax_headers = {"mtime": time}
    refused(box, ArchiveFormatError, "corrupt", tar_of((header, b"")))


@pytest.mark.parametrize("time", ["-99999999999999", "99999999999999999", "-0.5"])
def test_times_that_no_file_has_are_brought_near(box: Box, time: str) -> None:
    header = tar_entry("f")[0]
    header.pax_headers = {"mtime": time}
    import_(box, tar_of((header, b"")))
    assert -(2**31) <= os.stat(f"{box.root}/f").st_mtime <= 2**34


def test_a_size_below_zero(box: Box) -> None:
    header = tar_entry("f")[0]
    header.pax_headers = {"size": "-1024"}
    bad = (header, b"")
    refused(box, ArchiveFormatError, "corrupt|cut short", tar_of(bad))
    refused(box, ArchiveFormatError, "corrupt|cut short", tar_of(bad, tar_entry("next", b"x")))
    refused(box, ArchiveFormatError, "corrupt|cut short", tar_of(tar_entry("before", b"x"), bad))


def test_a_file_and_a_directory_of_one_name(box: Box) -> None:
    entries = [("a", b"file"), ("a/b", b"inside")]
    for order in (entries, entries[::-1]):
        refused(box, ArchiveEntryError, "'a' is", zip_of(*order))
        refused(box, ArchiveEntryError, "'a' is", tar_of(*(tar_entry(name, data) for name, data in order)))


def test_the_last_entry_is_checked_before_the_first_is_written(box: Box) -> None:
    entries: list[tuple[str | zipfile.ZipInfo, bytes]] = [(f"d/{number}", b"x") for number in range(50)]
    refused(box, ArchiveEntryError, "'../evil'", zip_of(*entries, ("../evil", b"")))
    refused(box, ArchiveConflictError, "'here.txt' is", zip_of(*entries, ("here.txt", b"")))
    box.write("here.txt", "here")
    damaged = edited(zip_of(*entries), b"PK\1\2", 16, b"\0\0\0\0")
    refused(box, ArchiveFormatError, "'d/49'.* checksum", damaged)


def test_a_zip_whose_signs_are_in_its_comment(box: Box) -> None:
    buffer = BytesIO(zip_of(("a", b"a")))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.comment = b"PK\5\6" + bytes(18) + b"PK\5\6"
    import_(box, buffer.getvalue())
    assert box.bytes("a") == b"a"
