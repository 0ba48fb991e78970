"""Commands: shells that remember, timeouts, what the events tell, and what a model gets to read."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from conftest import Box
from inbrowser.sandbox import Sandbox, ToolResult, create_runtime_adapter, create_sandbox
from inbrowser.sandbox.errors import NotDirectoryError, PathNotFoundError, PathOutsideRootError
from inbrowser.sandbox.runtime import RunRequest, RunResult, Shell
from inbrowser.sandbox.tools.running import plain

Run = Callable[[RunRequest, Any], Awaitable[RunResult]]


def ended(request: RunRequest, stdout: str = "", stderr: str = "", code: int = 0, **fields: Any) -> RunResult:
    return RunResult(stdout=stdout, stderr=stderr, exit_code=code, **{"cwd": request.cwd, **fields})


async def fake(request: RunRequest, on_output: Any) -> RunResult:
    """A shell of a few words: `cd DIR`, `pwd`, `env`, `out TEXT`, `err TEXT`, `fail`, `wait`."""
    word, _, rest = request.command.partition(" ")
    match word:
        case "cd":
            return ended(request, cwd=f"{request.cwd}/{rest}")
        case "pwd":
            return ended(request, request.cwd + "\n")
        case "env":
            return ended(request, str(sorted(request.env.items())))
        case "out":
            on_output("stdout", rest)
            return ended(request, rest)
        case "err":
            return ended(request, stderr=rest, code=1)
        case "fail":
            return ended(request, "out\n", "why\n", 3)
        case "wait":
            on_output("stdout", "some\n")
            await asyncio.Event().wait()
    raise AssertionError(request.command)


@pytest.fixture
def shell(box: Box) -> Sandbox:
    """The box's files with a runtime of our own."""
    box.fs("mkdir", "sub")
    box.write("f.txt", "x")
    return create_sandbox(fs=box.sandbox._parts.fs, runtime=create_runtime_adapter(fake), id="shell")


def bash(sandbox: Sandbox, command: str, **arguments: Any) -> ToolResult:
    return asyncio.run(sandbox.tools.run("bash", {"command": command, **arguments}))


def test_the_working_directory_lasts_from_one_call_to_the_next(shell: Sandbox) -> None:
    moved = bash(shell, "cd sub")
    assert moved.ok
    assert moved.data["text"] == "(no output)\n[working directory: /project/sub]"
    assert bash(shell, "pwd").data["text"] == "/project/sub\n"
    assert bash(shell, "pwd", cwd="/project").data["text"].startswith("/project\n")  # type: ignore


def test_each_user_has_a_shell_of_their_own(shell: Sandbox) -> None:
    async def play() -> None:
        mine, theirs = Shell(), Shell(env={"A": "1"})
        await shell.tools.run("bash", {"command": "cd sub"}, shell=mine)
        assert (await shell.tools.run("bash", {"command": "pwd"}, shell=theirs)).data["text"] == "/project\n"
        assert (await shell.tools.run("bash", {"command": "env"}, shell=theirs)).data[
            "text"
        ] == "[('A', '1')]"
        assert (await shell.runtime.run("pwd")).stdout == "/project\n"
        assert mine.cwd == "/project/sub"

    asyncio.run(play())


def test_a_directory_that_is_gone_does_not_end_the_shell(box: Box, shell: Sandbox) -> None:
    bash(shell, "cd sub")
    box.fs("remove", "sub")
    assert bash(shell, "pwd").data["text"] == "/project\n[working directory: /project]"


def test_a_bad_directory_is_refused(shell: Sandbox) -> None:
    assert "nowhere: no such file" in bash(shell, "pwd", cwd="nowhere").summary
    assert "is a file" in bash(shell, "pwd", cwd="f.txt").summary
    for cwd, error in {
        "no": PathNotFoundError,
        "f.txt": NotDirectoryError,
        "..": PathOutsideRootError,
    }.items():
        with pytest.raises(error):
            asyncio.run(shell.runtime.run("pwd", cwd=cwd))


def test_output_and_exit_code_are_told(shell: Sandbox) -> None:
    fine = bash(shell, "out hello")
    assert (fine.ok, fine.summary, fine.data["text"]) == (True, "exit code 0", "hello")
    both = bash(shell, "fail")
    assert (both.ok, both.summary, both.data["exit_code"]) == (False, "exit code 3", 3)
    assert both.data["text"] == "stdout:\nout\nstderr:\nwhy\n"
    assert bash(shell, "err oops").data["text"] == "stderr:\noops"


def test_a_timeout_keeps_the_output_so_far(shell: Sandbox) -> None:
    late = bash(shell, "wait", timeout=0.05)
    assert (late.ok, late.data["exit_code"], late.data["stopped"]) == (False, 124, "timeout")
    assert late.summary == "timed out after 0.05 s; this is the output so far"
    assert late.data["text"] == "some\n"
    assert bash(shell, "out ok").ok


