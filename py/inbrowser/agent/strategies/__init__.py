"""How a session reaches its goal: a strategy decides when to ask, what to run and when to stop."""

from collections.abc import AsyncIterator
from typing import Protocol

from ..events import SessionEvent
from ..turn import SessionIO


class AgentStrategy(Protocol):
    """The loop of a session, as a value."""

    def run(self, session: SessionIO) -> AsyncIterator[SessionEvent]:
        """Work on the last message of the history; yield `session.completed(...)` at the end."""
        ...
