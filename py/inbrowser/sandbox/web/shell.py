"""The runtime of the browser: just-bash in workers over mirrors of the tree, behind the kernel's bridge."""
# pyright: basic

import asyncio
import json
from typing import Any

from inbrowser_bridge import createShells  # pyright: ignore
from pyodide.ffi import JsException, create_proxy, to_js  # pyright: ignore

from ..errors import RunFailedError
from ..runtime import OnOutput, RunRequest, RunResult

KEPT_OUTPUT = 5_000_000
"""Characters of each stream that come back; more is cut out of the middle."""

LONGEST_RUN = 3600.0
"""Seconds after which a run without a timeout is ended."""


class ShellRuntime:
    """Runs commands over one tree, each in a worker to itself."""

    def __init__(self, tree: Any) -> None:
        self._runs: dict[int, asyncio.Future[RunResult]] = {}
        # One callback for all runs: to await a JavaScript promise takes longer than a small command.
        self._ended = create_proxy(self._end)
        self._shells: Any = createShells(tree, self._ended)

    async def run(self, request: RunRequest, on_output: OnOutput) -> RunResult:
        """Run a command; its output comes when it ends. Raises RunFailedError when no shell can be had."""
        timeout = LONGEST_RUN if request.timeout is None else request.timeout
        stdin = request.stdin.encode() if isinstance(request.stdin, str) else request.stdin
        try:
            number = self._shells.start(
                request.command,
                request.cwd,
                json.dumps(request.env),
                timeout * 1000,
                KEPT_OUTPUT,
                to_js(stdin) if stdin else None,
            )
        except JsException as error:
            raise RunFailedError(str(error.message)) from None
        ended = self._runs[number] = asyncio.get_running_loop().create_future()
        try:
            result = await ended
        except asyncio.CancelledError:
            self._shells.stop(number)
            raise
        finally:
            del self._runs[number]
        if result.stdout:
            on_output("stdout", result.stdout)
        if result.stderr:
            on_output("stderr", result.stderr)
        return result

    def close(self) -> None:
        """End every worker."""
        self._shells.close()
        self._ended.destroy()

    def _end(self, number: int, reply: str, failure: str | None = None) -> None:
        ended = self._runs.get(number)
        if ended is None or ended.done():
            return
        if failure is None:
            ended.set_result(RunResult.model_validate_json(reply))
        else:
            ended.set_exception(RunFailedError(failure))
