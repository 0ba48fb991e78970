"""Where a sandbox is kept from one visit to the next."""

from collections.abc import Callable
from typing import Literal, Protocol

from ..records import Record
from .errors import StorageError

StorageMode = Literal["memory", "indexeddb"]


class Storage(Protocol):
    """Keeps one sandbox's tree by itself, and texts beside it. Everything of one batch lands, or nothing."""

    is_new: bool
    """Whether the sandbox was made when it was opened."""

    on_state: Callable[[bool, StorageError | None], None] | None
    """Set by the sandbox; called when changes begin to wait, when all are saved, and when saving fails."""

    is_read_only: bool
    """Whether the sandbox is open to look at."""

    damaged: list[str]
    """Paths that could not be read and are left out; only where the sandbox is open to look at."""

    def stage(self, key: str, text: str | None) -> None:
        """Keep a text with the next batch; None deletes it."""
        ...

    async def texts(self, prefix: str) -> dict[str, str]:
        """Return the saved texts whose keys start with `prefix`, sorted by key."""
        ...

    async def flush(self, strict: bool = False) -> None:
        """Return when all changes so far are saved; with `strict` they outlive a loss of power.

        Raises StorageFullError and StorageUnavailableError.
        """
        ...

    async def close(self) -> None:
        """Save what is left, and end. Raises the errors of `flush`."""
        ...

    @property
    def is_saved(self) -> bool:
        """Whether nothing waits to be saved."""
        ...


class KeptSandbox(Record):
    """One sandbox that is kept in this browser."""

    id: str
    created: float
    """Milliseconds since the epoch."""
    modified: float
    """When it was saved last, in milliseconds since the epoch."""
    files: int
    bytes: int
    """Size of the files; checkpoints come on top of it."""
    open: bool
    """Whether a page has it open for writing."""


class StorageEstimate(Record):
    """How much room there is for all that this page keeps."""

    usage: int
    """Bytes in use; 0 where the browser does not say."""
    quota: int
    """Bytes that the browser grants; 0 where it does not say."""
    persisted: bool
    """Whether the browser has promised not to clear it when room gets short."""


class KeptSandboxes(Protocol):
    """All sandboxes that are kept in one place."""

    async def list(self) -> "list[KeptSandbox]":
        """Describe them, by id."""
        ...

    async def delete(self, id: str) -> None:
        """Delete one. Raises SandboxInUseError and SandboxNotFoundError."""
        ...

    async def estimate(self) -> StorageEstimate:
        """Tell how much room there is."""
        ...
