"""bash: a command in the caller's shell."""

import re

from pydantic import Field, JsonValue

from ..runtime import RunResult
from .arguments import ToolArguments
from .limits import OUTPUT_HEAD, OUTPUT_TAIL, clip_middle
from .registry import Tool, ToolContext, ToolResult
from .wording import on_own_line

DEFAULT_TIMEOUT = 120.0
MAX_TIMEOUT = 600.0


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
    shell = context.shell
    cwd_before = shell.cwd
    result = await context.sandbox.runtime.run(
        arguments.command,
        cwd=arguments.cwd,
        timeout=arguments.timeout,
        origin=context.origin,
        shell=shell,
    )
    summary = f"exit code {result.exit_code}"
    if result.stopped == "timeout":
        summary = f"timed out after {arguments.timeout:g} s; this is the output so far"
    elif result.stopped:
        summary = "stopped; this is the output so far"
    text = _text(result)
    if result.truncated:
        text = on_own_line(
            text, "there was too much output, and some was dropped; send it to a file to keep it"
        )
    if result.cwd != cwd_before:
        text = on_own_line(text, f"working directory: {result.cwd}")
    data: dict[str, JsonValue] = {
        "exit_code": result.exit_code,
        "cwd": result.cwd,
        "stopped": result.stopped,
        "truncated": result.truncated,
        "text": text,
    }
    return ToolResult(ok=result.exit_code == 0 and not result.stopped, summary=summary, data=data)


BASH = Tool(
    name="bash",
    description=(
        "Run a command in a bash-like shell. Working directory, variables, functions and aliases last from "
        "one call to the next. Input is empty. Long output keeps its head and tail."
    ),
    arguments=BashArguments,
    execute=_bash,
    # Commands of one shell take turns, and may last: other users' tools need not wait for them.
    takes_turns=False,
    capability="run",
    timeout=None,
)


def _text(result: RunResult) -> str:
    stdout, stderr = plain(result.stdout), plain(result.stderr)
    if not stderr:
        return _cut(stdout, 1) if stdout else "(no output)"
    if not stdout:
        return f"stderr:\n{_cut(stderr, 1)}"
    shown = _cut(stdout, 2)
    return f"stdout:\n{shown}{'' if shown.endswith(chr(10)) else chr(10)}stderr:\n{_cut(stderr, 2)}"


def _cut(text: str, parts: int) -> str:
    return clip_middle(text, OUTPUT_HEAD // parts, OUTPUT_TAIL // parts)


_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor movement
    r"|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)?"  # titles, links
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f]"
)


_ERASED = "\x7f"
"""Stands for the sequence that clears the rest of a line."""


def plain(output: str) -> str:
    """Return a terminal's output as it reads on paper: no colours, and of a progress bar the last state."""
    text = _CONTROL.sub(lambda match: _ERASED if match[0][-1:] == "K" else "", output).replace("\r\n", "\n")
    if "\r" not in text:
        return text.replace(_ERASED, "")
    return "\n".join(map(_overwritten, text.split("\n")))


def _overwritten(line: str) -> str:
    shown = ""
    for piece in line.split("\r"):
        column = 0
        for number, part in enumerate(piece.split(_ERASED)):
            rest = shown[column + len(part) :] if number == 0 else ""
            shown = shown[:column] + part + rest
            column += len(part)
    return shown
