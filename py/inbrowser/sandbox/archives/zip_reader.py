"""Reads zip archives: the directory at their end, then each entry's content."""

import stat
import struct
import zlib
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from ..errors import ArchiveEntryError, ArchiveFormatError
from ..files import Kind
from .entries import MAX_TARGET_BYTES, PIECE, Entry, entry_path, link_target, shown
from .spool import Spool
from .zip_layout import (
    CENTRAL,
    CENTRAL_SIGN,
    DARWIN,
    DEFLATED,
    ENCRYPTED,
    END,
    END_64,
    END_64_SIGN,
    END_SIGN,
    LOCAL,
    LOCAL_SIGN,
    LOCATOR_64,
    LOCATOR_64_SIGN,
    MAX_16,
    MAX_32,
    STORED,
    UNICODE_FIELD,
    UNIX,
    UTF8,
    ZIP64_FIELD,
    fields_of,
    moment,
)

_READ = 65_536
_BEST_RATIO = 1_032
"""Deflate packs no better than this."""


class _Packed(NamedTuple):
    name: bytes
    method: int
    checksum: int
    packed: int
    size: int
    at: int


class ZipReader:
    """The entries of a zip archive. Every method may raise ArchiveFormatError and ArchiveEntryError."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self.count, self._size, self._start = _find_directory(spool)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in the directory's order."""
        at, end = self._start, self._start + self._size
        for _ in range(self.count):
            fixed = self._spool.pread(at, CENTRAL.size)
            if len(fixed) < CENTRAL.size or not fixed.startswith(CENTRAL_SIGN) or at + CENTRAL.size > end:
                raise _corrupt("its directory is broken")
            record = CENTRAL.unpack(fixed)
            lengths = record[10:13]
            rest = self._spool.pread(at + CENTRAL.size, sum(lengths))
            at += CENTRAL.size + sum(lengths)
            if at > end or len(rest) < sum(lengths):
                raise _corrupt("its directory is broken")
            yield self._entry(record, rest[: lengths[0]], rest[lengths[0] : lengths[0] + lengths[1]])
        if at != end:
            raise _corrupt("its directory has another size than it says")

    def _entry(self, record: tuple[int, ...], raw: bytes, extra: bytes) -> Entry:
        made_by, _, flags, method, clock, date, checksum, packed, size = record[1:10]
        external, at = record[15], record[16]
        if flags & ENCRYPTED:
            raise ArchiveFormatError(
                f"the entry {shown(raw)} is encrypted; unpack the archive where its key is"
            )
        fields = fields_of(extra)
        name = _decoded(raw, flags, fields)
        size, packed, at = _wide(name, fields, size, packed, at)
        path = entry_path(name)
        mode = external >> 16 if made_by >> 8 in (UNIX, DARWIN) else 0
        kind = _kind(name, mode)
        permissions = stat.S_IMODE(mode) & 0o777 if mode else 0o755 if kind == "directory" else 0o644
        entry = Entry(path, kind, permissions, moment(clock, date, fields))
        if kind == "directory":
            return entry
        if method not in (STORED, DEFLATED):
            raise ArchiveFormatError(
                f"the entry {shown(name)} is packed with method {method}; "
                "only stored and deflated ones can be read"
            )
        if size > packed * _BEST_RATIO or (method == STORED and size != packed):
            raise _corrupt(f"the entry {shown(name)} cannot be {size:,} bytes long")
        content = partial(self._content, _Packed(raw, method, checksum, packed, size, at))
        if kind == "file":
            entry.size, entry.content = size, content
        elif size > MAX_TARGET_BYTES:
            raise ArchiveEntryError(
                f"the link {shown(name)} has a target of more than {MAX_TARGET_BYTES} bytes"
            )
        else:
            entry.target = link_target(name, b"".join(content()))
        return entry

    def _content(self, entry: _Packed) -> Iterator[bytes]:
        spool, (name, _, checksum, packed, size, at) = self._spool, entry
        header = spool.pread(at, LOCAL.size)
        if len(header) < LOCAL.size or not header.startswith(LOCAL_SIGN):
            raise _corrupt(f"the entry {shown(name)} is not where the directory says")
        name_length, extra_length = LOCAL.unpack(header)[9:11]
        if spool.pread(at + LOCAL.size, name_length) != name:
            raise _corrupt(f"the entry {shown(name)} has another name where it begins")
        at += LOCAL.size + name_length + extra_length
        if at + packed > self._start:
            raise _corrupt(f"the entry {shown(name)} is longer than the archive")
        unpacked = found = 0
        for piece in self._stored(at, packed) if entry.method == STORED else self._inflated(entry, at):
            unpacked += len(piece)
            found = zlib.crc32(piece, found)
            if unpacked > size:
                break
            yield piece
        if unpacked != size:
            raise _corrupt(f"the entry {shown(name)} has not the {size:,} bytes that the directory says")
        if found != checksum:
            raise _corrupt(f"the entry {shown(name)} has another checksum than the directory says")

    def _stored(self, at: int, size: int) -> Iterator[bytes]:
        for start in range(at, at + size, PIECE):
            yield self._spool.pread(start, min(PIECE, at + size - start))

    def _inflated(self, entry: _Packed, at: int) -> Iterator[bytes]:
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        end = at + entry.packed
        data = b""
        while not inflate.eof:
            if not data:
                data = self._spool.pread(at, min(_READ, end - at))
                at += len(data)
            try:
                piece = inflate.decompress(data, PIECE)
            except zlib.error as error:
                raise _corrupt(f"the entry {shown(entry.name)}: {error}") from None
            if not piece and not data:
                raise _corrupt(f"the entry {shown(entry.name)} has no end")
            data = inflate.unconsumed_tail
            if piece:
                yield piece


