"""The sandbox's one event stream: what happened, in order."""

from typing import Annotated, Any, Literal

from pydantic import Field

from ..records import Duration, Record, duration_field
from .checkpoints.records import Checkpoint


class _Event(Record):
    sandbox_id: str
    seq: int
    """Position in the sandbox's stream: starts at 1, without gaps."""
    timestamp: float
    """Milliseconds since the epoch."""


class FileEvent(_Event):
    """A path changed, whoever changed it; several changes in a short time are told as one."""

    type: Literal["file"] = "file"
    change: Literal["created", "modified", "deleted", "renamed"]
    path: str
    """Relative to the root."""
    old_path: str | None = None
    """The name before, of a rename."""


class RunStartEvent(_Event):
    """A command begins."""

    type: Literal["run:start"] = "run:start"
    run_id: str
    command: str
    cwd: str
    origin: str


class RunOutputEvent(_Event):
    """A piece of a command's output."""

    type: Literal["run:output"] = "run:output"
    run_id: str
    stream: Literal["stdout", "stderr"]
    text: str


class RunFinishEvent(_Event):
    """A command ended: by itself, at its timeout (exit code 124), or stopped (130)."""

    type: Literal["run:finish"] = "run:finish"
    run_id: str
    exit_code: int
    duration: Duration = duration_field()
    origin: str


class ToolStartEvent(_Event):
    """A tool call begins."""

    type: Literal["tool:start"] = "tool:start"
    call_id: str
    name: str
    arguments: dict[str, Any]
    origin: str
    """Who calls: `host`, `terminal`, or `session:<id>`."""


class ToolFinishEvent(_Event):
    """A tool call ended."""

    type: Literal["tool:finish"] = "tool:finish"
    call_id: str
    name: str
    ok: bool
    summary: str
    duration: Duration = duration_field()
    origin: str


class Diagnostic(Record):
    """One message of the compiler about one place in the sources."""

    severity: Literal["error", "warning"]
    message: str
    file: str | None = None
    line: int | None = None
    """Counted from 1."""
    column: int | None = None
    """Counted from 1, in characters."""
    frame: str | None = None
    """The source line with a marker under the place."""


class PreviewCompileEvent(_Event):
    """The preview was built, or could not be."""

    type: Literal["preview:compile"] = "preview:compile"
    build_id: int
    """Counts the sandbox's builds from 1; `services.preview.output()` has the files of the last good one."""
    entry: str
    ok: bool
    diagnostics: list[Diagnostic]
    duration: Duration = duration_field()


class PreviewConsoleEvent(_Event):
    """The previewed page wrote to its console."""

    type: Literal["preview:console"] = "preview:console"
    level: Literal["debug", "log", "info", "warn", "error"]
    text: str


class PreviewErrorEvent(_Event):
    """The previewed page failed: an uncaught error, a rejected promise, a resource that did not load."""

    type: Literal["preview:error"] = "preview:error"
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    stack: str | None = None


class CheckpointCreateEvent(_Event):
    """A checkpoint was made."""

    type: Literal["checkpoint:create"] = "checkpoint:create"
    checkpoint: Checkpoint


class CheckpointRestoreEvent(_Event):
    """The tree was brought to a checkpoint; file events before this one say which paths changed."""

    type: Literal["checkpoint:restore"] = "checkpoint:restore"
    checkpoint_id: str
    changed: int
    """How many paths."""


class CheckpointPruneEvent(_Event):
    """Checkpoints were forgotten."""

    type: Literal["checkpoint:prune"] = "checkpoint:prune"
    checkpoint_ids: list[str]


class StorageEvent(_Event):
    """Changes wait to be saved, or all of them are; told when it turns."""

    type: Literal["storage"] = "storage"
    saved: bool
    problem: str | None = None
    """Why they could not be saved, and what to do; saving is tried again by itself."""


class ArchiveProgressEvent(_Event):
    """An archive is being made or taken in; told about 20 times a second, and once at its end."""

    type: Literal["archive:progress"] = "archive:progress"
    archive_id: str
    """The same in all events of one archive."""
    direction: Literal["export", "import"]
    files_done: int
    """Files and links, without directories."""
    files_total: int
    """0 while it is not known."""
    bytes_done: int
    """Of the files' contents, not of the archive."""
    bytes_total: int
    """0 while it is not known."""
    finished: bool
    """Whether this is the archive's last event."""
    error: str | None = None
    """Why it ended before all was done."""


class PackageProgressEvent(_Event):
    """A package is on its way into the sandbox."""

    type: Literal["package:progress"] = "package:progress"
    package: str
    """Its name; while versions are looked for, the requirements that were asked for."""
    phase: Literal["resolve", "download", "unpack", "done", "failed"]
    loaded_bytes: int
    total_bytes: int | None
    """None while it is not known."""


class ErrorEvent(_Event):
    """A part of the sandbox failed outside any call, for instance a listener."""

    type: Literal["error"] = "error"
    name: str
    message: str


class KernelRestartEvent(_Event):
    """The kernel crashed and was restarted, and the sandbox is open again as it was last saved.

    Numbers begin anew with this event's stream, and what is shown of the sandbox should be looked up again.
    """

    type: Literal["kernel:restart"] = "kernel:restart"
    reason: str
    """What the kernel died of."""


class DestroyedEvent(_Event):
    """The last event of a sandbox."""

    type: Literal["destroyed"] = "destroyed"
    reason: str | None = None
    """Why it is gone, when nobody destroyed it."""


SandboxEvent = Annotated[
    FileEvent
    | RunStartEvent
    | RunOutputEvent
    | RunFinishEvent
    | ToolStartEvent
    | ToolFinishEvent
    | PreviewCompileEvent
    | PreviewConsoleEvent
    | PreviewErrorEvent
    | CheckpointCreateEvent
    | CheckpointRestoreEvent
    | CheckpointPruneEvent
    | StorageEvent
    | ArchiveProgressEvent
    | PackageProgressEvent
    | ErrorEvent
    | KernelRestartEvent
    | DestroyedEvent,
    Field(discriminator="type"),
]
