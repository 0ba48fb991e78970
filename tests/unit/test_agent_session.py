"""A conversation: events in order, one end a run, and a history that is valid whenever it is cut."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agent_fakes import Answer, chat_model, chunk, collect, kinds, run, scripted, session_of, sse
from inbrowser.agent import ToolOutput, create_agent_session
from inbrowser.agent.errors import HistoryError, SessionBusyError
from inbrowser.agent.events import Completed, ErrorEvent, SessionEvent, StrategyEvent, TextDelta
from inbrowser.agent.history import INTERRUPTED, dump, load, repair
from inbrowser.agent.metrics import Metrics
from inbrowser.agent.models.contract import (
    AssistantMessage,
    End,
    ModelEvent,
    ModelRequest,
    Text,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from inbrowser.agent.session import DEFAULT_SYSTEM_PROMPT
from inbrowser.agent.turn import SessionIO

LS = {"name": "ls", "arguments": {"path": "."}}
TOOLS = [ToolSpec(name="ls", pure=True), ToolSpec(name="write")]


async def answer(call: Any) -> str:
    return f"{call.name} done"


class Waiting:
    """Tools that never end, until they are cancelled."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.cancelled = 0

    def list(self) -> list[ToolSpec]:
        return TOOLS

    async def execute(self, call: Any, context: Any) -> ToolOutput:
        self.started.set()
        try:
            await asyncio.Future()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return ToolOutput(text="")


class Recording:
    """A model that keeps the requests it gets."""

    id = "recording"

    def __init__(self, model: Any) -> None:
        self.model = model
        self.requests: list[ModelRequest] = []

    def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        return self.model.chat(request)


def test_a_run_from_message_to_end() -> None:
    llm = scripted({"text": "Look.", "toolCalls": [LS]}, {"thinking": "hm", "text": "Done."})
    session = session_of(llm, tools=answer, tool_list=TOOLS)
    events = asyncio.run(run(session, "hi"))
    assert kinds(events) == [
        "turn_started",
        "text",
        "strategy_event",
        "tool_started",
        "tool_finished",
        "turn_completed",
        "turn_started",
        "thinking",
        "text",
        "turn_completed",
        "completed",
    ]
    end = events[-1]
    assert isinstance(end, Completed)
    assert (end.stop, end.text, end.turns, end.metrics.tool_calls) == ("end", "Done.", 2, 1)
    assert [message.role for message in session.history] == ["user", "assistant", "tool", "assistant"]


def test_events_cross_to_javascript_in_camel_case() -> None:
    session = session_of(scripted({"toolCalls": [LS]}, {}), tools=answer, tool_list=TOOLS)
    wires = [event.to_wire() for event in asyncio.run(run(session))]
    assert any('"kind":"tool_started","callId":"call_' in wire for wire in wires)
    assert any('"durationMs":' in wire and '"timeToFirstTokenMs":' in wire for wire in wires)


def test_the_model_gets_prompt_tools_and_the_conversation_so_far() -> None:
    llm = Recording(scripted({"text": "one"}, {"text": "two"}))
    session = session_of(llm, tools=answer, tool_list=TOOLS)
    asyncio.run(run(session, "first"))
    asyncio.run(run(session, "second"))
    request = llm.requests[1]
    assert request.system == DEFAULT_SYSTEM_PROMPT
    assert [tool.name for tool in request.tools] == ["ls", "write"]
    assert [message.role for message in request.messages] == ["user", "assistant", "user"]
    asyncio.run(run(session_of(llm := Recording(scripted({})), system_prompt=""), "x"))
    assert llm.requests[0].system == ""


def test_one_message_at_a_time() -> None:
    async def twice() -> None:
        session = session_of(scripted({"text": "a"}, {"text": "b"}))
        first = session.submit("one")
        with pytest.raises(SessionBusyError, match="at work"):
            session.submit("two")
        await collect(first)
        assert kinds(await run(session))[-1] == "completed"

    asyncio.run(twice())


