"""Storage in the browser's IndexedDB, behind the kernel's bridge."""
# pyright: basic

import json
from collections.abc import Callable
from typing import Any

import inbrowser_bridge as bridge  # pyright: ignore
from pyodide.ffi import JsException, create_proxy  # pyright: ignore

from .. import errors
from ..errors import StorageError
from ..storage import KeptSandbox, StorageEstimate


class IndexedDBStorage:
    """One sandbox's storage, which saves a tree of the bridge by itself; see Storage."""

    def __init__(self, is_read_only: bool) -> None:
        self.on_state: Callable[[bool, StorageError | None], None] | None = None
        self.is_new = False
        self.is_read_only = is_read_only
        self.damaged: list[str] = []
        self.kept: Any = None
        self._listener = create_proxy(self._turned)

    async def open(self, tree: Any, id: str, create: bool) -> None:
        """Fill the tree with what is kept. Raises StorageErrors."""
        try:
            if self.is_read_only:
                self.kept = await bridge.openForReading(tree, id)
            else:
                self.kept = await bridge.openForWriting(tree, id, create, self._listener)
        except JsException as error:
            raise typed(error) from None
        self.is_new = self.kept.isNew
        self.damaged = self.kept.damaged.to_py()

    @property
    def is_saved(self) -> bool:
        """Tell whether nothing waits; see Storage."""
        return self.kept.saver is None or self.kept.saver.isSaved

    def stage(self, key: str, text: str | None) -> None:
        """Keep a text; see Storage."""
        if self.kept.saver is not None:
            self.kept.saver.stageRecord(key, text)

    async def texts(self, prefix: str) -> dict[str, str]:
        """Return texts; see Storage."""
        return dict((await self.kept.texts(prefix)).to_py())

    async def flush(self, strict: bool = False) -> None:
        """Wait until everything is saved; see Storage."""
        saver = self.kept.saver
        if saver is None or (saver.isSaved and not strict):
            return
        try:
            await saver.flush(strict)
        except JsException as error:
            raise typed(error) from None

    async def close(self) -> None:
        """Save what is left, and let others open the sandbox; see Storage."""
        try:
            await self.kept.close()
        except JsException as error:
            raise typed(error) from None
        finally:
            self._listener.destroy()

    def _turned(self, saved: bool, problem: Any = None) -> None:
        if self.on_state:
            self.on_state(saved, None if problem is None else typed(problem))


class IndexedDBSandboxes:
    """All that is kept in this browser; see KeptSandboxes."""

    async def list(self) -> list[KeptSandbox]:
        """Describe them; see KeptSandboxes."""
        try:
            return [KeptSandbox.model_validate(each) for each in json.loads(await bridge.listDatabases())]
        except JsException as error:
            raise typed(error) from None

    async def delete(self, id: str) -> None:
        """Delete one; see KeptSandboxes."""
        try:
            await bridge.deleteDatabase(id)
        except JsException as error:
            raise typed(error) from None

    async def estimate(self) -> StorageEstimate:
        """Tell how much room there is; see KeptSandboxes."""
        try:
            return StorageEstimate.model_validate_json(await bridge.estimateStorage())
        except JsException as error:
            raise typed(error) from None


def typed(error: Any) -> StorageError:
    """Return the error of ours that one of the bridge stands for."""
    kind = getattr(errors, str(error.name), StorageError)
    return (kind if issubclass(kind, StorageError) else StorageError)(str(error.message))
