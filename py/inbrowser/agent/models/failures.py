"""Failures told: from a status and a body, from an error inside a stream, from a connection that broke."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import urlsplit

from ... import safejson
from ..errors import ModelError, ModelErrorKind
from .transport import TransportError
from .values import as_object, as_objects, as_text

_RETRYABLE = frozenset({408, 409, 429, 500, 502, 503, 504, 529})

_KIND_OF_STATUS: dict[int, ModelErrorKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    413: "context",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}

_OUT_OF_CREDIT = re.compile(
    r"insufficient_(quota|funds|balance)|billing|credit balance|spend(ing)? limit", re.I
)
_TOO_LONG = re.compile(
    r"context_length_exceeded|context (length|window|size|limit)|prompt is too long|too many tokens"
    r"|maximum (context|prompt length|number of tokens)|exceeds? the (available|maximum) context|n_ctx"
    r"|input (is )?too long|range of input length|reduce the length",
    re.I,
)
_BAD_KEY = re.compile(r"api[ _]key[ _](not valid|invalid|expired)|(invalid|incorrect) api key", re.I)
_OVERLOADED = re.compile(r"overloaded|capacity|server_busy", re.I)

_ADVICE: dict[ModelErrorKind, str] = {
    "auth": "Check the API key and what it may use.",
    "quota": "The account is out of credit or has met a limit; waiting does not help.",
    "context": "The conversation is too long for this model.",
}


def http_failure(url: str, status: int, headers: Mapping[str, str], body: bytes) -> ModelError:
    """Make an error of an answer that is not 2xx."""
    payload = _json_or_text(body)
    message, code = _told(payload)
    kind = _kind(status, f"{code} {message}")
    delay = _delay_in(payload)
    if delay is not None and kind == "quota":  # Google's words for both are the same
        kind = "rate_limit"
    told = message or _NAMES.get(status, "no explanation")
    advice = _ADVICE.get(kind, "")
    if status == 404 and not re.search("model", message, re.I):
        advice = "Check the base URL."
    if "CORS" in message:
        advice = _cors_advice(host_of(url))
    retry_after = _retry_after(headers)
    retry_after = delay if retry_after is None else retry_after
    if retry_after is not None and retry_after > 60:
        advice = f"It asks to wait {retry_after:.0f} s."
    return ModelError(
        f"{host_of(url)} answered {status}: {_sentence(told)} {advice}".rstrip(),
        kind=kind,
        status=status,
        retryable=status in _RETRYABLE and kind not in ("quota", "context"),
        retry_after=retry_after,
    )


def stream_failure(url: str, payload: object) -> ModelError:
    """Make an error of what a server sent inside a stream that had begun well."""
    message, code = _told(payload)
    status = int(code) if code.isdigit() else None
    kind = _kind(status or 0, f"{code} {message}")
    if kind == "invalid" and status is None:
        kind = "server"
    retryable = status in _RETRYABLE if status is not None else kind in ("server", "overloaded", "rate_limit")
    return ModelError(
        f"{host_of(url)} broke off with an error: {_sentence(message or code or 'no explanation')}",
        kind=kind,
        status=status,
        retryable=retryable and kind not in ("quota", "context"),
    )


def connection_failure(url: str, error: TransportError) -> ModelError:
    """Make an error of a request that got no answer.

    A browser tells little of the reason, so the message names the likely ones.
    """
    host = host_of(url)
    match error.cause:
        case "offline":
            text = f"Could not reach {host}: the browser is offline."
        case "refused":
            text = (
                f"{host} is there, but the browser may not show its answer to this page; most likely it "
                f"does not allow requests from web pages (CORS). {_cors_advice(host)}"
            )
        case "unreachable":
            text = (
                f"Could not reach {host}: nothing answers there, or the browser blocks it. "
                f"{_reach_advice(host)}"
            )
        case "unknown":
            text = (
                f"Could not reach {host}, or it does not allow requests from web pages (CORS); "
                f"the browser does not say which. {_reach_advice(host)}"
            )
    return ModelError(text.rstrip(), kind="network", retryable=error.cause != "refused")


def cut_off(url: str) -> ModelError:
    """Make an error of an answer whose end never came."""
    return ModelError(
        f"The answer of {host_of(url)} broke off before its end; send the message again.",
        kind="network",
        retryable=True,
    )


def stalled(url: str, seconds: float) -> ModelError:
    """Make an error of a server that went silent."""
    return ModelError(
        f"{host_of(url)} sent nothing for {seconds:g} s and was given up; send the message again.",
        kind="stalled",
        retryable=True,
    )


def not_understood(url: str, what: str) -> ModelError:
    """Make an error of an answer that does not speak the API."""
    return ModelError(
        f"{host_of(url)} {what}; check the base URL and that the server speaks this API.", kind="protocol"
    )


def unusable(url: str, what: str) -> ModelError:
    """Make an error of an answer that the provider itself gave up on."""
    text = f"{host_of(url)} gave the answer up: {_sentence(what)}"
    return ModelError(text, kind="server", retryable=True)


def empty_answer(url: str) -> ModelError:
    """Make an error of an answer with nothing in it."""
    return ModelError(f"{host_of(url)} sent an empty answer.", kind="protocol", retryable=True)


def host_of(url: str) -> str:
    """Return the host and port of `url`, to name it without what else may stand in it."""
    return urlsplit(url).netloc.rpartition("@")[2] or "This page's server"


def _kind(status: int, words: str) -> ModelErrorKind:
    if _OUT_OF_CREDIT.search(words) and status in (0, 400, 402, 403, 429):
        return "quota"
    if _BAD_KEY.search(words) and status == 400:
        return "auth"
    if _TOO_LONG.search(words) and status in (0, 400, 413, 422, 500):
        return "context"
    if status in _KIND_OF_STATUS:
        return _KIND_OF_STATUS[status]
    if _OVERLOADED.search(words) and status not in (400, 404, 422):
        return "overloaded"
    if "rate_limit" in words:
        return "rate_limit"
    return "server" if status >= 500 or status == 408 else "invalid"


def _told(payload: object) -> tuple[str, str]:
    """Find the message and the code in any of the shapes that servers use."""
    if isinstance(payload, list) and payload:
        return _told(cast("list[object]", payload)[0])
    if not isinstance(payload, dict):
        return payload if isinstance(payload, str) else "", ""
    fields = cast("dict[str, Any]", payload)
    inner = fields.get("error", fields)
    if isinstance(inner, dict):
        fields = cast("dict[str, Any]", inner)
    elif inner:
        return str(inner), ""
    message = fields.get("message") or fields.get("detail") or ""
    code = next((fields[key] for key in ("status_code", "code", "type") if fields.get(key)), "")
    return message if isinstance(message, str) else str(message), str(code)


def _json_or_text(body: bytes) -> object:
    text = body.decode("utf-8", "replace")
    try:
        return safejson.loads(text)
    except safejson.JsonError:
        return "" if text.lstrip().startswith("<") else text


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    line = line if len(line) <= 500 else f"{line[:500]}..."
    return line if line.endswith((".", "!", "?")) else f"{line}."


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from either header and either form of it."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            return max(0.0, float(value) * unit)
        except ValueError:
            pass
    from email.utils import parsedate_to_datetime  # here, because importing it takes longer than all the rest

    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.now(UTC)).total_seconds())


def _delay_in(payload: object) -> float | None:
    """Seconds to wait as Google tells them, in the body; None if it is a day's quota that is used up."""
    first = as_objects(payload)[:1] or [as_object(payload)]
    details = as_objects(as_object(first[0].get("error")).get("details"))
    limits = [limit for detail in details for limit in as_objects(detail.get("violations"))]
    if any("PerDay" in as_text(limit.get("quotaId")) for limit in limits):
        return None
    delays = (re.fullmatch(r"(\d+(\.\d+)?)s", as_text(detail.get("retryDelay"))) for detail in details)
    return next((float(delay[1]) for delay in delays if delay), None)


def _cors_advice(host: str) -> str:
    if _is_local(host):
        return "Start it with this page's origin allowed, for Ollama OLLAMA_ORIGINS."
    return "Use a provider or a proxy that allows web pages."


def _reach_advice(host: str) -> str:
    if _is_local(host):
        return (
            "Is the server running, does it allow this page's origin (for Ollama OLLAMA_ORIGINS), "
            "and may this page use the local network?"
        )
    return "Check the base URL and the network."


def _is_local(host: str) -> bool:
    name = host.rpartition(":")[0] or host
    return name in ("localhost", "127.0.0.1", "[::1]") or name.endswith(".localhost")


_NAMES = {
    400: "bad request",
    401: "the API key is missing or wrong",
    403: "access is denied",
    404: "there is nothing at this address",
    408: "it timed out",
    429: "too many requests",
    500: "internal server error",
    502: "bad gateway",
    503: "it is not available",
    504: "its gateway timed out",
    529: "it is overloaded",
}