def test_metrics_add_up() -> None:
    llm = scripted(
        {"toolCalls": [LS], "inputTokens": 10, "outputTokens": 5}, {"text": "x", "inputTokens": 30}
    )
    session = session_of(llm, tools=answer, tool_list=TOOLS)
    events = asyncio.run(run(session))
    first, second = [event.metrics for event in events if event.kind == "turn_completed"]
    assert (first.input_tokens, first.output_tokens, first.tool_calls) == (10, 5, 1)
    assert (second.input_tokens, second.output_tokens) == (30, None)
    assert second.time_to_first_token is not None
    total = events[-1].metrics
    assert (total.input_tokens, total.output_tokens, total.cached_tokens) == (40, 5, None)
    assert total.duration == first.duration + second.duration
    assert session.metrics == Metrics().plus(total)


# Failures


def test_a_failing_model_ends_the_run_with_one_error_and_the_session_goes_on() -> None:
    llm, _ = chat_model(Answer(b"", status=401), Answer(sse(chunk("stop", content="Hi."))))
    session = session_of(llm)
    events = asyncio.run(run(session))
    assert kinds(events) == ["turn_started", "error"]
    error = events[-1]
    assert isinstance(error, ErrorEvent)
    assert (error.name, error.reason, error.retryable) == ("ModelError", "auth", False)
    assert "401" in error.message
    assert asyncio.run(run(session, "again"))[-1].kind == "completed"
    assert [message.role for message in session.history] == ["user", "user", "assistant"]


def test_text_before_a_failure_is_kept_and_marked() -> None:
    llm, _ = chat_model(Answer(sse(chunk(content="Half"), done=False)))
    session = session_of(llm)
    events = asyncio.run(run(session))
    assert kinds(events) == ["turn_started", "text", "error"]
    last = session.history[-1]
    assert isinstance(last, AssistantMessage)
    assert (last.text, last.stop) == ("Half", "incomplete")


def test_a_retry_is_told() -> None:
    busy = Answer(b"", status=503, headers={"retry-after-ms": "1"})
    llm, _ = chat_model(busy, Answer(sse(chunk("stop", content="Hi."))), max_retries=1)
    told = [event for event in asyncio.run(run(session_of(llm))) if isinstance(event, StrategyEvent)]
    assert [(event.name, event.data["attempt"], event.data["waitMs"]) for event in told] == [("retry", 1, 1)]


def test_the_wait_for_another_try_can_be_cancelled() -> None:
    busy = Answer(b"", status=429, headers={"retry-after": "50"})
    llm, network = chat_model(busy, Answer(sse(chunk("stop", content="Hi."))), max_retries=1)
    session = session_of(llm)

    async def cancel() -> list[SessionEvent]:
        events: list[SessionEvent] = []
        async for event in session.submit("go"):
            events.append(event)
            if isinstance(event, StrategyEvent):
                await session.cancel()
        return [*events, *await run(session, "again")]

    events = asyncio.run(cancel())
    assert kinds(events)[:3] == ["turn_started", "strategy_event", "completed"]
    assert (events[2].stop, events[-1].text, len(network.requests)) == ("cancelled", "Hi.", 2)


def test_a_call_that_is_only_written_as_text_is_text() -> None:
    text = '<tool_call>{"name": "write", "arguments": {"path": "x"}}</tool_call>'
    llm, _ = chat_model(Answer(sse(chunk(content=text), chunk("stop"))))
    told = asyncio.run(run(session_of(llm, tools=answer, tool_list=TOOLS)))
    assert kinds(told) == ["turn_started", "text", "turn_completed", "completed"]
    assert (told[-1].text, told[-1].metrics.tool_calls) == (text, 0)


def test_a_model_that_breaks_its_contract_is_an_error() -> None:
    class Endless:
        id = "endless"

        async def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            yield Text("no end")

    class Crash:
        id = "crash"

        async def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            raise RuntimeError("boom")
            yield Text("")

    error = asyncio.run(run(session_of(Endless())))[-1]
    assert "without an End" in error.message
    error = asyncio.run(run(session_of(Crash())))[-1]
    assert (error.name, error.message) == ("RuntimeError", "boom")


