"""The change feed of a mounted tree, which notes every mutation as it happens."""
# pyright: basic

from collections.abc import Callable
from typing import Any

from pyodide.ffi import create_proxy  # pyright: ignore

from ..changes import Change


class TreeChanges:
    """What changed in a tree of the bridge."""

    def __init__(self, tree: Any) -> None:
        self.on_change: Callable[[], None] | None = None
        self._tree = tree
        self._listener = create_proxy(self._changed)
        tree.onChange = self._listener

    def drain(self) -> list[Change]:
        """Return what changed since the last call, in order, several changes of one path told as one."""
        return [Change(**note) for note in self._tree.takeNotes().to_py()]

    def close(self) -> None:
        """Hear of no more changes."""
        self._tree.onChange = None
        self._listener.destroy()

    def _changed(self) -> None:
        if self.on_change:
            self.on_change()
