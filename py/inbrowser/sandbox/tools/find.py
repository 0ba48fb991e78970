"""find: paths that match a pattern."""

import posixpath

from pydantic import Field, JsonValue

from ...arguments import ToolArguments
from ..errors import PathNotFoundError
from ..files import FileSystem
from ..paths import VIRTUAL_ROOT
from .glob import compile_glob, literal_start
from .limits import FOUND, fitting
from .missing import explained
from .registry import Tool, ToolContext, ToolResult
from .walk import TreeWalk
from .wording import on_own_line, plural, show


class FindArguments(ToolArguments):
    """Arguments of `find`."""

    pattern: str = Field(
        description="Glob such as *.py (any depth), src/**/*.{ts,tsx} or a plain name; relative to path."
    )
    path: str = Field(default=".", description="Directory to search; the project's root by default.")
    all: bool = Field(default=False, description="Search what is left out otherwise, too.")
    limit: int = Field(default=FOUND, ge=1, le=FOUND, description="How many paths to return at most.")


async def _find(arguments: FindArguments, context: ToolContext) -> ToolResult:
    fs, path, pattern = context.sandbox.fs, arguments.path, arguments.pattern.removeprefix("./")
    if pattern.startswith(VIRTUAL_ROOT + "/"):
        path, pattern = ".", pattern[len(VIRTUAL_ROOT) + 1 :]
    async with explained(fs, path):
        base = (await fs.stat(path)).path
    walk = TreeWalk(fs, await _start(fs, base, pattern), everything=arguments.all)
    matches = compile_glob(pattern)
    skip = 0 if base == "." else len(base) + 1
    found: list[str] = []
    async for folder in walk.folders():
        names = sorted([*folder.files, *(name + "/" for name in folder.directories)])
        below = [folder.prefix + name for name in names]
        found.extend(path for path in below if matches(path[skip:].rstrip("/")))
        if len(found) > arguments.limit:
            break
    lines = list(map(show, found))
    count = min(fitting(lines), arguments.limit)
    text = "\n".join(lines[:count])
    if count < len(found):
        found = found[:count]
        text = on_own_line(text, f"only the first {count:,} are shown; use a narrower pattern or path")
    if walk.ignored:
        note = f"{plural(walk.ignored, 'ignored entry')} not searched; all=true includes them"
        text = on_own_line(text, note)
    paths: list[JsonValue] = [*found]
    many = plural(len(found), "path") if found else "no path"
    return ToolResult(
        ok=True,
        summary=f"{many} matching {arguments.pattern!r}",
        data={"paths": paths, "ignored": walk.ignored, "text": text},
    )


FIND = Tool(
    name="find",
    description=(
        "Find files and directories by name. node_modules and what .gitignore leaves out are skipped, unless "
        "path or the pattern names the directory. Directories end in a slash."
    ),
    arguments=FindArguments,
    execute=_find,
    pure=True,
    capability="read",
)


async def _start(fs: FileSystem, base: str, pattern: str) -> str:
    """Return where to search: a directory that the pattern names counts as named, even if it is ignored."""
    start = posixpath.normpath(posixpath.join(base, literal_start(pattern)))
    try:
        status = await fs.stat(start)
    except PathNotFoundError:
        return base
    return start if status.kind == "directory" and status.path == start else base
