"""What to say when a path leads nowhere, or to something else than was wanted."""

import difflib
import posixpath
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from ..errors import IsDirectoryError, PathNotFoundError, SandboxError
from ..files import FileSystem
from ..paths import normalize
from .wording import show


@asynccontextmanager
async def explained(fs: FileSystem, path: str) -> AsyncGenerator[None]:
    """Add to errors about `path` what to do next: the nearest names, or the tool for directories."""
    try:
        yield
    except PathNotFoundError:
        near = await _nearest(fs, path)
        hint = f"did you mean {' or '.join(map(show, near))}?" if near else "look around with ls or find"
        raise PathNotFoundError(f"{show(path)} does not exist; {hint}") from None
    except IsDirectoryError:
        raise IsDirectoryError(f"{show(path)} is a directory, not a file; list it with ls") from None


async def _nearest(fs: FileSystem, path: str) -> list[str]:
    """Return up to three paths that differ from `path` in the first part of it that does not exist."""
    try:
        wanted = normalize(path)
        while (parent := posixpath.dirname(wanted)) and not await fs.exists(parent):
            wanted = parent
        files, directories, symlinks = await fs.scan(parent or ".")
    except SandboxError:
        return []
    folded = {name.casefold(): name for name in (*files, *directories, *symlinks)}
    near = difflib.get_close_matches(posixpath.basename(wanted).casefold(), folded, n=3, cutoff=0.6)
    return [posixpath.join(parent, folded[name]) for name in near]
