"""What a strategy works with: the session's parts, and one turn of asking and running tools."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import takewhile
from time import perf_counter

from .errors import ModelError
from .events import (
    Completed,
    CompletedStop,
    SessionEvent,
    StrategyEvent,
    TextDelta,
    ThinkingDelta,
    TurnCompleted,
    TurnStarted,
)
from .metrics import Metrics, measure
from .models.contract import (
    AssistantMessage,
    End,
    Message,
    ModelClient,
    ModelEvent,
    ModelRequest,
    Retry,
    Start,
    Text,
    TextPart,
    Thinking,
    ToolCallPart,
    ToolCallStart,
    ToolResultMessage,
    UsageEvent,
    UserMessage,
)
from .streams import closing
from .tool_calls import run_calls, shorten
from .tools import AgentTools, ToolContext, ToolOutput


@dataclass
class SessionIO:
    """One run of a session, as its strategy sees it. What is appended to `history` stays in the session."""

    context: ToolContext
    llm: ModelClient
    tools: AgentTools
    system_prompt: str
    history: list[Message]
    metrics: Metrics = field(default_factory=Metrics)
    """Totals of the turns completed so far."""
    turns: int = 0

    def turn(self) -> "Turn":
        """Begin the next turn."""
        self.turns += 1
        return Turn(self)

    def completed(self, stop: CompletedStop) -> Completed:
        """Return the event that ends the run."""
        said = takewhile(lambda message: not isinstance(message, UserMessage), reversed(self.history))
        texts = [message.text for message in said if isinstance(message, AssistantMessage)]
        text = texts[0] if texts else ""
        return Completed(stop=stop, text=text, turns=self.turns, metrics=self.metrics)


class Turn:
    """One reply of the model and the tool calls in it: `started`, `ask`, `run_tools`, `completed`."""

    def __init__(self, io: SessionIO) -> None:
        self._io = io
        self._number = io.turns
        self._begun = perf_counter()
        self._first_token: float | None = None
        self._answered: float | None = None
        self._usage = UsageEvent()
        self._model: str | None = None
        self.reply = AssistantMessage(parts=())

    @property
    def calls(self) -> list[ToolCallPart]:
        """The tools that the reply asks for."""
        return self.reply.calls

    def started(self) -> TurnStarted:
        """Return the event that opens the turn."""
        return TurnStarted(turn=self._number)

    async def ask(self) -> AsyncIterator[SessionEvent]:
        """Send the history to the model and tell what it says; `reply` holds all of it in the end.

        Raises ModelError. Text that came before a failure or a cancellation stays in the history.
        """
        io = self._io
        request = ModelRequest(
            system=io.system_prompt, messages=tuple(io.history), tools=tuple(io.tools.list())
        )
        said: list[str] = []
        try:
            async with closing(io.llm.chat(request)) as events:
                async for event in events:
                    if isinstance(event, Text):
                        said.append(event.delta)
                    if (told := self._take(event)) is not None:
                        yield told
            if self._answered is None:
                raise ModelError(f"The model {io.llm.id} ended without an End event", kind="protocol")
        finally:
            if self._answered is None and said:
                self.reply = AssistantMessage(parts=(TextPart(text="".join(said)),), stop="incomplete")
            if self.reply.parts:
                io.history.append(self.reply)

    async def run_tools(self) -> AsyncIterator[SessionEvent]:
        """Run the reply's calls; their results follow it in the history, in call order, whatever happens."""
        io = self._io
        outputs: dict[str, ToolOutput] = {}
        try:
            async with closing(run_calls(self.reply, io.tools, io.context, outputs)) as events:
                async for event in events:
                    yield event
        finally:
            io.history += [_result(call, outputs[call.id]) for call in self.calls if call.id in outputs]

    def completed(self) -> TurnCompleted:
        """Return the event that closes the turn, and add its metrics to the run's."""
        metrics = measure(
            duration=perf_counter() - self._begun,
            first_token=self._first_token,
            answered=self._answered,
            usage=self._usage,
            tool_calls=len(self.calls),
        )
        self._io.metrics = self._io.metrics.plus(metrics)
        details = {"model": self._model or self._io.llm.id, "stop": self.reply.stop}
        return TurnCompleted(turn=self._number, metrics=metrics, details=details)

    def _take(self, event: ModelEvent) -> SessionEvent | None:
        """Note what the event brings and return what a session tells of it."""
        now = perf_counter() - self._begun
        match event:
            case Text() | Thinking() | ToolCallStart() if self._first_token is None:
                self._first_token = now
            case Start():
                self._model = event.model
            case UsageEvent():
                self._usage = event
            case End():
                self.reply = event.message
                self._answered = now
            case _:
                pass
        return _told(event)


def _told(event: ModelEvent) -> SessionEvent | None:
    match event:
        case Text(delta):
            return TextDelta(delta=delta)
        case Thinking(delta):
            return ThinkingDelta(delta=delta)
        case ToolCallStart(id, name):
            return StrategyEvent(name="tool_call_announced", data={"callId": id, "name": name})
        case Retry(attempt, wait, reason):
            data = {"attempt": attempt, "waitMs": round(wait * 1000), "reason": reason}
            return StrategyEvent(name="retry", data=data)
        case _:
            return None


def _result(call: ToolCallPart, output: ToolOutput) -> ToolResultMessage:
    text = shorten(output.text)
    return ToolResultMessage(call_id=call.id, name=call.name, text=text, is_error=output.is_error)
