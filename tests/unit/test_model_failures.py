"""What goes wrong between us and a server: one clear message each, and retries where they can help."""

import asyncio
import json
from typing import Any

import pytest
from agent_fakes import Answer, Network, ask, call_delta, chat, chat_model, chunk, collect, sse
from inbrowser.agent import create_model
from inbrowser.agent.errors import ModelError
from inbrowser.agent.models.contract import End, Retry, Start, Text
from inbrowser.agent.models.failures import connection_failure
from inbrowser.agent.models.options import OpenAIChatOptions
from inbrowser.agent.models.retry import RetryPolicy, with_retries
from inbrowser.agent.models.transport import TransportError

KEY = "sk-canary-4711"
TEXT = sse(chunk(content="fine"), chunk("stop"))


def failure(*answers: Any, **options: Any) -> ModelError:
    model, _ = chat_model(*answers, **options)
    with pytest.raises(ModelError) as caught:
        asyncio.run(chat(model))
    return caught.value


def refused(status: int, message: str = "", code: str = "", **headers: str) -> Answer:
    body = json.dumps({"error": {"message": message, "code": code}}) if message else ""
    return Answer(body.encode(), status=status, content_type="application/json", headers=headers)


# Statuses


@pytest.mark.parametrize(
    ("answer", "kind", "retryable", "told"),
    [
        (
            refused(401, "Incorrect API key provided"),
            "auth",
            False,
            "answered 401: Incorrect API key provided. Check",
        ),
        (refused(401), "auth", False, "the API key is missing or wrong"),
        (refused(403, "Region not supported"), "auth", False, "Region not supported"),
        (refused(402, "Add credits"), "quota", False, "out of credit"),
        (refused(404, "The model `x` does not exist", "model_not_found"), "invalid", False, "The model `x`"),
        (refused(404), "invalid", False, "Check the base URL"),
        (refused(400, "Bad temperature"), "invalid", False, "Bad temperature."),
        (refused(400, "too big", "context_length_exceeded"), "context", False, "too long for this model"),
        (refused(400, "the request exceeds the available context size"), "context", False, "too long"),
        (refused(400, "API key not valid. Please pass a valid API key."), "auth", False, "Check the API key"),
        (refused(413, "Request exceeds the maximum size"), "context", False, "too long for this model"),
        (
            refused(401, "CORS requests are not allowed for this organization"),
            "auth",
            False,
            "not allowed for this organization. Use a provider or a proxy that allows web pages.",
        ),
        (refused(429, "Slow down", "rate_limit_exceeded"), "rate_limit", True, "Slow down."),
        (
            refused(429, "You exceeded your quota", "insufficient_quota"),
            "quota",
            False,
            "waiting does not help",
        ),
        (refused(500, "Oops"), "server", True, "answered 500: Oops."),
        (refused(503, "Model is loading"), "overloaded", True, "Model is loading."),
        (refused(529), "overloaded", True, "overloaded"),
        (refused(408), "server", True, "timed out"),
    ],
)
def test_a_status_is_explained(answer: Answer, kind: str, retryable: bool, told: str) -> None:
    error = failure(answer)
    assert (error.kind, error.retryable, error.status) == (kind, retryable, answer.status)
    assert told in str(error)
    assert str(error).startswith("llm.test answered ")
    assert "\n" not in str(error)
    assert answer.closed


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 8192 tokens",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
        "request (6052 tokens) exceeds the available context size (4096 tokens), try increasing it",
    ],
)
def test_a_prompt_that_is_too_long_is_told_as_such_by_every_provider(message: str) -> None:
    assert failure(refused(400, message)).kind == "context"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"error": "plain text"}', "plain text."),
        (b'{"message": "at the top"}', "at the top."),
        (b'{"detail": [{"msg": "field required"}]}', "field required"),
        (b'[{"error": {"message": "in a list"}}]', "in a list."),
        (b"no JSON at all", "no JSON at all."),
        (b"<html><body>502 Bad Gateway</body></html>", "answered 500: internal server error."),
        (b"[" * 50_000, "answered 500: "),
        (b"x\n" * 5_000, "x x x"),
        (b"", "internal server error."),
    ],
)
def test_error_bodies_of_any_shape_give_one_line(body: bytes, told: str) -> None:
    error = failure(Answer(body, status=500))
    assert told in str(error)
    assert "\n" not in str(error)
    assert len(str(error)) < 700


