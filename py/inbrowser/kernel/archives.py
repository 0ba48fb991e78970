"""Archives on their way between the page and a sandbox, in pieces."""
# pyright: basic

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pyodide.ffi import JsException  # pyright: ignore

from ..sandbox import Sandbox
from ..sandbox.errors import ArchiveError
from .calls import Endpoint


class ExportEndpoint(Endpoint):
    """One export; nothing is packed but what the page asks for."""

    def __init__(self, sandbox: Sandbox, format: Any, path: str) -> None:
        self._pieces = sandbox.export_archive(format, path)
        self._first: bytes | None = None

    async def begin(self) -> None:
        """Make the first piece, so that what cannot be exported is told at once."""
        self._first = await anext(self._pieces)

    async def next(self) -> bytes:
        """Return the next piece, which is empty after the last."""
        first, self._first = self._first, None
        return first if first is not None else await anext(self._pieces, b"")

    def close(self) -> None:
        """Stop; after the end there is nothing to stop."""
        asyncio.ensure_future(self._pieces.aclose())  # type: ignore[attr-defined]  # noqa: RUF006


async def arriving(source: Any) -> AsyncIterator[bytes]:
    """Yield the bytes of a stream of the page's. Raises ArchiveError when that one fails."""
    while True:
        try:
            piece = await source.next()
        except JsException as error:
            raise ArchiveError(f"the archive could not be read to its end: {error.message}") from None
        if piece is None:
            return
        yield piece.to_bytes()
