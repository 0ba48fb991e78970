"""A conversation: messages in, events out, a history that is always valid."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .errors import ModelError, SessionBusyError
from .events import Completed, ErrorEvent, SessionEvent
from .history import parse, repair
from .metrics import Metrics
from .models.contract import Message, ModelClient, ToolSpec, UserMessage
from .strategies import AgentStrategy
from .streams import closing
from .tools import AgentTools, Dispatch, ToolContext, TurnWatcher, choose_tools
from .turn import SessionIO

DEFAULT_SYSTEM_PROMPT = (
    "You are a coding agent working in the project at /project. "
    "Use the tools to read, change and check files; do not guess what is in them. "
    "When the task is done, say in one or two sentences what you did."
)


def create_agent_session(
    *,
    strategy: AgentStrategy,
    llm: ModelClient,
    tools: AgentTools | Dispatch | None = None,
    tool_list: Iterable[ToolSpec | Mapping[str, Any]] | None = None,
    system_prompt: str | None = None,
    history: Iterable[Message | Mapping[str, Any]] | None = None,
    id: str | None = None,
) -> "AgentSession":
    """Return a session; it does nothing until a message is submitted.

    `tools` is an AgentTools, or a function together with `tool_list`. `history` takes what another session's
    `history` gave, or the same as JSON objects; gaps in it are repaired. `id` names the session in events of
    sandboxes; left out, a random one is made. Raises ToolsConflictError and HistoryError.
    """
    return AgentSession(
        strategy=strategy,
        llm=llm,
        tools=choose_tools(tools, tool_list),
        system_prompt=DEFAULT_SYSTEM_PROMPT if system_prompt is None else system_prompt,
        history=repair(parse(history or [])),
        id=id or secrets.token_hex(4),
    )


class AgentSession:
    """One conversation. Made by `create_agent_session`."""

    def __init__(
        self,
        *,
        strategy: AgentStrategy,
        llm: ModelClient,
        tools: AgentTools,
        system_prompt: str,
        history: list[Message],
        id: str,
    ) -> None:
        self.id = id
        self._strategy = strategy
        self._llm = llm
        self._tools = tools
        self._system_prompt = system_prompt
        self._history = history
        self._metrics = Metrics()
        self._running: _Running | None = None

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages so far. Between runs a model accepts them as they are."""
        return tuple(self._history)

    @property
    def metrics(self) -> Metrics:
        """Totals of all completed turns of the runs that have ended."""
        return self._metrics

    def submit(self, text: str) -> "AgentRun":
        """Work on a message of the user; iterate over the result for the events.

        The last event is `completed` or `error`. Closing or dropping the result cancels the run.
        Raises SessionBusyError while another message is worked on.
        """
        if self._running is not None:
            raise SessionBusyError(f"Session {self.id} is at work; await its end or cancel() it first")
        self._history.append(UserMessage(text=text))
        number = sum(isinstance(message, UserMessage) for message in self._history)
        context = ToolContext(self.id, turn_id=f"{self.id}/{number}")
        io = SessionIO(context, self._llm, self._tools, self._system_prompt, self._history)
        events = _EventQueue()
        if isinstance(self._tools, TurnWatcher):
            self._tools.turn_begins(context, text)
        task = asyncio.create_task(_work(self._strategy, io, events))
        task.add_done_callback(lambda task: self._end(task, io, events))
        self._running = _Running(task, events.closed)
        return AgentRun(self._running, events)

    async def cancel(self) -> None:
        """Stop the run under way, if there is one; on return the session takes the next message."""
        if self._running is not None:
            await self._running.cancel()

    def _end(self, task: "asyncio.Task[SessionEvent]", io: SessionIO, events: "_EventQueue") -> None:
        # The final event goes out last of all: whoever sees it may submit the next message at once.
        self._running = None
        if isinstance(io.tools, TurnWatcher):
            io.tools.turn_ends(io.context)
        self._history = repair(io.history)
        self._metrics = self._metrics.plus(io.metrics)
        if task.cancelled():
            events.put(io.completed("cancelled"))
        elif error := task.exception():
            events.put(_error_event(error, io))
        else:
            events.put(task.result())
        events.close()


async def _work(strategy: AgentStrategy, io: SessionIO, events: "_EventQueue") -> SessionEvent:
    """Run the strategy and return the event that ends the run."""
    async with closing(strategy.run(io)) as told:
        async for event in told:
            if isinstance(event, Completed | ErrorEvent):
                return event
            events.put(event)
    return io.completed("end")


def _error_event(error: BaseException, io: SessionIO) -> ErrorEvent:
    return ErrorEvent(
        name=type(error).__name__,
        message=str(error),
        reason=error.kind if isinstance(error, ModelError) else None,
        retryable=isinstance(error, ModelError) and error.retryable,
        metrics=io.metrics,
    )


class AgentRun:
    """The events of one submitted message, as they come."""

    def __init__(self, running: "_Running", events: "_EventQueue") -> None:
        self._running = running
        self._events = events

    def __aiter__(self) -> AsyncIterator[SessionEvent]:
        return self

    async def __anext__(self) -> SessionEvent:
        try:
            event = await self._events.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        if event is None:
            raise StopAsyncIteration
        return event

    async def aclose(self) -> None:
        """Cancel the run if it still goes on; no more events come."""
        self._events.drop()
        await self._running.cancel()

    def __del__(self) -> None:
        # Nothing that the task refers to refers to this object, so leaving an `async for` ends the run.
        task = self._running.task
        if not task.done() and not task.get_loop().is_closed():
            task.cancel()


@dataclass(frozen=True, slots=True)
class _Running:
    """The work on one message; `ended` is set when the session takes the next one."""

    task: "asyncio.Task[SessionEvent]"
    ended: asyncio.Event

    async def cancel(self) -> None:
        self.task.cancel()
        await self.ended.wait()


class _EventQueue:
    """Events on their way from the run to whoever iterates."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()
        self._queue: asyncio.Queue[SessionEvent | None] = asyncio.Queue()
        self._wanted = True

    def put(self, event: SessionEvent) -> None:
        """Add an event, unless nobody wants any more."""
        if self._wanted:
            self._queue.put_nowait(event)

    async def get(self) -> SessionEvent | None:
        """Return the next event, or None for ever after the last one."""
        event = await self._queue.get()
        if event is None:
            self._queue.put_nowait(None)
        return event

    def close(self) -> None:
        """Say that there are no more events to come."""
        self._queue.put_nowait(None)
        self.closed.set()

    def drop(self) -> None:
        """Forget what waits, and all that still comes."""
        self._wanted = False
        while not self._queue.empty():
            self._queue.get_nowait()
        self._queue.put_nowait(None)
