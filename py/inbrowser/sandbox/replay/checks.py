"""Whether a log's calls can be made on a sandbox at all, and from where on."""

import inspect
from collections.abc import Iterable
from typing import Any, cast

from pydantic import ValidationError

from ..sandbox import Sandbox
from .errors import ReplayError
from .plan import Plan, PlannedCall
from .report import MAX_DIVERGENCES, ReplayProgress
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


def check_resume(resume: ReplayProgress | dict[str, Any] | None, plan: Plan) -> ReplayProgress:
    """Return where a replay of `plan` begins; without `resume`, before the first call. Raises ReplayError."""
    calls = plan.calls
    if resume is None:
        return ReplayProgress(log=plan.id, total=len(calls))
    try:
        progress = ReplayProgress.model_validate(resume)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise ReplayError(f"resume is no progress of a replay: {place}: {problem['msg']}") from None
    if progress.log != plan.id or not 0 <= progress.done <= len(calls):
        raise ReplayError("resume is the progress of another log; pass the log that it belongs to")
    following = calls[progress.done].entry.call if progress.done < len(calls) else None
    if progress.running not in (None, following):
        raise ReplayError(f"resume says that call {progress.running} runs, but call {following} is next")
    if len(progress.divergences) >= MAX_DIVERGENCES:
        raise ReplayError(f"this replay ended with {MAX_DIVERGENCES} divergences; begin a new one")
    return progress.model_copy(update={"total": len(calls)})


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
