"""The tools of a session: described to the model by `list`, run by `execute`."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

from pydantic import Field, ValidationError

from .. import safejson
from ..records import Record
from .errors import ToolsConflictError
from .models.contract import ToolSpec

MAX_RESULT_CHARACTERS = 100_000
"""A longer tool result keeps its head and tail on the way to the model."""

NO_OUTPUT = "(no output)"


class ToolCall(Record):
    """One call as the model made it, its arguments parsed."""

    id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class ToolOutput(Record):
    """What a call gave: text for the model, details for the host."""

    text: str
    is_error: bool = False
    details: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Who calls."""

    session_id: str
    turn_id: str | None = None
    """The message that is worked on."""

    @property
    def origin(self) -> str:
        """The caller's name in a sandbox's events."""
        return f"session:{self.session_id}"


@runtime_checkable
class AgentTools(Protocol):
    """One value, so that what is listed and what can be run never drift apart."""

    def list(self) -> list[ToolSpec]:
        """Describe the tools that may be called."""
        ...

    async def execute(self, call: ToolCall, context: ToolContext) -> ToolOutput:
        """Run one call. A failure is an output with `is_error`, or an exception, which becomes one."""
        ...


@runtime_checkable
class TurnWatcher(Protocol):
    """What tools may also have, to be told of each message that a session works on."""

    def turn_begins(self, context: ToolContext, text: str) -> None:
        """Hear that the session begins to work on a message; return at once and raise nothing."""
        ...

    def turn_ends(self, context: ToolContext) -> None:
        """Hear that it has ended that, in whatever way; return at once and raise nothing."""
        ...


Dispatch = Callable[..., Any]
"""`dispatch(call)` or `dispatch(name, arguments)`, async or not; gives a ToolOutput, text, or any JSON."""


def choose_tools(
    tools: AgentTools | Dispatch | None, tool_list: Iterable[ToolSpec | Mapping[str, Any]] | None
) -> AgentTools:
    """Return one AgentTools from the two ways to give tools to a session.

    Either `tools` is an AgentTools and comes alone, or it is a function and `tool_list` says what it can run.
    Raises ToolsConflictError for any other combination.
    """
    if tools is None and tool_list is None:
        return FunctionTools(_no_tool, [])
    if isinstance(tools, AgentTools):
        if tool_list is not None:
            raise ToolsConflictError("tools= already lists its tools; leave tool_list= out")
        return tools
    if tools is None or tool_list is None:
        raise ToolsConflictError("tools= as a function needs tool_list=, and the other way round")
    return FunctionTools(tools, tool_list)


class FunctionTools:
    """A dispatching function and the list of what it can run, as one AgentTools."""

    def __init__(self, dispatch: Dispatch, tool_list: Iterable[ToolSpec | Mapping[str, Any]]) -> None:
        self._dispatch = dispatch
        self._specs = [_spec(entry) for entry in tool_list]
        names = [spec.name for spec in self._specs]
        if len(set(names)) < len(names):
            raise ToolsConflictError(f"tool_list= names a tool twice: {', '.join(names)}")
        self._takes_call = len(inspect.signature(dispatch).parameters) == 1

    def list(self) -> list[ToolSpec]:
        """Describe the tools, in the order given."""
        return list(self._specs)

    async def execute(self, call: ToolCall, context: ToolContext) -> ToolOutput:
        """Run one call and make an output of whatever comes back."""
        result = self._dispatch(call) if self._takes_call else self._dispatch(call.name, call.arguments)
        return to_output(await result if inspect.isawaitable(result) else result)


def to_output(value: object) -> ToolOutput:
    """Make a ToolOutput of any value: text as it is, None as "(no output)", bytes described, else JSON."""
    match value:
        case ToolOutput():
            return value
        case None | "":
            return ToolOutput(text=NO_OUTPUT)
        case str():
            return ToolOutput(text=value)
        case bytes() | bytearray():
            return ToolOutput(text=f"({len(value)} bytes of binary data)")
        case Record():
            return ToolOutput(text=value.model_dump_json())
        case _:
            return ToolOutput(text=_json_or_repr(value))


def _json_or_repr(value: object) -> str:
    try:
        return safejson.dumps(value)
    except safejson.JsonError:
        return f"(a value nested more than {safejson.MAX_DEPTH} levels deep)"
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _spec(entry: ToolSpec | Mapping[str, Any]) -> ToolSpec:
    if isinstance(entry, ToolSpec):
        return entry
    body = cast("Mapping[str, Any]", entry.get("function", entry))
    try:
        return ToolSpec.model_validate({key: body[key] for key in ToolSpec.model_fields if key in body})
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        raise ToolsConflictError(f"tool_list= has an entry that describes no tool: {problem}") from None


async def _no_tool(call: ToolCall) -> ToolOutput:
    return ToolOutput(text=f"There are no tools in this session, so {call.name} was not run.", is_error=True)
