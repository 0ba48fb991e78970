"""The tools of a sandbox: listed, and run so that whatever goes wrong is a result, not an exception."""

import asyncio
import difflib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pydantic import BaseModel, Field, JsonValue

from ... import safejson
from ...arguments import InvalidArgumentsError, ToolArguments, TypedFunction, parse_arguments, plain_schema
from ...records import Record
from ..errors import (
    CapabilityError,
    SandboxDestroyedError,
    SandboxError,
    ToolExistsError,
    UnknownToolError,
)
from ..events import ErrorEvent, ToolFinishEvent, ToolStartEvent
from ..observers import Call
from ..runtime import Shell
from .limits import OUTPUT_TAIL, RESULT, SHORT, TOOL_SECONDS, clip, clip_middle
from .wording import plural

if TYPE_CHECKING:
    from ..sandbox import Sandbox

A = TypeVar("A", bound=ToolArguments)


class ToolResult(Record):
    """What a tool call gave."""

    ok: bool
    summary: str
    """One line."""
    data: dict[str, JsonValue] = Field(default_factory=dict)
    """Details; `text`, where there is one, is what a model reads after the summary."""


class ToolDescription(Record):
    """One tool as a model or a host sees it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """Plain JSON Schema."""
    pure: bool
    """Whether it changes nothing and may run beside others."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call runs, and for whom."""

    sandbox: "Sandbox"
    origin: str
    shell: Shell
    call_id: str
    turn_id: str | None


