"""Running commands: what a runtime must do, and `sandbox.runtime`, which all users of a sandbox share."""

import asyncio
import posixpath
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from ..records import Duration, Record, duration_field
from .errors import NotDirectoryError, SandboxDestroyedError
from .events import RunFinishEvent, RunOutputEvent, RunStartEvent
from .files import FileSystem
from .observers import Call, Observers
from .paths import VIRTUAL_ROOT
from .seen_files import SeenFiles
from .stream import EventStream

if TYPE_CHECKING:
    from .completion import Completion

SCRATCH_ROOT = "/tmp"
"""Where commands find the files that are not kept."""

TIMEOUT_EXIT_CODE = 124
STOPPED_EXIT_CODE = 130

LAST_WORDS = 1.0
"""Seconds a run has to end after it was stopped because the sandbox is destroyed."""

OnOutput = Callable[[Literal["stdout", "stderr"], str], None]
"""Called with each piece of a command's output, as it comes."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One command to run."""

    command: str
    """In the language of the shell."""
    cwd: str = VIRTUAL_ROOT
    """Absolute, below `/project`."""
    env: dict[str, str] = field(default_factory=dict[str, str])
    """Added to the shell's own environment."""
    stdin: str | bytes | None = None
    """None is an empty input: a command that reads meets its end."""
    timeout: float | None = None
    """Seconds; None is no limit."""
    shell: "Shell | None" = None
    """Whose state the command begins with and leaves its own to; None is a fresh one."""


class RunResult(Record):
    """How a command ended."""

    stdout: str
    stderr: str
    exit_code: int
    """124 after a timeout, 130 after a stop."""
    cwd: str
    """The working directory at the end, absolute; `/project` when the command ended outside of it."""
    duration: Duration = duration_field()
    truncated: bool = False
    """Whether output was dropped because there was too much of it."""
    stopped: Literal["timeout", "stop"] | None = None
    """Why the command did not end by itself."""


class Runtime(Protocol):
    """Runs commands over the sandbox's files."""

    async def run(self, request: RunRequest, on_output: OnOutput) -> RunResult:
        """Run a command to its end or its timeout. Cancelling the task stops the command at once."""
        ...


@runtime_checkable
class NamesCommands(Protocol):
    """A runtime that can tell what commands there are, for completion."""

    async def command_names(self, shell: "Shell") -> list[str]:
        """Return the names of commands, functions and aliases in a shell."""
        ...


@dataclass(slots=True)
class Shell:
    """What one user of a sandbox carries from one call to the next, as at a terminal."""

    cwd: str = VIRTUAL_ROOT
    """Absolute, below `/project`."""
    env: dict[str, str] = field(default_factory=dict[str, str])
    """Given to every command."""
    seen: SeenFiles = field(default_factory=SeenFiles)
    """The files that this user has read or written."""
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by the command that runs in this shell."""
    history: list[str] = field(default_factory=list[str])
    """The commands that ran, oldest first."""
    state: str = ""
    """Variables, functions, options and aliases, in the runtime's own words; empty in a new shell."""
    runtime: "SandboxRuntime | None" = field(default=None, repr=False, compare=False)
    """What `run` runs commands with."""

    async def run(
        self,
        command: str,
        *,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        stdin: str | bytes | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the runtime ends the run and keeps its output
        on_output: OnOutput | None = None,
        origin: str = "host",
    ) -> RunResult:
        """Run a command where the last one ended; see `SandboxRuntime.run`."""
        if self.runtime is None:
            raise ValueError("this shell belongs to no sandbox; take one of runtime.open_shell()")
        return await self.runtime.run(
            command,
            cwd=cwd,
            env=env,
            stdin=stdin,
            timeout=timeout,
            on_output=on_output,
            origin=origin,
            shell=self,
        )

    async def complete(self, line: str, cursor: int | None = None) -> "Completion":
        """Complete the word before the cursor, by default the end of the line, to a command or a path."""
        if self.runtime is None:
            raise ValueError("this shell belongs to no sandbox; take one of runtime.open_shell()")
        return await self.runtime.complete(line, cursor, shell=self)

    def needs_more(self, command: str) -> bool:
        """Tell whether a command is not whole yet: a quote, a here-document or an `if` is open."""
        from .command_lines import needs_more

        return needs_more(command)


