"""What a model is told of a command: how it ended, what it put out as it came, what files it changed."""

import re
from typing import Literal

from pydantic import JsonValue

from ..events import FileEvent, SandboxEvent
from ..runtime import RunResult
from .limits import OUTPUT_HEAD, OUTPUT_TAIL, clip_middle
from .output_logs import keep_output
from .registry import ToolContext, ToolResult
from .wording import on_own_line

DEFAULT_TIMEOUT = 120.0
MAX_TIMEOUT = 600.0
NAMED_FILES = 20
"""Changed files that the result's text names; its data has them all."""


async def run_command(
    context: ToolContext,
    command: str,
    *,
    cwd: str | None,
    timeout: float,  # noqa: ASYNC109 - the runtime ends the run and keeps its output
    stdin: str | None,
) -> ToolResult:
    """Run a command in the caller's shell. Files that others change meanwhile are named, too."""
    shell = context.shell
    cwd_before = shell.cwd
    pieces: list[str] = []
    changed: dict[str, str] = {}

    def keep(_stream: Literal["stdout", "stderr"], text: str) -> None:
        pieces.append(text)

    def note(event: SandboxEvent) -> None:
        if isinstance(event, FileEvent):
            _note(changed, event)

    # What was changed before is no work of the command.
    context.sandbox.settle()
    stop = context.sandbox.on(note)
    try:
        result = await context.sandbox.runtime.run(
            command,
            cwd=cwd,
            timeout=timeout,
            stdin=stdin,
            on_output=keep,
            origin=context.origin,
            shell=shell,
        )
    finally:
        stop()
    text, log = await _text(context, result, "".join(pieces))
    if changed:
        text = on_own_line(text, _changes(changed))
    if result.cwd != cwd_before:
        text = on_own_line(text, f"working directory: {result.cwd}")
    data: dict[str, JsonValue] = {
        "exit_code": result.exit_code,
        "cwd": result.cwd,
        "stopped": result.stopped,
        "truncated": result.truncated,
        "output_log": log,
        "duration": round(result.duration, 3),
        "changed": [{"path": path, "change": change} for path, change in sorted(changed.items())],
        "text": text,
    }
    return ToolResult(
        ok=result.exit_code == 0 and not result.stopped, summary=_summary(result, timeout), data=data
    )


def _summary(result: RunResult, timeout: float) -> str:
    if result.stopped == "timeout":
        return f"timed out after {timeout:g} s; this is the output so far"
    if result.stopped:
        return "stopped; this is the output so far"
    return f"exit code {result.exit_code}"


async def _text(context: ToolContext, result: RunResult, pieces: str) -> tuple[str, str | None]:
    """Return what is shown of the output and, where that is not all, the path of a file that has all."""
    both = {"stdout": result.stdout, "stderr": result.stderr}
    streams = {name: plain(text) for name, text in both.items() if text}
    if not streams:
        return "(no output)", None
    if len(pieces) == len(result.stdout) + len(result.stderr):
        streams = {"stdout": plain(pieces)}
    # Else not all of it came piece by piece.
    whole = _labelled(streams)
    log = None
    if len(whole) > OUTPUT_HEAD + OUTPUT_TAIL and context.sandbox.scratch:
        log = await keep_output(context.sandbox.scratch, whole)
    of_it = "what was kept of it" if result.truncated else "all of it"
    kept = f" of {len(whole):,}; {of_it} is in {log}" if log else ""
    parts = len(streams)
    text = _labelled(
        {
            name: clip_middle(text, OUTPUT_HEAD // parts, OUTPUT_TAIL // parts, kept)
            for name, text in streams.items()
        }
    )
    if result.truncated:
        text = on_own_line(
            text, "there was too much output, and some was dropped; send it to a file to keep it"
        )
    return text, log


def _labelled(streams: dict[str, str]) -> str:
    if list(streams) == ["stdout"]:
        return streams["stdout"]
    text = ""
    for name, part in streams.items():
        text += f"{'' if not text or text.endswith(chr(10)) else chr(10)}{name}:\n{part}"
    return text


def _note(changed: dict[str, str], event: FileEvent) -> None:
    """Take in one event, so that it does not matter in how many a change was told."""
    before = changed.pop(event.path, None)
    if event.change == "deleted" and before == "created":
        return
    if event.change == "modified" and before == "created":
        changed[event.path] = "created"
    elif event.change == "created" and before == "deleted":
        changed[event.path] = "modified"
    else:
        changed[event.path] = event.change
    if event.change == "renamed" and event.old_path:
        changed.pop(event.old_path, None)


def _changes(changed: dict[str, str]) -> str:
    named = [f"{path} ({change})" for path, change in sorted(changed.items())[:NAMED_FILES]]
    more = len(changed) - len(named)
    return f"files changed: {', '.join(named)}{f' and {more} more' if more else ''}"


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