@dataclass(frozen=True)
class Tool(Generic[A]):
    """One tool.

    `execute` returns a ToolResult, or anything: text and JSON become the result's text. A SandboxError it
    raises is the result's message.
    """

    name: str
    description: str
    arguments: type[A]
    execute: Callable[[A, ToolContext], Awaitable[Any]]
    pure: bool = False
    """It changes nothing. Other tools of a sandbox take turns."""
    takes_turns: bool = True
    """False for a tool that is not pure and yet may run beside others."""
    capability: str | None = None
    """What the sandbox must be capable of for the tool to be there."""
    timeout: float | None = TOOL_SECONDS
    """Seconds after which the call is stopped; None for a tool that ends by itself."""

    @classmethod
    def of(
        cls, function: Callable[..., Any], *, name: str | None = None, pure: bool = False
    ) -> "Tool[ToolArguments]":
        """Make a tool of a function, async or not, whose parameters have types; see TypedFunction.

        A parameter annotated with ToolContext is given the context of the call. Raises TypeError.
        """
        typed = TypedFunction.of(function, ToolContext)
        return Tool(name or typed.name, typed.description, typed.arguments, typed.call, pure=pure)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The arguments as plain JSON Schema."""
        return plain_schema(self.arguments)


class ToolRegistry:
    """`sandbox.tools`."""

    def __init__(self, sandbox: "Sandbox", tools: Iterable[Tool[Any]]) -> None:
        self._sandbox = sandbox
        self._tools: dict[str, Tool[Any]] = {}
        self._numbers = count(1)
        self._lock = asyncio.Lock()
        for tool in tools:
            self.register(tool)

    def register(self, tool: Tool[Any] | Callable[..., Any]) -> None:
        """Add a tool, or what Tool.of makes of a function. Raises ToolExistsError where the name is taken."""
        made = _made(tool)
        if made.name in self._tools:
            raise ToolExistsError(f"there is a tool {made.name!r} already; replace or unregister it")
        self._tools[made.name] = made

    def replace(self, tool: Tool[Any] | Callable[..., Any]) -> None:
        """Put a tool in the place of that of the same name. Raises UnknownToolError where there is none."""
        made = _made(tool)
        self._tools[self._known(made.name)] = made

    def unregister(self, name: str) -> None:
        """Remove a tool. Raises UnknownToolError where there is none."""
        del self._tools[self._known(name)]

    def fork(self) -> "ToolRegistry":
        """Return a registry over the same sandbox with the same tools, to change on its own.

        Tools that take turns take them with those of all other registries of the sandbox.
        """
        fork = copy(self)
        fork._tools = dict(self._tools)
        return fork

    def list(self) -> "list[ToolDescription]":
        """Describe the tools that this sandbox is capable of."""
        self._sandbox.check()
        return [
            ToolDescription(
                name=tool.name, description=tool.description, parameters=tool.parameters, pure=tool.pure
            )
            for tool in self._tools.values()
            if self._is_capable(tool)
        ]

    async def run(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        *,
        origin: str = "host",
        shell: Shell | None = None,
        call_id: str | None = None,
        turn_id: str | None = None,
    ) -> ToolResult:
        """Run a tool. Whatever goes wrong is a result with `ok=False` whose summary says what to do about it.

        `origin` names the caller, `call_id` the call and `turn_id` what it belongs to, in events and
        checkpoints; `shell` is the caller's own, by default the host's. Raises SandboxDestroyedError, and
        nothing else.
        """
        self._sandbox.check()
        name, call_id = str(name), call_id or f"call-{next(self._numbers)}"
        events = self._sandbox.events
        started = perf_counter()
        shown: dict[str, Any] = _for_event(arguments) if isinstance(arguments, dict) else {}
        events.emit(ToolStartEvent, call_id=call_id, name=name, arguments=shown, origin=origin)
        result = ToolResult(ok=False, summary=f"{name} was cancelled")
        tool, shell = self._tools.get(name), shell or self._sandbox.shell
        call = Call("tool", name, arguments, origin, shell, pure=tool is None or tool.pure)
        try:
            async with self._turn(tool), self._sandbox.observers.watch(call):
                context = ToolContext(self._sandbox, origin, shell, call_id, turn_id)
                call.outcome = result = await self._answer(name, arguments, context)
            if not call.pure and (problem := await self._sandbox.save()):
                result = result.model_copy(update={"summary": f"{result.summary} (not saved: {problem})"})
            return result
        finally:
            events.emit(
                ToolFinishEvent,
                call_id=call_id,
                name=name,
                ok=result.ok,
                summary=result.summary,
                duration=perf_counter() - started,
                origin=origin,
            )

    async def _answer(self, name: str, arguments: dict[str, Any] | None, context: ToolContext) -> ToolResult:
        try:
            tool = self._find(name)
            parsed, ignored = parse_arguments(tool.arguments, arguments)
            return _finish(to_result(await self._execute(tool, parsed, context)), ignored)
        except SandboxDestroyedError:
            raise
        except (SandboxError, InvalidArgumentsError) as error:
            return _failure(f"{name}: {error}", error)
        except Exception as error:
            message = f"internal error in {name}: {type(error).__name__}: {error}"
            self._sandbox.events.emit(ErrorEvent, name=type(error).__name__, message=message)
            return _failure(message, error)

    async def _execute(self, tool: Tool[Any], arguments: ToolArguments, context: ToolContext) -> object:
        if not tool.pure:
            self._sandbox.keep_automatically(
                "before-tool",
                turn_id=context.turn_id,
                tool_call_id=context.call_id,
                summary=f"before {tool.name}",
            )
        limit = asyncio.timeout(tool.timeout)
        try:
            async with limit:
                return await tool.execute(arguments, context)
        except TimeoutError:
            if limit.expired():
                raise SandboxError(f"stopped, as it had not ended after {tool.timeout:g} s") from None
            raise
        finally:
            if not tool.pure:
                self._sandbox.settle()

    def _find(self, name: str) -> Tool[Any]:
        tool = self._tools.get(name)
        if tool and self._is_capable(tool):
            return tool
        if tool:
            raise CapabilityError(f"this sandbox cannot {tool.capability}, so the tool is not there")
        raise self._unknown(name)

    def _known(self, name: str) -> str:
        if name not in self._tools:
            raise self._unknown(name)
        return name

    def _unknown(self, name: str) -> UnknownToolError:
        names = [tool.name for tool in self._tools.values() if self._is_capable(tool)]
        near = difflib.get_close_matches(name.lower(), names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        return UnknownToolError(f"there is no such tool{hint} The tools are {', '.join(names)}")

    def _is_capable(self, tool: Tool[Any]) -> bool:
        return tool.capability is None or tool.capability in self._sandbox.capabilities

    @asynccontextmanager
    async def _turn(self, tool: Tool[Any] | None) -> AsyncGenerator[None]:
        if tool is None or tool.pure or not tool.takes_turns or self._has_turn():
            yield
            return
        async with self._lock:
            turn = _Turn(self._lock)
            token = _turns.set(turn)
            try:
                yield
            finally:
                turn.open = False
                _turns.reset(token)

    def _has_turn(self) -> bool:
        """Tell whether this is part of a call that has its turn: to wait for its end would last for ever."""
        held = _turns.get()
        return held is not None and held.owner is self._lock and held.open


def _made(tool: Tool[Any] | Callable[..., Any]) -> Tool[Any]:
    return cast("Tool[Any]", tool) if isinstance(tool, Tool) else Tool.of(tool)


@dataclass(slots=True)
class _Turn:
    owner: asyncio.Lock
    open: bool = True


_turns: ContextVar[_Turn | None] = ContextVar("_turns", default=None)


def to_result(value: object) -> ToolResult:
    """Make a result of whatever a tool returned."""
    match value:
        case ToolResult():
            return value
        case None | "":
            return ToolResult(ok=True, summary="(no output)")
        case str() if len(value) <= SHORT and "\n" not in value.strip():
            return ToolResult(ok=True, summary=value.strip() or "(no output)")
        case str():
            return ToolResult(ok=True, summary=plural(value.count("\n") + 1, "line"), data={"text": value})
        case bytes() | bytearray():
            return ToolResult(ok=True, summary=f"{len(value):,} bytes of binary data")
        case _:
            return to_result(_as_text(value))


def _as_text(value: object) -> str:
    try:
        return value.model_dump_json() if isinstance(value, BaseModel) else safejson.dumps(value)
    except safejson.JsonError:
        return f"(a value nested more than {safejson.MAX_DEPTH} levels deep)"
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _finish(result: ToolResult, ignored: list[str]) -> ToolResult:
    """Keep a result within its size, and say which arguments meant nothing."""
    text = result.data.get("text")
    changed: dict[str, JsonValue] = {}
    if isinstance(text, str) and len(text) > RESULT:
        changed["text"] = text = clip_middle(text, RESULT - OUTPUT_TAIL, OUTPUT_TAIL)
    if ignored:
        note = f"[unknown arguments were ignored: {', '.join(ignored)}]"
        changed["ignored_arguments"] = cast("list[JsonValue]", ignored)
        changed["text"] = f"{text.rstrip()}\n{note}" if isinstance(text, str) else note
    return result.model_copy(update={"data": result.data | changed}) if changed else result


def _failure(message: str, error: Exception) -> ToolResult:
    summary, _, rest = message.partition("\n")
    data: dict[str, JsonValue] = {"error": type(error).__name__}
    if rest:
        data["text"] = clip_middle(rest, RESULT - OUTPUT_TAIL, OUTPUT_TAIL)
    return ToolResult(ok=False, summary=clip(summary, 1000), data=data)


def _for_event(value: Any, depth: int = 0) -> Any:
    """Return arguments with long texts clipped: events are for watching, not for carrying files."""
    if isinstance(value, str):
        return clip(value, 10_000)
    if depth >= 5:
        return value if isinstance(value, int | float | None) else "…"
    if isinstance(value, dict):
        return {
            str(key): _for_event(entry, depth + 1) for key, entry in cast("dict[Any, Any]", value).items()
        }
    if isinstance(value, list):
        return [_for_event(entry, depth + 1) for entry in cast("list[Any]", value)]
    return value if isinstance(value, int | float | None) else str(value)
