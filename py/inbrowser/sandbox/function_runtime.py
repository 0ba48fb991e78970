"""A runtime made of one function."""

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Literal

from .runtime import TIMEOUT_EXIT_CODE, OnOutput, RunRequest, RunResult, Runtime


def create_runtime_adapter(run: Callable[[RunRequest, OnOutput], Awaitable[RunResult]]) -> Runtime:
    """Return a runtime made of one async function.

    The function need not look at `request.timeout`: at that time it is cancelled, and what it put out through
    `on_output` until then is the result.
    """
    return _FunctionRuntime(run)


class _FunctionRuntime:
    def __init__(self, run: Callable[[RunRequest, OnOutput], Awaitable[RunResult]]) -> None:
        self._run = run

    async def run(self, request: RunRequest, on_output: OnOutput) -> RunResult:
        started = perf_counter()
        output: dict[str, list[str]] = {"stdout": [], "stderr": []}

        def keep(stream: Literal["stdout", "stderr"], text: str) -> None:
            output[stream].append(text)
            on_output(stream, text)

        limit = asyncio.timeout(request.timeout)
        try:
            async with limit:
                return await self._run(request, keep)
        except TimeoutError:
            if not limit.expired():
                raise
        return RunResult(
            stdout="".join(output["stdout"]),
            stderr="".join(output["stderr"]),
            exit_code=TIMEOUT_EXIT_CODE,
            cwd=request.cwd,
            duration=perf_counter() - started,
            stopped="timeout",
        )
