"""Writes tar.gz archives to a sink that cannot go back, in pieces."""

import tarfile
import zlib
from collections.abc import Iterator

from .entries import Entry

_TYPES = {"file": tarfile.REGTYPE, "directory": tarfile.DIRTYPE, "symlink": tarfile.SYMTYPE}
_LEVEL = 6


class TarGzWriter:
    """Gives the bytes of an archive, entry by entry, then those of its end."""

    def __init__(self) -> None:
        self._packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS | 16)
        self._size = 0

    def entry(self, entry: Entry) -> Iterator[bytes]:
        """Yield the bytes of one entry."""
        yield self._packed(_header(entry))
        for piece in entry.content():
            yield self._packed(piece)
        yield self._packed(bytes(-entry.size % tarfile.BLOCKSIZE))

    def end(self) -> Iterator[bytes]:
        """Yield the archive's end."""
        end = 2 * tarfile.BLOCKSIZE
        yield self._packed(bytes(end + -(self._size + end) % tarfile.RECORDSIZE))
        yield self._packer.flush()

    def _packed(self, data: bytes) -> bytes:
        self._size += len(data)
        return self._packer.compress(data)


def _header(entry: Entry) -> bytes:
    info = tarfile.TarInfo(entry.path)
    info.type = _TYPES[entry.kind]
    info.mode, info.size, info.linkname = entry.mode, entry.size, entry.target
    info.mtime, part = divmod(entry.mtime_ns, 10**9)
    if part:
        # A float has no room for nanoseconds.
        sign, whole = ("-", -entry.mtime_ns) if entry.mtime_ns < 0 else ("", entry.mtime_ns)
        info.pax_headers = {"mtime": f"{sign}{whole // 10**9}.{whole % 10**9:09d}"}
    return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict")