class Strategy:
    """Yields what it is given."""

    def __init__(self, *events: Any) -> None:
        self.events = events

    async def run(self, session: SessionIO) -> AsyncIterator[SessionEvent]:
        for event in self.events:
            if isinstance(event, Exception):
                raise event
            yield event


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([], ["completed"]),
        ([TextDelta(delta="x")], ["text", "completed"]),
        ([Completed(stop="end"), Completed(stop="end"), TextDelta(delta="x")], ["completed"]),
        ([Completed(stop="end"), RuntimeError("late")], ["completed"]),
        ([ErrorEvent(name="E", message="m"), Completed(stop="end")], ["error"]),
        ([RuntimeError("boom")], ["error"]),
    ],
)
def test_every_run_has_one_end_whatever_its_strategy_does(given: list[Any], told: list[str]) -> None:
    session = create_agent_session(strategy=Strategy(*given), llm=scripted())
    assert kinds(asyncio.run(run(session))) == told


# Cancelling


def valid(history: tuple[Any, ...]) -> bool:
    """Whether every call has its one result directly behind it, in order, and nothing is empty."""
    return list(history) == repair(history) and history[0].role == "user"


def turns() -> list[dict[str, Any]]:
    calls = [LS, LS, {"name": "write", "arguments": {"path": "a"}}, LS]
    return [{"text": "Some text", "toolCalls": calls, "chunk": 4}, {"text": "Done it", "chunk": 4}]


@pytest.mark.parametrize("way", ["close", "cancel", "drop", "task"])
def test_a_run_can_be_ended_after_any_event(way: str) -> None:
    async def end_after(count: int) -> bool:
        """End a run after `count` events; True when it had come to its end before."""
        session = session_of(scripted(*turns(), {"text": "next"}), tools=answer, tool_list=TOOLS)
        seen: list[Any] = []

        async def read() -> None:
            events = session.submit("go")
            async for event in events:
                seen.append(event)
                if len(seen) < count:
                    continue
                if way == "close":
                    await events.aclose()
                elif way == "cancel":
                    await session.cancel()
                elif way == "task":
                    asyncio.current_task().cancel()  # type: ignore[union-attr]
                    await asyncio.sleep(0)
                else:
                    break

        task = asyncio.create_task(read())
        await asyncio.wait([task])
        del task
        await session.cancel()
        assert valid(session.history)
        if way == "cancel":
            assert kinds(seen).count("completed") == 1
        assert kinds(await run(session, "next"))[-1] in ("completed", "error")
        assert valid(session.history)
        return len(seen) < count

    async def all_places() -> int:
        count = 1
        while not await end_after(count):
            count += 1
        return count

    assert asyncio.run(all_places()) > 10


def test_cancelling_while_tools_run_cancels_them_and_fills_in_their_results() -> None:
    async def cancel() -> None:
        tools = Waiting()
        session = session_of(scripted({"toolCalls": [LS, LS]}, {"text": "on"}), tools=tools)
        events = session.submit("go")
        await tools.started.wait()
        await session.cancel()
        assert tools.cancelled == 2
        told = await collect(events)
        assert told[-1].stop == "cancelled"
        results = [message for message in session.history if isinstance(message, ToolResultMessage)]
        assert [(result.text, result.is_error) for result in results] == [(INTERRUPTED, True)] * 2
        assert (await run(session, "on"))[-1].kind == "completed"

    asyncio.run(cancel())


def test_cancelling_in_the_middle_of_a_stream_keeps_the_text() -> None:
    class Hanging(Answer):
        async def read(self) -> bytes:
            return await super().read() or await asyncio.Future()

    async def cancel() -> None:
        body = Hanging(sse(chunk(content="So far"), done=False))
        llm, _ = chat_model(body)
        session = session_of(llm)
        events = session.submit("go")
        async for event in events:
            if event.kind == "text":
                break
        await events.aclose()
        assert body.closed
        assert await collect(events) == []
        last = session.history[-1]
        assert (last.text, last.stop) == ("So far", "incomplete")

    asyncio.run(cancel())


