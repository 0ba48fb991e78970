"""The one place where agents meet the sandbox: its tools, as tools of a session."""

from collections.abc import Iterable

from ..sandbox import Sandbox, ToolResult
from ..sandbox.runtime import Shell
from .errors import UnknownToolError
from .models.contract import ToolSpec
from .tools import ToolCall, ToolContext, ToolOutput

SUMMARY = 200
"""Characters of a message that its checkpoint shows."""


def create_sandbox_agent_tools(sandbox: Sandbox, names: Iterable[str] | None = None) -> "SandboxAgentTools":
    """Return the sandbox's tools for a session: those in `names`, in that order, or all.

    Cheap and free of effects on the sandbox; make one a session. Raises UnknownToolError for a name that is
    no tool of the sandbox.
    """
    allowed = None if names is None else list(dict.fromkeys(names))
    known = [tool.name for tool in sandbox.tools.list()]
    unknown = [name for name in allowed or () if name not in known]
    if unknown:
        raise UnknownToolError(f"No such tool: {', '.join(unknown)}. The sandbox has: {', '.join(known)}")
    return SandboxAgentTools(sandbox, allowed)


class SandboxAgentTools:
    """An AgentTools over one sandbox. Made by `create_sandbox_agent_tools`."""

    def __init__(self, sandbox: Sandbox, allowed: list[str] | None) -> None:
        self._sandbox = sandbox
        self._allowed = allowed
        self._shell: Shell | None = None

    def list(self) -> list[ToolSpec]:
        """Describe the allowed tools."""
        specs = {
            tool.name: ToolSpec(
                name=tool.name, description=tool.description, parameters=tool.parameters, pure=tool.pure
            )
            for tool in self._sandbox.tools.list()
        }
        names = specs if self._allowed is None else self._allowed
        return [specs[name] for name in names if name in specs]

    async def execute(self, call: ToolCall, context: ToolContext) -> ToolOutput:
        """Run one call on the sandbox, in this adapter's own shell and under the session's name."""
        if self._allowed is not None and call.name not in self._allowed:
            text = f"There is no tool {call.name!r}. Tools: {', '.join(self._allowed)}"
            return ToolOutput(text=text, is_error=True)
        self._shell = self._shell or self._sandbox.runtime.open_shell()
        result = await self._sandbox.tools.run(
            call.name,
            call.arguments,
            origin=context.origin,
            shell=self._shell,
            call_id=call.id,
            turn_id=context.turn_id,
        )
        return _output(result)

    def turn_begins(self, context: ToolContext, text: str) -> None:
        """Have a checkpoint made, where the sandbox is opened with `auto_checkpoints`."""
        summary = text if len(text) <= SUMMARY else text[: SUMMARY - 1] + "…"
        self._sandbox.keep_automatically("before-turn", turn_id=context.turn_id, summary=summary)

    def turn_ends(self, context: ToolContext) -> None:
        """Have another one made."""
        self._sandbox.keep_automatically("after-turn", turn_id=context.turn_id)


def _output(result: ToolResult) -> ToolOutput:
    """Give the model the summary and then the full text; the host also gets the rest of the data."""
    details = dict(result.data)
    text = details.pop("text", None)
    whole = f"{result.summary}\n{text}" if isinstance(text, str) and text else result.summary
    return ToolOutput(text=whole, is_error=not result.ok, details=details)
