"""Interleaved runs of a thing and its baseline, and the row that comes of them."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One benchmark's outcome: medians in `unit`, their ratio, and the highest ratio wanted."""

    name: str
    value: float
    unit: str
    baseline: float | None
    ratio: float | None
    aim: float | None
    runs: int


def compare(
    name: str,
    ours: Callable[[], float],
    baseline: Callable[[], float],
    *,
    unit: str = "ms",
    aim: float | None = None,
    runs: int = 5,
) -> Row:
    """Run both in turn, `runs` times each, after one unmeasured round."""
    ours(), baseline()
    pairs = [(ours(), baseline()) for _ in range(runs)]
    value, base = (statistics.median(column) for column in zip(*pairs, strict=True))
    return Row(name, value, unit, base, value / base, aim, runs)


def report(name: str, ours: Callable[[], float], *, unit: str, runs: int = 5) -> Row:
    """Run one thing that has no baseline."""
    ours()
    return Row(name, statistics.median(ours() for _ in range(runs)), unit, None, None, None, runs)
