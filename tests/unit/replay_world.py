"""Sandboxes with a small shell of our own, to record on one and to replay on another."""

import asyncio
import time
from pathlib import Path
from typing import Any

from inbrowser.sandbox import Sandbox, Tool, ToolArguments, create_runtime_adapter, create_sandbox
from inbrowser.sandbox.errors import RunFailedError
from inbrowser.sandbox.files import DirectoryFileSystem
from inbrowser.sandbox.runtime import OnOutput, RunRequest, RunResult


def make_sandbox(root: Path, id: str = "here", tools: list[Tool[Any]] | None = None) -> Sandbox:
    """A sandbox on a directory of its own, with the shell below."""
    root.mkdir(exist_ok=True)
    fs = DirectoryFileSystem(str(root))
    return create_sandbox(
        fs=fs, runtime=create_runtime_adapter(SmallShell(fs).run), id=id, tools=tools, capabilities=None
    )


def heard(sandbox: Sandbox, type: str) -> asyncio.Event:
    """Set with the next event of a type."""
    event = asyncio.Event()
    sandbox.on(lambda told: event.set() if told.type == type else None)
    return event


class SmallShell:
    """A shell of a few words, such as `put FILE TEXT`, `append FILE TEXT`, `say TEXT` and `cd DIR`."""

    def __init__(self, fs: DirectoryFileSystem) -> None:
        self.fs = fs
        self.commands: list[str] = []

    async def run(self, request: RunRequest, on_output: OnOutput) -> RunResult:
        self.commands.append(request.command)
        word, _, rest = request.command.partition(" ")
        file, _, text = rest.partition(" ")
        stdout, cwd, code = "", request.cwd, 0
        path = f"{request.cwd}/{file}"
        match word:
            case "put":
                await self.fs.write(path, text)
            case "append":
                before = await self.fs.read_bytes(path) if await self.fs.exists(path) else b""
                await self.fs.write(path, before + text.encode() + b"\n")
            case "slowly":
                await self.fs.write(path, text)
                await asyncio.sleep(0.05)
            case "say":
                stdout = rest + "\n"
            case "cat":
                stdin = request.stdin or b""
                stdout = stdin if isinstance(stdin, str) else repr(stdin)
            case "cd":
                cwd = f"{request.cwd}/{rest}"
            case "tick":
                stdout = (
                    f"{time.time():.3f} took {time.perf_counter():.3f} ms in /tmp/tmp.A{time.time_ns()}\n"
                )
            case "wait":
                await asyncio.Event().wait()
            case "crash":
                raise RunFailedError("no shell")
            case _:
                code = 127
        return RunResult(stdout=stdout, stderr="", exit_code=code, cwd=cwd)


class Anything(ToolArguments):
    """Whatever a host passes to a tool of its own."""

    value: Any = None
