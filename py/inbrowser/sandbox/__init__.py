"""Everything with side effects: files, commands, tools and the events that tell of them."""

from .checkpoints.records import Checkpoint, CheckpointDiff, FileDiff, Restored
from .checkpoints.service import AutoCheckpoints
from .errors import SandboxDestroyedError, SandboxError, StorageError
from .function_runtime import create_runtime_adapter
from .opening import create_sandbox, delete_sandbox, estimate_storage, list_sandboxes, open_sandbox
from .processes import NetworkPolicy, PackageOptions, ProcessLimits
from .sandbox import Parts, Sandbox, Services
from .tools import Tool, ToolArguments, ToolContext, ToolDescription, ToolResult

__all__ = [
    "AutoCheckpoints",
    "Checkpoint",
    "CheckpointDiff",
    "FileDiff",
    "NetworkPolicy",
    "PackageOptions",
    "Parts",
    "ProcessLimits",
    "Restored",
    "Sandbox",
    "SandboxDestroyedError",
    "SandboxError",
    "Services",
    "StorageError",
    "Tool",
    "ToolArguments",
    "ToolContext",
    "ToolDescription",
    "ToolResult",
    "create_runtime_adapter",
    "create_sandbox",
    "delete_sandbox",
    "estimate_storage",
    "list_sandboxes",
    "open_sandbox",
]
