"""What a host may ask for processes."""

import pytest
from inbrowser.sandbox import NetworkPolicy, ProcessLimits
from pydantic import ValidationError


@pytest.mark.parametrize(
    "origin",
    [
        "https://api.example.com",
        "http://127.0.0.1:8000",
        "https://*.example.com",
        "https://a.example/v1/",
        "*",
    ],
)
def test_origins_are_allowed(origin: str) -> None:
    assert NetworkPolicy(allow=(origin,)).allow == (origin,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com",
        "https:",
        "'self'",
        "https://a.example; script-src *",
        "https://*",
        "data:",
        "https://a b",
    ],
)
def test_what_is_no_origin_never_reaches_the_frames_policy(text: str) -> None:
    with pytest.raises(ValidationError, match="is no origin"):
        NetworkPolicy(allow=(text,))


def test_limits_have_bounds() -> None:
    assert ProcessLimits.model_validate({"memory": 1 << 28}).memory == 1 << 28
    for limits in ({"memory": 1}, {"processes": 0}, {"isolation": "none"}, {"cpu": 1}):
        with pytest.raises(ValidationError):
            ProcessLimits.model_validate(limits)
