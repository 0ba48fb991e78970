"""A mounted tree: its files, and its change feed, which notes every mutation as it happens."""
# pyright: basic

from collections.abc import Callable
from typing import Any

from pyodide.ffi import JsException, create_once_callable, create_proxy  # pyright: ignore

from ..changes import Change
from ..errors import PathLockedError, ReadOnlyError, SandboxError
from ..files import DirectoryFileSystem
from ..paths import VIRTUAL_ROOT


class TreeFiles(DirectoryFileSystem):
    """The files of a tree of the bridge."""

    def __init__(self, tree: Any, name: str = VIRTUAL_ROOT) -> None:
        super().__init__(tree.root, name)
        self._tree = tree

    def exchange(self, outside: str, inside: str) -> None:
        """Let two files change contents: only two references change; see the base class."""
        try:
            self._tree.exchange(outside, inside)
        except JsException as error:
            raise PathLockedError(str(error.message)) from None

    def unguarded(self, work: Callable[[], None]) -> None:
        """Call `work`, to which nothing is locked; see the base class."""
        self._tree.unguarded(create_once_callable(work))


class TreeChanges:
    """What changed in a tree of the bridge."""

    def __init__(self, tree: Any) -> None:
        self.on_change: Callable[[], None] | None = None
        self._tree = tree
        self._listener = create_proxy(self._look)
        tree.listeners.add(self._listener)

    def drain(self) -> list[Change]:
        """Return what changed since the last call, in order, several changes of one path told as one."""
        return [Change(**note) for note in self._tree.takeNotes().to_py()]

    def refused(self) -> list[SandboxError]:
        """Return what was refused; see ChangeFeed."""
        return [
            (PathLockedError if each["kind"] == "locked" else ReadOnlyError)(each["message"])
            for each in self._tree.takeRefusals().to_py()
        ]

    def close(self) -> None:
        """Hear of no more changes."""
        self._tree.listeners.delete(self._listener)
        self._listener.destroy()

    def _look(self) -> None:
        if self.on_change:
            self.on_change()
