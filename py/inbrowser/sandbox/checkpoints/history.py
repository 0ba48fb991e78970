"""The tree of checkpoints.

Each differs from its parent by a delta, which leads both ways: from any state every other one can be reached.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from ..errors import CheckpointNotFoundError
from .deltas import Delta, Entry, digests, invert, join
from .records import Checkpoint


class History:
    """Checkpoints in the order in which they were made, and the one that the tree was at last: the head."""

    def __init__(self) -> None:
        self.checkpoints: dict[str, Checkpoint] = {}
        self.head: str | None = None
        self.entries: dict[str, Entry] = {}
        """What the tree was at the head, by path."""
        self._deltas: dict[str, Delta] = {}
        self._uses: Counter[str] = Counter()

    def get(self, id: str) -> Checkpoint:
        """Return a checkpoint. Raises CheckpointNotFoundError."""
        found = self.checkpoints.get(id)
        if found is None:
            raise CheckpointNotFoundError(
                f"there is no checkpoint {id!r}: it was never made here, or it was pruned; "
                "checkpoints.list() has those that there are"
            )
        return found

    def delta(self, id: str) -> Delta:
        """Return how a checkpoint differs from its parent."""
        return self._deltas[id]

    def add(self, checkpoint: Checkpoint, delta: Delta) -> None:
        """Add a child of the head, or one that was saved; the head stays where it is."""
        self.checkpoints[checkpoint.id] = checkpoint
        self._deltas[checkpoint.id] = delta
        self._uses.update(digests(delta))

    def move(self, id: str | None) -> None:
        """Make a checkpoint, or the empty tree, the head."""
        for path, (_, after) in self.between(self.head, id).items():
            if after is None:
                self.entries.pop(path, None)
            else:
                self.entries[path] = after
        self.head = id

    def line(self, id: str | None) -> Iterator[str]:
        """Yield a checkpoint and those it came from, the nearest first."""
        while id is not None:
            yield id
            id = self.checkpoints[id].parent

    def between(self, start: str | None, end: str | None) -> Delta:
        """Return how one state differs from another; None is the empty tree."""
        before, after = list(self.line(start)), list(self.line(end))
        while before and after and before[-1] == after[-1]:
            before.pop()
            after.pop()
        delta: Delta = {}
        for id in before:
            delta = join(delta, invert(self._deltas[id]))
        for id in reversed(after):
            delta = join(delta, self._deltas[id])
        return delta

    def remove(self, id: str) -> list[str]:
        """Take a checkpoint out, its children becoming its parent's; returns the ids of the children.

        The head moves to the parent first, if it is this one.
        """
        removed = self.get(id)
        if self.head == id:
            self.move(removed.parent)
        children = [child for child in self.checkpoints.values() if child.parent == id]
        for child in children:
            delta = join(self._deltas[id], self._deltas[child.id])
            self._uses.subtract(digests(self._deltas[child.id]))
            self.checkpoints[child.id] = child.model_copy(
                update={"parent": removed.parent, "changed": len(delta)}
            )
            self._deltas[child.id] = delta
            self._uses.update(digests(delta))
        self._uses.subtract(digests(self._deltas.pop(id)))
        del self.checkpoints[id]
        return [child.id for child in children]

    def is_used(self, digest: str) -> bool:
        """Tell whether any checkpoint holds these contents."""
        return self._uses[digest] > 0

    def take_unused(self, among: Iterable[str]) -> list[str]:
        """Return those of the digests that no checkpoint holds any more."""
        unused = [digest for digest in set(among) if self._uses[digest] <= 0]
        for digest in unused:
            del self._uses[digest]
        return unused
