"""The plain loop: ask the model, run the tools it asks for, give it the results, until it asks for none."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from ..events import CompletedStop, SessionEvent
from ..models.contract import Stop
from ..turn import SessionIO


def create_react_loop_strategy(max_turns: int = 24) -> "ReactLoop":
    """Return the plain loop; it stops after `max_turns` replies even if the model wants more tools."""
    return ReactLoop(max_turns)


@dataclass(frozen=True)
class ReactLoop:
    """Reason, act, look at what came of it, again."""

    max_turns: int = 24

    async def run(self, session: SessionIO) -> AsyncIterator[SessionEvent]:
        """Take turns until a reply has no tool calls."""
        for _ in range(self.max_turns):
            turn = session.turn()
            yield turn.started()
            async for event in turn.ask():
                yield event
            async for event in turn.run_tools():
                yield event
            yield turn.completed()
            if not turn.calls and turn.reply.stop != "pause":
                yield session.completed(_ENDINGS.get(turn.reply.stop, "end"))
                return
        yield session.completed("max_turns")


_ENDINGS: dict[Stop, CompletedStop] = {"length": "length", "refusal": "refusal"}
