"""Outputs that are too long to be shown, kept whole in /tmp so that `read` and commands can page them."""

import re

from ..errors import SandboxError
from ..files import FileSystem
from ..runtime import SCRATCH_ROOT

FOLDER = "outputs"
KEPT = 8
KEPT_BYTES = 16 << 20
"""Of all of them together. The last is kept, whatever its size: the runtime limits that."""


async def keep_output(scratch: FileSystem, output: str) -> str | None:
    """Write a log and remove the oldest ones; returns its path, or None where it could not be written."""
    data = output.encode(errors="replace")
    try:
        numbers = await _make_room(scratch, len(data))
        path = f"{FOLDER}/{max(numbers, default=0) + 1}.log"
        await scratch.write(path, data)
    except SandboxError:
        # A command may have put a file where the folder was.
        return None
    return f"{SCRATCH_ROOT}/{path}"


async def _make_room(scratch: FileSystem, size: int) -> list[int]:
    """Remove the oldest logs; returns the numbers of all that were there."""
    if not await scratch.exists(FOLDER):
        return []
    logs: dict[int, int] = {}
    for status in await scratch.list(FOLDER):
        if match := re.fullmatch(rf"{FOLDER}/(\d+)\.log", status.path):
            logs[int(match[1])] = status.size
    room, places = KEPT_BYTES - size, KEPT - 1
    for number in sorted(logs, reverse=True):
        room, places = room - logs[number], places - 1
        if room < 0 or places < 0:
            await scratch.remove(f"{FOLDER}/{number}.log", recursive=True)
    return list(logs)
