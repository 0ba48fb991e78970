"""Who is told of every tool call and every direct run of a sandbox, in full, as it begins and ends."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .events import ErrorEvent

if TYPE_CHECKING:
    from .runtime import RunResult, Shell
    from .stream import EventStream
    from .tools.registry import ToolResult


@dataclass(eq=False, slots=True)
class Call:
    """One tool call, or one run that no tool made."""

    kind: Literal["tool", "run"]
    name: str
    """The tool's; `run` of a run."""
    arguments: Any
    """As the caller gave them, nothing clipped; of a run those of `sandbox.runtime.run` that are not None."""
    origin: str
    shell: "Shell | None"
    """Whose working directory and environment it starts with; None of a run that has no shell."""
    pure: bool = False
    outcome: "ToolResult | RunResult | BaseException | None" = field(default=None)
    """Set when it has ended; an exception is what the caller gets."""


class Observer(Protocol):
    """Is told of calls, and waited for: it sees the files as the call found them, or left them."""

    async def began(self, call: Call) -> None:
        """Take in a call that has its turn and runs next."""
        ...

    async def ended(self, call: Call) -> None:
        """Take in the outcome of a call that this observer saw begin; the caller gets it next."""
        ...


class Observers:
    """The observers of one sandbox."""

    def __init__(self, events: "EventStream") -> None:
        self._events = events
        self._observers: dict[object, Observer] = {}

    def add(self, observer: Observer) -> Callable[[], None]:
        """Tell `observer` of calls that begin from now on; returns the way to stop.

        One that raises is told of in an `error` event, and the call goes on.
        """
        key = object()
        self._observers[key] = observer

        def off() -> None:
            self._observers.pop(key, None)

        return off

    @asynccontextmanager
    async def watch(self, call: Call) -> AsyncGenerator[Call]:
        """Tell of a call made in the block, which sets its outcome; calls that it makes are part of it."""
        outer = _inside.get()
        if any(watch.owner is self and watch.open for watch in outer):
            yield call
            return
        watch = _Watch(self)
        token = _inside.set((*outer, watch))
        observers = list(self._observers.values())
        try:
            for observer in observers:
                await self._tell(observer.began, call)
            try:
                yield call
            except BaseException as error:
                call.outcome = error
                raise
            finally:
                for observer in observers:
                    await self._tell(observer.ended, call)
        finally:
            # What the call left running in the background makes calls of its own from now on.
            watch.open = False
            _inside.reset(token)

    async def _tell(self, hook: Callable[[Call], Any], call: Call) -> None:
        try:
            await hook(call)
        except Exception as error:
            message = f"an observer of {call.name} failed: {error}"
            self._events.emit(ErrorEvent, name=type(error).__name__, message=message)


@dataclass(slots=True)
class _Watch:
    owner: Observers
    open: bool = True


_inside: ContextVar[tuple[_Watch, ...]] = ContextVar("_inside", default=())
"""The calls that this is a part of."""
