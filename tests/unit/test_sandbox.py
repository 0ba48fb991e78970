"""A sandbox as a whole: opened, made of a host's parts, narrowed, listened to, destroyed."""

import asyncio
import os
from typing import Any

import pytest
from conftest import Box
from inbrowser.sandbox import (
    Sandbox,
    SandboxDestroyedError,
    SandboxError,
    create_runtime_adapter,
    create_sandbox,
    open_sandbox,
)
from inbrowser.sandbox.errors import CapabilityError, PathNotFoundError
from inbrowser.sandbox.files import FileStat, FileSystem
from inbrowser.sandbox.paths import normalize
from inbrowser.sandbox.runtime import RunRequest, RunResult


class Memory(FileSystem):
    """A host's own file system: a dictionary, and nothing but what must be there."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    async def read_bytes(self, path: str, *, start: int = 0, size: int | None = None) -> bytes:
        try:
            data = self.files[normalize(path)][start:]
        except KeyError:
            raise PathNotFoundError(f"{path}: no such file or directory") from None
        return data if size is None else data[:size]

    async def read_text(self, path: str) -> str:
        return (await self.read_bytes(path)).decode()

    async def write(self, path: str, data: str | bytes) -> None:
        self.files[normalize(path)] = data.encode() if isinstance(data, str) else data

    async def list(self, path: str = ".") -> list[FileStat]:
        prefix = "" if normalize(path) == "." else normalize(path) + "/"
        names = {name[len(prefix) :].partition("/")[0] for name in self.files if name.startswith(prefix)}
        return [await self.stat(prefix + name) for name in sorted(names)]

    async def stat(self, path: str) -> FileStat:
        path = normalize(path)
        if path in self.files:
            return FileStat(path=path, kind="file", size=len(self.files[path]), mtime=0, mode=0o644)
        if path == "." or any(name.startswith(path + "/") for name in self.files):
            return FileStat(path=path, kind="directory", size=0, mtime=0, mode=0o755)
        raise PathNotFoundError(f"{path}: no such file or directory")

    async def mkdir(self, path: str, parents: bool = True) -> None:
        raise SandboxError("directories come with their files here")

    async def rename(self, source: str, target: str) -> None:
        self.files[normalize(target)] = self.files.pop(normalize(source))

    async def remove(self, path: str, recursive: bool = False) -> None:
        del self.files[normalize(path)]

    async def exists(self, path: str) -> bool:
        try:
            await self.stat(path)
        except PathNotFoundError:
            return False
        return True


async def shout(request: RunRequest, on_output: Any) -> RunResult:
    on_output("stdout", request.command.upper())
    return RunResult(stdout=request.command.upper(), stderr="", exit_code=0, cwd=request.cwd)


def names(sandbox: Sandbox) -> list[str]:
    return [tool.name for tool in sandbox.tools.list()]


def test_a_sandbox_made_of_a_hosts_parts_has_every_tool_they_allow() -> None:
    async def play() -> None:
        memory = Memory()
        sandbox = create_sandbox(fs=memory, runtime=create_runtime_adapter(shout), id="mine")
        run = sandbox.tools.run
        assert (await run("write", {"path": "src/a.py", "content": "x = 1\n"})).ok
        assert (await run("edit", {"path": "src/a.py", "old_text": "1", "new_text": "2"})).ok
        assert memory.files == {"src/a.py": b"x = 2\n"}
        assert (await run("grep", {"pattern": "x"})).data["text"] == "src/a.py:1:x = 2"
        assert (await run("find", {"pattern": "*.py"})).data["paths"] == ["src/a.py"]
        assert (await run("ls")).data["text"] == "src/"
        assert (await run("bash", {"command": "hi"})).data["text"] == "HI"
        assert "preview_compile" not in names(sandbox)

    asyncio.run(play())


def test_changes_of_a_hosts_file_system_are_told_when_made_through_the_sandbox() -> None:
    async def play() -> None:
        sandbox = create_sandbox(fs=Memory())
        events: list[Any] = []
        sandbox.on(events.append)
        await sandbox.fs.write("a", "1")
        await sandbox.fs.write("a", "2")
        await sandbox.fs.rename("a", "b")
        await sandbox.fs.remove("/project/b")
        assert [(event.change, event.path, event.old_path) for event in events] == [
            ("created", "a", None),
            ("modified", "a", None),
            ("renamed", "b", "a"),
            ("deleted", "b", None),
        ]

    asyncio.run(play())


def test_without_a_runtime_there_is_no_shell() -> None:
    async def play() -> None:
        sandbox = create_sandbox(fs=Memory(), id="s")
        assert sandbox.capabilities == {"read", "write"}
        assert "bash" not in names(sandbox)
        result = await sandbox.tools.run("bash", {"command": "ls"})
        assert result.summary == "bash: this sandbox cannot run, so the tool is not there"
        with pytest.raises(CapabilityError, match="the sandbox 's' cannot run; it can read, write"):
            await sandbox.runtime.run("ls")

    asyncio.run(play())


def test_capabilities_narrow_what_tools_and_files_can_do() -> None:
    async def play() -> None:
        memory = Memory()
        sandbox = create_sandbox(fs=memory, runtime=create_runtime_adapter(shout), capabilities={"read"})
        assert names(sandbox) == ["read", "ls", "find", "grep"]
        assert not (await sandbox.tools.run("write", {"path": "a", "content": "x"})).ok
        with pytest.raises(CapabilityError):
            await sandbox.fs.write("a", "x")
        with pytest.raises(CapabilityError):
            await sandbox.runtime.run("ls")
        assert memory.files == {}

    asyncio.run(play())


def test_file_events_tell_of_changes_whoever_makes_them(box: Box) -> None:
    box.write("a.txt", "1")
    box.write("a.txt", "2")
    box.fs("mkdir", "d")
    box.fs("rename", "a.txt", "d/b.txt")
    with open(f"{box.root}/by-hand.txt", "w") as file:
        file.write("x")
    box.sandbox.settle()
    box.fs("remove", "d", recursive=True)
    told = [(event.change, event.path, event.old_path) for event in box.told("file")]
    assert told[:5] == [
        ("created", "a.txt", None),
        ("modified", "a.txt", None),
        ("created", "d", None),
        ("renamed", "d/b.txt", "a.txt"),
        ("created", "by-hand.txt", None),
    ]
    assert ("deleted", "d", None) in told[5:]
    assert {change for change, _, _ in told[5:]} == {"deleted"}


def test_a_listener_that_raises_harms_nobody_and_is_told_of_once(box: Box) -> None:
    seen: list[Any] = []

    def bad(event: Any) -> None:
        raise RuntimeError("oops")

    box.sandbox.on(bad)
    off = box.sandbox.on(seen.append)
    box.write("a", "1")
    box.write("b", "1")
    assert [event.type for event in seen] == ["file", "error", "file"]
    assert [event.seq for event in seen] == [1, 2, 3]
    assert seen[1].message == "a listener failed at file: oops"
    off()
    off()
    box.write("c", "1")
    assert len(seen) == 3
    assert [event.seq for event in box.events] == [1, 2, 3, 4]


def test_every_use_after_destroy_raises(box: Box) -> None:
    sandbox = box.sandbox
    fs, runtime, tools = sandbox.fs, sandbox.runtime, sandbox.tools
    box.write("a", "1")

    async def play() -> None:
        await sandbox.destroy()
        await sandbox.destroy()
        for use in (
            lambda: fs.read_bytes("a"),
            lambda: fs.write("a", "2"),
            lambda: fs.list(),
            lambda: fs.exists("a"),
            lambda: runtime.run("ls"),
            lambda: tools.run("ls"),
        ):
            with pytest.raises(SandboxDestroyedError, match="was destroyed; open another one"):
                await use()
        for look in (tools.list, lambda: sandbox.services, lambda: sandbox.on(print)):
            with pytest.raises(SandboxDestroyedError):
                look()

    asyncio.run(play())
    assert box.events[-1].type == "destroyed"
    assert [event.seq for event in box.events] == list(range(1, len(box.events) + 1))


def test_destroy_stops_what_runs() -> None:
    async def play() -> None:
        begun: asyncio.Queue[None] = asyncio.Queue()

        async def hang(request: RunRequest, on_output: Any) -> RunResult:
            begun.put_nowait(None)
            await asyncio.Event().wait()
            raise AssertionError

        sandbox = create_sandbox(fs=Memory(), runtime=create_runtime_adapter(hang))
        events: list[Any] = []
        sandbox.on(events.append)
        run = asyncio.ensure_future(sandbox.runtime.run("hang"))
        tool = asyncio.ensure_future(sandbox.tools.run("bash", {"command": "hang"}))
        await begun.get()
        await begun.get()
        await sandbox.destroy()
        for task in (run, tool):
            with pytest.raises(SandboxDestroyedError):
                await task
        ends = sorted(event.type for event in events[-4:-1])
        assert [*ends, events[-1].type] == ["run:finish", "run:finish", "tool:finish", "destroyed"]
        assert {event.exit_code for event in events if event.type == "run:finish"} == {130}

    asyncio.run(play())


@pytest.mark.cpython
def test_a_temporary_directory_goes_with_its_sandbox() -> None:
    box = Box()
    box.write("a", "1")
    asyncio.run(box.sandbox.destroy())
    assert not os.path.exists(box.root)


def test_sandboxes_are_named_and_do_not_share_anything() -> None:
    async def play() -> None:
        one, two = await open_sandbox("one"), await open_sandbox()
        assert one.id == "one"
        assert two.id.startswith("sandbox-")
        await one.fs.write("a", "1")
        assert not await two.fs.exists("a")
        await one.destroy()
        await two.fs.write("a", "2")
        await two.destroy()
        for id in ("../x", "a/b", "-", "x" * 101, "a b"):
            with pytest.raises(SandboxError, match="cannot name a sandbox"):
                await open_sandbox(id)
        with pytest.raises(SandboxError, match="there is no storage 'cloud'"):
            await open_sandbox(storage="cloud")

    asyncio.run(play())
