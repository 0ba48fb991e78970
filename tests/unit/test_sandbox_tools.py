"""The tool registry: arguments of any shape, failures of any kind, turns, and events."""

import asyncio
import json
from typing import Any

import pytest
from conftest import Box
from inbrowser.sandbox import Tool, ToolArguments, ToolContext, ToolResult
from inbrowser.sandbox.errors import SandboxDestroyedError, SandboxError
from inbrowser.sandbox.runtime import Shell
from pydantic import Field


class Nothing(ToolArguments):
    pass


class Sizes(ToolArguments):
    width: int = Field(description="In pixels.")
    is_open: bool = False
    max_height: float | None = None
    tags: list[str] = Field(default_factory=list[str])


async def echo(arguments: Sizes, context: ToolContext) -> dict[str, Any]:
    return arguments.model_dump()


ECHO = Tool(name="echo", description="Return the arguments.", arguments=Sizes, execute=echo, pure=True)


def returning(value: object, **options: Any) -> Tool[Nothing]:
    async def execute(arguments: Nothing, context: ToolContext) -> object:
        if isinstance(value, BaseException):
            raise value
        return value

    return Tool(name="custom", description="", arguments=Nothing, execute=execute, **options)


def echoed(box: Box, **arguments: Any) -> Any:
    box.sandbox.tools.register(ECHO)
    result = box.call("echo", **arguments)
    assert result.ok, result
    text = str(result.data.get("text", "")).partition("\n[")[0] if "[" in str(result.data) else ""
    return json.loads(text or result.summary)


