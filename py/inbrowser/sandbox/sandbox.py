"""The sandbox: files, runtime, services, tools and events that belong together, and ways to get one."""

import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from .changes import Change, ChangeFeed, ScanningChanges
from .errors import CapabilityError, SandboxDestroyedError, SandboxError
from .events import DestroyedEvent, FileEvent
from .files import DirectoryFileSystem, FileSystem
from .runtime import Runtime, SandboxRuntime, Shell
from .stream import EventStream, Listener
from .tools.builtin import BUILTIN_TOOLS
from .tools.registry import Tool, ToolRegistry
from .tracked_files import TrackedFiles

if TYPE_CHECKING:
    from .preview import PreviewService


class Service(Protocol):
    """A part of a sandbox beside its files and its runtime."""

    def connect(self, events: EventStream) -> None:
        """Emit to `events` from now on; called once."""
        ...

    def close(self) -> None:
        """Stop and free everything; called when the sandbox is destroyed."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """The services of a sandbox; None for one it does not have."""

    preview: "PreviewService | None" = None

    def all(self) -> list[Service]:
        """Return those that are there."""
        return [service for service in (self.preview,) if service]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a platform makes a sandbox of."""

    fs: FileSystem
    changes: ChangeFeed | None = None
    runtime: Runtime | None = None
    services: Services | None = None
    close: Callable[[], Awaitable[None]] | None = None
    """Frees the parts, after everything that uses them has stopped."""


class Sandbox:
    """One sandbox, to be shared by any number of hosts, people and agents; get one from `open_sandbox`."""

    def __init__(
        self, id: str, parts: Parts, tools: Iterable[Tool[Any]], capabilities: Iterable[str] | None
    ) -> None:
        services = parts.services or Services()
        possible = {"read", "write"}
        possible |= {"run"} if parts.runtime else set()
        possible |= {"preview"} if services.preview else set()
        self.id = id
        self.capabilities = frozenset(possible if capabilities is None else possible & set(capabilities))
        """What can be done here, out of `read`, `write`, `run` and `preview`."""
        self.events = EventStream(id)
        """The stream that services and tools emit to; listen with `on`."""
        self.shell = Shell()
        """The host's own."""
        self._parts = parts
        self._services = services
        self._destroyed = False
        self._changes = parts.changes
        if self._changes is None and isinstance(parts.fs, DirectoryFileSystem):
            self._changes = ScanningChanges(parts.fs.root)
        if self._changes:
            self._changes.on_change = self.settle
        self.fs: FileSystem = TrackedFiles(parts.fs, self.check, self._changed, compare=self._changes is None)
        self.runtime = SandboxRuntime(parts.runtime, self.fs, self.events, self.check, self.settle)
        self.tools = ToolRegistry(self, [*BUILTIN_TOOLS, *tools])
        for service in services.all():
            service.connect(self.events)

    @property
    def services(self) -> Services:
        """Git, packages, preview and the like."""
        self.check()
        return self._services

    def on(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on; returns the way to stop."""
        self.check()
        return self.events.on(listener)

    async def destroy(self) -> None:
        """Stop whatever runs and free everything; every later use raises SandboxDestroyedError."""
        if self._destroyed:
            return
        self.settle()
        self._destroyed = True
        await self.runtime.close()
        for service in self._services.all():
            service.close()
        if self._changes:
            self._changes.on_change = None
        self.events.emit(DestroyedEvent)
        if self._parts.close:
            await self._parts.close()

    def check(self, capability: str | None = None) -> None:
        """Raise SandboxDestroyedError after the end, CapabilityError for what this sandbox cannot do."""
        if self._destroyed:
            raise SandboxDestroyedError(f"the sandbox {self.id!r} was destroyed; open another one")
        if capability and capability not in self.capabilities:
            raise CapabilityError(
                f"the sandbox {self.id!r} cannot {capability}; it can {', '.join(sorted(self.capabilities))}"
            )

    def settle(self) -> None:
        """Tell of every change of files up to now."""
        if self._changes and not self._destroyed:
            for change in self._changes.drain():
                self._tell(change)

    def _changed(self, change: Change) -> None:
        if self._changes:
            self.settle()
        else:
            self._tell(change)

    def _tell(self, change: Change) -> None:
        self.events.emit(FileEvent, change=change.kind, path=change.path, old_path=change.old_path)


def create_sandbox(
    *,
    fs: FileSystem,
    runtime: Runtime | None = None,
    services: Services | None = None,
    tools: Iterable[Tool[Any]] | None = None,
    capabilities: Iterable[str] | None = None,
    id: str | None = None,
    changes: ChangeFeed | None = None,
) -> Sandbox:
    """Make a sandbox of a host's own parts.

    `tools` are added to ours. `capabilities` narrows what can be done to some of `read`, `write`, `run` and
    `preview`; whatever needs another one is refused. Without `changes`, a directory is scanned for them;
    of any other file system those made through the sandbox are told.
    """
    parts = Parts(fs=fs, changes=changes, runtime=runtime, services=services)
    return Sandbox(_checked_id(id), parts, tools or (), capabilities)


async def open_sandbox(id: str | None = None, *, storage: str = "memory") -> Sandbox:
    """Open a sandbox with everything this platform has.

    In the browser that is a tree in memory, a shell and a preview compiler. On CPython it is a temporary
    directory, gone when the sandbox is destroyed, with no runtime. The only storage so far is `memory`.
    """
    if storage != "memory":
        raise SandboxError(f"there is no storage {storage!r}; the only one is 'memory'")
    id = _checked_id(id)
    if sys.platform == "emscripten":
        from .web import open_parts

        parts = await open_parts(id)
    else:
        parts = _temporary_parts()
    return Sandbox(id, parts, (), None)


def _temporary_parts() -> Parts:
    directory = tempfile.mkdtemp(prefix="inbrowser-")

    async def close() -> None:
        shutil.rmtree(directory, ignore_errors=True)

    return Parts(fs=DirectoryFileSystem(directory), close=close)


def _checked_id(id: str | None) -> str:
    id = id or f"sandbox-{secrets.token_hex(4)}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", id):
        raise SandboxError(f"{id!r} cannot name a sandbox; use up to 100 letters, digits, '.', '_' and '-'")
    return id
