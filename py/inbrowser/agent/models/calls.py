"""The calls of a reply while they are being written, told apart whatever index and id they come with."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field

from .values import mended, object_of


@dataclass(eq=False)
class CallDraft:
    """A call being written. `wire_id` is the server's id; `id` is ours, the same where that is unique."""

    id: str
    wire_id: str
    name: str
    pieces: list[str] = field(default_factory=list[str])

    @property
    def arguments(self) -> str:
        """The JSON text so far; no arguments at all are an empty object."""
        text = mended("".join(self.pieces))
        return "{}" if text.strip() in ("", "null") else text

    def is_over(self, wire_id: str, name: str) -> bool:
        """Whether a delta with this id and name begins another call, though it comes under the same index."""
        if not name or (wire_id and wire_id == self.wire_id):
            return False
        if not self.pieces:
            return bool(wire_id and self.wire_id)
        return self.pieces[-1].endswith("}") and object_of(self.arguments) is not None


class CallDrafts:
    """All calls of one reply, in order; their ids differ from those in `taken`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.all: list[CallDraft] = []
        self._ids = set(taken)
        self._by_index: dict[int, CallDraft] = {}

    def find(self, index: int | None, wire_id: str, name: str) -> CallDraft | None:
        """Return the call that a delta goes on with, None when it begins a new one.

        Index and id may be missing, and some servers repeat one index for every call.
        """
        if index is not None:
            current = self._by_index.get(index)
        else:
            current = self.all[-1] if self.all else None
            if wire_id:
                same = (call for call in self.all if call.wire_id == wire_id)
                current = next(same, None if name else current)
        return None if current is None or current.is_over(wire_id, name) else current

    def begin(self, index: int | None, wire_id: str, name: str) -> CallDraft:
        """Add a call."""
        call = CallDraft(self._free_id(wire_id), wire_id, name)
        self.all.append(call)
        if index is not None:
            self._by_index[index] = call
        return call

    def _free_id(self, wire_id: str) -> str:
        id = wire_id
        while not id or id in self._ids:
            id = secrets.token_hex(5)[:9]  # nine letters and digits, which is what Mistral takes
        self._ids.add(id)
        return id
