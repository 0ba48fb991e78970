"""Has whoever waits for Pyodide's event loop get an exception, and nobody beside."""
# pyright: basic, reportMissingImports=false

import asyncio
from typing import Any


def connect() -> None:
    """Have `asyncio.run` raise what its coroutine raises.

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
