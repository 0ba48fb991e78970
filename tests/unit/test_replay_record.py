"""What a recording keeps: every call in full, in order, with what it changed."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from inbrowser import __version__
from inbrowser.sandbox import Sandbox, Tool, ToolContext, ToolResult
from inbrowser.sandbox.errors import SandboxDestroyedError
from inbrowser.sandbox.observers import Call
from inbrowser.sandbox.replay import record
from inbrowser.sandbox.replay.log import read_log
from inbrowser.sandbox.replay.values import Lost, decode, encode
from inbrowser.sandbox.runtime import Shell
from replay_world import Anything, heard, make_sandbox

Work = Callable[[Sandbox], Awaitable[object]]


def recorded(sandbox: Sandbox, work: Work, **options: Any) -> list[dict[str, Any]]:
    """Record what `work` does; returns the lines of the log."""

    async def play() -> str:
        recording = record(sandbox, **options)
        await work(sandbox)
        return await recording.stop()

    log = asyncio.run(play())
    assert asyncio.run(read_log(log))
    return [json.loads(line) for line in log.splitlines()]


def of_kind(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["entry"] == kind]


def test_the_first_line_says_what_it_is_and_the_tree_says_where_it_starts(tmp_path: Path) -> None:
    sandbox = make_sandbox(tmp_path / "a", "mine")
    (tmp_path / "a" / "old.txt").write_text("old")

    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("write", {"path": "new.txt", "content": "new"})

    header, tree, *_ = recorded(sandbox, work)
    assert header["format"] == "inbrowser-recording"
    assert (header["version"], header["sandbox"], header["inbrowser"]) == (1, "mine", __version__)
    digest = "sha256:" + hashlib.sha256(b"old").hexdigest()
    assert tree["files"] == [{"path": "old.txt", "kind": "file", "digest": digest, "size": 3}]


def test_calls_are_kept_in_full_with_who_made_them_and_what_they_changed(tmp_path: Path) -> None:
    content = "x" * 50_000

    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("write", {"path": "big.txt", "content": content}, origin="session:1")
        await sandbox.runtime.run("put a.txt hello", origin="terminal", env={"A": "1"}, timeout=5)

    lines = recorded(make_sandbox(tmp_path / "a"), work)
    write, run = of_kind(lines, "call")
    assert write["arguments"] == {"path": "big.txt", "content": content}
    assert (write["kind"], write["name"], write["origin"], write["shell"]) == (
        "tool",
        "write",
        "session:1",
        "host",
    )
    assert run["arguments"] == {"command": "put a.txt hello", "env": {"A": "1"}, "timeout": 5}
    assert (run["kind"], run["name"], run["origin"], run["shell"]) == ("run", "run", "terminal", None)
    wrote, ran = of_kind(lines, "result")
    assert wrote["outcome"]["ok"]
    assert wrote["outcome"]["summary"].startswith("Wrote 50,000 bytes")
    assert [(state["path"], "text" in state) for state in wrote["files"]] == [("big.txt", False)]
    assert (ran["outcome"]["exit_code"], ran["outcome"]["cwd"]) == (0, "/project")
    assert [(state["path"], state["text"]) for state in ran["files"]] == [("a.txt", "hello")]


def test_a_run_that_a_tool_makes_is_part_of_the_tool(tmp_path: Path) -> None:
    async def twice(arguments: Anything, context: ToolContext) -> str:
        await context.sandbox.runtime.run("put one 1")
        result = await context.sandbox.tools.run("write", {"path": "two", "content": "2"})
        return result.summary

    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("twice")
        await sandbox.tools.run("bash", {"command": "put three 3"})

    sandbox = make_sandbox(
        tmp_path / "a", tools=[Tool(name="twice", description="", arguments=Anything, execute=twice)]
    )
    lines = recorded(sandbox, work)
    assert [line["name"] for line in of_kind(lines, "call")] == ["twice", "bash"]
    assert [[state["path"] for state in line["files"]] for line in of_kind(lines, "result")] == [
        ["one", "two"],
        ["three"],
    ]


def test_what_a_tool_leaves_running_makes_calls_of_its_own(tmp_path: Path) -> None:
    later: list[asyncio.Task[Any]] = []

    async def leave(arguments: Anything, context: ToolContext) -> str:
        async def put() -> None:
            await ended.wait()
            await context.sandbox.runtime.run("put later.txt x")

        ended = heard(context.sandbox, "tool:finish")
        later.append(asyncio.ensure_future(put()))
        return "left"

    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("leave")
        await later[0]

    tool = Tool(name="leave", description="", arguments=Anything, execute=leave)
    lines = recorded(make_sandbox(tmp_path / "a", tools=[tool]), work)
    assert [line["name"] for line in of_kind(lines, "call")] == ["leave", "run"]


def test_each_callers_shell_is_named_with_its_directory(tmp_path: Path) -> None:
    mine = Shell(env={"A": "1"})

    async def work(sandbox: Sandbox) -> None:
        await sandbox.fs.mkdir("sub")
        await sandbox.tools.run("bash", {"command": "cd sub"}, shell=mine)
        await sandbox.tools.run("bash", {"command": "say hi"})
        await sandbox.tools.run("bash", {"command": "say hi"}, shell=mine)

    lines = recorded(make_sandbox(tmp_path / "a"), work)
    shells = [(line["shell"], line["cwd"], line.get("env")) for line in of_kind(lines, "call")]
    assert shells == [
        ("shell-1", "/project", {"A": "1"}),
        ("host", "/project", None),
        ("shell-1", "/project/sub", {"A": "1"}),
    ]
    assert of_kind(lines, "result")[0]["outcome"]["cwd"] == "/project/sub"


def test_what_a_host_writes_between_calls_is_told_as_such(tmp_path: Path) -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("ls")
        await sandbox.fs.write("host.txt", "by hand")
        await sandbox.tools.run("read", {"path": "host.txt"})

    lines = recorded(make_sandbox(tmp_path / "a"), work)
    assert [line["entry"] for line in lines] == [
        "header", "tree", "call", "result", "outside", "call", "result",
    ]  # fmt: skip
    assert lines[4]["files"][0]["text"] == "by hand"
    assert [line["files"] for line in of_kind(lines, "result")] == [[], []]


def test_deleted_renamed_and_new_directories_are_told_with_what_is_in_them(tmp_path: Path) -> None:
    root = tmp_path / "a"
    sandbox = make_sandbox(root)

    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("write", {"path": "src/deep/a.txt", "content": "a"})
        await sandbox.tools.run("move")

    async def move(arguments: Anything, context: ToolContext) -> str:
        await context.sandbox.fs.rename("src", "lib")
        return "moved"

    sandbox.tools.register(Tool(name="move", description="", arguments=Anything, execute=move))
    lines = recorded(sandbox, work)
    states = [{state["path"]: state["kind"] for state in line["files"]} for line in of_kind(lines, "result")]
    assert states[0] == {"src": "directory", "src/deep": "directory", "src/deep/a.txt": "file"}
    assert states[1] == {"src": "gone", "lib": "directory", "lib/deep": "directory", "lib/deep/a.txt": "file"}


def test_calls_side_by_side_share_their_changes_at_the_end_of_the_last(tmp_path: Path) -> None:
    async def work(sandbox: Sandbox) -> None:
        await asyncio.gather(
            sandbox.runtime.run("slowly slow.txt s"),
            sandbox.tools.run("write", {"path": "fast.txt", "content": "f"}),
        )

    results = of_kind(recorded(make_sandbox(tmp_path / "a"), work), "result")
    assert [line["call"] for line in results] == [2, 1]
    assert results[0]["files"] is None
    assert [state["path"] for state in results[1]["files"]] == ["fast.txt", "slow.txt"]


def test_a_cancelled_call_and_a_failed_run_are_told(tmp_path: Path) -> None:
    async def work(sandbox: Sandbox) -> None:
        begun = heard(sandbox, "run:start")
        task = asyncio.ensure_future(sandbox.runtime.run("wait"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(Exception, match="no shell"):
            await sandbox.runtime.run("crash")

    recording_lines: list[str] = []
    lines = recorded(make_sandbox(tmp_path / "a"), work, on_line=recording_lines.append)
    cancelled, failed = of_kind(lines, "result")
    assert cancelled["outcome"] == {"cancelled": True}
    assert failed["outcome"] == {"error": "RunFailedError", "message": "no shell"}
    assert [json.loads(line) for line in recording_lines] == lines


def test_a_call_under_way_at_the_end_has_no_result(tmp_path: Path) -> None:
    async def play() -> str:
        sandbox = make_sandbox(tmp_path / "a")
        recording = record(sandbox)
        begun = heard(sandbox, "run:start")
        task = asyncio.ensure_future(sandbox.runtime.run("wait"))
        await begun.wait()
        await sandbox.destroy()
        with pytest.raises(SandboxDestroyedError):
            await task
        assert await recording.stop() == recording.log
        return recording.log

    lines = [json.loads(line) for line in asyncio.run(play()).splitlines()]
    assert [line["entry"] for line in lines] == ["header", "tree", "call"]


def test_values_that_are_not_json_survive(tmp_path: Path) -> None:
    values = {
        "bytes": b"\0\xff",
        "date": date(2026, 12, 2),
        "datetime": datetime(2026, 12, 2, 9, tzinfo=UTC),
        "numbers": [float("inf"), float("-inf"), -0.0, 10**40, True],
        "tuple": (1, ("a", b"b")),
        "set": {1, 2},
        "keys": {1: "one", ("a",): "b"},
        "looks like a tag": {"$bytes": "no"},
        "$$": {"$a": 1, "$$b": 2},
        "text": "é\u2028\ud800\n",
    }

    async def take(arguments: Anything, context: ToolContext) -> ToolResult:
        return ToolResult(ok=True, summary="taken", data={"nan": float("nan")})

    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("take", {"value": values})

    tool = Tool(name="take", description="", arguments=Anything, execute=take)
    lines = recorded(make_sandbox(tmp_path / "a", tools=[tool]), work)
    [call] = of_kind(lines, "call")
    assert decode(call["arguments"])["value"] == values
    assert str(decode(of_kind(lines, "result")[0]["outcome"])["data"]["nan"]) == "nan"


def test_what_a_log_cannot_hold_is_named() -> None:
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = ()
    for _ in range(500):
        deep = (deep,)
    assert decode(encode([object(), loop])) == [Lost("object"), [Lost("a list nested too deeply")]]
    assert "nested too deeply" in str(decode(encode(deep)))


@pytest.mark.parametrize("value", [{"$no": 1}, {"$bytes": "!"}, {"$set": [[1]]}, {"$map": [1]}, {"$date": 5}])
def test_a_tag_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"^\$"):
        decode(value)


def test_an_observer_that_fails_harms_nobody(tmp_path: Path) -> None:
    class Broken:
        async def began(self, call: Call) -> None:
            raise KeyError("no")

        async def ended(self, call: Call) -> None:
            raise KeyError("no")

    async def play() -> tuple[ToolResult, list[str]]:
        sandbox = make_sandbox(tmp_path / "a")
        told: list[str] = []
        sandbox.on(lambda event: told.append(event.type))
        off = sandbox.observers.add(Broken())
        result = await sandbox.tools.run("ls")
        off()
        await sandbox.tools.run("ls")
        return result, told

    result, told = asyncio.run(play())
    assert result.ok
    assert told.count("error") == 2
