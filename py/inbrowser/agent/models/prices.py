"""What a reply cost, where the provider does not say: an estimate from a table of prices."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from pydantic import Field

from ...records import Record
from .contract import UsageEvent

PER = 1_000_000
"""Prices are for so many tokens."""


class Rates(Record):
    """US dollars for a million tokens; cached ones cost what fresh ones cost where nothing else is said."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)


class Price(Rates):
    """What models cost: those of `host` (any, if empty) whose whole name the expression `models` matches."""

    models: str
    host: str = ""
    long_prompt: int | None = None
    """A prompt of more tokens than this is charged at `long`."""
    long: Rates | None = None


def with_cost(usage: UsageEvent, host: str, model: str, prices: Iterable[Price] | None) -> UsageEvent:
    """Return `usage` with an estimated cost, as it is where the provider told one or no price is known.

    `prices` replaces the table that comes along; the first price that fits counts.
    """
    if usage.cost is not None or usage.input_tokens is None or usage.output_tokens is None:
        return usage
    price = _known(host, model) if prices is None else _find(prices, host, model)
    return usage if price is None else replace(usage, cost=_cost(usage, price), estimated=True)


def _cost(usage: UsageEvent, price: Price) -> float:
    prompt, cached, written = usage.input_tokens or 0, usage.cached_tokens or 0, usage.cache_write_tokens or 0
    is_long = price.long is not None and price.long_prompt is not None and prompt > price.long_prompt
    rates = price.long if is_long and price.long else price
    parts = (
        (max(prompt - cached - written, 0), rates.input),
        (cached, rates.input if rates.cached is None else rates.cached),
        (written, rates.input if rates.cache_write is None else rates.cache_write),
        (usage.output_tokens or 0, rates.output),
    )
    return sum(count * rate for count, rate in parts) / PER


def _find(prices: Iterable[Price], host: str, model: str) -> Price | None:
    fitting = (price for price in prices if price.host in ("", host) and re.fullmatch(price.models, model))
    return next(fitting, None)


@cache
def _known(host: str, model: str) -> Price | None:
    from .price_list import PRICES  # hundreds of rows, wanted once a conversation

    for known, models, rates, long_prompt, long in PRICES:
        if known == host and re.fullmatch(models, model):
            more = {"long": _named(long)} if long else {}
            fields = {"models": models, "host": host, "long_prompt": long_prompt}
            return Price.model_validate(fields | _named(rates) | more)
    return None


def _named(rates: Sequence[float | None]) -> dict[str, Any]:
    return dict(zip(("input", "output", "cached", "cache_write"), rates, strict=True))
