"""One request over a transport: every failure a ModelError, and none that shows the key."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import TypeVar

from ... import safejson
from ..errors import ModelError
from .failures import connection_failure, cut_off, http_failure, not_understood, stalled
from .transport import HttpRequest, HttpResponse, Transport, TransportError

T = TypeVar("T")

MAX_ERROR_BYTES = 100_000
"""How much of an error's body is read."""


class Answer:
    """An answer that began well; its body is still on its way."""

    def __init__(self, url: str, response: HttpResponse, patience: float) -> None:
        self.url = url
        self.content_type = response.headers.get("content-type", "")
        self._response = response
        self._patience = patience

    async def read(self) -> bytes:
        """Return the next piece of the body, empty at its end. Raises ModelError when it breaks off."""
        try:
            return await _in_time(self.url, self._response.read(), self._patience)
        except TransportError:
            raise cut_off(self.url) from None

    async def json(self) -> object:
        """Return the whole body, which must be JSON. Raises ModelError."""
        body = bytearray()
        while piece := await self.read():
            body += piece
        try:
            return safejson.loads(body.decode("utf-8", "replace"), what="The answer")
        except safejson.JsonError as error:
            what = f"answered with JSON that cannot be read ({error})"
            raise not_understood(self.url, what) from None

    async def error_body(self) -> bytes:
        """Return what explains an error, as much of it as comes."""
        body = bytearray()
        with suppress(ModelError):  # the status says more than that its explanation broke off
            while len(body) < MAX_ERROR_BYTES and (piece := await self.read()):
                body += piece
        return bytes(body)


class Wire:
    """A transport, and how long it may be silent (in seconds). `secret` is kept out of every message."""

    def __init__(self, transport: Transport, *, secret: str = "", idle_timeout: float = 120.0) -> None:
        self._transport = transport
        self._secret = secret
        self._patience = idle_timeout

    @asynccontextmanager
    async def send(self, request: HttpRequest) -> AsyncGenerator[Answer]:
        """Send a request for the time of the block; leaving it ends the request.

        Raises ModelError, also for a status that is not 2xx, and for an answer that is a web page.
        """
        url = request.url
        try:
            try:
                response = await _in_time(url, self._transport.open(request), self._patience)
            except TransportError as error:
                raise connection_failure(url, error) from None
            try:
                answer = Answer(url, response, self._patience)
                if not 200 <= response.status < 300:
                    body = self._without_secret(await answer.error_body())
                    raise http_failure(url, response.status, response.headers, body)
                if "html" in answer.content_type:
                    raise not_understood(url, "answered with a web page")
                yield answer
            finally:
                response.close()
        except ModelError as error:
            if self._secret:
                error.args = (str(error).replace(self._secret, "[key]"),)
            raise

    def _without_secret(self, body: bytes) -> bytes:
        """Hide the key before a message is shortened, which could leave a part of it."""
        return body.replace(self._secret.encode(), b"[key]") if self._secret else body


async def _in_time(url: str, step: Awaitable[T], seconds: float) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await step
    except TimeoutError:
        raise stalled(url, seconds) from None
