"""ls: what is in a directory."""

from pydantic import Field, JsonValue

from ...arguments import ToolArguments
from ..errors import NotDirectoryError
from ..files import FileStat
from .ignore import IgnoreRules
from .limits import LISTED, fitting
from .missing import explained
from .registry import Tool, ToolContext, ToolResult
from .walk import rules_above, rules_of
from .wording import on_own_line, plural, show


class LsArguments(ToolArguments):
    """Arguments of `ls`."""

    path: str = Field(default=".", description="The directory; the project's root by default.")
    all: bool = Field(default=False, description="Show .git and what .gitignore leaves out, too.")


async def _ls(arguments: LsArguments, context: ToolContext) -> ToolResult:
    path, fs = arguments.path, context.sandbox.fs
    async with explained(fs, path):
        status = await fs.stat(path)
        if status.kind != "directory":
            raise NotDirectoryError(f"{show(path)} is a file of {status.size:,} bytes; open it with read")
        entries = await fs.list(path)
    hidden: list[FileStat] = []
    if not arguments.all:
        rules = await rules_of(fs, status.path, await rules_above(fs, status.path))
        hidden = [entry for entry in entries if _is_hidden(entry, rules)]
        left_out = {entry.path for entry in hidden}
        entries = [entry for entry in entries if entry.path not in left_out]
    lines = [_line(entry) for entry in entries]
    count = min(fitting(lines), LISTED)
    text = "\n".join(lines[:count])
    if count < len(entries):
        text = on_own_line(text, f"{plural(len(entries) - count, 'more entry')}; use find to see them")
    if hidden:
        names = ", ".join(show(_name(entry)) for entry in hidden[:5])
        more = ", ..." if len(hidden) > 5 else ""
        note = f"{plural(len(hidden), 'ignored entry')} not shown ({names}{more}); all=true shows them"
        text = on_own_line(text, note)
    listed: list[JsonValue] = [
        {"name": _name(entry), "kind": entry.kind, "size": entry.size} for entry in entries[:count]
    ]
    return ToolResult(
        ok=True,
        summary=f"{show(path)}: {plural(len(entries), 'entry') if entries else 'nothing'}",
        data={"path": path, "entries": listed, "text": text},
    )


LS = Tool(
    name="ls",
    description="List a directory: names with the size of files in bytes; directories end in a slash.",
    arguments=LsArguments,
    execute=_ls,
    pure=True,
    capability="read",
    timeout=None,
)


def _is_hidden(entry: FileStat, rules: IgnoreRules) -> bool:
    is_directory = entry.kind == "directory"
    return (is_directory and _name(entry) == ".git") or rules.ignores(entry.path, is_directory)


def _name(entry: FileStat) -> str:
    return entry.path.rpartition("/")[2]


def _line(entry: FileStat) -> str:
    name = show(_name(entry))
    if entry.kind == "directory":
        return name + "/"
    return f"{name}  {entry.size}" if entry.kind == "file" else f"{name}  (link)"
