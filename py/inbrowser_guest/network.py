"""`urllib` over the browser's fetch; `requests` and `urllib3` go there by themselves."""
# pyright: basic, reportAttributeAccessIssue=false, reportMissingImports=false, reportArgumentType=false

import io
import urllib.error
import urllib.request
from email.message import Message
from http.client import HTTPMessage, HTTPResponse, responses
from typing import Any

TIMEOUT = 60
"""Seconds, where a program names none: nothing could end a request that waits."""


def connect() -> None:
    """Have `urllib.request` make its requests with the browser's."""
    urllib.request.HTTPHandler.http_open = _open
    urllib.request.HTTPSHandler.https_open = _open


def _open(_handler: object, request: urllib.request.Request) -> Any:
    from pyodide.ffi import JsException
    from pyodide_http._core import Request, send

    headers = {name: value for name, value in request.header_items() if name.lower() not in _FORBIDDEN}
    timeout = request.timeout if isinstance(request.timeout, int | float) else TIMEOUT
    body = request.data
    if body is not None and not isinstance(body, bytes):
        body = b"".join(body) if not hasattr(body, "read") else body.read()
    try:
        answer = send(Request(request.get_method(), request.full_url, None, body, headers, timeout))
    except JsException as error:
        raise urllib.error.URLError(error.message) from None
    return _response(request.full_url, answer)


_FORBIDDEN = {"host", "connection", "user-agent", "content-length"}


def _response(url: str, answer: Any) -> Any:
    headers = HTTPMessage()
    for name, value in answer.headers.items():
        # The browser has undone the encoding, and the length was that of what it undid.
        if name.lower() not in ("content-encoding", "content-length", "transfer-encoding"):
            headers[name] = value
    headers["Content-Length"] = str(len(answer.body))
    head = f"HTTP/1.1 {answer.status_code} {responses.get(answer.status_code, '')}\r\n".encode()
    raw = head + Message.as_bytes(headers).replace(b"\n", b"\r\n") + answer.body
    response = HTTPResponse(_Socket(raw))
    response.begin()
    response.url = url
    response.msg = response.reason
    return response


class _Socket:
    """As much of a socket as a response reads."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._data)
