"""Telling text from binary content."""

BOM = b"\xef\xbb\xbf"

_PROBE = 8192

_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF87a", "GIF image"),
    (0, b"GIF89a", "GIF image"),
    (8, b"WEBP", "WebP image"),
    (8, b"WAVE", "WAV audio"),
    (4, b"ftyp", "MP4 or HEIF media"),
    (0, b"\x00\x00\x01\x00", "icon"),
    (0, b"%PDF-", "PDF document"),
    (0, b"PK\x03\x04", "zip archive, or a document based on one"),
    (0, b"\x1f\x8b", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\x00", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "zstd data"),
    (257, b"ustar", "tar archive"),
    (0, b"\x00asm", "WebAssembly module"),
    (0, b"SQLite format 3\x00", "SQLite database"),
    (0, b"\x7fELF", "ELF binary"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"OggS", "Ogg media"),
    (0, b"ID3", "MP3 audio"),
    (0, b"\xff\xfe", "UTF-16 text"),
    (0, b"\xfe\xff", "UTF-16 text"),
)


def binary_kind(data: bytes) -> str | None:
    """Return what kind of binary file begins with `data`, or None for text."""
    for offset, magic, kind in _MAGIC:
        if data.startswith(magic, offset):
            return kind
    return "binary file" if data.find(b"\0", 0, _PROBE) >= 0 else None
