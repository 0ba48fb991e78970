"""Everything with side effects: files, commands, tools and the events that tell of them."""

from .errors import SandboxDestroyedError, SandboxError
from .runtime import create_runtime_adapter
from .sandbox import Parts, Sandbox, Services, create_sandbox, open_sandbox
from .tools import Tool, ToolArguments, ToolContext, ToolDescription, ToolResult

__all__ = [
    "Parts",
    "Sandbox",
    "SandboxDestroyedError",
    "SandboxError",
    "Services",
    "Tool",
    "ToolArguments",
    "ToolContext",
    "ToolDescription",
    "ToolResult",
    "create_runtime_adapter",
    "create_sandbox",
    "open_sandbox",
]