@pytest.mark.parametrize("timeout", [0, -1, 601, "soon"])
def test_a_timeout_out_of_range_is_refused(shell: Sandbox, timeout: object) -> None:
    assert "timeout: " in bash(shell, "pwd", timeout=timeout).summary


def test_long_output_keeps_head_and_tail(shell: Sandbox) -> None:
    lines = "".join(f"{n}\n" for n in range(100_000))
    text = str(bash(shell, f"out {lines}").data["text"])
    assert len(text) < 31_000
    assert text.startswith("0\n1\n2\n")
    assert text.endswith("\n99998\n99999\n")
    before, after = text.split("[... ")
    number = int(before.split()[-1])
    rest = after.split(" left out ...]\n")[1]
    assert int(rest.split()[0]) > number + 1
    left_out = int(rest.split()[0]) - number - 1
    assert f"({left_out:,} lines)" in after


def test_output_dropped_by_the_runtime_is_told(box: Box) -> None:
    async def flood(request: RunRequest, on_output: Any) -> RunResult:
        return ended(request, "x\n", truncated=True)

    sandbox = create_sandbox(fs=box.sandbox._parts.fs, runtime=create_runtime_adapter(flood))
    assert "too much output" in str(bash(sandbox, "yes").data["text"])


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("\x1b[31mred\x1b[0m \x1b[1;38;5;9mbold\x1b[K", "red bold"),
        ("10%\r50%\r100%\ndone\n", "100%\ndone\n"),
        ("a long line\rshort\n", "shortg line\n"),
        ("a long line\r\x1b[Kshort\n", "short\n"),
        ("long\rab\x1b[0K\n", "ab\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("\x1b]0;title\x07text\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "textlink"),
        ("tab\there\x07\x00", "tab\there"),
        ("\x1b(Bplain\x1b", "plain"),
        ("\u00e9 \U0001f680 \u2713", "\u00e9 \U0001f680 \u2713"),
    ],
)
def test_a_model_reads_clean_text(output: str, text: str) -> None:
    assert plain(output) == text


def test_the_events_of_a_run_carry_its_raw_output_and_its_origin(shell: Sandbox) -> None:
    events: list[Any] = []
    shell.on(events.append)
    asyncio.run(shell.tools.run("bash", {"command": "out \x1b[1mhi"}, origin="session:7"))
    tool, start, output, finish, end = events
    assert [event.type for event in events] == [
        "tool:start",
        "run:start",
        "run:output",
        "run:finish",
        "tool:finish",
    ]
    assert (start.command, start.cwd, start.origin) == ("out \x1b[1mhi", "/project", "session:7")
    assert (output.stream, output.text, output.run_id) == ("stdout", "\x1b[1mhi", start.run_id)
    assert (finish.exit_code, finish.origin, finish.run_id) == (0, "session:7", start.run_id)
    assert tool.origin == end.origin == "session:7"
    assert [event.seq for event in events] == [1, 2, 3, 4, 5]


def test_runs_of_one_shell_take_turns_and_others_do_not_wait(shell: Sandbox) -> None:
    async def play() -> None:
        mine, theirs = Shell(), Shell()
        run = shell.tools.run
        first = asyncio.ensure_future(run("bash", {"command": "wait"}, shell=mine))
        second = asyncio.ensure_future(run("bash", {"command": "pwd"}, shell=mine))
        await asyncio.sleep(0)
        assert (await run("bash", {"command": "pwd"}, shell=theirs)).ok
        assert (await run("write", {"path": "a", "content": "x"})).ok
        assert (await shell.runtime.run("pwd")).exit_code == 0
        assert not second.done()
        first.cancel()
        assert (await second).ok

    asyncio.run(play())


def test_cancelling_stops_the_run_and_nothing_of_it_comes_later(box: Box) -> None:
    begun: asyncio.Queue[Any] = asyncio.Queue()

    async def hang(request: RunRequest, on_output: Any) -> RunResult:
        begun.put_nowait(on_output)
        await asyncio.Event().wait()
        raise AssertionError

    async def play() -> None:
        sandbox = create_sandbox(fs=box.sandbox._parts.fs, runtime=create_runtime_adapter(hang))
        events: list[Any] = []
        sandbox.on(events.append)
        task = asyncio.ensure_future(sandbox.runtime.run("hang"))
        late = await begun.get()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        late("stdout", "late")
        assert [event.type for event in events] == ["run:start", "run:finish"]
        assert events[1].exit_code == 130

    asyncio.run(play())


def test_a_runtime_that_fails_is_a_result_with_its_reason(box: Box) -> None:
    async def broken(request: RunRequest, on_output: Any) -> RunResult:
        raise OSError("the worker is gone")

    sandbox = create_sandbox(fs=box.sandbox._parts.fs, runtime=create_runtime_adapter(broken))
    assert bash(sandbox, "ls").summary == "internal error in bash: OSError: the worker is gone"
