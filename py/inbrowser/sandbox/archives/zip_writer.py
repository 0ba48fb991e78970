"""Writes zip archives to a sink that cannot go back, in pieces."""

import stat
import struct
import zlib
from collections.abc import Iterator

from .entries import PIECE, Entry
from .zip_layout import (
    CENTRAL,
    CENTRAL_SIGN,
    DEFLATED,
    DESCRIPTOR_SIGN,
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
    SIZES_FOLLOW,
    STORED,
    UNIX,
    UTF8,
    ZIP64_FIELD,
    attributes,
    times,
)

_TYPES = {"file": stat.S_IFREG, "directory": stat.S_IFDIR, "symlink": stat.S_IFLNK}
_LEVEL = 6
_LARGE = 4_000_000_000
"""Bytes from which on a file gets 64-bit sizes: a little packs to more than it was."""


class ZipWriter:
    """Gives the bytes of an archive, entry by entry, then those of its end."""

    def __init__(self, large: int = _LARGE) -> None:
        """Use 64-bit sizes for files of `large` bytes and more."""
        self._large = large
        self._at = 0
        self._directory: list[bytes] = []

    def entry(self, entry: Entry) -> Iterator[bytes]:
        """Yield the bytes of one entry."""
        header = _Header(entry, self._at)
        small = entry.size <= PIECE
        for piece in self._small(header) if small else self._streamed(header):
            self._at += len(piece)
            yield piece
        self._directory.append(header.central())

    def end(self) -> Iterator[bytes]:
        """Yield the archive's directory."""
        start, size = self._at, 0
        for record in self._directory:
            size += len(record)
            yield record
        count, at = len(self._directory), start + size
        if count >= MAX_16 or size >= MAX_32 or start >= MAX_32:
            yield END_64.pack(END_64_SIGN, 44, UNIX << 8 | 45, 45, 0, 0, count, count, size, start)
            yield LOCATOR_64.pack(LOCATOR_64_SIGN, 0, at, 1)
        count, size, start = min(count, MAX_16), min(size, MAX_32), min(start, MAX_32)
        yield END.pack(END_SIGN, 0, 0, count, count, size, start, 0)

    def _small(self, header: "_Header") -> Iterator[bytes]:
        """Pack it whole, so that its sizes stand before it."""
        entry = header.entry
        data = entry.target.encode() if entry.kind == "symlink" else b"".join(entry.content())
        packed = zlib.compress(data, _LEVEL, -zlib.MAX_WBITS)
        if entry.kind == "file" and len(packed) < len(data):
            header.method = DEFLATED
        else:
            packed = data
        header.checksum, header.size, header.packed = zlib.crc32(data), len(data), len(packed)
        yield header.local()
        yield packed

    def _streamed(self, header: "_Header") -> Iterator[bytes]:
        """Pack it in pieces; its sizes follow it."""
        entry = header.entry
        header.method, header.flags = DEFLATED, header.flags | SIZES_FOLLOW
        header.wide = entry.size >= self._large
        yield header.local()
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        checksum = size = packed = 0
        for data in entry.content():
            checksum, size = zlib.crc32(data, checksum), size + len(data)
            piece = packer.compress(data)
            packed += len(piece)
            yield piece
        piece = packer.flush()
        packed += len(piece)
        yield piece
        header.checksum, header.size, header.packed = checksum, size, packed
        yield header.descriptor()


class _Header:
    """What stands before an entry, after it, and in the directory."""

    def __init__(self, entry: Entry, at: int) -> None:
        self.entry = entry
        name = entry.path + ("/" if entry.kind == "directory" else "")
        self.name = name.encode()
        self.flags = 0 if name.isascii() else UTF8
        self.method = STORED
        self.checksum = self.size = self.packed = 0
        self.wide = False
        self._at = at
        self._time, self._date, self._extra = times(entry.mtime_ns)

    def local(self) -> bytes:
        extra, size, packed = self._extra, self.size, self.packed
        if self.wide:
            extra = struct.pack("<2H2Q", ZIP64_FIELD, 16, 0, 0) + extra
            size = packed = MAX_32
        fixed = (self._version, self.flags, self.method, self._time, self._date, self.checksum, packed, size)
        return LOCAL.pack(LOCAL_SIGN, *fixed, len(self.name), len(extra)) + self.name + extra

    def descriptor(self) -> bytes:
        sizes = struct.pack("<2Q" if self.wide else "<2L", self.packed, self.size)
        return DESCRIPTOR_SIGN + struct.pack("<L", self.checksum) + sizes

    def central(self) -> bytes:
        size, packed, at = self.size, self.packed, self._at
        wide: list[int] = []
        if self.wide:
            wide += [size, packed]
            size = packed = MAX_32
        if at >= MAX_32:
            wide.append(at)
            at = MAX_32
        field = struct.pack(f"<2H{len(wide)}Q", ZIP64_FIELD, 8 * len(wide), *wide) if wide else b""
        extra = field + self._extra
        version = 45 if wide else self._version
        mode = attributes(_TYPES[self.entry.kind] | self.entry.mode)
        fixed = (version, self.flags, self.method, self._time, self._date, self.checksum, packed, size)
        lengths = (len(self.name), len(extra), 0, 0, 0)
        return CENTRAL.pack(CENTRAL_SIGN, UNIX << 8 | version, *fixed, *lengths, mode, at) + self.name + extra

    @property
    def _version(self) -> int:
        return 45 if self.wide else 20
