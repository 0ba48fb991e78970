# pyright: basic, reportMissingImports=false
"""Models that run in the page, as a transport: what the page says of them is the body of an answer."""

import json
import weakref
from collections.abc import Mapping
from typing import Any

from pyodide.ffi import JsException

from ..models.transport import HttpRequest

SSE = {"content-type": "text/event-stream"}
JSON = {"content-type": "application/json"}


class PageTransport:
    """Hands the body of each request to an object of the page's, whose `open` gives the answer in pieces.

    The page is told when this goes.
    """

    def __init__(self, page: Any) -> None:
        self._page = page
        weakref.finalize(self, page.release)

    async def open(self, request: HttpRequest) -> "PageResponse":
        """Ask, and return when the first piece is there; what fails until then is an answer with an error."""
        stream = await self._page.open((request.body or b"").decode())
        try:
            first = await stream.next()
        except JsException as error:
            stream.close()
            return PageResponse(500, JSON, stream, _failure(error), ended=True)
        except BaseException:
            stream.close()
            raise
        return PageResponse(200, SSE, stream, first or "", ended=first is None)


class PageResponse:
    """An answer on its way; one that fails says so in a last piece."""

    def __init__(self, status: int, headers: Mapping[str, str], stream: Any, first: str, ended: bool) -> None:
        self.status = status
        self.headers = headers
        self._stream = stream
        self._first = first
        self._ended = ended

    async def read(self) -> bytes:
        """Return the next piece of the body, empty at its end."""
        piece, self._first = self._first, ""
        while not piece and not self._ended:
            try:
                piece = await self._stream.next()
            except JsException as error:
                piece = f"data: {_failure(error)}\n\n"
                self._ended = True
            if piece is None:
                self._ended, piece = True, ""
        return piece.encode()

    def close(self) -> None:
        """End the request at once."""
        self._stream.close()


def _failure(error: JsException) -> str:
    return json.dumps({"error": {"message": str(error.message)}})
