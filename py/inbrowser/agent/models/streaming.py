"""A model behind HTTP: one request, its streamed answer, retries, and every failure a ModelError."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from typing import TypeVar

from ... import safejson
from ..errors import ModelError
from .adapter import Adapter
from .contract import ModelEvent, ModelRequest
from .failures import connection_failure, cut_off, http_failure, not_understood, stalled
from .reader import ReplyReader
from .retry import RetryPolicy, with_retries
from .transport import HttpRequest, HttpResponse, Transport, TransportError

T = TypeVar("T")

MAX_ERROR_BYTES = 100_000
"""How much of an error's body is read."""


class StreamingModel:
    """A ModelClient over an adapter and a transport. `secret` is kept out of every message."""

    def __init__(
        self,
        id: str,
        adapter: Adapter,
        transport: Transport,
        *,
        secret: str = "",
        idle_timeout: float = 120.0,
        retries: RetryPolicy | None = None,
    ) -> None:
        self.id = id
        self._adapter = adapter
        self._transport = transport
        self._secret = secret
        self._idle_timeout = idle_timeout
        self._retries = retries or RetryPolicy()

    def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask, again where that can help; closing the iterator ends the HTTP request."""
        return with_retries(lambda: self._ask(request), self._retries)

    async def _ask(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        http = self._adapter.request(request)
        try:
            response = await self._open(http)
            try:
                if not 200 <= response.status < 300:
                    body = await self._error_body(http.url, response)
                    raise http_failure(http.url, response.status, response.headers, body)
                reader = self._adapter.reader(request)
                async for events in self._answer(http.url, response, reader):
                    for event in events:
                        yield event
                    if reader.failure is not None:
                        raise reader.failure
                for event in reader.end():
                    yield event
            finally:
                response.close()
        except ModelError as error:
            if self._secret:
                error.args = (str(error).replace(self._secret, "[key]"),)
            raise

    async def _answer(
        self, url: str, response: HttpResponse, reader: ReplyReader
    ) -> AsyncIterator[list[ModelEvent]]:
        content_type = response.headers.get("content-type", "")
        if "html" in content_type:
            raise not_understood(url, "answered with a web page")
        if "application/json" in content_type:
            yield reader.whole(_json(url, await self._body(url, response)))
            return
        decoder = reader.decoder()
        try:
            while not reader.ended and (piece := await self._read(url, response)):
                yield reader.feed(decoder.feed(piece))
        except ModelError:
            if not reader.finished:
                raise
        yield reader.feed(decoder.close())

    async def _open(self, http: HttpRequest) -> HttpResponse:
        try:
            return await self._in_time(http.url, self._transport.open(http))
        except TransportError as error:
            raise connection_failure(http.url, error) from None

    async def _read(self, url: str, response: HttpResponse) -> bytes:
        try:
            return await self._in_time(url, response.read())
        except TransportError:
            raise cut_off(url) from None

    async def _body(self, url: str, response: HttpResponse) -> bytes:
        body = bytearray()
        while piece := await self._read(url, response):
            body += piece
        return bytes(body)

    async def _error_body(self, url: str, response: HttpResponse) -> bytes:
        body = bytearray()
        with suppress(ModelError):  # the status says more than that its explanation broke off
            while len(body) < MAX_ERROR_BYTES and (piece := await self._read(url, response)):
                body += piece
        return bytes(body)

    async def _in_time(self, url: str, step: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._idle_timeout):
                return await step
        except TimeoutError:
            raise stalled(url, self._idle_timeout) from None


def _json(url: str, body: bytes) -> object:
    try:
        return safejson.loads(body.decode("utf-8", "replace"), what="The answer")
    except safejson.JsonError as error:
        raise not_understood(url, f"answered with JSON that cannot be read ({error})") from None
