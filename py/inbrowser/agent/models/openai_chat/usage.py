"""Token counts as the many servers tell them."""

from typing import Any

from ..contract import UsageEvent
from ..values import as_object


class Usage:
    """The last value of each counter: usage that comes in several chunks is cumulative."""

    def __init__(self) -> None:
        self._counts: dict[str, float] = {}

    def take(self, chunk: dict[str, Any]) -> None:
        """Take what one chunk tells."""
        self._merge(as_object(chunk.get("usage") or as_object(chunk.get("x_groq")).get("usage")))

    def event(self) -> UsageEvent:
        """Return the totals."""
        cached = self._count("prompt_tokens_details.cached_tokens")
        return UsageEvent(
            input_tokens=self._count("prompt_tokens"),
            output_tokens=self._output(),
            cached_tokens=self._count("prompt_cache_hit_tokens") if cached is None else cached,
            cache_write_tokens=self._count("prompt_tokens_details.cache_write_tokens"),
            reasoning_tokens=self._count("completion_tokens_details.reasoning_tokens"),
            cost=self._counts.get("cost"),
        )

    def _merge(self, more: dict[str, Any], prefix: str = "") -> None:
        for name, value in more.items():
            if isinstance(value, int | float):
                self._counts[prefix + name] = value
            else:
                self._merge(as_object(value), f"{prefix}{name}.")

    def _count(self, name: str) -> int | None:
        value = self._counts.get(name)
        return None if value is None else int(value)

    def _output(self) -> int | None:
        """Count the whole reply: some servers leave reasoning out of the completion, not out of the total."""
        prompt, completion = self._count("prompt_tokens"), self._count("completion_tokens")
        total = self._count("total_tokens")
        if prompt is None or completion is None or total is None:
            return completion
        return max(completion, total - prompt)
