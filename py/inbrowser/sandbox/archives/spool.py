"""The archive that is being imported, kept until it is checked."""

import io
import os

from ..errors import ArchiveFormatError, ArchiveLimitError

_SEGMENT = 16_000_000
"""Bytes of one file: the browser's files move when they grow, which takes long for a large one."""
_LONGEST_READ = 4_000_000
"""No header and no piece of content is longer."""


class Spool(io.RawIOBase):
    """Bytes that are written to the end, and read anywhere, in files of one size."""

    def __init__(self, directory: str, limit: int) -> None:
        """Keep at most `limit` bytes in a directory."""
        self.size = 0
        self._directory = directory
        self._limit = limit
        self._at = 0
        self._files: list[int] = []

    def append(self, data: bytes | memoryview) -> None:
        """Add to the end. Raises ArchiveLimitError."""
        if self.size + len(data) > self._limit:
            raise ArchiveLimitError(
                f"the archive holds more than its limit allows ({self._limit:,} bytes); "
                "import with a larger max_bytes or max_entries"
            )
        rest = memoryview(data)
        while rest:
            index, inside = divmod(self.size, _SEGMENT)
            if index == len(self._files):
                path = f"{self._directory}/archive.{index}"
                self._files.append(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            os.lseek(self._files[index], inside, os.SEEK_SET)
            written = os.write(self._files[index], rest[: _SEGMENT - inside])
            self.size += written
            rest = rest[written:]

    def pread(self, at: int, size: int) -> bytes:
        """Return up to `size` bytes from `at` on."""
        parts: list[bytes] = []
        end = min(at + size, self.size)
        while at < end:
            index, inside = divmod(at, _SEGMENT)
            os.lseek(self._files[index], inside, os.SEEK_SET)
            part = os.read(self._files[index], min(end - at, _SEGMENT - inside))
            at += len(part)
            parts.append(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read(self, size: int = -1, /) -> bytes:
        """Read on, as tarfile does. Raises ArchiveFormatError for a header that is far too long."""
        if not 0 <= size <= _LONGEST_READ:
            raise ArchiveFormatError(
                f"the archive is corrupt: a header at byte {self._at:,} is {size:,} bytes long"
            )
        data = self.pread(self._at, size)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Read on from another place."""
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size}[whence]
        return self._at

    def tell(self) -> int:
        """Return the place from which `read` goes on."""
        return self._at

    def close(self) -> None:
        """Close the files; whoever made the directory removes it."""
        files, self._files = self._files, []
        for file in files:
            os.close(file)
        super().close()