def _find_directory(spool: Spool) -> tuple[int, int, int]:
    """Return the number of entries, and size and place of the directory."""
    start = max(0, spool.size - END.size - MAX_16)
    tail = spool.pread(start, spool.size - start)
    at = tail.rfind(END_SIGN)
    while at >= 0:
        if at + END.size <= len(tail):
            record = END.unpack_from(tail, at)
            if at + END.size + record[7] == len(tail):
                break
        at = tail.rfind(END_SIGN, 0, at)
    else:
        raise ArchiveFormatError("the archive is cut short: it has no directory at its end")
    at += start
    disk, directory_disk, here, count, size, offset = record[1:7]
    if MAX_16 in (disk, directory_disk, here, count) or MAX_32 in (size, offset):
        locator = spool.pread(at - LOCATOR_64.size, LOCATOR_64.size) if at >= LOCATOR_64.size else b""
        if locator.startswith(LOCATOR_64_SIGN):
            at = LOCATOR_64.unpack(locator)[2]
            wide = spool.pread(at, END_64.size)
            if len(wide) < END_64.size or not wide.startswith(END_64_SIGN):
                raise _corrupt("its 64-bit end is not where it says")
            disk, directory_disk, here, count, size, offset = END_64.unpack(wide)[4:10]
    if disk or directory_disk or here != count:
        raise ArchiveFormatError("this is a part of a split zip archive; join it first")
    if offset + size != at:
        raise _corrupt("its directory is not where it says")
    return count, size, offset


def _decoded(raw: bytes, flags: int, fields: dict[int, bytes]) -> str:
    """Return an entry's name. Many programs write UTF-8 without saying so; the rest is code page 437."""
    field = fields.get(UNICODE_FIELD, b"")
    if len(field) > 5 and field[0] == 1 and struct.unpack_from("<L", field, 1)[0] == zlib.crc32(raw):
        raw, flags = field[5:], flags | UTF8
    try:
        return raw.decode()
    except UnicodeDecodeError:
        if flags & UTF8:
            raise ArchiveEntryError(f"the name {shown(raw)} is not the UTF-8 that it says it is") from None
        return raw.decode("cp437")


def _wide(name: str, fields: dict[int, bytes], size: int, packed: int, at: int) -> tuple[int, int, int]:
    """Return sizes and place with those that did not fit into 32 bits from their own field."""
    values = [size, packed, at]
    missing = [index for index, value in enumerate(values) if value == MAX_32]
    field = fields.get(ZIP64_FIELD)
    if missing and field is not None:
        if len(field) < 8 * len(missing):
            raise _corrupt(f"the entry {shown(name)} lacks its 64-bit sizes")
        for index, value in zip(missing, struct.unpack_from(f"<{len(missing)}Q", field), strict=True):
            values[index] = value
    return values[0], values[1], values[2]


def _kind(name: str, mode: int) -> Kind:
    kind = stat.S_IFMT(mode)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
        raise ArchiveEntryError(f"the entry {shown(name)} is a device or a pipe, which no sandbox takes in")
    if kind == stat.S_IFLNK:
        return "symlink"
    return "directory" if kind == stat.S_IFDIR or name.endswith("/") else "file"


def _corrupt(what: str) -> ArchiveFormatError:
    return ArchiveFormatError(f"the archive is corrupt: {what}")
