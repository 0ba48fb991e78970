"""Downloads wheels, each once, and checks that they are what they should be."""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import asyncio
import hashlib
from collections.abc import Callable
from urllib.parse import unquote, urlsplit

from micropip._utils import best_compatible_tag_index
from micropip._vendored.packaging.src.packaging.utils import (
    InvalidWheelFilename,
    canonicalize_name,
    parse_wheel_filename,
)
from micropip._vendored.packaging.src.packaging.version import InvalidVersion

from .fetching import Downloads, FetchError
from .index import File
from .metadata import Metadata, parse_metadata
from .packing import BadWheelError, metadata_of

OnProgress = Callable[[str, str, int, int | None], None]
"""Told of a package, a phase, bytes that are there, and all that will be if that is known."""


class Wheels:
    """The wheels of one installation."""

    def __init__(self, downloads: Downloads, on_progress: OnProgress) -> None:
        self._downloads = downloads
        self._on_progress = on_progress
        self._bytes: dict[str, asyncio.Task[bytes]] = {}
        self._metadata: dict[str, asyncio.Task[Metadata]] = {}

    def from_address(self, name: str, url: str) -> File:
        """Return the wheel at an address. Raises BadWheelError for what is none, or not for here."""
        parts = urlsplit(url)
        filename = unquote(parts.path.rpartition("/")[2])
        try:
            own_name, version, _, tags = parse_wheel_filename(filename)
        except (InvalidWheelFilename, InvalidVersion) as error:
            raise BadWheelError(f"{url} is not the address of a wheel: {error}") from None
        rank = best_compatible_tag_index(tags)
        if rank is None:
            raise BadWheelError(
                f"{filename} is built for another platform or another Python: it has no WebAssembly build"
            )
        if canonicalize_name(own_name) != name:
            raise BadWheelError(f"{filename} is a wheel of {own_name}, not of {name}")
        digest = parts.fragment.partition("sha256=")[2].partition("&")[0].lower() or None
        source = "file" if parts.scheme == "file" else "url"
        return File(name, version, filename, url.partition("#")[0], digest, rank, source)

    async def metadata(self, file: File) -> Metadata:
        """Return what a wheel says of itself, without the wheel where that is possible."""
        task = self._metadata.get(file.url)
        if task is None:
            task = self._metadata[file.url] = asyncio.ensure_future(self._read_metadata(file))
        return await task

    async def data(self, file: File) -> bytes:
        """Return a wheel. Raises FetchError, BadWheelError when it has not the hash it should have."""
        task = self._bytes.get(file.url)
        if task is None:
            task = self._bytes[file.url] = asyncio.ensure_future(self._download(file))
        return await task

    async def _read_metadata(self, file: File) -> Metadata:
        if file.metadata:
            try:
                answer = await self._downloads.fetch(file.url + ".metadata")
                return parse_metadata(answer.data.decode("utf-8", "replace"))
            except FetchError:
                pass  # The wheel has it, too.
        return parse_metadata(metadata_of(await self.data(file), file.filename))

    async def _download(self, file: File) -> bytes:
        self._on_progress(file.name, "download", 0, None)
        answer = await self._downloads.fetch(
            file.url, on_bytes=lambda loaded, total: self._on_progress(file.name, "download", loaded, total)
        )
        actual = hashlib.sha256(answer.data).hexdigest()
        if file.sha256 and actual != file.sha256:
            raise BadWheelError(
                f"{file.filename} has sha256 {actual}, but {file.sha256} was expected: "
                "it was damaged on its way, or replaced"
            )
        return answer.data
