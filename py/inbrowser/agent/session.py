"""A conversation: messages in, events out, a history that is always valid."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from .errors import ModelError, SessionBusyError
from .events import Completed, ErrorEvent, SessionEvent
from .history import parse, repair
from .metrics import Metrics
from .models.contract import Message, ModelClient, ToolSpec, UserMessage
from .strategies import AgentStrategy
from .streams import closing
from .tools import AgentTools, Dispatch, choose_tools
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
        self._task: asyncio.Task[None] | None = None

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages so far. Between runs a model accepts them as they are."""
        return tuple(self._history)

    @property
    def metrics(self) -> Metrics:
        """Totals of all runs that have ended."""
        return self._metrics

    def submit(self, text: str) -> "AgentRun":
        """Work on a message of the user; iterate over the result for the events.

        The last event is `completed` or `error`. Closing or dropping the result cancels the run.
        Raises SessionBusyError while another message is worked on.
        """
        if self._task is not None:
            raise SessionBusyError(f"Session {self.id} is at work; await its end or cancel() it first")
        self._history.append(UserMessage(text=text))
        io = SessionIO(self.id, self._llm, self._tools, self._system_prompt, self._history)
        events = _EventQueue()
        self._task = asyncio.create_task(_work(self._strategy, io, events))
        self._task.add_done_callback(lambda task: self._end(task, io, events))
        return AgentRun(self._task, events)

    async def cancel(self) -> None:
        """Stop the run under way, if there is one; on return the session takes the next message."""
        if self._task is not None:
            await _cancel(self._task)

    def _end(self, task: "asyncio.Task[None]", io: SessionIO, events: "_EventQueue") -> None:
        self._task = None
        self._history = repair(io.history)
        self._metrics = self._metrics.plus(io.metrics)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            events.put(_error_event(error, io))
        events.put(io.completed("cancelled" if task.cancelled() else "end"))


async def _work(strategy: AgentStrategy, io: SessionIO, events: "_EventQueue") -> None:
    async with closing(strategy.run(io)) as told:
        async for event in told:
            events.put(event)
            if events.ended:
                break


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

    def __init__(self, task: "asyncio.Task[None]", events: "_EventQueue") -> None:
        self._task = task
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
        self._events.close()
        await _cancel(self._task)

    def __del__(self) -> None:
        # Nothing that the task refers to refers to this object, so leaving an `async for` ends the run.
        if not self._task.done() and not self._task.get_loop().is_closed():
            self._task.cancel()


class _EventQueue:
    """Events on their way from the run to whoever iterates; nothing passes after the final one."""

    def __init__(self) -> None:
        self.ended = False
        self._queue: asyncio.Queue[SessionEvent | None] = asyncio.Queue()

    def put(self, event: SessionEvent) -> None:
        if not self.ended:
            self._queue.put_nowait(event)
            if isinstance(event, Completed | ErrorEvent):
                self._finish()

    async def get(self) -> SessionEvent | None:
        """Return the next event, or None for ever after the last one."""
        event = await self._queue.get()
        if event is None:
            self._queue.put_nowait(None)
        return event

    def close(self) -> None:
        while not self._queue.empty():
            self._queue.get_nowait()
        self._finish()

    def _finish(self) -> None:
        self.ended = True
        self._queue.put_nowait(None)


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])
