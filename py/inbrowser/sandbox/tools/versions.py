"""Which version of a file somebody has seen."""

import zlib
from typing import NamedTuple


class Version(NamedTuple):
    """Tells two contents of a file apart."""

    size: int
    checksum: int


def version_of(data: bytes) -> Version:
    """Return the version of a file whose whole content is `data`."""
    return Version(len(data), zlib.crc32(data))