@pytest.mark.parametrize("way", ["close", "cancel"])
def test_the_next_message_can_be_submitted_as_soon_as_a_run_was_ended(way: str) -> None:
    async def end_and_go_on() -> None:
        session = session_of(scripted({"text": "x"}, {"text": "y"}))
        events = session.submit("one")
        await anext(events)
        await (events.aclose() if way == "close" else session.cancel())
        assert kinds(await collect(session.submit("two")))[-1] == "completed"

    asyncio.run(end_and_go_on())


def test_cancelling_before_the_run_has_begun() -> None:
    async def cancel() -> None:
        session = session_of(scripted({"text": "x"}))
        events = session.submit("go")
        await session.cancel()
        [end] = await collect(events)
        assert (end.kind, end.stop, end.text) == ("completed", "cancelled", "")
        await session.cancel()
        assert kinds(await run(session))[-1] == "completed"

    asyncio.run(cancel())


def test_a_tool_that_ignores_cancellation_does_not_hold_up_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("inbrowser.agent.tool_calls.CANCEL_GRACE", 0.01)

    async def cancel() -> None:
        started, end = asyncio.Event(), asyncio.Event()

        async def stubborn(call: Any) -> str:
            started.set()
            while not end.is_set():
                try:
                    await end.wait()
                except asyncio.CancelledError:
                    continue
            return "too late"

        session = session_of(scripted({"toolCalls": [LS]}), tools=stubborn, tool_list=TOOLS)
        events = session.submit("go")
        await started.wait()
        await session.cancel()
        assert session.history[-1].text == INTERRUPTED
        assert (await collect(events))[-1].stop == "cancelled"
        end.set()

    asyncio.run(cancel())


# History


def test_a_history_goes_on_in_another_session() -> None:
    first = session_of(scripted(*turns()), tools=answer, tool_list=TOOLS)
    asyncio.run(run(first))
    saved = dump(first.history)
    assert '"callId":' in saved
    llm = Recording(scripted({"text": "yes"}))
    second = session_of(llm, tools=answer, tool_list=TOOLS, history=load(saved))
    assert second.history == first.history
    asyncio.run(run(second, "more"))
    assert llm.requests[0].messages[:-1] == first.history


def test_a_history_of_plain_objects_is_taken_and_gaps_in_it_are_repaired() -> None:
    call = {"type": "tool_call", "id": "a", "name": "ls", "arguments": "{}"}
    history = [
        {"role": "user", "text": "hi"},
        {"role": "assistant", "parts": [call], "stop": "tool_use"},
        {"role": "user", "text": "well?"},
        {"role": "tool", "callId": "stray", "name": "ls", "text": "x"},
    ]
    session = session_of(scripted(), history=history)
    assert [message.role for message in session.history] == ["user", "assistant", "tool", "user"]
    assert session.history[2] == ToolResultMessage(call_id="a", name="ls", text=INTERRUPTED, is_error=True)


@pytest.mark.parametrize(
    ("history", "told"),
    [
        ([{"role": "usr", "text": "x"}], "valid at 0"),
        ([{"role": "user", "text": "x"}, {"role": "user"}], r"valid at 1\.user\.text"),
        (5, "not a list"),
    ],
)
def test_a_history_that_is_none_is_refused(history: Any, told: str) -> None:
    with pytest.raises(HistoryError, match=told):
        session_of(scripted(), history=history)


@pytest.mark.parametrize("text", ["{", "[" * 50_000, '{"role":"user"}', "[1]"])
def test_a_saved_history_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(HistoryError):
        load(text)


def test_sessions_have_ids() -> None:
    assert session_of(scripted(), id="mine").id == "mine"
    assert session_of(scripted()).id != session_of(scripted()).id


def test_a_reply_that_says_nothing_leaves_nothing_behind() -> None:
    class Mute:
        id = "mute"

        async def chat(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            yield End("end", AssistantMessage(parts=()))

    session = session_of(Mute())
    assert asyncio.run(run(session))[-1].stop == "end"
    assert session.history == (UserMessage(text="go"),)
