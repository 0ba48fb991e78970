"""Walking the tree as searches do: sorted, without .git, node_modules, and what .gitignore leaves out."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from time import perf_counter

from ..errors import SandboxError
from ..files import FileSystem, Names
from .ignore import IgnoreRules
from .limits import PAUSE_AFTER

INSTALLED = "node_modules"
"""Other people's files, tens of thousands of them, whether or not .gitignore says so."""


@dataclass(frozen=True, slots=True)
class Folder:
    """One directory, with the names in it that are not left out."""

    path: str
    """Relative to the root, which is `.`."""
    prefix: str
    """What makes a path of a name."""
    directories: list[str]
    files: list[str]
    """Files and links, sorted."""


class TreeWalk:
    """Walks a directory and all below it, parents first. Links are not followed.

    The start is walked whatever it is; if it is ignored, the rules from above it are off.
    """

    def __init__(self, fs: FileSystem, start: str, *, everything: bool = False) -> None:
        """Start at a path relative to the root, `.` for the root; with `everything`, ignored files too."""
        self._fs = fs
        self._start = start
        self._everything = everything
        self.ignored = 0
        """Entries left out so far; a directory counts as one, whatever is in it."""

    async def folders(self) -> AsyncIterator[Folder]:
        """Yield the directories. Raises the file system's errors for the start, and for nothing below it."""
        rules = IgnoreRules() if self._everything else await rules_above(self._fs, self._start)
        waiting = [(self._start, rules)]
        pace = Pace()
        while waiting:
            path, rules = waiting.pop()
            try:
                names = await self._fs.scan(path)
            except SandboxError:
                if path == self._start:
                    raise
                continue
            folder, rules = await self._folder(path, names, rules)
            waiting.extend((folder.prefix + name, rules) for name in reversed(folder.directories))
            yield folder
            await pace.pause()

    async def _folder(self, path: str, names: Names, rules: IgnoreRules) -> tuple[Folder, IgnoreRules]:
        prefix = "" if path == "." else path + "/"
        if not self._everything and ".gitignore" in names.files:
            rules = await rules_of(self._fs, path, rules)
        files = sorted([*names.files, *names.symlinks])
        kept = [name for name in files if not rules.ignores(prefix + name, False)] if rules else files
        directories = sorted(name for name in names.directories if name != ".git")
        entered = [name for name in directories if not self._is_left_out(prefix, name, rules)]
        self.ignored += len(files) - len(kept) + len(directories) - len(entered)
        return Folder(path, prefix, entered, kept), rules

    def _is_left_out(self, prefix: str, name: str, rules: IgnoreRules) -> bool:
        if self._everything:
            return False
        return name == INSTALLED or rules.ignores(prefix + name, True)


async def rules_above(fs: FileSystem, path: str) -> IgnoreRules:
    """Return the rules that the directories above `path` set for it; none when they leave it out."""
    rules = IgnoreRules()
    if path == ".":
        return rules
    parts = path.split("/")
    for depth in range(len(parts)):
        rules = await rules_of(fs, "/".join(parts[:depth]) or ".", rules)
        if parts[depth] == ".git" or rules.ignores("/".join(parts[: depth + 1]), is_directory=True):
            return IgnoreRules()
    return rules


async def rules_of(fs: FileSystem, directory: str, rules: IgnoreRules) -> IgnoreRules:
    """Return `rules` with those of a directory's own .gitignore, if it has one."""
    try:
        text = (await fs.read_bytes(f"{directory}/.gitignore")).decode(errors="surrogateescape")
    except SandboxError:
        return rules
    return rules.inside(directory, text)


class Pace:
    """Keeps a long search from holding up everyone else."""

    def __init__(self) -> None:
        self._since = perf_counter()

    async def pause(self) -> None:
        """Let others have their turn when it is time."""
        if perf_counter() - self._since > PAUSE_AFTER:
            await asyncio.sleep(0)
            self._since = perf_counter()
