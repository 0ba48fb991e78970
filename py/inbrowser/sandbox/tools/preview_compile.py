"""Build the preview."""

from typing import TYPE_CHECKING

from pydantic import Field

from ...arguments import ToolArguments
from ..errors import CapabilityError
from ..preview.diagnostics import describe
from .registry import Tool, ToolContext, ToolResult

if TYPE_CHECKING:
    from ..preview import CompileResult

_SHOWN = 20
"""So many diagnostics are told in full; a mistake often has many consequences."""


class PreviewCompileArguments(ToolArguments):
    """What to build."""

    entry: str | None = Field(
        default=None,
        description="Page or script to build; by default index.html, src/main.tsx or the like is found.",
    )


async def preview_compile(arguments: PreviewCompileArguments, context: ToolContext) -> ToolResult:
    """Build and describe how it went."""
    preview = context.sandbox.services.preview
    if preview is None:
        raise CapabilityError("this sandbox has no preview compiler")
    result = await preview.compile(arguments.entry)
    text = "\n\n".join(describe(diagnostic) for diagnostic in result.diagnostics[:_SHOWN])
    if len(result.diagnostics) > _SHOWN:
        text += f"\n\n[{len(result.diagnostics) - _SHOWN} more left out]"
    data = result.model_dump(mode="json", include={"build_id", "entry", "diagnostics", "sources", "size"})
    return ToolResult(ok=result.ok, summary=_summary(result), data=data | ({"text": text} if text else {}))


def _summary(result: "CompileResult") -> str:
    errors = sum(diagnostic.severity == "error" for diagnostic in result.diagnostics)
    warnings = len(result.diagnostics) - errors
    if result.ok:
        size = f"{result.size:,} bytes" if result.size < 1000 else f"{result.size / 1000:,.0f} kB"
        time = f"{result.duration * 1000:.0f} ms"
        summary = f"Built {result.entry} in {time}: {_count(result.sources, 'file')}, {size}"
    else:
        summary = f"Build failed: {_count(errors, 'error')}"
    return f"{summary}, {_count(warnings, 'warning')}" if warnings else summary


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


PREVIEW_COMPILE = Tool(
    name="preview_compile",
    description=(
        "Build the project for the preview with esbuild: TypeScript, JSX, CSS, CSS modules, JSON, images. "
        "Finds index.html or src/main.tsx by itself. There is no network: react and react-dom are the "
        "packages that can be imported. Errors come with file, line and column; types are not checked. "
        "A build without errors is shown to the user."
    ),
    arguments=PreviewCompileArguments,
    execute=preview_compile,
    capability="preview",
)
"""The tool `preview_compile`."""
