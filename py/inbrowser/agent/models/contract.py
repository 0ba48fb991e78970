"""What every model speaks: one neutral request, one closed set of messages and events.

Messages are records because they are stored and cross to JavaScript. Events are slotted dataclasses because
thousands of them pass in a second.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, JsonValue

from ...records import Record

Stop = Literal["end", "tool_use", "length", "refusal", "pause", "incomplete"]
"""Why a reply ended: done; wants tools; token limit; refused; to be continued; broken off."""


class TextPart(Record):
    """Text of a reply."""

    type: Literal["text"] = "text"
    text: str


class ThinkingPart(Record):
    """Reasoning that the model chose to show; what it needs back is in an `OpaquePart`."""

    type: Literal["thinking"] = "thinking"
    text: str


class ToolCallPart(Record):
    """A call the model makes. `arguments` is JSON text exactly as the model wrote it, so it may be broken."""

    type: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    arguments: str


class OpaquePart(Record):
    """What one provider must get back unchanged (signatures, encrypted reasoning); others never see it."""

    type: Literal["opaque"] = "opaque"
    provider: str
    data: JsonValue


Part = Annotated[TextPart | ThinkingPart | ToolCallPart | OpaquePart, Field(discriminator="type")]


class UserMessage(Record):
    """What the user said."""

    role: Literal["user"] = "user"
    text: str


class AssistantMessage(Record):
    """One reply of the model, its parts in the order they came."""

    role: Literal["assistant"] = "assistant"
    parts: tuple[Part, ...]
    stop: Stop = "end"

    @property
    def text(self) -> str:
        """All text parts as one string."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))

    @property
    def calls(self) -> list[ToolCallPart]:
        """The tool calls, in order."""
        return [part for part in self.parts if isinstance(part, ToolCallPart)]


class ToolResultMessage(Record):
    """The result of one call; the results of a reply follow it directly, in call order."""

    role: Literal["tool"] = "tool"
    call_id: str
    name: str
    text: str
    is_error: bool = False


Message = Annotated[UserMessage | AssistantMessage | ToolResultMessage, Field(discriminator="role")]


class ToolSpec(Record):
    """A tool as the model sees it; `parameters` is a plain JSON Schema of an object."""

    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})
    pure: bool = False


class ModelRequest(Record):
    """One question to a model."""

    system: str = ""
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str = Field(default="auto", description="auto, none, required, or a tool's name")
    max_tokens: int | None = None
    effort: str | None = Field(default=None, description="reasoning effort, in the provider's own words")
    cache: bool = Field(default=True, description="mark what a provider is to cache, where that is asked")


@dataclass(frozen=True, slots=True)
class Start:
    """The model began to answer. Comes again after a `Retry`."""

    model: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text."""

    delta: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """A piece of visible reasoning."""

    delta: str


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """A call begins; its arguments follow."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolCallArguments:
    """A piece of a call's arguments, as JSON text."""

    id: str
    delta: str


@dataclass(frozen=True, slots=True)
class ToolCallEnd:
    """A call is written; `arguments` is its whole JSON text, `{}` when the model gave none."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """Totals of this request so far; a later one replaces an earlier one. None means unknown, never zero."""

    input_tokens: int | None = None
    """The whole prompt, cached tokens included."""
    output_tokens: int | None = None
    """The whole reply, reasoning included."""
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    """US dollars."""
    estimated: bool = False
    """Whether the cost comes from a table of prices rather than from the provider."""


@dataclass(frozen=True, slots=True)
class Retry:
    """The request failed before any content and is sent again after `wait` seconds."""

    attempt: int
    wait: float
    reason: str


@dataclass(frozen=True, slots=True)
class End:
    """The last event: the whole reply."""

    stop: Stop
    message: AssistantMessage


ModelEvent = (
    Start | Text | Thinking | ToolCallStart | ToolCallArguments | ToolCallEnd | UsageEvent | Retry | End
)


class ModelClient(Protocol):
    """A model that can be asked."""

    @property
    def id(self) -> str:
        """Names the model in metrics and traces."""
        ...

    def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask; the last event is `End`, a failure is a ModelError. Closing the iterator ends the request."""
        ...
