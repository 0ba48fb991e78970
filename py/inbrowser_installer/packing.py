"""Makes a pack of a wheel: its files as site-packages holds them, sources beside their bytecode.

A pack is `[u32 little-endian: length of the index][index: JSON][bytes of all files]`; the index has
`directories`, `files` (path, offset, size; relative to site-packages) and `libraries`: the paths of native
code, shared libraries first, to be loaded in that order by whoever needs them before an import asks for them.
"""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import importlib.util
import io
import json
import marshal
import re
import struct
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import PurePosixPath

SITE_PACKAGES = "/lib/python3.14/site-packages"
FORMAT = 1
"""Counts the forms that packs had; part of the name under which one is kept."""
MAX_UNPACKED = 512 << 20
"""Bytes of one unpacked wheel."""
MAX_COMPILED = 2 << 20
"""Bytes of sources of one wheel that are compiled; others are compiled when they are imported."""

_UNCHECKED_HASH = struct.pack("<I", 1) + bytes(8)
_CACHE_TAG = sys.implementation.cache_tag
_NATIVE = re.compile(r"\.so(\.\d+)*$")
_NEVER_IMPORTED = re.compile(r"(^|/)(tests?|lexers|styles|formatters)/")
"""Modules of which a program imports few: their bytecode would cost more than it saves."""


class BadWheelError(Exception):
    """The bytes are no wheel that can be installed; the message says why."""


@dataclass(frozen=True)
class Pack:
    """What a wheel became."""

    data: bytes
    metadata: str
    """The text of its METADATA; empty for a plain archive of libraries."""
    imports: list[str]
    """Top-level modules, sorted."""


@dataclass
class _Builder:
    directories: set[str] = field(default_factory=set)
    files: list[dict[str, object]] = field(default_factory=list)
    blob: bytearray = field(default_factory=bytearray)

    def add(self, path: str, data: bytes) -> None:
        parent = path.rpartition("/")[0]
        if parent:
            self.directories.add(parent)
        self.files.append({"path": path, "offset": len(self.blob), "size": len(data)})
        self.blob += data

    def finish(self, libraries: list[str]) -> bytes:
        index = {"directories": sorted(self.directories), "files": self.files, "libraries": libraries}
        head = json.dumps(index, separators=(",", ":")).encode()
        return struct.pack("<I", len(head)) + head + self.blob


def make_pack(wheel: bytes, name: str) -> Pack:
    """Return the pack of a wheel, or of an archive of shared libraries; `name` is for messages.

    Raises BadWheelError.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            return _pack(archive, name)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError, ValueError) as error:
        raise BadWheelError(f"{name} is not a wheel that can be read: {error}") from None


def _pack(archive: zipfile.ZipFile, name: str) -> Pack:
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
        raise BadWheelError(f"{name} holds more than {MAX_UNPACKED >> 20} MB unpacked")
    builder, libraries, metadata, to_compile = _Builder(), [], "", MAX_COMPILED
    info = next((e.filename.partition("/")[0] for e in entries if _is_info(e.filename)), None)
    for entry in sorted(entries, key=lambda entry: entry.filename):
        path = _placed(entry.filename, name)
        if path is None or path.endswith((".dist-info/RECORD", ".dist-info/INSTALLER")):
            continue
        data = archive.read(entry)
        builder.add(path, data)
        if info and path == f"{info}/METADATA":
            metadata = data.decode("utf-8", "replace")
        if _NATIVE.search(path):
            libraries.append(path)
        elif (
            path.endswith(".py")
            and len(data) <= to_compile
            and not _NEVER_IMPORTED.search(path)
            and (code := compiled(data, path))
        ):
            builder.add(_cached(path), code)
            to_compile -= len(data)
    if info:
        builder.add(f"{info}/INSTALLER", b"inbrowser\n")
    libraries.sort(key=lambda path: (".cpython-" in path or ".abi3." in path, path))
    return Pack(builder.finish(libraries), metadata, _imports(builder))


def compiled(source: bytes, path: str) -> bytes | None:
    """Return bytecode that is never checked against its source; None for what does not compile."""
    try:
        code = compile(source, f"{SITE_PACKAGES}/{path}", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return importlib.util.MAGIC_NUMBER + _UNCHECKED_HASH + marshal.dumps(code)


def metadata_of(wheel: bytes, name: str) -> str:
    """Return the text of a wheel's METADATA. Raises BadWheelError."""
    try:
        with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
            for path in archive.namelist():
                if _is_info(path):
                    return archive.read(path).decode("utf-8", "replace")
    except (zipfile.BadZipFile, EOFError, NotImplementedError, ValueError) as error:
        raise BadWheelError(f"{name} is not a wheel that can be read: {error}") from None
    raise BadWheelError(f"{name} is not a wheel: it has no METADATA")


def _is_info(path: str) -> bool:
    return re.fullmatch(r"[^/]+\.dist-info/METADATA", path) is not None


def _placed(path: str, name: str) -> str | None:
    """Return where a wheel's file belongs in site-packages; None for one that belongs elsewhere."""
    parts = PurePosixPath(path).parts
    if path.startswith("/") or ".." in parts or "\\" in path or "\0" in path or not parts:
        raise BadWheelError(f"{name} has a file that leads out of its place: {path!r}")
    if parts[0].endswith(".data"):
        if len(parts) < 3 or parts[1] not in ("purelib", "platlib"):
            return None
        parts = parts[2:]
    return "/".join(parts)


def _cached(path: str) -> str:
    parent, _, file = path.rpartition("/")
    cached = f"__pycache__/{file.removesuffix('.py')}.{_CACHE_TAG}.pyc"
    return f"{parent}/{cached}" if parent else cached


def _imports(builder: _Builder) -> list[str]:
    found: set[str] = set()
    for each in builder.files:
        first, _, rest = str(each["path"]).partition("/")
        if rest and first.isidentifier() and rest.endswith((".py", ".so")):
            found.add(first)
        elif not rest and (stem := first.partition(".")[0]).isidentifier() and first.endswith((".py", ".so")):
            found.add(stem)
    return sorted(found - {"__pycache__"})
