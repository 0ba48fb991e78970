"""The zip format's records, as APPNOTE.TXT has them.

The standard library's zipfile reads and writes the whole directory of an archive at once: for ten thousands
of entries that takes seconds in which nobody else would have a turn. So it is done entry by entry here.
"""

import stat
import struct
import time

LOCAL = struct.Struct("<4s5H3L2H")
"""Signature, version, flags, method, time, date, CRC, packed, size, length of name, length of extra."""
CENTRAL = struct.Struct("<4s6H3L5H2L")
"""Signature, made by, version, flags, method, time, date, CRC, packed, size, lengths of name, extra and
comment, disk, internal attributes, external attributes, offset."""
END = struct.Struct("<4s4H2LH")
"""Signature, disk, disk of the directory, entries here, entries, size, offset, length of comment."""
END_64 = struct.Struct("<4sQ2H2L4Q")
"""Signature, size of the rest, made by, version, disk, disk of the directory, entries here, entries, size,
offset."""
LOCATOR_64 = struct.Struct("<4sLQL")
"""Signature, disk, offset of END_64, disks."""

LOCAL_SIGN, CENTRAL_SIGN, DESCRIPTOR_SIGN = b"PK\3\4", b"PK\1\2", b"PK\7\x08"
END_SIGN, END_64_SIGN, LOCATOR_64_SIGN = b"PK\5\6", b"PK\6\6", b"PK\6\7"

STORED, DEFLATED = 0, 8
ENCRYPTED = 0x1 | 0x40 | 0x2000
SIZES_FOLLOW = 0x8
UTF8 = 0x800
UNIX, DARWIN = 3, 19
MAX_16, MAX_32 = 0xFFFF, 0xFFFFFFFF

ZIP64_FIELD, TIMESTAMP_FIELD, NTFS_FIELD, UNICODE_FIELD = 0x0001, 0x5455, 0x000A, 0x7075
_NTFS_EPOCH = 11_644_473_600 * 10**9
"""Nanoseconds from 1601 to 1970."""


def times(mtime_ns: int) -> tuple[int, int, bytes]:
    """Return the time, the date and the extra fields for a moment.

    The extended timestamp has whole seconds until 2038, which is what `unzip` reads; the NTFS field has steps
    of 100 ns. The time proper is local and has steps of two seconds.
    """
    seconds = mtime_ns // 10**9
    local = time.localtime(min(max(seconds, 0), 2**32))
    year, month, day, hour, minute, second = local[:6]
    if not 1980 <= year <= 2107:
        year, month, day, hour, minute, second = (
            (1980, 1, 1, 0, 0, 0) if year < 1980 else (2107, 12, 31, 23, 59, 58)
        )
    extra = b""
    if -(2**31) <= seconds < 2**31:
        extra += struct.pack("<2HBl", TIMESTAMP_FIELD, 5, 1, seconds)
    ticks = (mtime_ns + _NTFS_EPOCH) // 100
    if 0 < ticks < 2**63:
        extra += struct.pack("<2H4x2H3Q", NTFS_FIELD, 32, 1, 24, ticks, ticks, ticks)
    clock = hour << 11 | minute << 5 | second // 2
    return clock, (year - 1980) << 9 | month << 5 | day, extra


def moment(clock: int, date: int, fields: dict[int, bytes]) -> int:
    """Return the time of an entry in nanoseconds since the epoch, from the most exact source there is."""
    ntfs = fields.get(NTFS_FIELD, b"")
    if len(ntfs) >= 32 and ntfs[4:8] == b"\1\0\x18\0":
        (ticks,) = struct.unpack_from("<Q", ntfs, 8)
        return min(ticks, 2**63) * 100 - _NTFS_EPOCH
    stamp = fields.get(TIMESTAMP_FIELD, b"")
    if len(stamp) >= 5 and stamp[0] & 1:
        (seconds,) = struct.unpack_from("<l", stamp, 1)
        return seconds * 10**9
    parts = (
        1980 + (date >> 9),
        max(date >> 5 & 15, 1),
        max(date & 31, 1),
        clock >> 11,
        clock >> 5 & 63,
        (clock & 31) * 2,
    )
    try:
        return int(time.mktime((*parts, 0, 0, -1))) * 10**9
    except (OverflowError, ValueError):
        return 0


def fields_of(extra: bytes) -> dict[int, bytes]:
    """Return the extra fields by their number; what follows a broken one is left out."""
    fields: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(extra):
        number, size = struct.unpack_from("<2H", extra, at)
        if at + 4 + size > len(extra):
            break
        fields.setdefault(number, extra[at + 4 : at + 4 + size])
        at += 4 + size
    return fields


def attributes(mode: int) -> int:
    """Return the external attributes for a Unix mode, with DOS's own bit for a directory."""
    return mode << 16 | (0x10 if stat.S_ISDIR(mode) else 0)