def test_a_status_counts_even_if_its_explanation_breaks_off() -> None:
    error = failure(Answer(b'{"error": {"mess', status=401, breaks=TransportError()))
    assert (error.kind, error.status) == ("auth", 401)


def test_the_key_is_in_no_message() -> None:
    error = failure(refused(401, f"Incorrect API key provided: {KEY}"), api_key=KEY)
    assert KEY not in str(error) + repr(error)
    assert "[key]" in str(error)
    error = failure(Answer(sse({"error": {"message": f"key {KEY} is over its limit"}})), api_key=KEY)
    assert KEY not in str(error) + repr(error)
    model, network = chat_model(Answer(TEXT), api_key=KEY)
    asyncio.run(chat(model))
    assert KEY not in repr(network.requests[0]) + repr(model)
    assert KEY not in repr(OpenAIChatOptions(api="openai-chat", base_url="/", model="m", api_key=KEY))  # type: ignore[arg-type]


# Streams that fail after they began well


BROKEN = {
    "an error among the data": (b'data: {"error":{"code":500,"message":"grammar"}}\n\n', "server", "grammar"),
    "an error event": (
        b'event: error\ndata: {"error":{"message":"bad call","status_code":400}}\n\n',
        "invalid",
        "bad call",
    ),
    "an error event without JSON": (b"event: error\ndata: gone\n\n", "server", "gone"),
    "an error and then the end mark": (
        sse({"choices": [], "error": {"message": "Provider overloaded", "code": 502}}),
        "overloaded",
        "Provider overloaded",
    ),
    "a rate limit": (
        b'data: {"error":{"type":"rate_limit_error","message":"later"}}\n\n',
        "rate_limit",
        "later",
    ),
    "the end without an end": (b"", "network", "broke off before its end"),
    "a piece that is no JSON": (b"data: <oops>\n\n", "protocol", "not JSON"),
}


@pytest.mark.parametrize("cut", [None, 1, 64])
@pytest.mark.parametrize("name", BROKEN)
def test_a_stream_that_breaks_gives_its_text_first_and_then_one_error(name: str, cut: int | None) -> None:
    tail, kind, told = BROKEN[name]
    answer = Answer(sse(chunk(content="so far"), done=False) + tail, cut=cut)
    model, _ = chat_model(answer, max_retries=2)
    events: list[Any] = []

    async def read() -> None:
        async for event in model.chat(ask()):
            events.append(event)

    with pytest.raises(ModelError) as caught:
        asyncio.run(read())
    assert caught.value.kind == kind
    assert told in str(caught.value)
    assert [event for event in events if isinstance(event, Text)] == [Text("so far")]
    assert not any(isinstance(event, End | Retry) for event in events)
    assert answer.closed


@pytest.mark.parametrize(
    "body", [b"", b": keep-alive\n\n: keep-alive\n\n", b"data: [DONE]\n\n", sse(chunk(role="x"))]
)
def test_an_answer_with_nothing_in_it(body: bytes) -> None:
    error = failure(Answer(body))
    assert error.retryable
    assert "llm.test" in str(error)


def test_a_call_that_the_connection_cut_is_never_whole() -> None:
    body = sse(chunk(tool_calls=[call_delta(0, "a", "write", '{"path":"x"}')]), done=False)
    assert failure(Answer(body)).kind == "network"
    assert failure(Answer(body, breaks=TransportError())).kind == "network"


def test_a_web_page_instead_of_an_answer() -> None:
    error = failure(Answer(b"<!doctype html>", content_type="text/html"))
    assert error.kind == "protocol"
    assert "web page" in str(error)
    assert "base URL" in str(error)


