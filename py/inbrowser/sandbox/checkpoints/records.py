"""What is told of checkpoints."""

from typing import Any, Literal

from pydantic import Field

from ...records import Record
from ..files import Kind

Reason = Literal["manual", "before-turn", "before-tool", "after-turn", "restore"]


class Checkpoint(Record):
    """One state of the tree, and why it was kept."""

    id: str
    created: float
    """Milliseconds since the epoch."""
    parent: str | None = None
    """The checkpoint that the tree was at before; None for the first."""
    changed: int
    """How many paths differ from the parent."""
    reason: Reason = "manual"
    """`restore` keeps what a restore, undo or redo is about to replace."""
    label: str | None = None
    turn_id: str | None = None
    message_id: str | None = None
    tool_call_id: str | None = None
    summary: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The host's own, as JSON."""


class FileDiff(Record):
    """One path that differs between two states."""

    path: str
    change: Literal["created", "modified", "deleted"]
    kind: Kind
    """What it is afterwards, or was, when it is gone."""
    old_size: int | None = None
    """Bytes; None where there was nothing."""
    new_size: int | None = None
    text: str | None = None
    """A unified diff; None for what is no text, too large, or the same in all but its attributes."""


class CheckpointDiff(Record):
    """How one state differs from another; `to` is None for the tree as it is."""

    from_id: str
    to_id: str | None
    files: list[FileDiff]
    """Sorted by path."""


class Restored(Record):
    """What a restore did."""

    checkpoint: Checkpoint
    """The state that the tree is in now."""
    changed: list[str]
    """The paths that were changed, sorted."""
    kept: Checkpoint | None = None
    """Made of what had changed since the last checkpoint, if anything had."""
