"""Archives as other programs make them, and trees to compare."""

import asyncio
import io
import os
import stat
import tarfile
import zipfile
from typing import Any

from conftest import Box
from inbrowser.sandbox.archives import ImportReport

Seen = tuple[str, int, int, bytes | str | None]


def export(box: Box, format: str = "zip", path: str = ".") -> bytes:
    async def gather() -> bytes:
        return b"".join([piece async for piece in box.sandbox.export_archive(format, path)])  # type: ignore

    return asyncio.run(gather())


def import_(box: Box, data: Any, path: str = ".", **options: Any) -> ImportReport:
    return asyncio.run(box.sandbox.import_archive(data, path, **options))


def tree(box: Box, step: int = 1) -> dict[str, Seen]:
    """Return kind, permissions, time and content of everything there is, times in steps of so many ns.

    A link's own time is left out.
    """
    found: dict[str, Seen] = {}
    for folder, folders, files in os.walk(box.root):
        for name in folders + files:
            path = f"{folder}/{name}"
            status = os.lstat(path)
            mode = stat.S_IMODE(status.st_mode)
            key = path[len(box.root) + 1 :]
            if stat.S_ISLNK(status.st_mode):
                found[key] = ("link", 0, 0, os.readlink(path))
            elif stat.S_ISDIR(status.st_mode):
                found[key] = ("directory", mode, status.st_mtime_ns // step, None)
            else:
                with open(path, "rb") as file:
                    found[key] = ("file", mode, status.st_mtime_ns // step, file.read())
    return found


def zip_of(*entries: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return buffer.getvalue()


def zip_entry(name: str, mode: int, system: int = 3) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = system
    info.external_attr = mode << 16
    return info


def zip_link(name: str, target: str) -> tuple[zipfile.ZipInfo, bytes]:
    return zip_entry(name, stat.S_IFLNK | 0o777), target.encode()


def tar_of(
    *entries: tuple[tarfile.TarInfo, bytes], mode: str = "w", format: int = tarfile.PAX_FORMAT
) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=format) as archive:  # type: ignore[call-overload]
        for info, data in entries:
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def tar_entry(
    name: str, data: bytes = b"", type: bytes = tarfile.REGTYPE, **fields: Any
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.size = type, len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, data


def tar_link(name: str, target: str, type: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    return tar_entry(name, type=type, linkname=target)