def test_json_that_is_an_error_though_the_status_is_fine() -> None:
    error = failure(Answer(b'{"error": {"message": "no such model"}}', content_type="application/json"))
    assert "no such model" in str(error)
    error = failure(Answer(b'{"error"', content_type="application/json"))
    assert "JSON that cannot be read" in str(error)


# Connections


@pytest.mark.parametrize(
    ("cause", "url", "told"),
    [
        ("offline", "https://a.test/v1", "the browser is offline"),
        ("refused", "https://a.test/v1", "does not allow requests from web pages (CORS)"),
        ("refused", "http://localhost:11434/v1", "OLLAMA_ORIGINS"),
        ("unreachable", "http://127.0.0.1:1/v1", "nothing answers there"),
        ("unknown", "https://a.test/v1", "the browser does not say which"),
    ],
)
def test_no_connection_names_the_host_and_the_likely_cause(cause: Any, url: str, told: str) -> None:
    error = failure(TransportError(cause), base_url=url)
    assert error.kind == "network"
    assert told in str(error)
    assert url.split("/")[2] in str(error)


def test_a_password_in_the_address_is_not_told() -> None:
    error = connection_failure("https://user:pw@a.test/v1?key=k", TransportError())
    assert "pw" not in str(error)
    assert "key" not in str(error)


class Silent(Answer):
    """Gives its body and then nothing, for ever; `open` may be silent too."""

    async def read(self) -> bytes:
        return await super().read() or await asyncio.Future()


def test_a_silent_server_is_given_up() -> None:
    answer = Silent(sse(chunk(content="x"), done=False))
    error = failure(answer, idle_timeout=0.02)
    assert error.kind == "stalled"
    assert "sent nothing for 0.02 s" in str(error)
    assert answer.closed


def test_a_server_that_never_answers_is_given_up() -> None:
    class Dead(Network):
        async def open(self, request: Any) -> Any:
            await asyncio.Future()

    options = {"base_url": "/v1", "model": "m", "idle_timeout": 0.02, "max_retries": 0}
    with pytest.raises(ModelError, match="sent nothing"):
        asyncio.run(chat(create_model("openai-chat", transport=Dead(), **options)))


def test_silence_after_the_finish_reason_is_an_end() -> None:
    model, _ = chat_model(Silent(sse(chunk("stop", content="x"), done=False)), idle_timeout=0.02)
    assert isinstance(asyncio.run(chat(model))[-1], End)


def test_comments_keep_a_connection_alive() -> None:
    class Slow(Answer):
        async def read(self) -> bytes:
            await asyncio.sleep(0.01)
            return await super().read()

    body = b": keep-alive\n\n" * 6 + TEXT
    model, _ = chat_model(Slow(body, cut=15), idle_timeout=0.2)
    assert isinstance(asyncio.run(chat(model))[-1], End)


# Leaving early


def test_closing_the_iterator_ends_the_request() -> None:
    answer = Answer(sse(chunk(content="a")) + TEXT, cut=40)
    model, _ = chat_model(answer)

    async def leave() -> None:
        events = model.chat(ask())
        async for event in events:
            if isinstance(event, Text):
                break
        await events.aclose()

    asyncio.run(leave())
    assert answer.closed


def test_cancelling_the_task_ends_the_request() -> None:
    answer = Silent(sse(chunk(content="a"), done=False))
    model, _ = chat_model(answer)

    async def cancel() -> None:
        seen = asyncio.Event()

        async def read() -> None:
            async for event in model.chat(ask()):
                if isinstance(event, Text):
                    seen.set()

        task = asyncio.create_task(read())
        await seen.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert answer.closed


# Retries


def retried(*answers: Any, **options: Any) -> tuple[list[Any], Network]:
    model, network = chat_model(*answers, **{"max_retries": 2, **options})
    return asyncio.run(chat(model)), network


