"""The sandbox: files, runtime, services, tools and events that belong together."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from .changes import Change, ChangeFeed, ScanningChanges
from .checkpoints.directory import DirectorySnapshots
from .checkpoints.records import Reason
from .checkpoints.service import AutoCheckpoints, Checkpoints
from .checkpoints.snapshots import Snapshots
from .errors import (
    CapabilityError,
    SandboxDestroyedError,
    SandboxError,
    StorageError,
)
from .events import DestroyedEvent, ErrorEvent, FileEvent, StorageEvent
from .files import DirectoryFileSystem, FileSystem
from .locks import Locks
from .observers import Observers
from .processes import Settings
from .runtime import Runtime, SandboxRuntime
from .storage import Storage, StorageMode
from .stream import EventStream, Listener
from .tools.builtin import BUILTIN_TOOLS
from .tools.registry import Tool, ToolRegistry
from .tracked_files import TrackedFiles

if TYPE_CHECKING:
    from .archives import ArchiveData, ExportFormat, Ground, ImportFormat, ImportReport, OnConflict
    from .packages import PackageService
    from .preview import PreviewService


LOCKS = "locks"
"""The key under which a storage keeps the locks."""


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
    packages: "PackageService | None" = None

    def all(self) -> list[Service]:
        """Return those that are there."""
        return [service for service in (self.preview, self.packages) if service]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a platform makes a sandbox of."""

    fs: FileSystem
    changes: ChangeFeed | None = None
    runtime: Runtime | None = None
    services: Services | None = None
    scratch: FileSystem | None = None
    """The files in /tmp, which are not kept; commands and `read` alone see them."""
    snapshots: Snapshots | None = None
    """What checkpoints are made with."""
    storage: Storage | None = None
    """Where it all is kept; None is nowhere."""
    settings: Settings = field(default_factory=Settings)
    """What its programs may do."""
    apply_locks: Callable[[Locks], None] | None = None
    """Makes the tree itself refuse what is locked."""
    join: Callable[["Sandbox"], None] | None = None
    """Called once with the sandbox that the parts have become."""
    close: Callable[[], Awaitable[None]] | None = None
    """Frees the parts, after everything that uses them has stopped."""


