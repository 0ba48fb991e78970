"""What checkpoints need of a tree; each platform has its own."""

from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, Protocol

from .deltas import Entry


class Capture(Protocol):
    """One look at what changed; contents stay as they were at that moment."""

    @property
    def seen(self) -> list[tuple[str, Entry | None]]:
        """Return paths with what is there: None stands for a path that is gone with all that was below it.

        The `content` of a file is still empty.
        """
        ...

    def digest(self, paths: Sequence[str]) -> Awaitable[list[str]]:
        """Return the digests of files that were seen, in the order of the paths."""
        ...

    def keep(self, digests: Iterable[str]) -> None:
        """Keep contents that `digest` has told of."""
        ...

    def read(self, digest: str) -> bytes | None:
        """Return contents that `digest` has told of."""
        ...


class Snapshots(Protocol):
    """Looks at a tree, keeps contents, and brings the tree back."""

    @property
    def is_dirty(self) -> bool:
        """Whether anything changed since the last capture."""
        ...

    def capture(self) -> Capture:
        """Return what changed since the last call, at once; at first that is everything."""
        ...

    def mark(self, paths: Iterable[str]) -> None:
        """Let the next capture see these paths again."""
        ...

    def load(self, digests: Iterable[str]) -> Awaitable[list[str]]:
        """Get contents ready for `restore`; returns the digests of which nothing is kept."""
        ...

    def restore(self, entries: Sequence[tuple[str, Entry | None]]) -> None:
        """Make paths what they should be, all or none, at once; the contents have been loaded.

        What goes comes first, then what is made, parents before children. The next capture does not see it,
        and no lock holds it up.
        """
        ...

    def unload(self) -> None:
        """Forget what was loaded."""
        ...

    def adopt(self, other: Any) -> None:
        """Take over what another tree of the same platform has loaded."""
        ...

    def read(self, digest: str) -> Awaitable[bytes | None]:
        """Return kept contents."""
        ...

    def forget(self, digests: Iterable[str]) -> None:
        """Keep contents no longer."""
        ...

    def close(self) -> None:
        """End."""
        ...
