"""The runtime of the browser: just-bash in workers over mirrors of the tree, behind the kernel's bridge."""
# pyright: basic

import asyncio
import json
from time import perf_counter
from typing import Any

from inbrowser_bridge import createShells  # pyright: ignore
from pyodide.ffi import JsException, to_js  # pyright: ignore

from ..errors import RunFailedError
from ..runtime import OnOutput, RunRequest, RunResult

KEPT_OUTPUT = 5_000_000
"""Characters of each stream that come back; more is cut out of the middle."""

LONGEST_RUN = 3600.0
"""Seconds after which a run without a timeout is ended."""


class ShellRuntime:
    """Runs commands over one tree, each in a worker to itself."""

    def __init__(self, tree: Any) -> None:
        self._shells: Any = createShells(tree)

    async def run(self, request: RunRequest, on_output: OnOutput) -> RunResult:
        """Run a command; its output comes when it ends. Raises RunFailedError when no shell can be had."""
        started = perf_counter()
        timeout = LONGEST_RUN if request.timeout is None else request.timeout
        message = {
            "command": request.command,
            "cwd": request.cwd,
            "env": request.env,
            "timeoutMs": timeout * 1000,
            "maxOutput": KEPT_OUTPUT,
        }
        stdin = request.stdin or b""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        try:
            run: Any = self._shells.start(json.dumps(message), to_js(data))
        except JsException as error:
            raise RunFailedError(str(error.message)) from None
        try:
            reply = json.loads(await run.result)
        except asyncio.CancelledError:
            run.stop()
            raise
        except JsException as error:
            raise RunFailedError(str(error.message)) from None
        if reply["stdout"]:
            on_output("stdout", reply["stdout"])
        if reply["stderr"]:
            on_output("stderr", reply["stderr"])
        return RunResult(
            stdout=reply["stdout"],
            stderr=reply["stderr"],
            exit_code=reply["exitCode"],
            cwd=reply["cwd"],
            duration=perf_counter() - started,
            truncated=reply["truncated"],
            stopped=reply["stopped"],
        )

    def close(self) -> None:
        """End every worker."""
        self._shells.close()
