"""The calls of a reply: which run, in what order, and what the model is told of those that do not."""

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest
from agent_fakes import kinds, run, scripted, session_of
from inbrowser.agent import (
    ToolCall,
    ToolContext,
    ToolOutput,
    create_agent_session,
    create_react_loop_strategy,
)
from inbrowser.agent.errors import ToolsConflictError
from inbrowser.agent.events import ToolFinished, ToolStarted
from inbrowser.agent.models.contract import AssistantMessage, ToolResultMessage, ToolSpec
from inbrowser.agent.tool_calls import shorten
from inbrowser.agent.tools import FunctionTools, to_output

TOOLS = [ToolSpec(name="read", pure=True), ToolSpec(name="write")]


def call(name: str, arguments: Any = None) -> dict[str, Any]:
    return {"name": name, "arguments": {} if arguments is None else arguments}


class Log:
    """Tools that note when each call began and ended, and take as many turns of the loop as they are told."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def list(self) -> list[ToolSpec]:
        return TOOLS

    async def execute(self, call: ToolCall, context: ToolContext) -> ToolOutput:
        name = f"{call.name} {call.arguments.get('n', '')}".strip()
        self.lines.append(f"+{name}")
        for _ in range(call.arguments.get("turns", 0)):
            await asyncio.sleep(0)
        self.lines.append(f"-{name}")
        return ToolOutput(text=name, details={"session": context.session_id})


def results(
    calls: Iterable[Any], tools: Any = None, stop: str | None = None, **options: Any
) -> list[ToolResultMessage]:
    """Run one reply with these calls and return what the model gets of them."""
    turn = {"toolCalls": list(calls), **({"stop": stop} if stop else {})}
    session = session_of(scripted(turn, {"text": "ok"}), tools=tools or Log(), **options)
    asyncio.run(run(session))
    return [message for message in session.history if isinstance(message, ToolResultMessage)]


def result(name: str, arguments: Any = None, **options: Any) -> ToolResultMessage:
    [only] = results([call(name, arguments)], **options)
    return only


# Order


def test_pure_calls_run_side_by_side_and_others_alone_in_call_order() -> None:
    log = Log()
    calls = [
        call("read", {"n": 1, "turns": 6}),
        call("read", {"n": 2, "turns": 2}),
        call("write", {"n": 3, "turns": 4}),
        call("write", {"n": 4}),
        call("read", {"n": 5}),
    ]
    told = [message.text for message in results(calls, log)]
    assert told == ["read 1", "read 2", "write 3", "write 4", "read 5"]
    assert log.lines == [
        *("+read 1", "+read 2", "-read 2", "-read 1"),
        *("+write 3", "-write 3", "+write 4", "-write 4", "+read 5", "-read 5"),
    ]


def test_events_tell_of_calls_as_they_start_and_end() -> None:
    calls = [call("read", {"n": 1, "turns": 9}), call("read", {"n": 2}), call("write", {"n": 3})]
    session = session_of(scripted({"toolCalls": calls}, {}), tools=Log(), id="s1")
    events = [event for event in asyncio.run(run(session)) if isinstance(event, ToolStarted | ToolFinished)]
    ids = [part.id for part in session.history[1].calls]
    assert [(event.kind, event.call_id) for event in events] == [
        ("tool_started", ids[0]),
        ("tool_started", ids[1]),
        ("tool_finished", ids[1]),
        ("tool_finished", ids[0]),
        ("tool_started", ids[2]),
        ("tool_finished", ids[2]),
    ]
    started, finished = events[0], events[2]
    assert started.arguments == {"n": 1, "turns": 9}
    assert (finished.ok, finished.text, finished.summary) == (True, "read 2", "read 2")
    assert finished.details == {"session": "s1"}


def test_the_loop_stops_at_its_limit() -> None:
    session = session_of(scripted(*[{"toolCalls": [call("read")]}] * 5), tools=Log(), max_turns=3)
    end = asyncio.run(run(session))[-1]
    assert (end.stop, end.turns, end.metrics.tool_calls) == ("max_turns", 3, 3)


@pytest.mark.parametrize("stop", ["length", "refusal"])
def test_the_loop_says_why_it_ended(stop: str) -> None:
    assert asyncio.run(run(session_of(scripted({"text": "x", "stop": stop}))))[-1].stop == stop


def test_a_pause_is_gone_on_from() -> None:
    session = session_of(scripted({"text": "wait", "stop": "pause"}, {"text": "done"}))
    end = asyncio.run(run(session))[-1]
    assert (end.stop, end.text, end.turns) == ("end", "done", 2)


# Calls that are not run


def unrun(name: str, arguments: Any = None, **options: Any) -> str:
    """Return what the model is told of a call that must not reach the tools."""

    class Untouched(Log):
        async def execute(self, call: ToolCall, context: ToolContext) -> ToolOutput:
            raise AssertionError("was run")

    told = result(name, arguments, tools=Untouched(), **options)
    assert told.is_error
    assert "was run" not in told.text
    return told.text


def test_a_name_in_the_wrong_case_is_answered_with_the_right_one() -> None:
    assert unrun("Read") == "There is no tool 'Read'. Did you mean 'read'? Tools: read, write"
    assert unrun("writ") == "There is no tool 'writ'. Did you mean 'write'? Tools: read, write"
    assert unrun("browse") == "There is no tool 'browse'. Tools: read, write"


def test_a_session_without_tools_says_so() -> None:
    turn = {"toolCalls": [call("read")]}
    session = session_of(scripted(turn, {"text": "ok"}))
    asyncio.run(run(session))
    assert session.history[2].text == "There is no tool 'read'; this session has no tools."


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"path": "a', "not valid JSON: Unterminated string"),
        ('{"path": "a"}{"path": "b"}', "not valid JSON: Extra data"),
        ('["a"]', "must be a JSON object"),
        ('"{}"', "must be a JSON object"),
        ('{"a": ' + "[" * 10_000 + "]" * 10_000 + "}", "nested more than 200 levels deep"),
        ("{" * 12_000, "nested more than 200 levels deep"),
        ('{"path": "\\ud83d"}', "half a character"),
    ],
    ids=["cut", "two objects", "a list", "text", "deep", "deep and broken", "half a character"],
)
def test_arguments_that_cannot_be_used_are_quoted_to_the_model(arguments: str, told: str) -> None:
    text = unrun("write", arguments)
    assert told in text
    assert text.startswith("write was not run: ")
    assert "Received: " + arguments[:20] in text
    assert len(text) < 500


def test_a_whole_character_in_two_escapes_is_fine() -> None:
    assert result("write", '{"n": "\\ud83d\\ude00"}').text == "write 😀"


def test_a_call_at_the_token_limit_is_not_run_even_if_its_json_is_whole() -> None:
    first, last = results([call("write", {"n": 1}), call("write", {"n": 2})], stop="length")
    assert first.text == "write 1"
    assert last.is_error
    assert "output limit" in last.text


def test_refused_calls_are_told_of_like_the_others() -> None:
    session = session_of(scripted({"toolCalls": [call("write", "{"), call("Read")]}, {}), tools=Log())
    events = [event for event in asyncio.run(run(session)) if isinstance(event, ToolStarted | ToolFinished)]
    assert kinds(events) == ["tool_started", "tool_started", "tool_finished", "tool_finished"]
    assert [event.ok for event in events if isinstance(event, ToolFinished)] == [False, False]


# What tools give back


def gives(value: Any) -> ToolResultMessage:
    async def dispatch(call: ToolCall) -> Any:
        if isinstance(value, BaseException):
            raise value
        return value

    return result("read", tools=dispatch, tool_list=TOOLS)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("", "(no output)"),
        (None, "(no output)"),
        (b"\x00\x01", "(2 bytes of binary data)"),
        ({"a": [1, "ö"]}, '{"a": [1, "ö"]}'),
        (7, "7"),
        ({1, 2}, "{1, 2}"),
        (ToolOutput(text="x", is_error=True), "x"),
        (ToolOutput(text=""), "(no output)"),
    ],
)
def test_any_value_becomes_text(value: Any, text: str) -> None:
    assert gives(value).text == text


def test_a_result_of_ten_megabytes_keeps_head_and_tail() -> None:
    text = gives("a" * 5_000_000 + "b" * 5_000_000).text
    assert len(text) < 101_000
    assert text.startswith("aaa")
    assert text.endswith("bbb")
    assert "[... 9900000 characters cut ...]" in text
    assert shorten("abc", 3) == "abc"


def test_an_exception_is_a_result_and_the_run_goes_on() -> None:
    told = gives(ValueError("no such thing"))
    assert (told.text, told.is_error) == ("ValueError: no such thing", True)
    assert gives(asyncio.CancelledError()).is_error


# Tools as a function and a list


def test_a_function_of_name_and_arguments() -> None:
    async def dispatch(name: str, arguments: dict[str, Any]) -> str:
        return f"{name} {arguments}"

    assert result("read", {"n": 1}, tools=dispatch, tool_list=TOOLS).text == "read {'n': 1}"


def test_a_function_of_the_call_that_is_not_even_async() -> None:
    tool_list = [
        {"name": "read", "parameters": {"type": "object"}},
        {"type": "function", "function": {"name": "write", "description": "Write."}},
    ]
    tools = FunctionTools(lambda call: call.name, tool_list)
    assert [spec.name for spec in tools.list()] == ["read", "write"]
    assert result("read", tools=lambda call: call.name, tool_list=tool_list).text == "read"


@pytest.mark.parametrize(
    ("tools", "tool_list", "told"),
    [
        (Log(), TOOLS, "leave tool_list= out"),
        (lambda call: "", None, "needs tool_list="),
        (None, TOOLS, "needs tool_list="),
        (lambda call: "", [{"description": "no name"}], "describes no tool: Field required"),
        (lambda call: "", [*TOOLS, *TOOLS], "twice"),
    ],
)
def test_tools_that_do_not_go_together(tools: Any, tool_list: Any, told: str) -> None:
    with pytest.raises(ToolsConflictError, match=told):
        create_agent_session(
            strategy=create_react_loop_strategy(), llm=scripted(), tools=tools, tool_list=tool_list
        )


def test_a_record_becomes_json() -> None:
    assert to_output(ToolSpec(name="x")).text.startswith('{"name":"x"')


def test_the_reply_that_asked_stays_in_front_of_its_results() -> None:
    session = session_of(scripted({"text": "a", "toolCalls": [call("read")]}, {}), tools=Log())
    asyncio.run(run(session))
    assert isinstance(session.history[1], AssistantMessage)
    assert session.history[2].call_id == session.history[1].calls[0].id
