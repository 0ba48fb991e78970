"""Compiles sources to bytecode and packs them for a fast boot; runs inside Pyodide (see pack.mjs).

The magic number and marshal format of bytecode belong to one interpreter, hence this one. A pack is
`[u32 little-endian: length of the index][index: JSON][bytes of all files]`.
"""

import json
import marshal
import os
import struct
import zipfile
from importlib.util import MAGIC_NUMBER

SITE_PACKAGES = "/lib/python3.14/site-packages"
NATIVE = "pydantic_core/_pydantic_core.cpython-314-wasm32-emscripten.so"
NOT_NEEDED = (
    ".pyi",
    ".md",
    ".typed",
    "/RECORD",
    "/WHEEL",
    "/sboms",
    "/licenses",
    "/tests",
    "pydantic/v1",
    "mypy.py",
)

UNCHECKED_HASH = struct.pack("<I", 1) + bytes(8)


def compiled(source: bytes, path: str) -> bytes:
    """Return the bytecode file of `source`, never checked against a source that is not shipped."""
    return MAGIC_NUMBER + UNCHECKED_HASH + marshal.dumps(compile(source, path, "exec", dont_inherit=True))


def compile_stdlib() -> None:
    """Turn the shipped archive of sources into one of bytecode: a boot then takes a quarter of the time."""
    with (
        zipfile.ZipFile("/stdlib-sources.zip") as sources,
        zipfile.ZipFile("/out/stdlib.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target,
    ):
        for name in sorted(sources.namelist()):
            data = sources.read(name)
            if name.endswith(".py"):
                name, data = name + "c", compiled(data, f"/lib/python314.zip/{name}")
            target.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def pack_wheels() -> None:
    """Write the unpacked wheels as one pack, native code apart: the page compiles it as it comes."""
    directories, files, blob = set(), [], bytearray()
    for parent, _, names in sorted(os.walk("/wheels")):
        for name in sorted(names):
            path = os.path.join(parent, name)
            relative = os.path.relpath(path, "/wheels")
            if relative == NATIVE:
                os.rename(path, "/out/pydantic_core.wasm")
                continue
            if any(part in relative for part in NOT_NEEDED):
                continue
            with open(path, "rb") as file:
                data = file.read()
            if relative.endswith(".py"):
                data = compiled(data, f"{SITE_PACKAGES}/{relative}")
                relative += "c"
            directories.add(os.path.dirname(relative))
            files.append({"path": relative, "offset": len(blob), "size": len(data)})
            blob += data
    index = json.dumps({"directories": sorted(directories - {""}), "files": files}).encode()
    with open("/out/packages.pack", "wb") as pack:
        pack.write(struct.pack("<I", len(index)) + index + blob)
