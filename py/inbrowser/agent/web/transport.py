# pyright: basic, reportMissingImports=false
"""The browser's fetch as a transport. Import it only where JavaScript is there."""

from collections.abc import Mapping

import js
from pyodide.ffi import JsException, to_js

from ..models.transport import ConnectionCause, HttpRequest, TransportError

PROBE_TIMEOUT = 3000
"""Milliseconds spent on finding out why a request failed."""


class FetchTransport:
    """Sends requests with `fetch`; closing a response aborts its request."""

    async def open(self, request: HttpRequest) -> "FetchResponse":
        """Send `request`. Raises TransportError when there is no answer."""
        controller = js.AbortController.new()
        try:
            response = await js.fetch(
                request.url,
                _options(
                    method="GET" if request.body is None else "POST",
                    headers=dict(request.headers),
                    body=request.body,
                    signal=controller.signal,
                    cache="no-store",
                ),
            )
        except JsException:
            controller.abort()
            raise TransportError(await _cause(request.url)) from None
        except BaseException:
            controller.abort()
            raise
        return FetchResponse(response, controller)


class FetchResponse:
    """An answer on its way."""

    def __init__(self, response, controller) -> None:
        self.status: int = response.status
        self.headers: Mapping[str, str] = js.Object.fromEntries(response.headers.entries()).to_py()
        self._controller = controller
        self._reader = response.body.getReader() if response.body else None

    async def read(self) -> bytes:
        """Return the next piece of the body, empty at its end. Raises TransportError when it breaks off."""
        while self._reader is not None:
            try:
                piece = await self._reader.read()
            except JsException:
                raise TransportError from None
            if piece.done:
                break
            if piece.value.length:
                return piece.value.to_bytes()
        return b""

    def close(self) -> None:
        """End the request at once; without this the connection would stay open."""
        self._controller.abort()


async def _cause(url: str) -> ConnectionCause:
    """Find out what fetch does not tell: a request without CORS shows whether anything answers at all."""
    if not js.navigator.onLine:
        return "offline"
    try:
        await js.fetch(url, _options(mode="no-cors", signal=js.AbortSignal.timeout(PROBE_TIMEOUT)))
    except JsException:
        return "unreachable"
    return "refused"


def _options(**fields):
    return to_js(fields, dict_converter=js.Object.fromEntries)
