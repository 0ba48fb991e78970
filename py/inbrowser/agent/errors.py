"""What can go wrong in a conversation, one class a cause."""

from typing import Literal

from ..errors import InBrowserError

ModelErrorKind = Literal[
    "auth",
    "rate_limit",
    "quota",
    "overloaded",
    "server",
    "network",
    "invalid",
    "protocol",
    "stalled",
    "context",
]
"""Why a model did not answer: key refused; too many requests; out of credit; server too busy; server failed;
not reached or cut off; request refused; answer not understood; silent for too long; prompt too long."""


class AgentError(InBrowserError):
    """Base class of the agent's errors."""


class ModelError(AgentError):
    """A model's answer could not be had, or broke off.

    `retryable` says whether the same request may succeed later; `status` is the HTTP status where there was
    one; `retry_after` is the wait the server asked for, in seconds.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: ModelErrorKind,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: ModelErrorKind = kind
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after


class ModelOptionsError(AgentError):
    """The options of a model are wrong; the message names each, never its value."""


class UnknownToolError(AgentError):
    """No tool has that name; the message lists those that exist."""


class ToolsConflictError(AgentError):
    """`tools=` and `tool_list=` do not go together as given."""


class SessionBusyError(AgentError):
    """The session already works on a message; wait for its end or cancel it."""


class HistoryError(AgentError):
    """A saved history is not one: wrong JSON, or messages of an unknown shape."""
