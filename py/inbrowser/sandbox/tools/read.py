"""read: a file's text, a page at a time."""

import codecs
import zlib
from dataclasses import dataclass

from pydantic import Field, JsonValue

from ...arguments import ToolArguments
from ..errors import SandboxError
from ..files import FileSystem
from ..runtime import SCRATCH_ROOT
from ..seen_files import Version
from .binary import BOM, binary_kind
from .limits import READ_BYTES, READ_LINES
from .missing import explained
from .registry import Tool, ToolContext, ToolResult
from .wording import on_own_line, plural, show

CHUNK = 1 << 20


class ReadArguments(ToolArguments):
    """Arguments of `read`."""

    path: str = Field(description="The file.")
    offset: int = Field(default=1, ge=0, description="First line to read, counted from 1.")
    limit: int = Field(default=READ_LINES, ge=1, description="How many lines to read at most.")


async def _read(arguments: ReadArguments, context: ToolContext) -> ToolResult:
    path, sandbox = arguments.path, context.sandbox
    first = max(arguments.offset, 1)
    in_scratch = sandbox.scratch is not None and path.startswith(f"{SCRATCH_ROOT}/")
    fs = sandbox.scratch if sandbox.scratch and in_scratch else sandbox.fs
    async with explained(fs, path):
        head = await fs.read_bytes(path, size=CHUNK)
        if kind := binary_kind(head):
            return await _describe_binary(fs, path, kind)
        page = await _find_page(fs, path, head, first)
    if not in_scratch:
        context.shell.seen.note(path, page.version, head if len(head) == page.version.size else None)
    if not page.version.size:
        return ToolResult(ok=True, summary=f"{show(path)} is an empty file", data={"path": path, "size": 0})
    if first > page.total_lines:
        raise SandboxError(f"{show(path)} has {plural(page.total_lines, 'line')}; {first:,} is past its end")
    content = _whole_lines(page.start, arguments.limit)
    last = max(first, first + content.count(b"\n") - content.endswith(b"\n"))
    data: dict[str, JsonValue] = {
        "path": path,
        "first_line": first,
        "last_line": last,
        "total_lines": page.total_lines,
        "size": page.version.size,
    }
    notes: list[str] = []
    if not content:
        content = page.start[:READ_BYTES]
        length = await _line_length(fs, path, page.position)
        data["cut_line_bytes"] = length
        notes.append(f"line {first} is {length:,} bytes long; its first {READ_BYTES:,} are shown")
    elif (first, last) != (1, page.total_lines):
        notes.append(f"lines {first}-{last} of {page.total_lines}")
    if last < page.total_lines:
        data["next_offset"] = last + 1
        notes.append(f"read on with offset={last + 1}")
    text = _decode(content)
    if text is None:
        text = content.decode(errors="replace")
        data["utf8"] = False
        notes.append("not UTF-8: bytes that are no text show as \ufffd, and edit leaves them as they are")
    shown = plural(page.total_lines, "line") if not notes else f"lines {first}-{last} of {page.total_lines:,}"
    data["text"] = on_own_line(text, "; ".join(notes)) if notes else text
    return ToolResult(ok=True, summary=f"Read {show(path)} ({shown})", data=data)


READ = Tool(
    name="read",
    description=(
        f"Read a text file. Up to {READ_LINES:,} lines or {READ_BYTES // 1024} KB are returned at once; "
        "the last line then says which offset to read on with. Binary files are only described."
    ),
    arguments=ReadArguments,
    execute=_read,
    pure=True,
    capability="read",
    timeout=None,
)


@dataclass(slots=True)
class _Page:
    start: bytes
    """What the wanted line begins with, a little more than may be shown."""
    position: int
    """Byte offset of that line."""
    total_lines: int
    version: Version


async def _find_page(fs: FileSystem, path: str, chunk: bytes, first: int) -> _Page:
    """Go through a file piece by piece, so that a huge one is never in memory as a whole."""
    bom = len(BOM) if chunk.startswith(BOM) else 0
    start, position, found = b"", bom, False
    size = breaks = checksum = 0
    ends_line = True
    while chunk:
        skipped = first - 1 - breaks
        breaks_here = chunk.count(b"\n")
        if found:
            start += chunk[: max(0, READ_BYTES + 1 - len(start))]
        elif skipped <= breaks_here:
            rest = chunk.split(b"\n", skipped)[skipped] if skipped else chunk[bom:]
            start, position, found = rest[: READ_BYTES + 1], size + len(chunk) - len(rest), True
        size += len(chunk)
        breaks += breaks_here
        checksum = zlib.crc32(chunk, checksum)
        ends_line = chunk.endswith(b"\n")
        chunk = await fs.read_bytes(path, start=size, size=CHUNK) if len(chunk) == CHUNK else b""
    return _Page(start, position, breaks + (not ends_line), Version(size, checksum))


def _whole_lines(start: bytes, limit: int) -> bytes:
    """Return at most `limit` lines that fit the cap; nothing when not even one does."""
    shown = start[:READ_BYTES]
    lines = shown.split(b"\n", limit)
    if len(lines) > limit:
        return shown[: len(shown) - len(lines[limit])]
    return shown if len(start) <= READ_BYTES else shown[: shown.rfind(b"\n") + 1]


async def _line_length(fs: FileSystem, path: str, position: int) -> int:
    length = 0
    while chunk := await fs.read_bytes(path, start=position + length, size=CHUNK):
        end = chunk.find(b"\n")
        if end >= 0:
            return length + end
        length += len(chunk)
    return length


def _decode(content: bytes) -> str | None:
    """Return UTF-8 text, without the half character that a cut inside a line may leave; None if it is not."""
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return None


async def _describe_binary(fs: FileSystem, path: str, kind: str) -> ToolResult:
    size = (await fs.stat(path)).size
    return ToolResult(
        ok=True,
        summary=f"{show(path)} is not text ({kind}, {size:,} bytes), so its content is not shown",
        data={"path": path, "kind": kind, "size": size},
    )
