"""The runtime of the browser: just-bash in workers over mirrors of the tree, behind the kernel's bridge."""
# pyright: basic

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from inbrowser_bridge import createShells  # pyright: ignore
from pyodide.ffi import JsException, create_proxy, to_js  # pyright: ignore

from ..errors import RunFailedError
from ..processes import NetworkPolicy, ProcessLimits
from ..runtime import STOPPED_EXIT_CODE, OnOutput, RunRequest, RunResult, Shell

KEPT_OUTPUT = 5_000_000
"""Characters of each stream that come back; more is cut out of the middle."""

NAMING = 5.0
"""Seconds that listing the commands may take."""

LONGEST_RUN = 3600.0
"""Seconds after which a run without a timeout is ended."""


@dataclass(slots=True)
class _Run:
    request: RunRequest
    on_output: OnOutput
    ended: asyncio.Future[RunResult]


class Programs(Protocol):
    """What shells need beside themselves to run programs."""

    async def pip(self, words: list[str], cwd: str, write: OnOutput) -> int:
        """Do what `pip` with these words does; returns its exit code."""
        ...

    async def prepare(self, words: list[str]) -> str:
        """Have processes find what is installed; `words` are those of the one that is about to start.

        Returns what there is to say of it, for its standard error.
        """
        ...


class ShellRuntime:
    """Runs commands over the trees of one sandbox, each in a worker to itself."""

    def __init__(self, trees: list[Any], processes: ProcessLimits, network: NetworkPolicy) -> None:
        self.programs: Programs | None = None
        """Told of the programs that shells start; set by whoever has the packages."""
        self._runs: dict[int, _Run] = {}
        # The same callbacks for all runs: to await a JavaScript promise takes longer than a small command.
        self._callbacks = [create_proxy(each) for each in (self._say, self._end, self._pip, self._prepare)]
        limits = processes.model_dump()
        settings = {"isolation": limits.pop("isolation"), "limits": limits, "network": network.allow}
        self.shells: Any = createShells(to_js(trees), json.dumps(settings), *self._callbacks)

    async def run(self, request: RunRequest, on_output: OnOutput) -> RunResult:
        """Run a command; its output comes meanwhile. Raises RunFailedError when no shell can be had."""
        timeout = LONGEST_RUN if request.timeout is None else request.timeout
        stdin = request.stdin.encode() if isinstance(request.stdin, str) else request.stdin
        try:
            number = self.shells.start(
                request.command,
                request.cwd,
                json.dumps(request.env),
                timeout * 1000,
                KEPT_OUTPUT,
                to_js(stdin) if stdin else None,
                request.shell.state if request.shell else None,
            )
        except JsException as error:
            raise RunFailedError(str(error.message)) from None
        ended = asyncio.get_running_loop().create_future()
        self._runs[number] = _Run(request, on_output, ended)
        try:
            await asyncio.wait([ended])
        except asyncio.CancelledError:
            self.shells.stop(number)
            # What it has done to the files is there when it is said to have ended.
            await asyncio.wait([ended])
            ended.exception()  # Nobody else asks for it.
            raise
        finally:
            del self._runs[number]
        return ended.result()

    async def command_names(self, shell: Shell) -> list[str]:
        """Return the names of commands, functions and aliases in a shell, whatever runs in it."""
        copy = Shell(state=shell.state)
        listed = await self.run(RunRequest("compgen -A command", timeout=NAMING, shell=copy), lambda *_: None)
        return [name for name in listed.stdout.split("\n") if name and not name.startswith("__")]

    def close(self) -> None:
        """End every worker."""
        self.shells.close()
        for callback in self._callbacks:
            callback.destroy()

    async def _pip(
        self, words: str, cwd: str, write: Callable[[str, str], None], began: Callable[[Any], None]
    ) -> int:
        """Call `began` with the way to stop it."""
        assert self.programs
        task = asyncio.ensure_future(self.programs.pip(json.loads(words), cwd, write))
        stop = create_proxy(task.cancel)
        began(stop)
        try:
            await asyncio.wait([task])
            return STOPPED_EXIT_CODE if task.cancelled() else task.result()
        finally:
            stop.destroy()

    async def _prepare(self, words: str) -> str:
        assert self.programs
        return await self.programs.prepare(json.loads(words))

    def _say(self, number: int, stream: Literal["stdout", "stderr"], text: str) -> None:
        if run := self._runs.get(number):
            run.on_output(stream, text)

    def _end(self, number: int, reply: str, failure: str | None = None, state: str | None = None) -> None:
        run = self._runs.get(number)
        if run is None or run.ended.done():
            return
        if failure is None:
            if run.request.shell and state is not None:
                run.request.shell.state = state
            run.ended.set_result(RunResult.model_validate_json(reply))
        else:
            run.ended.set_exception(RunFailedError(failure))
