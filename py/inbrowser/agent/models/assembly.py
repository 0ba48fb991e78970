"""Putting a reply together from its events."""

from .contract import (
    AssistantMessage,
    ModelEvent,
    OpaquePart,
    Part,
    Stop,
    Text,
    TextPart,
    Thinking,
    ThinkingPart,
    ToolCallEnd,
    ToolCallPart,
)


class ReplyAssembly:
    """Collects the events of one reply; neighbouring pieces of a kind become one part."""

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._kind: type[Text] | type[Thinking] | None = None
        self._pieces: list[str] = []

    def add(self, event: ModelEvent) -> None:
        """Take the next event; those without content change nothing."""
        match event:
            case Text(delta) | Thinking(delta):
                if type(event) is not self._kind:
                    self._close_part()
                    self._kind = type(event)
                self._pieces.append(delta)
            case ToolCallEnd(id, name, arguments):
                self._close_part()
                self._parts.append(ToolCallPart(id=id, name=name, arguments=arguments))
            case _:
                pass

    def add_opaque(self, part: OpaquePart) -> None:
        """Put a part that only its provider understands between what came before and what follows."""
        self._close_part()
        self._parts.append(part)

    def message(self, stop: Stop) -> AssistantMessage:
        """Return the whole reply."""
        self._close_part()
        return AssistantMessage(parts=tuple(self._parts), stop=stop)

    def _close_part(self) -> None:
        text = "".join(self._pieces)
        if text:
            self._parts.append(TextPart(text=text) if self._kind is Text else ThinkingPart(text=text))
        self._pieces = []
        self._kind = None
