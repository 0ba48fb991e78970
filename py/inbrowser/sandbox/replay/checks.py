"""Whether a log's calls can be made on a sandbox at all."""

import inspect
from collections.abc import Iterable
from typing import Any, cast

from ..sandbox import Sandbox
from .errors import ReplayError
from .plan import PlannedCall
from .values import Lost


def check_calls(calls: Iterable[PlannedCall], sandbox: Sandbox) -> None:
    """Raise ReplayError for the first call that cannot be made on `sandbox`."""
    names = {tool.name for tool in sandbox.tools.list()}
    for call in calls:
        entry, where = call.entry, f"line {call.line} of the log"
        if entry.kind == "run" and "run" not in sandbox.capabilities:
            raise ReplayError(f"{where} runs a command, which this sandbox cannot; choose others with tools=")
        if entry.kind == "run" and not _is_run(entry.arguments):
            raise ReplayError(f"{where} runs a command with arguments that no run has")
        if entry.kind == "tool" and entry.name not in names and not _was_unknown(call):
            raise ReplayError(
                f"{where} calls {entry.name!r}, a tool that this sandbox lacks; choose others with tools="
            )
        if what := _lost_in(entry.arguments):
            raise ReplayError(f"{where} has an argument that a log cannot hold: {what}")


def _was_unknown(call: PlannedCall) -> bool:
    """Tell whether the tool was not there when the call was recorded either."""
    data = call.result.outcome.get("data") if call.result else None
    return isinstance(data, dict) and cast("dict[str, Any]", data).get("error") in (
        "UnknownToolError",
        "CapabilityError",
    )


def _is_run(arguments: Any) -> bool:
    try:
        inspect.signature(_run).bind(**arguments)
    except TypeError:
        return False
    return isinstance(arguments["command"], str)


def _run(
    command: str, cwd: object = None, env: object = None, stdin: object = None, timeout: object = None
) -> None: ...


def _lost_in(value: Any) -> str | None:
    """Return what a log could not hold of a value, if anything."""
    if isinstance(value, Lost):
        return value.what
    entries: list[Any] = []
    if isinstance(value, dict):
        entries = list(cast("dict[Any, Any]", value).values())
    elif isinstance(value, list | tuple | set | frozenset):
        entries = list(cast("list[Any]", value))
    return next((found for entry in entries if (found := _lost_in(entry))), None)
