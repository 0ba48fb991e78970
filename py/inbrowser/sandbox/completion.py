"""Completion at a shell's prompt: of commands where one is due, of paths elsewhere."""

import os.path
import posixpath
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping

from ..records import Record
from .command_lines import MAX_TEXT, CommandLine, Word
from .errors import SandboxError
from .files import FileSystem

TAKE_DIRECTORIES = {"cd", "pushd", "rmdir"}
"""Commands that want nothing else."""

_SPECIAL = re.compile(r"""([ !"#$&'()*;<>?\[\\\]^`{|}~])""")
_SPECIAL_IN_QUOTES = re.compile(r'(["\\$`])')
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Completion(Record):
    """What could stand at the cursor of a line."""

    start: int
    """Where what is replaced begins, in characters of the line."""
    end: int
    """Where it ends: the cursor."""
    candidates: list[str]
    """Names, sorted; those of directories end with `/`."""
    common: str
    """What to put there: as much as the candidates have in common, quoted as it must be. A single one is
    whole, with a blank after it unless it is a directory. Empty without candidates."""


async def complete(
    line: str,
    cursor: int | None = None,
    *,
    cwd: str,
    trees: Mapping[str, FileSystem],
    commands: Callable[[], Awaitable[Iterable[str]]],
) -> Completion:
    """Complete the word before the cursor, by default the end of the line.

    `trees` are the file systems by the absolute path they are at; `commands` is asked for the names of
    commands. Words with variables or `~` have no candidates, nor have lines above 64 KiB.
    """
    cursor = len(line) if cursor is None else max(0, min(cursor, len(line)))
    none = Completion(start=cursor, end=cursor, candidates=[], common="")
    if cursor > MAX_TEXT:
        return none
    read = CommandLine(line[:cursor])
    level = read.level
    word = level.word or Word(part=cursor)
    value = word.text[word.value_at :]
    quote = level.quote or word.part_quote
    if read.in_text or word.expands or quote == "$'" or (word.part_quote and word.part_quote != quote):
        return none
    if value.startswith("~") and not word.quoted:
        return none
    first = not level.words and not level.redirect and not word.value_at
    if first and "/" not in value:
        names = {name for name in await commands() if name.startswith(value)}
    else:
        folder, prefix = value[: word.part_at - word.value_at], word.text[word.part_at :]
        found = await _paths(posixpath.join(cwd, folder), prefix, trees)
        only_directories = level.words[:1] and level.words[0] in TAKE_DIRECTORIES and not level.redirect
        names = {name for name in found if name.endswith("/") or not only_directories}
    if not names:
        return none
    shared = os.path.commonprefix(list(names))  # noqa: RUF071 - letters in common are what is wanted
    return Completion(
        start=word.part,
        end=cursor,
        candidates=sorted(names),
        common=_quoted(shared, quote, opened=bool(word.part_quote), whole=len(names) == 1),
    )


async def _paths(directory: str, prefix: str, trees: Mapping[str, FileSystem]) -> list[str]:
    """Return the names in a directory that begin so; nothing for one that is not there."""
    place = "/" + posixpath.normpath(directory).lstrip("/")
    if place == "/":
        return [f"{root[1:]}/" for root in trees if root[1:].startswith(prefix)]
    for root, fs in trees.items():
        if place == root or place.startswith(f"{root}/"):
            return await _names(fs, place[len(root) + 1 :] or ".", prefix)
    return []


async def _names(fs: FileSystem, path: str, prefix: str) -> list[str]:
    def fits(name: str) -> bool:
        return name.startswith(prefix) and (prefix.startswith(".") or not name.startswith("."))

    try:
        found = await fs.scan(path)
    except SandboxError:
        return []
    names = [name for name in found.files if fits(name)]
    names += [f"{name}/" for name in found.directories if fits(name)]
    for name in filter(fits, found.symlinks):
        try:
            leads_to = (await fs.stat(f"{path}/{name}")).kind
        except SandboxError:
            leads_to = "file"
        names.append(f"{name}/" if leads_to == "directory" else name)
    return names


def _quoted(text: str, quote: str, *, opened: bool, whole: bool) -> str:
    """Return text as a shell must read it, within a quote that may be open already."""
    if not quote and _CONTROL.search(text):
        quote = "'"
    if quote == "'":
        inside = text.replace("'", "'\\''")
    elif quote:
        inside = _SPECIAL_IN_QUOTES.sub(r"\\\1", text)
    else:
        inside = _SPECIAL.sub(r"\\\1", text)
    done = whole and not text.endswith("/")
    return f"{'' if opened else quote}{inside}{f'{quote} ' if done else ''}"