class Sandbox:
    """One sandbox, to be shared by any number of hosts, people and agents; get one from `open_sandbox`."""

    def __init__(
        self,
        id: str,
        parts: Parts,
        tools: Iterable[Tool[Any]],
        capabilities: Iterable[str] | None,
        auto_checkpoints: AutoCheckpoints | None = None,
    ) -> None:
        services = parts.services or Services()
        possible = {"read", "write"}
        possible |= {"run"} if parts.runtime else set()
        possible |= {"preview"} if services.preview else set()
        possible |= {"packages"} if services.packages else set()
        self.id = id
        self.capabilities = frozenset(possible if capabilities is None else possible & set(capabilities))
        """What can be done here, out of `read`, `write`, `run`, `preview` and `packages`."""
        self.events = EventStream(id)
        """The stream that services and tools emit to; listen with `on`."""
        self.observers = Observers(self.events)
        """Those who are told of every call in full."""
        self._parts = parts
        self._services = services
        self._destroyed = False
        self._changes = parts.changes
        self._storage = parts.storage
        self.locks = Locks(parts.apply_locks, self._store_locks)
        """What may not be changed, whoever tries."""
        snapshots = parts.snapshots
        if isinstance(parts.fs, DirectoryFileSystem):
            self._changes = self._changes or ScanningChanges(parts.fs.root)
            snapshots = snapshots or DirectorySnapshots(parts.fs.root)
        self._checkpoints: Checkpoints | None = None
        if snapshots:
            self._checkpoints = Checkpoints(
                snapshots,
                parts.storage,
                self.events,
                auto_checkpoints,
                check=self.check,
                check_locks=self.locks.check_all,
                settle=self.settle,
                flush=self.save,
            )
        if self._changes:
            self._changes.on_change = self.settle
        if parts.storage:
            parts.storage.on_state = self._storage_turned
        self.fs: FileSystem = TrackedFiles(
            parts.fs, self.locks, check=self.check, tell=self._changed, compare=self._changes is None
        )
        self.runtime = SandboxRuntime(
            parts.runtime,
            self.fs,
            self.events,
            self.observers,
            check=self.check,
            settle=self.settle,
            save=self.save,
            scratch=parts.scratch,
        )
        self.scratch = parts.scratch
        """The files in /tmp, which belong to no checkpoint and are not kept; None where there are none."""
        self.shell = self.runtime.open_shell()
        """The host's own."""
        self.tools = ToolRegistry(self, [*BUILTIN_TOOLS, *tools])
        for service in services.all():
            service.connect(self.events)
        if parts.join:
            parts.join(self)

    @property
    def services(self) -> Services:
        """Git, packages, preview and the like."""
        self.check()
        return self._services

    @property
    def checkpoints(self) -> Checkpoints:
        """States of the tree that can be gone back to. Raises CapabilityError where there can be none."""
        self.check()
        if self._checkpoints is None:
            raise CapabilityError(f"the sandbox {self.id!r} has files of the host's own, without checkpoints")
        return self._checkpoints

    def keep_automatically(self, reason: Reason, **fields: str | None) -> None:
        """Make a checkpoint of this moment, in the background, where `auto_checkpoints` wants one."""
        if self._checkpoints and not self._destroyed:
            self._checkpoints.automatic(reason, **fields)

    async def fork(
        self, checkpoint_id: str, *, id: str | None = None, storage: StorageMode = "memory"
    ) -> "Sandbox":
        """Open another sandbox whose tree is a checkpoint's, with the same settings; contents are shared.

        Raises CheckpointNotFoundError, what `open_sandbox` raises, and SandboxError for an id that is taken.
        """
        from .opening import open_sandbox

        await self.checkpoints.get(checkpoint_id)
        settings = self._parts.settings
        other = await open_sandbox(
            id,
            storage=storage,
            processes=settings.processes,
            network=settings.network,
            packages=settings.packages,
        )
        try:
            if other.storage and not other.storage.is_new:
                raise SandboxError(f"a sandbox {other.id!r} is kept here already; fork into another id")
            await self.checkpoints.copy_to(other.checkpoints, checkpoint_id)
            other.settle()
            await other.flush()
        except BaseException:
            await other.destroy()
            raise
        return other

    @property
    def storage(self) -> Storage | None:
        """Where the sandbox is kept; None is nowhere."""
        return self._storage

    async def flush(self) -> None:
        """Return when all changes so far are saved so that they outlive a crash, and a loss of power.

        Without storage there is nothing to wait for. Raises StorageFullError and StorageUnavailableError; the
        files in memory stay, and saving goes on by itself when it is possible again.
        """
        self.check()
        if self._storage:
            await self._storage.flush(strict=True)

    async def save(self) -> str | None:
        """Save all changes so far, as runs and tools do at their end; returns why they could not be saved."""
        try:
            if self._storage:
                await self._storage.flush()
        except StorageError as error:
            return str(error)
        return None

    def on(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on; returns the way to stop."""
        self.check()
        return self.events.on(listener)

    async def destroy(self, *, discard: bool = False) -> None:
        """Stop whatever runs and free everything; every later use raises SandboxDestroyedError.

        What is kept stays kept. Changes that cannot be saved raise the errors of `flush`, and the sandbox
        goes on, so that they can be exported; with `discard` it ends anyway.
        """
        if self._destroyed:
            return
        if not discard:
            await self.flush()
        self.settle()
        self._destroyed = True
        await self.runtime.close()
        for service in self._services.all():
            service.close()
        if self._checkpoints:
            await self._checkpoints.close()
        if self._changes:
            self._changes.on_change = None
        self.events.emit(DestroyedEvent)
        if self._parts.close:
            try:
                await self._parts.close()
            except StorageError:
                if not discard:
                    raise

    def export_archive(self, format: "ExportFormat" = "zip", path: str = ".") -> AsyncIterator[bytes]:
        """Return an archive of all below `path`, or of one file, in pieces of about 256 KiB as they are made.

        `format` is `zip` or `tar.gz`. Kept are contents, names, links as links, empty directories, permission
        bits and times: to the nanosecond in a tar.gz, to 100 ns in a zip, of which `unzip` reads seconds.
        Raises PathNotFoundError; ArchiveEntryError for a name that is not UTF-8 and for devices;
        CapabilityError when the files are in no directory.
        """
        from .archives import export_archive

        return export_archive(self._ground("read"), format, path)

    async def import_archive(
        self,
        data: "ArchiveData",
        path: str = ".",
        format: "ImportFormat | None" = None,
        *,
        on_conflict: "OnConflict" = "error",
        max_bytes: int = 2_000_000_000,
        max_entries: int = 200_000,
    ) -> "ImportReport":
        """Unpack an archive into the directory `path`, which is made if need be: all of it, or nothing.

        `data` is the archive's bytes, whole or in pieces; `format` is `zip`, `tar.gz` or `tar`, told from the
        bytes when left out. Files and links that exist are an error, or with `on_conflict="overwrite"`
        replaced; files and directories never replace each other. The limits are for what is unpacked. Hard
        links become copies; set-user-ID bits are dropped. Raises ArchiveFormatError, ArchiveEntryError,
        ArchiveLimitError, ArchiveConflictError, PathLockedError, ReadOnlyError, CapabilityError.
        """
        from .archives import import_archive

        ground = self._ground("write")
        try:
            return await import_archive(ground, data, path, format, on_conflict, max_bytes, max_entries)
        finally:
            self.settle()

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
            for error in self._changes.refused():
                self.events.emit(ErrorEvent, name=type(error).__name__, message=str(error))

    def _ground(self, capability: str) -> "Ground":
        from .archives import Ground

        self.check(capability)
        return Ground(self._parts.fs, self.events, lambda: self.check(capability), self.locks.check)

    def _changed(self, change: Change) -> None:
        if self._changes:
            self.settle()
        else:
            self._tell(change)

    def _store_locks(self, text: str) -> None:
        if self._storage:
            self._storage.stage(LOCKS, text)

    def _storage_turned(self, saved: bool, problem: StorageError | None) -> None:
        self.events.emit(StorageEvent, saved=saved, problem=problem and str(problem))
        if problem:
            self.events.emit(ErrorEvent, name=type(problem).__name__, message=str(problem))

    def _tell(self, change: Change) -> None:
        self.events.emit(FileEvent, change=change.kind, path=change.path, old_path=change.old_path)
