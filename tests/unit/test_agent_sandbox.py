"""A sandbox's tools in the hands of sessions."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from agent_fakes import kinds, run, scripted, session_of
from inbrowser.agent import ToolCall, ToolContext
from inbrowser.agent.errors import UnknownToolError
from inbrowser.agent.models.contract import ToolResultMessage
from inbrowser.agent.sandbox import create_sandbox_agent_tools
from inbrowser.sandbox import AutoCheckpoints, Sandbox, create_runtime_adapter, create_sandbox, open_sandbox
from inbrowser.sandbox.files import DirectoryFileSystem
from inbrowser.sandbox.runtime import RunResult

CONTEXT = ToolContext("s1")


def in_sandbox(test: Callable[[Sandbox], Awaitable[None]]) -> None:
    """Run a test with a fresh sandbox."""

    async def whole() -> None:
        sandbox = await open_sandbox()
        try:
            await test(sandbox)
        finally:
            await sandbox.destroy()

    asyncio.run(whole())


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id="c", name=name, arguments=arguments)


def turn(*calls: ToolCall, **fields: Any) -> dict[str, Any]:
    return {"toolCalls": [{"name": one.name, "arguments": one.arguments} for one in calls], **fields}


def test_a_session_works_on_the_sandbox() -> None:
    async def test(sandbox: Sandbox) -> None:
        llm = scripted(
            turn(call("write", path="a.txt", content="hi\n")), turn(call("read", path="a.txt")), {}
        )
        session = session_of(llm, tools=create_sandbox_agent_tools(sandbox))
        assert kinds(await run(session))[-1] == "completed"
        assert await sandbox.fs.read_text("a.txt") == "hi\n"
        wrote, read = [message for message in session.history if isinstance(message, ToolResultMessage)]
        assert wrote.text.startswith("Wrote 3 bytes to a.txt (created)")
        assert "hi" in read.text.splitlines()

    in_sandbox(test)


def test_a_tool_outside_the_names_is_neither_listed_nor_callable() -> None:
    async def test(sandbox: Sandbox) -> None:
        tools = create_sandbox_agent_tools(sandbox, names=["read", "ls"])
        assert [tool.name for tool in tools.list()] == ["read", "ls"]
        output = await tools.execute(call("write", path="a.txt", content="hi"), CONTEXT)
        assert output.is_error
        assert "There is no tool 'write'. Tools: read, ls" in output.text
        assert not await sandbox.fs.exists("a.txt")

    in_sandbox(test)


def test_an_unknown_name_is_an_error_at_once() -> None:
    async def test(sandbox: Sandbox) -> None:
        with pytest.raises(UnknownToolError, match=r"No such tool: browse, Read\. The sandbox has: .*read"):
            create_sandbox_agent_tools(sandbox, names=["read", "browse", "Read"])

    in_sandbox(test)


def test_a_thousand_adapters_leave_no_trace() -> None:
    async def test(sandbox: Sandbox) -> None:
        seen: list[Any] = []
        sandbox.on(seen.append)
        state = {name: repr(value) for name, value in vars(sandbox.events).items()}
        for _ in range(1000):
            create_sandbox_agent_tools(sandbox, names=["read", "write"]).list()
        assert {name: repr(value) for name, value in vars(sandbox.events).items()} == state
        assert seen == []
        await sandbox.tools.run("ls", {})
        assert [event.seq for event in seen] == list(range(1, len(seen) + 1))

    in_sandbox(test)


def test_a_failure_is_told_as_one_and_the_run_goes_on() -> None:
    async def test(sandbox: Sandbox) -> None:
        session = session_of(
            scripted(
                turn(call("read", path="missing.txt"), call("read", path="../../etc/passwd")), {"text": "ok"}
            ),
            tools=create_sandbox_agent_tools(sandbox),
        )
        events = await run(session)
        missing, outside = [event for event in events if event.kind == "tool_finished"]
        assert (missing.ok, outside.ok) == (False, False)
        assert "missing.txt" in missing.summary
        assert "etc/passwd" in outside.summary
        assert events[-1].text == "ok"

    in_sandbox(test)


def test_the_host_gets_details_and_the_model_the_text() -> None:
    async def test(sandbox: Sandbox) -> None:
        await sandbox.fs.write("a.txt", "one\ntwo\n")
        tools = create_sandbox_agent_tools(sandbox)
        edit = call("edit", path="a.txt", edits=[{"old_text": "two", "new_text": "2"}])
        output = await tools.execute(edit, CONTEXT)
        assert not output.is_error
        assert "-two" in output.text
        assert "+2" in output.text
        assert "text" not in output.details

    in_sandbox(test)


def test_two_sessions_a_host_and_their_origins() -> None:
    async def test(sandbox: Sandbox) -> None:
        started: list[tuple[str, str]] = []
        sandbox.on(lambda e: started.append((e.origin, e.name)) if e.type == "tool:start" else None)
        reader = session_of(
            scripted(turn(call("ls"), call("write", path="b", content="no")), {}),
            tools=create_sandbox_agent_tools(sandbox, names=["ls"]),
            id="reader",
        )
        writer = session_of(
            scripted(turn(call("write", path="a", content="yes"), call("ls")), {}),
            tools=create_sandbox_agent_tools(sandbox, names=["write"]),
            id="writer",
        )
        await asyncio.gather(run(reader), run(writer), sandbox.tools.run("find", {"pattern": "*"}))
        assert sorted(started) == [("host", "find"), ("session:reader", "ls"), ("session:writer", "write")]
        assert [stat.path for stat in await sandbox.fs.list()] == ["a"]

    in_sandbox(test)


def test_each_adapter_has_a_shell_of_its_own(tmp_path: Any) -> None:
    async def change_directory(request: Any, on_output: Any) -> RunResult:
        cwd = (
            request.cwd
            if request.command == "pwd"
            else f"{request.cwd}/{request.command.removeprefix('cd ')}"
        )
        return RunResult(stdout=f"{cwd}\n", stderr="", exit_code=0, cwd=cwd)

    async def test() -> None:
        fs = DirectoryFileSystem(str(tmp_path))
        sandbox = create_sandbox(fs=fs, runtime=create_runtime_adapter(change_directory))
        await sandbox.fs.mkdir("sub")
        one, other = create_sandbox_agent_tools(sandbox), create_sandbox_agent_tools(sandbox)
        await one.execute(call("bash", command="cd sub"), CONTEXT)
        assert "/project/sub" in (await one.execute(call("bash", command="pwd"), CONTEXT)).text
        assert "/project/sub" not in (await other.execute(call("bash", command="pwd"), CONTEXT)).text
        assert sandbox.shell.cwd == "/project"
        await sandbox.destroy()

    asyncio.run(test())


def test_a_destroyed_sandbox_is_a_failed_call_and_not_the_end_of_the_session() -> None:
    async def test() -> None:
        sandbox = await open_sandbox()
        tools = create_sandbox_agent_tools(sandbox, names=["ls"])
        await sandbox.destroy()
        session = session_of(scripted({"text": "hi"}), tools=tools)
        last = (await run(session))[-1]
        assert (last.kind, last.name) == ("error", "SandboxDestroyedError")

    asyncio.run(test())


def test_cancelling_a_session_stops_its_command(tmp_path: Any) -> None:
    async def test() -> None:
        started = asyncio.Event()

        async def endless(request: Any, on_output: Any) -> RunResult:
            started.set()
            return await asyncio.Future()

        sandbox = create_sandbox(
            fs=DirectoryFileSystem(str(tmp_path)), runtime=create_runtime_adapter(endless)
        )
        seen: list[str] = []
        sandbox.on(lambda event: seen.append(event.type))
        session = session_of(
            scripted(turn(call("bash", command="yes"))), tools=create_sandbox_agent_tools(sandbox)
        )
        events = session.submit("go")
        await started.wait()
        await session.cancel()
        assert seen[-2:] == ["run:finish", "tool:finish"]
        assert kinds([event async for event in events])[-1] == "completed"
        await sandbox.destroy()

    asyncio.run(test())


def test_a_turn_can_be_undone_by_its_checkpoints() -> None:
    async def test() -> None:
        sandbox = await open_sandbox(auto_checkpoints=AutoCheckpoints())
        await sandbox.fs.write("a.txt", "mine")
        session = session_of(
            scripted(
                turn(
                    call("write", path="a.txt", content="agent's"),
                    call("write", path="b.txt", content="b"),
                    text="Two files.",
                ),
                turn(text="Done."),
            ),
            tools=create_sandbox_agent_tools(sandbox),
        )
        await run(session, "Write two files")
        made = await sandbox.checkpoints.list(turn_id=f"{session.id}/1")
        assert [each.reason for each in made] == ["before-turn", "before-tool", "before-tool", "after-turn"]
        assert made[0].summary == "Write two files"
        assert len({each.tool_call_id for each in made[1:3]}) == 2
        await sandbox.checkpoints.restore(made[0].id)
        assert await sandbox.fs.read_text("a.txt") == "mine"
        assert not await sandbox.fs.exists("b.txt")
        await sandbox.destroy()

    asyncio.run(test())
