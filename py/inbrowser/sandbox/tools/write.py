"""write: the whole content of a file."""

import base64
import binascii
from typing import Literal

from pydantic import Field

from ...arguments import ToolArguments
from ..errors import PathNotFoundError, SandboxError
from ..files import FileSystem, encode_text
from ..seen_files import version_of
from .missing import explained
from .registry import Tool, ToolContext, ToolResult
from .wording import plural, show


class WriteArguments(ToolArguments):
    """Arguments of `write`."""

    path: str = Field(description="The file; missing directories are created.")
    content: str = Field(description="The whole new content.")
    encoding: Literal["utf-8", "base64"] = Field(
        default="utf-8", description="base64 when content holds bytes in that form."
    )
    overwrite: bool = Field(
        default=False, description="Write even if the file has changed since you last read it."
    )


async def _write(arguments: WriteArguments, context: ToolContext) -> ToolResult:
    path, fs = arguments.path, context.sandbox.fs
    content = _bytes_of(arguments)
    async with explained(fs, path):
        before = await _content_before(fs, path)
        seen = context.shell.seen
        if before is not None and not arguments.overwrite and seen.has_changed(path, before):
            raise seen.changed_error(path, before, "nothing was written. Read it, or set overwrite")
        await fs.write(path, content)
    seen.note(path, version_of(content), content)
    done = "created" if before is None else "overwritten"
    if before is not None:
        old_lines, new_lines = _lines(before), _lines(content)
        # A much shorter file is often one that was only partly read before.
        if new_lines * 2 < old_lines:
            done += f", {old_lines} -> {new_lines} lines"
    return ToolResult(
        ok=True,
        summary=f"Wrote {plural(len(content), 'byte')} to {show(path)} ({done})",
        data={"path": path, "bytes": len(content), "created": before is None},
    )


WRITE = Tool(
    name="write",
    description=(
        "Create a file or replace one as a whole: it becomes exactly `content`; no BOM, line ending or final "
        "newline is added or kept. Use edit to change a part of a file."
    ),
    arguments=WriteArguments,
    execute=_write,
    capability="write",
    timeout=None,
)


def _bytes_of(arguments: WriteArguments) -> bytes:
    if arguments.encoding == "utf-8":
        return encode_text(arguments.content, "content")
    try:
        return base64.b64decode("".join(arguments.content.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise SandboxError(f"content is not valid base64 ({error}); nothing was written") from None


async def _content_before(fs: FileSystem, path: str) -> bytes | None:
    try:
        return await fs.read_bytes(path)
    except PathNotFoundError:
        return None


def _lines(content: bytes) -> int:
    return content.count(b"\n") + (content[-1:] not in (b"", b"\n"))
