"""Where packs are kept, outside of any tree, by the wheel they were made of."""

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Pack:
    """The files of one installed package, for a guest's site-packages; see inbrowser_installer/packing.py."""

    name: str
    version: str
    key: str
    """SHA-256 of the wheel, in hex: the same key is the same bytes."""
    data: bytes


@dataclass(frozen=True, slots=True)
class PackSet:
    """The packs of all that is installed."""

    generation: int
    packs: list[Pack]
    missing: list[str]
    """One line for each package that cannot be had at present: which, why, and what to do."""


class PackStore(Protocol):
    """Keeps packs by the SHA-256 of their wheels."""

    def get(self, key: str) -> Awaitable[bytes | None]:
        """Return a pack, or None."""
        ...

    def put(self, key: str, data: bytes) -> Awaitable[None]:
        """Keep a pack; where there is no room it is kept in memory alone."""
        ...


class MemoryPacks:
    """Keeps packs until the page is closed."""

    def __init__(self) -> None:
        self._packs: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        """Return a pack; see PackStore."""
        return self._packs.get(key)

    async def put(self, key: str, data: bytes) -> None:
        """Keep a pack; see PackStore."""
        self._packs[key] = data
