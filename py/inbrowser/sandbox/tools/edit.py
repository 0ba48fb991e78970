"""edit: replacements of text in a file, all of them or none."""

from typing import Any

from pydantic import Field

from ...arguments import ToolArguments
from ..errors import SandboxError
from ..paths import normalize
from ..seen_files import version_of
from .hunks import unified_diff
from .matching import Replacement, apply_spans, plan_edits
from .missing import explained
from .registry import Tool, ToolContext, ToolResult
from .wording import plural, show


class EditArguments(ToolArguments):
    """Arguments of `edit`."""

    path: str = Field(description="The file.")
    edits: list[Replacement] = Field(
        min_length=1,
        description="Replacements, each matched against the file as it is; they may not overlap.",
    )

    @classmethod
    def adapt(cls, raw: dict[str, Any]) -> dict[str, Any]:
        """Take a single replacement whose parts stand beside the path."""
        parts = {key: value for key, value in raw.items() if key not in ("path", "edits")}
        return {**raw, "edits": [parts]} if parts and raw.get("edits") is None else raw


async def _edit(arguments: EditArguments, context: ToolContext) -> ToolResult:
    path, fs, seen = arguments.path, context.sandbox.fs, context.shell.seen
    async with explained(fs, path):
        data = await fs.read_bytes(path)
    has_changed = seen.has_changed(path, data)
    try:
        spans = plan_edits(data, arguments.edits)
    except SandboxError as error:
        if not has_changed:
            raise
        raise seen.changed_error(path, data, f"nothing was written: {error}") from None
    edited = apply_spans(data, spans)
    await fs.write(path, edited)
    seen.note(path, version_of(edited), edited)
    diff = unified_diff(normalize(path), data, spans)
    summary = f"Edited {show(path)}: {plural(len(spans), 'replacement')}, +{diff.added} -{diff.removed} lines"
    if has_changed:
        summary += " (the file had changed since you last read or wrote it)"
    return ToolResult(
        ok=True,
        summary=summary,
        data={
            "path": path,
            "replacements": len(spans),
            "added": diff.added,
            "removed": diff.removed,
            "diff": diff.text,
            "text": diff.text,
        },
    )


EDIT = Tool(
    name="edit",
    description=(
        "Replace text in a file. Each old_text must occur exactly once, unless replace_all; all edits are "
        "made or none. Line endings, a BOM and all else outside the replaced text stay. Returns a diff."
    ),
    arguments=EditArguments,
    execute=_edit,
    capability="write",
    timeout=None,
)
