"""What a session tells while it works, in order; the last event is `completed` or `error`."""

from typing import Annotated, Any, Literal

from pydantic import Field

from ..records import Duration, Record, duration_field
from .errors import ModelErrorKind
from .metrics import Metrics

CompletedStop = Literal["end", "max_turns", "length", "refusal", "cancelled"]


class TurnStarted(Record):
    """The model is asked. A turn is one reply and the tool calls in it."""

    kind: Literal["turn_started"] = "turn_started"
    turn: int
    """Counts the turns of one submit from 1."""


class TextDelta(Record):
    """A piece of the reply's text."""

    kind: Literal["text"] = "text"
    delta: str


class ThinkingDelta(Record):
    """A piece of the model's visible reasoning."""

    kind: Literal["thinking"] = "thinking"
    delta: str


class ToolStarted(Record):
    """A tool call begins."""

    kind: Literal["tool_started"] = "tool_started"
    call_id: str
    name: str
    arguments: dict[str, Any]
    """Empty when what the model wrote is no JSON object; the result then says so."""


class ToolFinished(Record):
    """A tool call ended."""

    kind: Literal["tool_finished"] = "tool_finished"
    call_id: str
    name: str
    ok: bool
    text: str
    """What the model gets, shortened for display."""
    summary: str
    """Its first line."""
    duration: Duration = duration_field()
    details: dict[str, Any] = Field(default_factory=dict)
    """What the tool has to say to a host, for instance a diff."""


class TurnCompleted(Record):
    """The turn is over: replied and, where it asked for tools, all results in."""

    kind: Literal["turn_completed"] = "turn_completed"
    turn: int
    metrics: Metrics
    details: dict[str, Any] = Field(default_factory=dict)
    """`model` and `stop`, why the reply ended."""


class StrategyEvent(Record):
    """Something a strategy has to tell; `retry` and `tool_call_announced` come from every strategy."""

    kind: Literal["strategy_event"] = "strategy_event"
    name: str
    data: dict[str, Any] = Field(default_factory=dict)


class ErrorEvent(Record):
    """The run failed; the history is valid and the session can go on with the next message."""

    kind: Literal["error"] = "error"
    name: str
    """The error's class."""
    message: str
    reason: ModelErrorKind | None = None
    """Why the model failed, when it was the model."""
    retryable: bool = False
    metrics: Metrics = Field(default_factory=Metrics)


class Completed(Record):
    """The run is over."""

    kind: Literal["completed"] = "completed"
    stop: CompletedStop
    text: str = ""
    """The text of the last reply."""
    turns: int = 0
    metrics: Metrics = Field(default_factory=Metrics)
    """Totals of the run."""


SessionEvent = Annotated[
    TurnStarted
    | TextDelta
    | ThinkingDelta
    | ToolStarted
    | ToolFinished
    | TurnCompleted
    | StrategyEvent
    | ErrorEvent
    | Completed,
    Field(discriminator="kind"),
]
