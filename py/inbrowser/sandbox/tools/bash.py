"""bash: a command in the caller's shell."""

from pydantic import Field

from ...arguments import ToolArguments
from .registry import Tool, ToolContext, ToolResult
from .running import DEFAULT_TIMEOUT, MAX_TIMEOUT, run_command


class BashArguments(ToolArguments):
    """Arguments of `bash`."""

    command: str = Field(min_length=1, description="Command line or script.")
    timeout: float = Field(
        default=DEFAULT_TIMEOUT, gt=0, le=MAX_TIMEOUT, description="Seconds after which it is stopped."
    )
    cwd: str | None = Field(
        default=None, description="Directory to start in; by default where the last command ended."
    )


async def _bash(arguments: BashArguments, context: ToolContext) -> ToolResult:
    return await run_command(
        context, arguments.command, cwd=arguments.cwd, timeout=arguments.timeout, stdin=None
    )


BASH = Tool(
    name="bash",
    description=(
        "Run a command in a bash-like shell. Working directory, variables, functions and aliases last from "
        "one call to the next. Input is empty. Of long output the head, the tail and a file that "
        "has all of it are shown."
    ),
    arguments=BashArguments,
    execute=_bash,
    # Commands of one shell take turns, and may last: other users' tools need not wait for them.
    takes_turns=False,
    capability="run",
    timeout=None,
)
