"""Makes `asyncio.run` what it is elsewhere, as far as the browser lets it."""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false

import asyncio
import time
import warnings
from typing import Any

from .missing import NO_STACK_SWITCHING, host


def connect() -> None:
    """Have `asyncio.run` raise what its coroutine raises, and work without stack switching."""
    if host().stackSwitching:
        _raise_once()
    else:
        _run_alone()


def _raise_once() -> None:
    """Have whoever waits for Pyodide's event loop get an exception, and nobody beside.

    On the way through JavaScript an exception is printed, to find its text: where a program has replaced
    `sys.stderr`, as pytest does, it would get that.
    """
    from pyodide.webloop import WebLoop

    run = WebLoop.run_until_complete

    def run_until_complete(self: WebLoop, future: Any) -> Any:
        task = asyncio.ensure_future(future, loop=self)
        run(self, asyncio.wait([task]))
        return task.result()

    # In tracebacks it is what it is elsewhere: a part of asyncio.
    file = asyncio.BaseEventLoop.run_until_complete.__code__.co_filename
    run_until_complete.__code__ = run_until_complete.__code__.replace(co_filename=file)
    WebLoop.run_until_complete = run_until_complete


def _run_alone() -> None:
    asyncio._set_running_loop(None)
    asyncio.run = asyncio.runners.run
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        asyncio.set_event_loop_policy(_Policy())


class _Loop(asyncio.BaseEventLoop):
    """Runs coroutines that wait for each other and for time to pass; nothing can wait for the browser."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise RuntimeError(NO_STACK_SWITCHING.format(what="what the browser does"))
        if timeout > 0:
            time.sleep(timeout)
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


class _Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = _Loop
