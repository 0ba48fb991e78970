"""What replies cost: told by the provider, or estimated and marked so."""

import asyncio
from typing import Any

import pytest
from agent_fakes import Answer, chat, chunk, model_of, run, session_of, sse
from inbrowser.agent.errors import ModelOptionsError
from inbrowser.agent.models.contract import UsageEvent
from inbrowser.agent.models.prices import with_cost
from model_streams import ALL


def usage_of(usage: dict[str, Any], **options: Any) -> UsageEvent:
    model, _ = model_of("openai-chat", Answer(sse(chunk("stop", content="x"), {"usage": usage})), **options)
    [told] = [event for event in asyncio.run(chat(model)) if isinstance(event, UsageEvent)]
    return told


COUNTS = {
    "prompt_tokens": 1_000_000,
    "completion_tokens": 100_000,
    "prompt_tokens_details": {"cached_tokens": 500_000},
}
PRICES = [
    {"models": "gpt-.*", "host": "other.test", "input": 99, "output": 99},
    {"models": "m", "input": 2, "output": 10, "cached": 0.5},
    {"models": ".*", "input": 1, "output": 1},
]


def test_a_host_brings_its_own_prices() -> None:
    told = usage_of(COUNTS, prices=PRICES)
    assert told.cost == pytest.approx(0.5 * 2 + 0.5 * 0.5 + 0.1 * 10)
    assert told.estimated is True


def test_what_a_provider_tells_is_no_estimate() -> None:
    told = usage_of(COUNTS | {"cost": 0.25}, prices=PRICES)
    assert (told.cost, told.estimated) == (0.25, False)


def test_without_a_price_there_is_no_cost() -> None:
    for prices in ([], None, PRICES[:1]):
        told = usage_of(COUNTS, prices=prices)
        assert (told.cost, told.estimated) == (None, False)


def test_a_price_that_cannot_be() -> None:
    with pytest.raises(ModelOptionsError, match=r"prices\.0\.input"):
        usage_of(COUNTS, prices=[{"models": "m", "input": -1, "output": 1}])


@pytest.mark.parametrize(
    ("host", "model", "usage", "cost"),
    [
        ("api.anthropic.com", "claude-3-5-haiku-20241022", UsageEvent(1_000_000, 0, 500_000, 250_000), 0.49),
        ("api.openai.com", "gpt-5.4", UsageEvent(100_000, 100_000), 1.75),
        ("api.openai.com", "gpt-5.4", UsageEvent(300_000, 100_000), 3.75),
    ],
)
def test_prices_come_along(host: str, model: str, usage: UsageEvent, cost: float) -> None:
    told = with_cost(usage, host, model, None)
    assert told.cost == pytest.approx(cost)
    assert told.estimated
    assert with_cost(usage, "localhost:8080", model, None) == usage


def test_a_session_adds_costs_up_and_says_that_they_are_estimates() -> None:
    stream = ALL["anthropic - text"]
    prices = [{"models": "m", "input": 1000, "output": 1000, "cached": 0, "cache_write": 0}]
    model, _ = model_of("anthropic", Answer(stream.body), Answer(stream.body), prices=prices)
    session = session_of(model)
    for _ in range(2):
        [*_, completed] = asyncio.run(run(session))
        assert completed.metrics.cost == pytest.approx((10 + 7) / 1000)  # type: ignore[union-attr]
        assert completed.metrics.cost_estimated  # type: ignore[union-attr]
    assert session.metrics.cost == pytest.approx(2 * (10 + 7) / 1000)
    assert session.metrics.cost_estimated
