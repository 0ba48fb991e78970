"""Where the sandbox's events are numbered, stamped and handed to listeners."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from .events import DestroyedEvent, ErrorEvent, SandboxEvent

Listener = Callable[[SandboxEvent], object]


class EventStream:
    """The events of one sandbox: `seq` counts from 1 without gaps, and every listener sees the same order."""

    def __init__(self, sandbox_id: str) -> None:
        self._sandbox_id = sandbox_id
        self._seq = 0
        self._listeners: dict[object, Listener] = {}
        self._waiting: deque[SandboxEvent] = deque()
        self._delivering = False
        self._closed = False

    def on(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on; returns the way to stop.

        A listener that raises is told of in one `error` event and goes on listening.
        """
        key = object()
        failed = False

        def guarded(event: SandboxEvent) -> None:
            nonlocal failed
            try:
                listener(event)
            except Exception as error:
                if not failed:
                    failed = True
                    name, message = type(error).__name__, f"a listener failed at {event.type}: {error}"
                    self.emit(ErrorEvent, name=name, message=message)

        def off() -> None:
            self._listeners.pop(key, None)

        self._listeners[key] = guarded
        return off

    def emit(self, event: type[Any], **fields: Any) -> None:
        """Send an event made of `fields`; sandbox, number and time are filled in.

        After `destroyed`, the last event, this does nothing.
        """
        if self._closed:
            return
        self._closed = event is DestroyedEvent
        self._seq += 1
        if not self._listeners:
            return
        stamp = round(time.time() * 1000, 3)
        self._waiting.append(event(sandbox_id=self._sandbox_id, seq=self._seq, timestamp=stamp, **fields))
        if self._delivering:
            return
        self._delivering = True
        try:
            while self._waiting:
                current = self._waiting.popleft()
                for listener in list(self._listeners.values()):
                    listener(current)
        finally:
            self._delivering = False