def test_every_tool_is_described_with_a_plain_schema(box: Box) -> None:
    tools = {tool.name: tool for tool in box.sandbox.tools.list()}
    assert {"read", "write", "edit", "ls", "find", "grep"} <= tools.keys()
    for tool in tools.values():
        text = json.dumps(tool.parameters)
        assert "$ref" not in text
        assert "$defs" not in text
        assert '"title"' not in text
        assert '"null"' not in text
        assert tool.parameters["type"] == "object"
        assert tool.description
        for name, entry in tool.parameters["properties"].items():
            assert name == name.lower()
            assert entry["description"], (tool.name, name)
    assert [name for name, tool in tools.items() if tool.pure] == ["read", "ls", "find", "grep"]
    replacement = tools["edit"].parameters["properties"]["edits"]["items"]
    assert set(replacement["properties"]) == {"old_text", "new_text", "replace_all"}
    assert replacement["required"] == ["old_text", "new_text"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"width": 5}, {"width": 5}),
        ({"width": "5"}, {"width": 5}),
        ({"width": 5.0}, {"width": 5}),
        ({"width": 1, "isOpen": True}, {"is_open": True}),
        ({"width": 1, "is_open": "true"}, {"is_open": True}),
        ({"width": 1, "maxHeight": "2.5"}, {"max_height": 2.5}),
        ({"width": 1, "max_height": None, "is_open": None}, {"max_height": None, "is_open": False}),
        ({"width": 1, "tags": '["a", "b"]'}, {"tags": ["a", "b"]}),
        ({"width": 1, "tags": ["a", 1]}, {"tags": ["a", "1"]}),
    ],
)
def test_arguments_are_taken_where_there_is_no_doubt(
    box: Box, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    got = echoed(box, **given)
    assert {key: got[key] for key in expected} == expected


def test_unknown_arguments_are_ignored_and_named(box: Box) -> None:
    box.write("a", "1\n2\n3\n4\n5\n6\n")
    result = box.call("read", path="a", offset="5", limit=None, foo=1, Bar=[1])
    assert result.ok
    assert result.data["ignored_arguments"] == ["foo", "Bar"]
    assert str(result.data["text"]).splitlines() == [
        "5",
        "6",
        "[lines 5-6 of 6]",
        "[unknown arguments were ignored: foo, Bar]",
    ]


def test_all_problems_are_told_at_once_with_what_was_received(box: Box) -> None:
    box.sandbox.tools.register(ECHO)
    message = box.refused("echo", is_open="maybe", max_height={"deep": [[[]]]}, tags=7, colour="red")
    assert "width is missing" in message
    assert 'is_open: input should be a valid boolean, unable to interpret input (got "maybe")' in message
    assert "max_height: " in message
    assert "(got an object)" in message
    assert "tags: input should be a valid list (got 7)" in message
    assert "unknown: colour" in message
    assert "It takes width (integer), is_open (boolean, optional), max_height (number, optional)" in message


def test_problems_inside_lists_name_the_place(box: Box) -> None:
    box.write("a", "x")
    message = box.refused("edit", path="a", edits=[{"oldText": "x"}, "y"])
    assert "edits[0].new_text is missing" in message
    assert 'edits[1]: input should be an object (got "y")' in message
    assert "edits is not valid JSON" in box.refused("edit", path="a", edits='[{"old_text": }]')
    deep = '{"a":' * 10_000 + "1" + "}" * 10_000
    assert "nested more than" in box.refused("edit", path="a", edits=deep)


@pytest.mark.parametrize("arguments", [["a"], "text", 7])
def test_arguments_that_are_no_object_are_refused(box: Box, arguments: Any) -> None:
    result = asyncio.run(box.sandbox.tools.run("ls", arguments))
    assert not result.ok
    assert "the arguments must be an object" in result.summary


def test_no_arguments_are_defaults(box: Box) -> None:
    assert asyncio.run(box.sandbox.tools.run("ls")).ok
    assert asyncio.run(box.sandbox.tools.run("ls", {})).ok


def test_an_unknown_tool_names_the_nearest_and_all(box: Box) -> None:
    message = box.refused("Read", path="a")
    assert "did you mean 'read'?" in message
    assert "The tools are read, write, edit" in message
    assert "The tools are read" in box.refused("browse")


@pytest.mark.parametrize(
    ("value", "summary", "text"),
    [
        (None, "(no output)", None),
        ("", "(no output)", None),
        ("done", "done", None),
        ("one\ntwo", "2 lines", "one\ntwo"),
        (b"abc", "3 bytes of binary data", None),
        ({"a": [1, None]}, '{"a": [1, null]}', None),
        (7, "7", None),
    ],
)
def test_whatever_a_tool_returns_becomes_a_result(
    box: Box, value: object, summary: str, text: str | None
) -> None:
    box.sandbox.tools.register(returning(value))
    result = box.call("custom")
    assert (result.ok, result.summary, result.data.get("text")) == (True, summary, text)


def test_a_value_that_is_no_json_is_described(box: Box) -> None:
    box.sandbox.tools.register(returning(object()))
    assert box.call("custom").summary.startswith("<object object")


def test_ten_megabytes_are_cut_to_head_and_tail(box: Box) -> None:
    box.sandbox.tools.register(returning("start\n" + "x" * 10_000_000 + "\nend"))
    text = box.ok("custom")
    assert len(text) < 101_000
    assert text.startswith("start\n")
    assert text.endswith("\nend")
    assert "characters left out ...]" in text


def test_an_exception_is_a_result_and_an_event(box: Box) -> None:
    box.sandbox.tools.register(returning(ValueError("bad\nvalue")))
    assert box.refused("custom") == "internal error in custom: ValueError: bad\nvalue"
    (error,) = box.told("error")
    assert (error.name, error.message) == ("ValueError", "internal error in custom: ValueError: bad\nvalue")
    box.sandbox.tools.replace(returning(TimeoutError("own")))
    assert "internal error in custom: TimeoutError: own" in box.refused("custom")


def test_a_typed_error_is_its_message(box: Box) -> None:
    box.sandbox.tools.register(returning(SandboxError("no luck\nhere is why")))
    result = box.call("custom")
    assert (result.ok, result.summary) == (False, "custom: no luck")
    assert result.data == {"error": "SandboxError", "text": "here is why"}
    assert box.told("error") == []


def test_a_tool_that_never_ends_is_stopped(box: Box) -> None:
    async def never(arguments: Nothing, context: ToolContext) -> None:
        await asyncio.Event().wait()

    tool = Tool(name="never", description="", arguments=Nothing, execute=never, timeout=0.05)
    box.sandbox.tools.register(tool)
    assert "stopped, as it had not ended after 0.05 s" in box.refused("never")
    assert box.ok("ls") == ""


def test_events_tell_who_did_what_in_order(box: Box) -> None:
    asyncio.run(box.sandbox.tools.run("write", {"path": "a.txt", "content": "x"}, origin="session:1"))
    box.call("read", path="nothing")
    start, change, finish, start2, finish2 = box.events
    assert (start.type, start.name, start.origin) == ("tool:start", "write", "session:1")
    assert start.arguments == {"path": "a.txt", "content": "x"}
    assert (change.type, change.change, change.path) == ("file", "created", "a.txt")
    assert (finish.type, finish.ok, finish.origin) == ("tool:finish", True, "session:1")
    assert finish.summary == "Wrote 1 byte to a.txt (created)"
    assert (start2.origin, finish2.ok) == ("host", False)
    assert start.call_id == finish.call_id != start2.call_id == finish2.call_id
    assert [event.seq for event in box.events] == [1, 2, 3, 4, 5]
    assert {event.sandbox_id for event in box.events} == {box.sandbox.id}


def test_events_carry_no_whole_files(box: Box) -> None:
    box.ok("write", path="big.txt", content="x" * 1_000_000)
    (start,) = box.told("tool:start")
    assert len(start.arguments["content"]) < 11_000
    assert start.to_wire()


def test_parallel_edits_of_one_file_are_all_made(box: Box) -> None:
    async def edits() -> None:
        run = box.sandbox.tools.run
        for _ in range(50):
            await run("write", {"path": "a.txt", "content": "a b c d e f g h\n"})
            calls = [
                run("edit", {"path": "a.txt", "edits": [{"old_text": letter, "new_text": str(n)}]})
                for n, letter in enumerate("abcdefgh")
            ]
            assert all(result.ok for result in await asyncio.gather(*calls))
            assert await box.sandbox.fs.read_text("a.txt") == "0 1 2 3 4 5 6 7\n"

    asyncio.run(edits())


class Log:
    """Tools that note when they begin and end, each taking a few turns of the loop."""

    def __init__(self, box: Box) -> None:
        self.lines: list[str] = []
        for name, options in {"change": {}, "look": {"pure": True}, "own": {"takes_turns": False}}.items():
            tool = Tool(name=name, description="", arguments=Nothing, execute=self._noting(name), **options)
            box.sandbox.tools.register(tool)

    def _noting(self, name: str) -> Any:
        async def execute(arguments: Nothing, context: ToolContext) -> None:
            self.lines.append(f"+{name}")
            for _ in range(3):
                await asyncio.sleep(0)
            self.lines.append(f"-{name}")

        return execute

    def of(self, box: Box, *names: str) -> list[str]:
        async def together() -> None:
            await asyncio.gather(*(box.sandbox.tools.run(name) for name in names))

        asyncio.run(together())
        return self.lines


def test_tools_that_change_something_take_turns(box: Box) -> None:
    assert Log(box).of(box, "change", "change") == ["+change", "-change", "+change", "-change"]


@pytest.mark.parametrize("name", ["look", "own"])
def test_other_tools_run_side_by_side(box: Box, name: str) -> None:
    assert Log(box).of(box, name, "change", name)[:3] == [f"+{name}", "+change", f"+{name}"]


def test_a_tool_may_run_another_one_in_its_turn(box: Box) -> None:
    async def outer(arguments: Nothing, context: ToolContext) -> ToolResult:
        return await context.sandbox.tools.run("write", {"path": "a.txt", "content": "x"})

    box.sandbox.tools.register(Tool(name="outer", description="", arguments=Nothing, execute=outer))
    assert box.call("outer").ok
    assert box.bytes("a.txt") == b"x"


def test_a_cancelled_call_ends_in_the_event_stream_and_frees_the_turn(box: Box) -> None:
    async def wait(arguments: Nothing, context: ToolContext) -> None:
        await asyncio.Event().wait()

    async def cancel() -> None:
        box.sandbox.tools.register(Tool(name="wait", description="", arguments=Nothing, execute=wait))
        task = asyncio.ensure_future(box.sandbox.tools.run("wait"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        result = await box.sandbox.tools.run("write", {"path": "a.txt", "content": ""})
        assert result.ok

    asyncio.run(cancel())
    finish = box.told("tool:finish")[0]
    assert (finish.name, finish.ok, finish.summary) == ("wait", False, "wait was cancelled")


def test_what_one_user_has_read_is_not_what_another_has(box: Box) -> None:
    async def play() -> str:
        run = box.sandbox.tools.run
        mine, theirs = Shell(), Shell()
        await run("write", {"path": "a", "content": "one two"}, shell=mine)
        await run("edit", {"path": "a", "old_text": "one", "new_text": "1"}, shell=theirs)
        return (await run("edit", {"path": "a", "old_text": "two", "new_text": "2"}, shell=mine)).summary

    assert "had changed" in asyncio.run(play())


def test_tools_of_a_destroyed_sandbox_raise(box: Box) -> None:
    asyncio.run(box.sandbox.destroy())
    with pytest.raises(SandboxDestroyedError):
        box.call("read", path="a")
    with pytest.raises(SandboxDestroyedError):
        box.sandbox.tools.list()


def test_a_file_that_changed_meanwhile_is_not_written_over_unseen(box: Box) -> None:
    box.write("a.txt", "one\ntwo\n")
    box.ok("read", path="a.txt")
    box.write("a.txt", "one\ntwo, by somebody else\n")
    text = box.refused("write", path="a.txt", content="mine\n")
    assert "a.txt has changed since you last read or wrote it" in text
    assert "-two\n+two, by somebody else" in text
    assert box.bytes("a.txt") == b"one\ntwo, by somebody else\n"
    box.ok("write", path="a.txt", content="mine\n", overwrite=True)
    assert box.bytes("a.txt") == b"mine\n"
    box.ok("write", path="a.txt", content="mine again\n")


def test_a_file_that_was_read_again_can_be_written(box: Box) -> None:
    box.write("a.txt", "one\n")
    box.ok("read", path="a.txt")
    box.write("a.txt", "two\n")
    box.ok("read", path="a.txt")
    box.ok("write", path="a.txt", content="three\n")


def test_an_edit_that_no_longer_fits_shows_what_changed(box: Box) -> None:
    box.write("a.txt", "one\ntwo\nthree\n")
    box.ok("read", path="a.txt")
    box.write("a.txt", "one\n2\nthree\n")
    text = box.refused("edit", path="a.txt", edits=[{"old_text": "two", "new_text": "zwei"}])
    assert "has changed since you last read or wrote it" in text
    assert "-two\n+2\n" in text
    assert box.bytes("a.txt") == b"one\n2\nthree\n"


def test_what_one_user_has_seen_says_nothing_of_another(box: Box) -> None:
    from inbrowser.sandbox.runtime import Shell

    async def play() -> None:
        mine, yours = Shell(), Shell()
        run = box.sandbox.tools.run
        await box.sandbox.fs.write("a.txt", "one\n")
        await run("read", {"path": "a.txt"}, shell=mine)
        await run("read", {"path": "a.txt"}, shell=yours)
        assert (await run("write", {"path": "a.txt", "content": "mine\n"}, shell=mine)).ok
        refused = await run("write", {"path": "a.txt", "content": "yours\n"}, shell=yours)
        assert not refused.ok
        assert refused.data["error"] == "FileChangedError"
        assert (await run("write", {"path": "a.txt", "content": "mine, again\n"}, shell=mine)).ok

    asyncio.run(play())
