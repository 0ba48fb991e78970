"""What the page may do with a sandbox."""
# pyright: basic

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from pyodide.ffi import to_js  # pyright: ignore

from ..sandbox import Sandbox
from ..sandbox.errors import CapabilityError
from ..sandbox.events import KernelRestartEvent
from ..sandbox.files import FileStat
from ..sandbox.preview import CompileResult, PreviewService
from ..sandbox.runtime import RunResult
from ..sandbox.tools import ToolDescription, ToolResult
from .calls import Endpoint, InvalidCallError, json_bytes

if TYPE_CHECKING:
    from ..sandbox.archives import ImportReport

Post = Callable[[Any], None]
"""Sends one message, as JSON text, on the call's own port."""

IMPORT_OPTIONS = {"path", "format", "on_conflict", "max_bytes", "max_entries"}

END = "null"
"""The last message of a call that posts a stream."""


async def run_for_page(
    run: Callable[..., Awaitable[RunResult]], post: Post | None, timeout_ms: float | None, **options: Any
) -> RunResult:
    """Run a command; its output is posted piece by piece as `[stream, text]`."""

    def on_output(stream: str, text: str) -> None:
        if post is not None:
            post(json_bytes([stream, text]).decode())

    timeout = None if timeout_ms is None else timeout_ms / 1000
    try:
        return await run(**options, timeout=timeout, on_output=on_output)
    finally:
        if post is not None:
            post(END)


class SandboxEndpoint(Endpoint):
    """One open sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    async def on(self, post: Post, restarted: str | None = None) -> None:
        """Post every event of the sandbox, as JSON text, from now on.

        `restarted` says what the kernel died of that the page listened to before.
        """
        self.sandbox.on(lambda event: post(json_bytes(event).decode()))
        if restarted is not None:
            self.sandbox.events.emit(KernelRestartEvent, reason=restarted)

    async def flush(self) -> None:
        """Wait until everything is saved."""
        await self.sandbox.flush()

    async def destroy(self, discard: bool = False) -> None:
        """End the sandbox."""
        await self.sandbox.destroy(discard=discard)

    async def tools_list(self) -> list[ToolDescription]:
        """Describe the tools."""
        return self.sandbox.tools.list()

    async def tools_run(
        self, name: str, arguments: dict[str, Any] | None = None, origin: str = "host"
    ) -> ToolResult:
        """Run one tool."""
        return await self.sandbox.tools.run(name, arguments, origin=origin)

    async def runtime_run(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        stdin: str | None = None,
        timeout_ms: float | None = None,
        origin: str = "host",
        post: Post | None = None,
    ) -> RunResult:
        """Run a command on its own."""
        options = {"command": command, "cwd": cwd, "env": env, "stdin": stdin, "origin": origin}
        return await run_for_page(self.sandbox.runtime.run, post, timeout_ms, **options)

    async def fs_read_text(self, path: str) -> bytes:
        """Return a text file, still encoded: that is the fastest way to a string over there."""
        return (await self.sandbox.fs.read_text(path)).encode()

    async def fs_read_bytes(self, path: str) -> bytes:
        """Return a file as bytes."""
        return await self.sandbox.fs.read_bytes(path)

    async def fs_write(self, path: str, data: bytes) -> None:
        """Write a whole file."""
        await self.sandbox.fs.write(path, data)

    async def fs_list(self, path: str = ".") -> list[FileStat]:
        """List a directory."""
        return await self.sandbox.fs.list(path)

    async def fs_stat(self, path: str) -> FileStat:
        """Describe one path."""
        return await self.sandbox.fs.stat(path)

    async def fs_mkdir(self, path: str) -> None:
        """Make a directory and its parents."""
        await self.sandbox.fs.mkdir(path)

    async def fs_rename(self, source: str, target: str) -> None:
        """Rename a path."""
        await self.sandbox.fs.rename(source, target)

    async def fs_remove(self, path: str, recursive: bool = False) -> None:
        """Remove a path."""
        await self.sandbox.fs.remove(path, recursive=recursive)

    async def fs_exists(self, path: str) -> bool:
        """Tell whether a path exists."""
        return await self.sandbox.fs.exists(path)

    async def import_archive(self, source: Any, **options: Any) -> "ImportReport":
        """Unpack an archive that `source` gives the bytes of."""
        from .archives import arriving

        if unknown := options.keys() - IMPORT_OPTIONS:
            raise InvalidCallError(f"importArchive has no option {', '.join(sorted(unknown))}")
        return await self.sandbox.import_archive(arriving(source), **options)

    async def preview_compile(self, entry: str | None = None) -> CompileResult:
        """Build the preview."""
        return await self._preview.compile(entry)

    async def preview_output(self) -> Any:
        """Return the last good build as a JavaScript object, its files as bytes, or None."""
        output = self._preview.output()
        if output is None:
            return None
        # At the module's import it would put a JavaScript object into the memory snapshot.
        import js  # pyright: ignore

        plain = {"buildId": output.build_id, "html": output.html, "files": output.files}
        return to_js(plain, dict_converter=js.Object.fromEntries)

    async def preview_console(self, **entry: Any) -> None:
        """Take a console message of the previewed page."""
        self._preview.report_console(**entry)

    async def preview_error(self, **entry: Any) -> None:
        """Take an error of the previewed page."""
        self._preview.report_error(**entry)

    @property
    def _preview(self) -> PreviewService:
        preview = self.sandbox.services.preview
        if preview is None:
            raise CapabilityError(f"the sandbox {self.sandbox.id!r} has no preview")
        return preview
