"""Fetches files piece by piece, and says in plain words why one cannot be had."""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

AT_ONCE = 6
MAX_BYTES = 512 << 20
"""Of one file."""

OnBytes = Callable[[int, int | None], None]
"""Told how many bytes are there, and how many there will be if that is known."""


class FetchError(Exception):
    """A file could not be had; the message says why."""

    def __init__(self, message: str, status: int | None = None, *, offline: bool = False) -> None:
        super().__init__(message)
        self.status = status
        """What the server answered, if it did."""
        self.offline = offline


@dataclass(frozen=True)
class Answer:
    """What came."""

    data: bytes
    content_type: str
    url: str
    """Where it came from in the end."""


class Downloads:
    """The downloads of one installation, a few at a time."""

    def __init__(self, patience: float) -> None:
        """Give up each after `patience` seconds without a byte."""
        self._patience = patience
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def fetch(self, url: str, *, accept: str = "*/*", on_bytes: OnBytes | None = None) -> Answer:
        """Return what is at an address. Raises FetchError."""
        if url.startswith("file:"):
            return _local(url)
        async with self._turns:
            return await _fetch(url, accept, self._patience, on_bytes)


async def _fetch(url: str, accept: str, patience: float, on_bytes: OnBytes | None) -> Answer:
    import js
    from pyodide.ffi import JsException

    host = urlsplit(url).netloc
    controller = js.AbortController.new()
    options = js.JSON.parse(json.dumps({"headers": {"accept": accept}, "credentials": "omit"}))
    options.signal = controller.signal
    try:
        response = await asyncio.wait_for(js.fetch(url, options), patience)
        if not response.ok:
            raise FetchError(f"{host} answered {response.status} for {url}", int(response.status))
        data = await _read(response, host, patience, on_bytes)
        kind = str(response.headers.get("content-type") or "").partition(";")[0].strip().lower()
        return Answer(data, kind, str(response.url) or url)
    except TimeoutError:
        raise FetchError(f"the download of {url} stalled: {host} sent nothing for {patience:g} s") from None
    except JsException as error:
        raise _unreachable(host, error) from None
    finally:
        # Without this a download that nobody waits for would go on.
        controller.abort()


async def _read(response: Any, host: str, patience: float, on_bytes: OnBytes | None) -> bytes:
    # A length is that of the body as it was sent: of a compressed one it says nothing about what arrives.
    length = None if response.headers.get("content-encoding") else response.headers.get("content-length")
    total = int(length) if length and str(length).isdigit() else None
    data = bytearray()
    reader = response.body.getReader()
    while True:
        piece = await asyncio.wait_for(reader.read(), patience)
        if piece.done:
            return bytes(data)
        data += piece.value.to_bytes()
        if len(data) > MAX_BYTES:
            raise FetchError(f"{host} sent more than {MAX_BYTES >> 20} MB for one file")
        if on_bytes:
            on_bytes(len(data), total)


def _unreachable(host: str, error: Any) -> FetchError:
    import js

    if getattr(getattr(js, "navigator", None), "onLine", True) is False:
        return FetchError(f"{host} cannot be reached: the browser is offline", offline=True)
    message = str(error.message)
    if "network policy" in message:
        return FetchError(message)
    return FetchError(
        f"{host} cannot be reached: there is no connection, or it does not let web pages read from it (CORS)",
        offline=True,
    )


def _local(url: str) -> Answer:
    try:
        with open(urlsplit(url).path, "rb") as file:
            return Answer(file.read(), "", url)
    except OSError as error:
        raise FetchError(f"{urlsplit(url).path} cannot be read: {error.strerror}") from None
