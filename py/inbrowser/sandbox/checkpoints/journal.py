"""Checkpoints as texts of a sandbox's storage."""

import json
from typing import Any

from ...safejson import JsonError, loads
from ..errors import StorageCorruptError
from ..storage import Storage
from .deltas import Delta, Entry
from .history import History
from .records import Checkpoint

_CHECKPOINT = "checkpoint/"
_DELTA = "delta/"
_POSITION = "checkpoints"


class Journal:
    """Stages what changes in a history, and reads it back."""

    def __init__(self, storage: Storage | None) -> None:
        self._storage = storage

    async def read(self, history: History) -> tuple[int, list[str]]:
        """Fill an empty history; returns how many checkpoints were ever made, and those to redo.

        Raises StorageCorruptError.
        """
        if self._storage is None:
            return 0, []
        saved = await self._storage.texts(_CHECKPOINT)
        deltas = await self._storage.texts(_DELTA)
        position = (await self._storage.texts(_POSITION)).get(_POSITION)
        if position is None:
            return 0, []
        key = _POSITION
        try:
            for key in sorted(saved, key=_number):
                checkpoint = Checkpoint.model_validate_json(saved[key])
                key = _DELTA + checkpoint.id
                history.add(checkpoint, _parse(deltas[key]))
            key = _POSITION
            where = loads(position)
            history.move(where["head"])
            return int(where["made"]), list(where["redo"])
        except (ValueError, KeyError, TypeError, JsonError) as error:
            raise StorageCorruptError(
                f"the saved checkpoints cannot be read ({key}: {type(error).__name__}); "
                "the files themselves are not affected: export them"
            ) from None

    def write(self, checkpoint: Checkpoint, delta: Delta) -> None:
        """Stage a checkpoint."""
        if self._storage:
            self._storage.stage(_CHECKPOINT + checkpoint.id, checkpoint.model_dump_json())
            changes = [[path, before, after] for path, (before, after) in delta.items()]
            self._storage.stage(_DELTA + checkpoint.id, json.dumps(changes))

    def delete(self, id: str) -> None:
        """Stage the end of a checkpoint."""
        if self._storage:
            self._storage.stage(_CHECKPOINT + id, None)
            self._storage.stage(_DELTA + id, None)

    def write_position(self, head: str | None, made: int, redo: list[str]) -> None:
        """Stage where the tree is among its checkpoints."""
        if self._storage:
            self._storage.stage(_POSITION, json.dumps({"head": head, "made": made, "redo": redo}))


def _number(key: str) -> int:
    return int(key.rpartition("-")[2])


def _parse(text: str) -> Delta:
    changes: list[Any] = loads(text)
    return {path: (before and Entry(*before), after and Entry(*after)) for path, before, after in changes}