class SandboxRuntime:
    """`sandbox.runtime`: runs commands and tells of them in the event stream."""

    def __init__(
        self,
        runtime: Runtime | None,
        fs: FileSystem,
        events: EventStream,
        observers: Observers,
        check: Callable[[str], None],
        settle: Callable[[], None],
        save: Callable[[], Awaitable[object]],
        scratch: FileSystem | None = None,
    ) -> None:
        """Call `check("run")` before each run; `settle` before its end is told, and then `save`."""
        self._scratch = scratch
        self._runtime = runtime
        self._fs = fs
        self._events = events
        self._observers = observers
        self._check = check
        self._settle = settle
        self._save = save
        self._numbers = count(1)
        self._running: set[asyncio.Future[RunResult]] = set()
        self._closed = False

    def open_shell(self) -> Shell:
        """Return a shell whose directory, variables, functions and aliases last from command to command.

        A run that is stopped or runs out of time leaves them as they were before it.
        """
        return Shell(runtime=self)

    async def run(
        self,
        command: str,
        *,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        stdin: str | bytes | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the runtime ends the run and keeps its output
        on_output: OnOutput | None = None,
        origin: str = "host",
        shell: Shell | None = None,
    ) -> RunResult:
        """Run a command and return how it ended; a failing command is a result, not an exception.

        `timeout` is in seconds; `on_output` gets the output as it comes. With a `shell`, runs take turns and
        start where the last one ended, with what it left; without, they run side by side, each fresh in
        `/project`. `cwd` is where to start, relative to the root or to the shell's directory. Raises
        CapabilityError when the sandbox cannot run commands, and the file system's errors for a bad `cwd`.
        Cancelling stops the command.
        """
        self._check("run")
        given = {"command": command, "cwd": cwd, "env": env, "stdin": stdin, "timeout": timeout}
        given = {name: value for name, value in given.items() if value is not None}
        call = Call("run", "run", given, origin, shell)
        async with shell.turn if shell else nullcontext(), self._observers.watch(call):
            self._check("run")
            request = RunRequest(
                command=command,
                cwd=await self._directory(cwd, shell),
                env={**(shell.env if shell else {}), **(env or {})},
                stdin=stdin,
                timeout=timeout,
                shell=shell,
            )
            if shell:
                shell.history.append(command)
            result = await self._run(request, on_output, origin)
            if not f"{result.cwd}/".startswith(f"{VIRTUAL_ROOT}/"):
                result = result.model_copy(update={"cwd": VIRTUAL_ROOT})
            if shell:
                shell.cwd = result.cwd
            call.outcome = result
        await self._save()
        return result

    async def complete(self, line: str, cursor: int | None = None, *, shell: Shell) -> "Completion":
        """Complete the word before the cursor as in `shell`; see `completion.complete`."""
        # Imported late: few sandboxes have somebody at a prompt.
        from .completion import complete

        self._check("run")
        runtime = self._runtime

        async def commands() -> list[str]:
            return await runtime.command_names(shell) if isinstance(runtime, NamesCommands) else []

        trees = {VIRTUAL_ROOT: self._fs} | ({SCRATCH_ROOT: self._scratch} if self._scratch else {})
        return await complete(line, cursor, cwd=shell.cwd, trees=trees, commands=commands)

    async def close(self) -> None:
        """Stop every run and wait until they have ended; their callers get SandboxDestroyedError."""
        self._closed = True
        for run in self._running:
            run.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=LAST_WORDS)
            # Let those who waited for the runs tell that they ended.
            await asyncio.sleep(0)

    async def _directory(self, cwd: str | None, shell: Shell | None) -> str:
        """Return where a run starts, as an absolute path free of links."""
        base = shell.cwd if shell else VIRTUAL_ROOT
        if not await self._fs.exists(base):
            # Removed by the last command or by someone else: a shell that stayed there could never run again.
            base = VIRTUAL_ROOT
        path = posixpath.join(base, cwd or ".")
        status = await self._fs.stat(path)
        if status.kind != "directory":
            raise NotDirectoryError(f"{path} is a file, so no command can run there")
        return VIRTUAL_ROOT if status.path == "." else f"{VIRTUAL_ROOT}/{status.path}"

    async def _run(self, request: RunRequest, on_output: OnOutput | None, origin: str) -> RunResult:
        assert self._runtime is not None
        run_id = f"run-{next(self._numbers)}"
        started = perf_counter()
        exit_code = 1

        def relay(stream: Literal["stdout", "stderr"], text: str) -> None:
            if not run.done():
                self._events.emit(RunOutputEvent, run_id=run_id, stream=stream, text=text)
                if on_output:
                    on_output(stream, text)

        self._events.emit(
            RunStartEvent, run_id=run_id, command=request.command, cwd=request.cwd, origin=origin
        )
        run = asyncio.ensure_future(self._runtime.run(request, relay))
        self._running.add(run)
        try:
            result = await run
            exit_code = result.exit_code
            return result
        except asyncio.CancelledError:
            run.cancel()
            exit_code = STOPPED_EXIT_CODE
            if self._closed:
                raise SandboxDestroyedError("the sandbox was destroyed while the command ran") from None
            raise
        finally:
            self._running.discard(run)
            self._settle()
            duration = perf_counter() - started
            self._events.emit(
                RunFinishEvent, run_id=run_id, exit_code=exit_code, duration=duration, origin=origin
            )
