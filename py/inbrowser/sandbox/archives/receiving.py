"""Takes an archive in as it comes: tells its format and undoes gzip."""

import tarfile
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Iterable

from ..errors import ArchiveFormatError, SandboxError
from .entries import PIECE, ImportFormat
from .pace import Pace
from .spool import Spool

ArchiveData = bytes | bytearray | memoryview | Iterable[bytes] | AsyncIterable[bytes]

_SNIFFED = tarfile.BLOCKSIZE
_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\3\4", b"PK\5\6")
_OTHERS = {
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\0": "an xz file",
    b"\x28\xb5\x2f\xfd": "a Zstandard file",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"PK\7\x08": "a part of a split zip archive",
}


async def receive(data: ArchiveData, format: ImportFormat | None, spool: Spool, pace: Pace) -> ImportFormat:
    """Put a zip, or the tar that an archive is or holds, into the spool; returns the archive's format.

    Raises ArchiveFormatError, ArchiveLimitError.
    """
    pieces = _pieces(data)
    head = b""
    async for piece in pieces:
        head += piece
        if len(head) >= _SNIFFED:
            break
    format = format or _sniff(head)
    sink = _Gunzip(spool) if format == "tar.gz" else None
    # One piece each time: gzip may make a thousand times as much of it.
    for at in range(0, len(head), PIECE):
        await _take(head[at : at + PIECE], spool, sink, pace)
    async for piece in pieces:
        await _take(piece, spool, sink, pace)
    if sink:
        sink.end()
    if format != "zip":
        _check_tar(spool.pread(0, _SNIFFED), packed=sink is not None)
    return format


async def _take(piece: bytes, spool: Spool, sink: "_Gunzip | None", pace: Pace) -> None:
    if sink is None:
        spool.append(piece)
        await pace.pause()
        return
    while sink.feed(piece):
        piece = b""
        await pace.pause()
    await pace.pause()


async def _pieces(data: ArchiveData) -> AsyncIterator[bytes]:
    """Yield the data in pieces that are not too long."""
    if isinstance(data, AsyncIterable):
        async for whole in data:
            for piece in _cut(whole):
                yield piece
    else:
        for whole in (data,) if isinstance(data, bytes | bytearray | memoryview) else data:
            for piece in _cut(whole):
                yield piece


def _cut(whole: object) -> Iterable[bytes]:
    if not isinstance(whole, bytes | bytearray | memoryview):
        raise SandboxError(f"an archive comes as bytes or pieces of bytes, not as {type(whole).__name__}")
    view = memoryview(whole).cast("B")  # pyright: ignore
    for at in range(0, len(view), PIECE):
        yield bytes(view[at : at + PIECE])


def _sniff(head: bytes) -> ImportFormat:
    if head.startswith(_ZIP):
        return "zip"
    if head.startswith(_GZIP):
        return "tar.gz"
    for sign, what in _OTHERS.items():
        if head.startswith(sign):
            raise ArchiveFormatError(f"this is {what}; zip, tar.gz and tar can be imported")
    if not head:
        raise ArchiveFormatError("the archive is empty: it has no bytes at all")
    return "tar"


def _check_tar(block: bytes, *, packed: bool) -> None:
    """Raise ArchiveFormatError unless a tar begins with this block."""
    if len(block) == _SNIFFED:
        if not block.strip(b"\0"):
            return
        try:
            if tarfile.nti(block[148:156]) in tarfile.calc_chksums(block):  # pyright: ignore
                return
        except tarfile.HeaderError:
            pass
    if packed:
        raise ArchiveFormatError("this gzip file holds no tar archive; zip, tar.gz and tar can be imported")
    raise ArchiveFormatError("this is no archive of a known format; zip, tar.gz and tar can be imported")


class _Gunzip:
    """Unpacks gzip, of one or more members, into a spool."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._rest = b""
        self._padding = False

    def feed(self, data: bytes) -> bool:
        """Unpack one piece more, of `data` and of what is left; tells whether there is more to do."""
        data = self._rest + data
        if self._inflate.eof and data:
            if data.strip(b"\0") == b"":
                self._padding, self._rest = True, b""
                return False
            if self._padding or not _GZIP.startswith(data[:2]):
                raise ArchiveFormatError("the archive is corrupt: something follows the end of its gzip data")
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            out = self._inflate.decompress(data, PIECE)
        except zlib.error as error:
            raise ArchiveFormatError(f"the archive is corrupt: {error}") from None
        self._spool.append(out)
        self._rest = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
        return bool(self._rest) or len(out) == PIECE

    def end(self) -> None:
        """Raise ArchiveFormatError unless the data came to its end."""
        if not self._inflate.eof:
            raise ArchiveFormatError("the archive is cut short: its gzip data has no end")
