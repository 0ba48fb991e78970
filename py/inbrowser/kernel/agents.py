"""What the page may do with models, tools and sessions, and the page's own models and tools."""

from collections.abc import AsyncIterator
from itertools import takewhile
from typing import Any

from ..agent.events import TextDelta, ThinkingDelta
from ..agent.models.contract import Message, ModelClient, ModelEvent, ModelRequest
from ..agent.models.host import decode_events
from ..agent.session import AgentSession
from ..agent.tools import AgentTools, ToolCall, ToolContext, ToolOutput
from ..safejson import loads
from .calls import Endpoint, json_bytes
from .sandboxes import END, Post


class ModelEndpoint(Endpoint):
    """A model client of ours."""

    def __init__(self, model: ModelClient) -> None:
        self.model = model


class ToolsEndpoint(Endpoint):
    """The tools of one session."""

    def __init__(self, tools: AgentTools) -> None:
        self.tools = tools

    async def execute(self, call: dict[str, Any], context: dict[str, Any]) -> ToolOutput:
        """Run one call, as a model made it."""
        session_id = str(context.get("sessionId", "host"))
        return await self.tools.execute(ToolCall.model_validate(call), ToolContext(session_id))


class SessionEndpoint(Endpoint):
    """One conversation."""

    def __init__(self, session: AgentSession) -> None:
        self.session = session
        self._posted = session.history
        """The history as the page knows it."""

    async def submit(self, text: str, post: Post) -> None:
        """Run one turn of the conversation, posting its events.

        Before those that begin or end something it posts how the history went on, which the page keeps for
        a kernel that takes over: `{"keep": 3, "messages": [...]}`, the first 3 messages stay.
        """
        try:
            async for event in self.session.submit(text):
                if not isinstance(event, TextDelta | ThinkingDelta):
                    self._post_history(post)
                post(json_bytes(event).decode())
        finally:
            post(END)

    def _post_history(self, post: Post) -> None:
        history = self.session.history
        pairs = zip(self._posted, history, strict=False)
        keep = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        if keep == len(history) == len(self._posted):
            return
        self._posted = history
        post(json_bytes({"keep": keep, "messages": history[keep:]}).decode())

    async def cancel(self) -> None:
        """Stop the run under way, if any."""
        await self.session.cancel()

    async def history(self) -> tuple[Message, ...]:
        """Return the messages so far."""
        return self.session.history


class HostModel:
    """A model written in JavaScript."""

    def __init__(self, id: str, remote: Any) -> None:
        self.id = id
        self._remote = remote

    async def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Ask it; leaving the iterator closes its stream."""
        stream = await self._remote.open(request.to_wire())
        try:
            async for event in decode_events(self._pull(stream)):
                yield event
        finally:
            stream.close()

    async def _pull(self, stream: Any) -> AsyncIterator[Any]:
        while (event := await stream.next()) is not None:
            yield loads(event, what=f"an event of {self.id}")


class HostTools:
    """Tools written in JavaScript."""

    def __init__(self, remote: Any) -> None:
        self._remote = remote

    async def execute(self, call: ToolCall, context: ToolContext) -> ToolOutput:
        """Run one call over there."""
        where = json_bytes({"sessionId": context.session_id}).decode()
        output = await self._remote.execute(call.to_wire(), where)
        return ToolOutput.model_validate(loads(output, what=f"the result of {call.name}"))
