"""Writes the price list anew: pip install genai-prices; python -m tests.record_prices

The data are those of genai-prices (https://github.com/pydantic/genai-prices, MIT), for the providers that say
nothing of costs themselves. Prices that depend on the time are those of the day this runs.
"""

import datetime
import importlib.metadata
import re
from pathlib import Path
from typing import Any

from genai_prices import data, types  # pyright: ignore

TARGET = Path(__file__).parents[1] / "py" / "inbrowser" / "agent" / "models" / "price_list.py"
HOSTS = {
    "anthropic": "api.anthropic.com",
    "deepseek": "api.deepseek.com",
    "google": "generativelanguage.googleapis.com",
    "groq": "api.groq.com",
    "mistral": "api.mistral.ai",
    "openai": "api.openai.com",
    "x-ai": "api.x.ai",
}
NAMES = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
HEAD = '''"""Prices by host and model, from genai-prices {version} on {day}; see tests/record_prices.py.

A row: host, expression for the model's name, dollars for a million tokens (fresh input, output, cached input,
input written to the cache), the length of prompt above which other rates count, and those.
"""

# ruff: noqa: E501
# fmt: off

Rates = tuple[float, float, float | None, float | None]

PRICES: list[tuple[str, str, Rates, int | None, Rates | None]] = [
'''


def expression(clause: Any) -> str:
    """Return a regular expression for the names that a clause matches."""
    match clause:
        case types.ClauseEquals():
            return re.escape(clause.equals)
        case types.ClauseStartsWith():
            return re.escape(clause.starts_with) + ".*"
        case types.ClauseEndsWith():
            return ".*" + re.escape(clause.ends_with)
        case types.ClauseContains():
            return f".*{re.escape(clause.contains)}.*"
        case types.ClauseRegex():
            return f".*(?:{clause.regex}).*"
        case types.ClauseOr():
            return "|".join(map(expression, clause.or_))
        case types.ClauseAnd():
            return "".join(f"(?=(?:{expression(each)})$)" for each in clause.and_) + ".*"
        case _:
            raise TypeError(f"an unknown clause: {clause!r}")


def prices_today(model: Any, today: datetime.date) -> Any:
    """Return the prices that count today."""
    if not isinstance(model.prices, list):
        return model.prices
    counting = [
        each.prices
        for each in model.prices
        if each.constraint is None
        or (isinstance(each.constraint, types.StartDateConstraint) and each.constraint.start_date <= today)
    ]
    return counting[-1]


def rates(prices: Any) -> tuple[list[float | None], int | None, list[float | None] | None]:
    """Return the base rates, and the length from which others count, with those."""
    base: list[float | None] = []
    long: list[float | None] = []
    start: int | None = None
    for name in NAMES:
        value = getattr(prices, name)
        if isinstance(value, types.TieredPrices):
            [tier] = value.tiers
            start = tier.start
            base.append(float(value.base))
            long.append(float(tier.price))
        else:
            base.append(None if value is None else float(value))
            long.append(base[-1])
    return base, start, long if start else None


def main() -> None:
    """Write the list."""
    today = datetime.date.today()
    rows: list[str] = []
    for provider in data.providers:
        if provider.id not in HOSTS:
            continue
        for model in provider.models:
            base, start, long = rates(prices_today(model, today))
            if base[0] is not None and base[1] is not None:
                row = (HOSTS[provider.id], expression(model.match), tuple(base), start, long and tuple(long))
                rows.append(f"    {row!r},\n")
    version = importlib.metadata.version("genai-prices")
    TARGET.write_text(HEAD.format(version=version, day=today) + "".join(rows) + "]\n")
    print(f"{len(rows)} rows, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
