"""A model behind HTTP: one request, its streamed answer, retries, and every failure a ModelError."""

from collections.abc import AsyncIterator, Sequence

from ..errors import ModelError
from .adapter import Adapter
from .contract import ModelEvent, ModelRequest, UsageEvent
from .failures import host_of
from .lines import LineDecoder
from .prices import Price, with_cost
from .reader import ReplyReader
from .retry import RetryPolicy, with_retries
from .wire import Answer, Wire


class StreamingModel:
    """A ModelClient over an adapter and a wire. `prices` are those to estimate costs with."""

    def __init__(
        self,
        id: str,
        adapter: Adapter,
        wire: Wire,
        *,
        retries: RetryPolicy | None = None,
        prices: Sequence[Price] | None = None,
    ) -> None:
        self.id = id
        self._adapter = adapter
        self._wire = wire
        self._retries = retries or RetryPolicy()
        self._prices = prices

    def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask, again where that can help; closing the iterator ends the HTTP request."""
        return with_retries(lambda: self._ask(request), self._retries)

    async def _ask(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        http = self._adapter.request(request)
        host = host_of(http.url)
        async with self._wire.send(http) as answer:
            reader = self._adapter.reader(request)
            async for events in _pieces(answer, reader):
                for event in events:
                    yield self._priced(event, host)
                if reader.failure is not None:
                    raise reader.failure
            for event in reader.end():
                yield self._priced(event, host)

    def _priced(self, event: ModelEvent, host: str) -> ModelEvent:
        return with_cost(event, host, self.id, self._prices) if isinstance(event, UsageEvent) else event


async def _pieces(answer: Answer, reader: ReplyReader) -> AsyncIterator[list[ModelEvent]]:
    # One JSON value a line is a stream all the same, whatever it is called.
    if "application/json" in answer.content_type and reader.decoder is not LineDecoder:
        yield reader.whole(await answer.json())
        return
    decoder = reader.decoder()
    try:
        while not reader.ended and (piece := await answer.read()):
            yield reader.feed(decoder.feed(piece))
    except ModelError:
        if not reader.finished:
            raise
    yield reader.close(decoder.close())
