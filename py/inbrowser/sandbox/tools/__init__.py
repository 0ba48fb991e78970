from ...arguments import ToolArguments
from .registry import Tool, ToolContext, ToolDescription, ToolRegistry, ToolResult

__all__ = ["Tool", "ToolArguments", "ToolContext", "ToolDescription", "ToolRegistry", "ToolResult"]
