"""Recording: a log of every tool call and every direct run of a sandbox, and of the files they changed."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from ... import __version__
from ..errors import SandboxDestroyedError
from ..events import DestroyedEvent, ErrorEvent, SandboxEvent
from ..observers import Call
from ..paths import VIRTUAL_ROOT
from ..runtime import RunResult, Shell
from ..sandbox import Sandbox
from ..tools.registry import ToolResult
from .log import (
    BATCH,
    CallEntry,
    Entry,
    FilesEntry,
    Header,
    NoteEntry,
    OutsideEntry,
    ResultEntry,
    TreeEntry,
    line_of,
)
from .pace import Pace
from .states import FileState, Touched, states_of, tree_of

OnLine = Callable[[str], object]


def record(sandbox: Sandbox, *, tree: bool = True, on_line: OnLine | None = None) -> "Recording":
    """Begin to record a sandbox; see `Recording`.

    With `tree`, the digests of all files before the first call are kept, so that a replay can tell whether it
    starts from the same ones. `on_line` is called with each line of the log as it is written, its end
    included. Raises CapabilityError for a sandbox whose files cannot be read.
    """
    sandbox.check("read")
    return Recording(sandbox, tree, on_line)


class Recording:
    """A recording under way, until `stop` or until the sandbox is destroyed.

    The log holds arguments in full, environments and files' texts included: keep it as you would keep those.
    """

    def __init__(self, sandbox: Sandbox, tree: bool, on_line: OnLine | None) -> None:
        self._sandbox = sandbox
        self._wants_tree = tree
        self._on_line = on_line
        self._lines: list[str] = []
        self._calls: dict[Call, int] = {}
        self._started = 0
        self._writing: set[Call] = set()
        """The calls under way that may change files."""
        self._shells: dict[int, tuple[str, Shell]] = {id(sandbox.shell): ("host", sandbox.shell)}
        self._stopped = False
        self._beginning = asyncio.Lock()
        self._touched = Touched(sandbox)
        self._touched.take()
        self._off = [self._touched.close, sandbox.on(self._hear), sandbox.observers.add(self)]
        self._add(Header(sandbox=sandbox.id, time=_now(), inbrowser=__version__))

    @property
    def log(self) -> str:
        """The log so far: lines of JSON."""
        return "".join(self._lines)

    def note(self, name: str, data: Any = None) -> None:
        """Add a line of the host's own; a replay passes over it."""
        self._add(NoteEntry(name=name, data=data))

    async def stop(self) -> str:
        """Record no more and return the log; to call it again is fine."""
        if not self._stopped:
            async with self._beginning:
                if not self._writing:
                    await self._tell_outside()
            self._end()
        return self.log

    async def began(self, call: Call) -> None:
        """Write that a call begins; called by the sandbox."""
        async with self._beginning:
            if not self._writing:
                await self._tell_outside()
            if not call.pure:
                self._writing.add(call)
        self._started += 1
        number = self._calls[call] = self._started
        shell = call.shell
        self._add(
            CallEntry(
                call=number,
                kind=call.kind,
                name=call.name,
                arguments=call.arguments,
                origin=call.origin,
                shell=self._name_of(shell) if shell else None,
                cwd=shell.cwd if shell else VIRTUAL_ROOT,
                env=dict(shell.env) if shell else {},
                time=_now(),
            )
        )

    async def ended(self, call: Call) -> None:
        """Write how a call ended and what it changed; called by the sandbox."""
        number = self._calls.pop(call, None)
        self._writing.discard(call)
        if number is None or self._stopped or isinstance(call.outcome, SandboxDestroyedError):
            return
        files: list[FileState] | None = []
        if not call.pure:
            paths = None if self._writing else self._touched.take()
            files = None if paths is None else await states_of(self._sandbox.fs, paths)
        rest = files and await self._add_files(files, number)
        self._add(ResultEntry(call=number, outcome=outcome_of(call), files=rest))

    def _add(self, entry: Entry) -> None:
        if self._stopped:
            return
        line = line_of(entry)
        self._lines.append(line)
        if self._on_line:
            try:
                self._on_line(line)
            except Exception as error:
                message = f"on_line of a recording failed: {error}"
                self._sandbox.events.emit(ErrorEvent, name=type(error).__name__, message=message)

    async def _tell_outside(self) -> None:
        paths = self._touched.take()
        if self._wants_tree:
            self._wants_tree = False
            self._add(TreeEntry(files=await self._add_files(await tree_of(self._sandbox.fs), None)))
        elif paths and (files := await states_of(self._sandbox.fs, paths)):
            self._add(OutsideEntry(files=await self._add_files(files, None)))

    async def _add_files(self, files: list[FileState], call: int | None) -> list[FileState]:
        """Write files in lines of their own as long as there are many; returns the rest."""
        pace = Pace()
        while len(files) > BATCH:
            self._add(FilesEntry(call=call, files=files[:BATCH]))
            files = files[BATCH:]
            await pace.pause()
        return files

    def _name_of(self, shell: Shell) -> str:
        # The shell is kept, too: the id of one that is gone may be another's.
        name = f"shell-{len(self._shells)}"
        return self._shells.setdefault(id(shell), (name, shell))[0]

    def _hear(self, event: SandboxEvent) -> None:
        if isinstance(event, DestroyedEvent):
            self._end()

    def _end(self) -> None:
        self._stopped = True
        for off in self._off:
            off()


def outcome_of(call: Call) -> dict[str, Any]:
    """Return what a call gave, as a log keeps it."""
    match call.outcome:
        case ToolResult() as result:
            cwd = {"cwd": call.shell.cwd} if call.shell else {}
            return {"ok": result.ok, "summary": result.summary, "data": result.data, **cwd}
        case RunResult() as result:
            return result.model_dump(exclude={"duration"})
        case Exception() as error:
            return {"error": type(error).__name__, "message": " ".join(str(error).split())}
        case _:
            return {"cancelled": True}


def _now() -> float:
    return round(time.time() * 1000, 3)
