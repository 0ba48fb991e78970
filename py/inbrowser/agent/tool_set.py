"""Tools of a host's own: functions, and descriptions with what runs them."""

from collections.abc import Awaitable, Callable, Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any

from ..arguments import TypedFunction, parse_arguments, plain_schema
from .errors import ToolsConflictError, UnknownToolError
from .models.contract import ToolSpec
from .tools import AgentTools, ToolCall, ToolContext, ToolOutput, TurnWatcher, to_output

Execute = Callable[[ToolCall, ToolContext], Awaitable[Any]]
"""Runs a call; gives a ToolOutput, text, or any JSON."""


@dataclass(frozen=True, slots=True)
class _Own:
    spec: ToolSpec
    execute: Execute


class ToolSet:
    """Functions as tools, over the tools of another AgentTools where there is one; all of it can be changed.

    A function's name, annotations and docstring describe it; see inbrowser.arguments.TypedFunction. A
    parameter annotated with ToolContext is given the context of the call.
    """

    def __init__(
        self, functions: Iterable[Callable[..., Any]] = (), *, base: AgentTools | None = None
    ) -> None:
        self._base = base
        self._own: dict[str, _Own] = {}
        self._removed: set[str] = set()
        for function in functions:
            self.register(function)

    def register(self, tool: Callable[..., Any] | ToolSpec, execute: Execute | None = None) -> None:
        """Add a function, or what describes and runs one. Raises ToolsConflictError if its name is taken."""
        own = _own(tool, execute)
        if own.spec.name in self._names():
            raise ToolsConflictError(f"There is a tool {own.spec.name!r} already; replace or unregister it")
        self._own[own.spec.name] = own

    def replace(self, tool: Callable[..., Any] | ToolSpec, execute: Execute | None = None) -> None:
        """Put one in the place of the tool of that name. Raises UnknownToolError where there is none."""
        own = _own(tool, execute)
        self._own[self._known(own.spec.name)] = own

    def unregister(self, name: str) -> None:
        """Remove a tool. Raises UnknownToolError where there is none."""
        self._own.pop(self._known(name), None)
        self._removed.add(name)

    def fork(self) -> "ToolSet":
        """Return a set with the same tools, to change on its own."""
        fork = copy(self)
        fork._own, fork._removed = dict(self._own), set(self._removed)
        return fork

    def list(self) -> "list[ToolSpec]":
        """Describe the tools: the base's, those replaced at their places, and then the others."""
        below = {spec.name: spec for spec in (self._base.list() if self._base else [])}
        kept = {name: spec for name, spec in below.items() if name not in self._removed}
        return list((kept | {name: own.spec for name, own in self._own.items()}).values())

    async def execute(self, call: ToolCall, context: ToolContext) -> ToolOutput:
        """Run one call."""
        own = self._own.get(call.name)
        if own:
            return to_output(await own.execute(call, context))
        if self._base is None or call.name in self._removed:
            raise self._unknown(call.name)
        return await self._base.execute(call, context)

    def turn_begins(self, context: ToolContext, text: str) -> None:
        """Tell the base; see TurnWatcher."""
        if isinstance(self._base, TurnWatcher):
            self._base.turn_begins(context, text)

    def turn_ends(self, context: ToolContext) -> None:
        """Tell the base; see TurnWatcher."""
        if isinstance(self._base, TurnWatcher):
            self._base.turn_ends(context)

    def _names(self) -> "list[str]":
        return [spec.name for spec in self.list()]

    def _known(self, name: str) -> str:
        if name not in self._names():
            raise self._unknown(name)
        return name

    def _unknown(self, name: str) -> UnknownToolError:
        return UnknownToolError(f"There is no tool {name!r}. Tools: {', '.join(self._names())}")


def _own(tool: Callable[..., Any] | ToolSpec, execute: Execute | None) -> _Own:
    if isinstance(tool, ToolSpec):
        if execute is None:
            raise ToolsConflictError(f"The tool {tool.name!r} has nothing that runs it; give execute=")
        return _Own(tool, execute)
    typed = TypedFunction.of(tool, ToolContext)

    async def call(made: ToolCall, context: ToolContext) -> Any:
        arguments, ignored = parse_arguments(typed.arguments, made.arguments)
        output = to_output(await typed.call(arguments, context))
        note = f"\n[unknown arguments were ignored: {', '.join(ignored)}]" if ignored else ""
        return output.model_copy(update={"text": output.text + note})

    parameters = plain_schema(typed.arguments)
    return _Own(ToolSpec(name=typed.name, description=typed.description, parameters=parameters), call)
