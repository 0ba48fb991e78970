"""Running the calls of one reply: pure ones side by side, the others alone, results in call order."""

import asyncio
import difflib
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import perf_counter
from typing import Any, cast

from .. import safejson
from ..errors import InBrowserError
from .events import ToolFinished, ToolStarted
from .models.contract import AssistantMessage, ToolCallPart, ToolSpec
from .tools import MAX_RESULT_CHARACTERS, NO_OUTPUT, AgentTools, ToolCall, ToolContext, ToolOutput

MAX_SHOWN_CHARACTERS = 20_000
"""What an event carries of a result; the model gets more."""

CANCEL_GRACE = 2.0
"""Seconds a cancelled tool has to end; then it is left alone and its result ignored."""


async def run_calls(
    reply: AssistantMessage, tools: AgentTools, context: ToolContext, outputs: dict[str, ToolOutput]
) -> AsyncIterator[ToolStarted | ToolFinished]:
    """Run the calls of `reply`, telling of each as it starts and ends; outputs land in `outputs` by call id.

    When this is closed or cancelled, calls under way are cancelled and have no output.
    """
    for batch in _batches(_plan(reply, tools.list())):
        running: dict[asyncio.Task[_Ended], _Planned] = {}
        try:
            for planned in batch:
                yield ToolStarted(
                    call_id=planned.call.id, name=planned.call.name, arguments=planned.call.arguments
                )
                running[asyncio.create_task(_run(planned, tools, context))] = planned
            while running:
                done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in [task for task in running if task in done]:
                    call = running.pop(task).call
                    ended = task.result()
                    outputs[call.id] = ended.output
                    yield _finished(call, ended)
        finally:
            await _stop(list(running))


@dataclass(frozen=True, slots=True)
class _Planned:
    """A call with what stands against running it, if anything."""

    call: ToolCall
    pure: bool
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class _Ended:
    output: ToolOutput
    duration: float


def _plan(reply: AssistantMessage, specs: Sequence[ToolSpec]) -> list[_Planned]:
    calls = reply.calls
    known = {spec.name: spec for spec in specs}
    return [_planned(part, known, cut=reply.stop == "length" and part is calls[-1]) for part in calls]


def _planned(part: ToolCallPart, known: dict[str, ToolSpec], *, cut: bool) -> _Planned:
    arguments, problem = _arguments(part.arguments)
    if part.name not in known:
        problem = _unknown(part.name, list(known))
    elif cut:
        problem = (
            f"{part.name} was not run: the reply met the output limit inside this call. "
            "Do it in smaller steps, for instance write a file in parts."
        )
    elif problem:
        received = part.arguments if len(part.arguments) <= 200 else f"{part.arguments[:200]}..."
        problem = f"{part.name} was not run: {problem}. Received: {received}"
    call = ToolCall(id=part.id, name=part.name, arguments=arguments)
    return _Planned(call, pure=problem is not None or known[part.name].pure, refusal=problem)


def _arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """Parse a call's arguments, or say why that cannot be."""
    try:
        value = safejson.loads(text, what="the argument object")
    except safejson.JsonError as error:
        return {}, str(error)
    if not isinstance(value, dict):
        return {}, "the arguments must be a JSON object"
    arguments = cast("dict[str, Any]", value)
    if _has_half_character(text, arguments):
        return {}, "the arguments have half a character, a lone \\uD800 to \\uDFFF"
    return arguments, None


def _has_half_character(text: str, arguments: dict[str, Any]) -> bool:
    """Whether a string holds what no UTF-8 file, event or request can carry."""
    if "\\ud" not in text.lower():
        return False
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _unknown(name: str, known: list[str]) -> str:
    if not known:
        return f"There is no tool {name!r}; this session has no tools."
    by_folded = {other.casefold(): other for other in known}
    near = difflib.get_close_matches(name.casefold(), by_folded, n=1)
    hint = f" Did you mean {by_folded[near[0]]!r}?" if near else ""
    return f"There is no tool {name!r}.{hint} Tools: {', '.join(known)}"


def _batches(planned: list[_Planned]) -> Iterator[list[_Planned]]:
    """Pure calls that stand together, and each other call alone."""
    for pure, group in groupby(planned, key=lambda one: one.pure):
        if pure:
            yield list(group)
        else:
            yield from ([one] for one in group)


async def _run(planned: _Planned, tools: AgentTools, context: ToolContext) -> _Ended:
    start = perf_counter()
    if planned.refusal is not None:
        output = ToolOutput(text=planned.refusal, is_error=True)
    else:
        try:
            output = await tools.execute(planned.call, context)
        except Exception as error:  # whatever a tool raises is the model's to see, and the run goes on
            named = "" if isinstance(error, InBrowserError) else f"{type(error).__name__}: "
            output = ToolOutput(text=f"{named}{error}", is_error=True)
    if not output.text:
        output = output.model_copy(update={"text": NO_OUTPUT})
    return _Ended(output, perf_counter() - start)


def _finished(call: ToolCall, ended: _Ended) -> ToolFinished:
    output = ended.output
    return ToolFinished(
        call_id=call.id,
        name=call.name,
        ok=not output.is_error,
        text=shorten(output.text, MAX_SHOWN_CHARACTERS),
        summary=output.text.partition("\n")[0][:200],
        duration=ended.duration,
        details=output.details,
    )


def shorten(text: str, limit: int = MAX_RESULT_CHARACTERS) -> str:
    """Return `text`, or its head and tail with a note on what was cut between them."""
    if len(text) <= limit:
        return text
    head = limit * 3 // 4
    tail = limit - head
    return f"{text[:head]}\n[... {len(text) - limit} characters cut ...]\n{text[-tail:]}"


async def _stop(tasks: list["asyncio.Task[_Ended]"]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=CANCEL_GRACE)
