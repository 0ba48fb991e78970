"""HTTP as the model clients need it: one request, and its answer in pieces."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A POST, or a GET where there is no body. Headers may hold a key, so they stay out of the repr."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)


class HttpResponse(Protocol):
    """An answer whose body is still on its way."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Names in lower case; a browser shows only those that the server exposes."""
        ...

    async def read(self) -> bytes:
        """Return the next piece of the body, empty at its end. Raises TransportError when it breaks off."""
        ...

    def close(self) -> None:
        """End the request at once, finished or not."""
        ...


class Transport(Protocol):
    """A way to send requests."""

    async def open(self, request: HttpRequest) -> HttpResponse:
        """Send and return when the headers are there. Raises TransportError when there is no answer.

        Cancelling the call ends the request.
        """
        ...


ConnectionCause = Literal["offline", "refused", "unreachable", "unknown"]


class TransportError(Exception):
    """No answer, or one that broke off; `cause` as far as it could be found out.

    `offline`: no network at all. `refused`: the server is there but does not let this page read its answers
    (CORS). `unreachable`: nothing answers there. `unknown`: the browser does not say.
    """

    def __init__(self, cause: ConnectionCause = "unknown") -> None:
        super().__init__(cause)
        self.cause: ConnectionCause = cause
