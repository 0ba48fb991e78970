"""What a turn, a run or a session took."""

from typing import Self, TypeVar

from pydantic import Field

from ..records import Duration, Record, duration_field
from .models.contract import UsageEvent

Number = TypeVar("Number", int, float)


class Metrics(Record):
    """Times and counts; a count is None while no provider has told it."""

    duration: Duration = duration_field()
    time_to_first_token: Duration | None = Field(default=None, serialization_alias="timeToFirstTokenMs")
    """From asking to the first piece of content, of the first turn counted here."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    tokens_per_second: float | None = None
    """Output tokens by the time spent writing them, in the last turn that has both."""
    cost: float | None = None
    """US dollars."""
    cost_estimated: bool = False
    """Whether a part of the cost comes from a table of prices rather than from a provider."""
    tool_calls: int = 0

    def plus(self, later: Self) -> Self:
        """Return the sum of this and what came after it."""
        return type(self)(
            duration=self.duration + later.duration,
            time_to_first_token=_first(self.time_to_first_token, later.time_to_first_token),
            input_tokens=_sum(self.input_tokens, later.input_tokens),
            output_tokens=_sum(self.output_tokens, later.output_tokens),
            cached_tokens=_sum(self.cached_tokens, later.cached_tokens),
            reasoning_tokens=_sum(self.reasoning_tokens, later.reasoning_tokens),
            tokens_per_second=_first(later.tokens_per_second, self.tokens_per_second),
            cost=_sum(self.cost, later.cost),
            cost_estimated=self.cost_estimated or later.cost_estimated,
            tool_calls=self.tool_calls + later.tool_calls,
        )


def measure(
    *,
    duration: float,
    first_token: float | None,
    answered: float | None,
    usage: UsageEvent,
    tool_calls: int,
) -> Metrics:
    """Return a turn's metrics; `first_token` and `answered` are seconds after it was asked."""
    writing = answered - first_token if answered is not None and first_token is not None else 0.0
    return Metrics(
        duration=duration,
        time_to_first_token=first_token,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        reasoning_tokens=usage.reasoning_tokens,
        tokens_per_second=round(usage.output_tokens / writing, 1)
        if usage.output_tokens and writing > 0
        else None,
        cost=usage.cost,
        cost_estimated=usage.estimated,
        tool_calls=tool_calls,
    )


def _first(one: float | None, other: float | None) -> float | None:
    return other if one is None else one


def _sum(one: Number | None, other: Number | None) -> Number | None:
    if one is None:
        return other
    return one if other is None else one + other