SOON = {"retry-after-ms": "1"}


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_request_that_failed_before_any_content_is_sent_again(status: int) -> None:
    events, network = retried(refused(status, "busy", **SOON), Answer(TEXT))
    assert len(network.requests) == 2
    assert events[0] == Retry(1, 0.001, f"llm.test answered {status}: busy.")
    assert [type(event) for event in events[1:]] == [Start, Text, End]


def test_a_stream_that_failed_before_any_content_is_sent_again() -> None:
    overloaded = Answer(sse(chunk(role="assistant"), {"error": {"message": "overloaded"}}, done=False))
    policy = RetryPolicy(first_wait=0)
    answers = [overloaded, Answer(TEXT)]
    model, _ = chat_model(*answers)
    events = asyncio.run(collect(with_retries(lambda: model.chat(ask()), policy)))
    assert [type(event) for event in events] == [Start, Retry, Start, Text, End]


def test_it_is_sent_again_twice_and_no_more() -> None:
    model, network = chat_model(*(refused(503, "busy", **SOON) for _ in range(4)), max_retries=2)
    with pytest.raises(ModelError, match="busy"):
        asyncio.run(chat(model))
    assert len(network.requests) == 3


@pytest.mark.parametrize(
    "answer",
    [
        refused(401, "no"),
        refused(400, "no"),
        refused(429, "no", "insufficient_quota", **SOON),
        refused(429, "no", **{"retry-after": "86400"}),
        refused(429, "no", **{"retry-after": "Fri, 31 Dec 2999 23:59:59 GMT"}),
        TransportError("refused"),
    ],
    ids=["auth", "invalid", "quota", "a day to wait", "a date far away", "CORS"],
)
def test_what_cannot_get_better_is_not_sent_again(answer: Any) -> None:
    model, network = chat_model(answer, max_retries=2)
    with pytest.raises(ModelError):
        asyncio.run(chat(model))
    assert len(network.requests) == 1


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("0", 0),
        ("1.5", 1.5),
        ("-5", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Wed, 21 Oct 2015 07:28:00", 0),
        ("soon", None),
        ("", None),
    ],
)
def test_how_long_a_server_asks_to_wait(header: str, wait: float | None) -> None:
    assert failure(refused(429, "no", **{"retry-after": header})).retry_after == wait


def google_limit(limit: str, delay: str) -> Answer:
    """A limit of Google's, whose words are those for an account out of credit."""
    message = "You exceeded your current quota, please check your plan and billing details."
    details = [
        {"violations": [{"quotaId": f"GenerateRequests{limit}PerProject-FreeTier"}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
    ]
    body = {"error": {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": details}}
    return Answer(json.dumps(body).encode(), status=429, content_type="application/json")


def test_a_limit_of_googles_a_minute_is_waited_for_and_one_a_day_is_not() -> None:
    minute = failure(google_limit("PerMinute", "26s"))
    assert (minute.kind, minute.retryable, minute.retry_after) == ("rate_limit", True, 26)
    assert "does not help" not in str(minute)
    day = failure(google_limit("PerDay", "26s"))
    assert (day.kind, day.retryable) == ("quota", False)
    events, network = retried(google_limit("PerMinute", "0.01s"), Answer(TEXT))
    assert (events[0].wait, len(network.requests)) == (0.01, 2)


def test_a_long_wait_is_named() -> None:
    assert "wait 86400 s" in str(failure(refused(429, "no", **{"retry-after": "86400"})))


def test_waits_grow_and_are_bounded() -> None:
    policy = RetryPolicy(max_retries=10)
    error = ModelError("busy", kind="server", retryable=True)
    waits = [policy.wait(attempt, error) or 0 for attempt in range(1, 11)]
    assert 0.37 < waits[0] <= 0.5
    assert all(6 <= wait <= 8 for wait in waits[5:])
    assert policy.wait(11, error) is None
    assert policy.wait(1, ModelError("x", kind="rate_limit", retryable=True, retry_after=7)) == 7
