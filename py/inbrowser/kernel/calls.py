"""Calls from the page: one method of one object, named by a handle, with JSON arguments."""
# pyright: basic

import asyncio
import inspect
import random
import traceback
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any, TypeVar

from pydantic import BaseModel
from pydantic.alias_generators import to_snake
from pydantic_core import PydanticSerializationError, to_json
from pyodide.ffi import JsProxy, to_js  # pyright: ignore

from ..errors import InBrowserError
from ..safejson import loads

LARGE = 8192
"""Characters from which on text is cheaper to hand over as UTF-8 bytes than as a string."""

Method = Callable[..., Awaitable[Any]]
E = TypeVar("E", bound="Endpoint")


class InvalidCallError(InBrowserError):
    """A call from the page that no object answers: an unknown handle, method or argument."""


class Endpoint:
    """An object the page holds a handle to; its public coroutine methods are what may be called."""

    def close(self) -> None:
        """Release what belongs to the handle alone."""


class Kernel:
    """Holds the objects that the page has handles to, and answers its calls."""

    def __init__(self) -> None:
        # A memory snapshot froze the state of the generator: without this every visit would draw the same.
        random.seed()
        self._endpoints: dict[str, Endpoint] = {}
        self._numbers = count(1)
        self._running: dict[int, asyncio.Task[Any]] = {}
        self._begun = 0
        """The number of the call that began last."""
        self._cancelled: set[int] = set()
        """Calls that were cancelled before they began."""

    def add(self, endpoint: Endpoint) -> str:
        """Register an object and return its handle."""
        handle = f"{_kind(type(endpoint))}-{next(self._numbers)}"
        self._endpoints[handle] = endpoint
        return handle

    def get(self, handle: str, kind: type[E]) -> E:
        """Return the object behind a handle. Raises InvalidCallError when none of that kind has it."""
        endpoint = self._endpoints.get(handle)
        if not isinstance(endpoint, kind):
            raise InvalidCallError(
                f"{handle!r} is not a live {kind.__name__.removesuffix('Endpoint').lower()}"
            )
        return endpoint

    def release(self, handle: str) -> None:
        """Forget a handle; unknown ones are fine."""
        if endpoint := self._endpoints.pop(handle, None):
            endpoint.close()

    async def call(self, number: int, handle: str, method: str, params: str, extras: JsProxy) -> Any:
        """Call a method and return `{"value": ...}` or `{"error": {"name", "message"}}` as JSON.

        `params` is a JSON object; `extras` holds what JSON cannot: bytes, functions, remote objects.
        Long JSON comes as a Uint8Array of UTF-8; bytes and JavaScript objects come as they are.
        """
        task = asyncio.current_task()
        assert task is not None
        self._running[number] = task
        self._begun = max(self._begun, number)
        try:
            if number in self._cancelled:
                self._cancelled.remove(number)
                raise asyncio.CancelledError
            arguments = {to_snake(name): value for name, value in loads(params, what="the call").items()}
            arguments |= {name: _from_js(value) for name, value in extras.object_entries()}
            result = await self._method(handle, method, arguments)(**arguments)
            if isinstance(result, bytes):
                return to_js(result)
            if isinstance(result, JsProxy):
                return result
            return _reply(b'{"value":' + json_bytes(result) + b"}")
        except asyncio.CancelledError:
            return _failure("CancelledError", f"{method} was cancelled")
        except InBrowserError as error:
            return _failure(type(error).__name__, str(error))
        except Exception as error:
            traceback.print_exc()
            return _failure("InternalError", f"{method} failed: {type(error).__name__}: {error}")
        finally:
            del self._running[number]

    def cancel(self, number: int) -> None:
        """Cancel a call that is still running, or about to begin."""
        if task := self._running.get(number):
            task.cancel()
        elif number > self._begun:
            self._cancelled.add(number)

    def plain(self, value: Any) -> Any:
        """Return the value of a host's expression: a Uint8Array for bytes, else JSON text as of a call."""
        try:
            if isinstance(value, bytes):
                return to_js(value)
            return (b'{"value":' + json_bytes(value) + b"}").decode()
        except PydanticSerializationError:
            kind = type(value).__name__
            return _failure(
                "InvalidCallError", f"the last expression is a {kind}: end with plain data or None"
            )

    def _method(self, handle: str, name: str, arguments: dict[str, Any]) -> Method:
        endpoint = self._endpoints.get(handle)
        if endpoint is None:
            raise InvalidCallError(f"nothing has the handle {handle!r}; it may have been released")
        method = None if name.startswith("_") else getattr(endpoint, to_snake(name), None)
        if not inspect.iscoroutinefunction(method):
            raise InvalidCallError(f"{handle} has no method {name!r}")
        try:
            inspect.signature(method).bind(**arguments)
        except TypeError as error:
            raise InvalidCallError(f"{name}: {error}") from None
        return method


def _kind(endpoint: type[Endpoint]) -> str:
    return endpoint.__name__.removesuffix("Endpoint").lower()


def json_bytes(value: Any) -> bytes:
    """Return JSON for JavaScript: camelCase keys in records, durations in milliseconds."""
    if isinstance(value, BaseModel):
        return value.__pydantic_serializer__.to_json(value, by_alias=True)
    return to_json(value, by_alias=True)


def _reply(json: bytes) -> Any:
    return json.decode() if len(json) < LARGE else to_js(json)


def _failure(name: str, message: str) -> Any:
    return _reply(b'{"error":' + to_json({"name": name, "message": message}) + b"}")


def _from_js(value: Any) -> Any:
    return (
        value.to_bytes() if isinstance(value, JsProxy) and value.constructor.name == "Uint8Array" else value
    )
