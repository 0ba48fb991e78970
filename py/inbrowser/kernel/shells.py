"""What the page may do with a shell: commands, one after the other, each where the last one ended."""

import asyncio
from typing import Any

from ..sandbox.completion import Completion
from ..sandbox.runtime import RunResult, Shell
from .calls import Endpoint
from .sandboxes import Post, run_for_page


class ShellEndpoint(Endpoint):
    """One shell. What runs in it goes on when the page no longer has its handle."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._running: set[asyncio.Task[Any]] = set()

    async def run(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        stdin: str | None = None,
        timeout_ms: float | None = None,
        origin: str = "host",
        post: Post | None = None,
    ) -> RunResult:
        """Run a command where the last one ended."""
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        options = {"command": command, "cwd": cwd, "env": env, "stdin": stdin, "origin": origin}
        try:
            return await run_for_page(self._shell.run, post, timeout_ms, **options)
        finally:
            self._running.discard(task)

    async def complete(self, line: str, cursor: int | None = None) -> Completion:
        """Complete the word before the cursor. Positions are JavaScript's, in UTF-16 code units."""
        units = line.encode("utf-16-le", "surrogatepass")
        until = len(units) if cursor is None else max(0, cursor) * 2
        found = await self._shell.complete(line, len(_text(units[:until])))
        start, end = (
            len(line[:at].encode("utf-16-le", "surrogatepass")) // 2 for at in (found.start, found.end)
        )
        return found.model_copy(update={"start": start, "end": end})

    async def needs_more(self, command: str) -> bool:
        """Tell whether a shell would go on reading."""
        return self._shell.needs_more(command)

    async def end(self) -> None:
        """Stop what runs, and what waits for its turn."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)


def _text(units: bytes) -> str:
    return units.decode("utf-16-le", "surrogatepass")
