"""Replays on another sandbox: what is the same, what differs and where, and going on after a stop."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from inbrowser.sandbox import Sandbox, Tool, ToolContext
from inbrowser.sandbox.replay import (
    ReplayError,
    ReplayProgress,
    ReplayReport,
    prepare_replay,
    record,
    replay,
)
from inbrowser.sandbox.replay.logs import compare_recordings
from inbrowser.sandbox.replay.natural import Blur
from replay_world import Anything, heard, make_sandbox

Work = Callable[[Sandbox], Awaitable[object]]


def recorded(root: Path, work: Work, **options: Any) -> str:
    """Return the log of what `work` does to a new sandbox."""

    async def play() -> str:
        sandbox = make_sandbox(root, "there")
        recording = record(sandbox, **options)
        await work(sandbox)
        return await recording.stop()

    return asyncio.run(play())


def replayed(log: str, sandbox: Sandbox, **options: Any) -> ReplayReport:
    return asyncio.run(replay(log, sandbox, **options))


async def a_day_of_work(sandbox: Sandbox) -> None:
    await sandbox.tools.run("write", {"path": "src/app.py", "content": "one\ntwo\nthree\n"})
    await sandbox.tools.run("edit", {"path": "src/app.py", "edits": [{"old_text": "two", "new_text": "2"}]})
    await sandbox.tools.run("bash", {"command": "cd src"}, origin="session:1")
    await sandbox.runtime.run("append log.txt first", origin="terminal")
    await sandbox.runtime.run("append log.txt second", origin="terminal")
    await sandbox.tools.run("grep", {"pattern": "2"})
    await sandbox.runtime.run("tick")


@pytest.fixture
def log(tmp_path: Path) -> str:
    return recorded(tmp_path / "there", a_day_of_work)


@pytest.fixture
def here(tmp_path: Path) -> Sandbox:
    return make_sandbox(tmp_path / "here", "here")


def test_the_same_calls_on_an_empty_sandbox_are_as_recorded(log: str, here: Sandbox, tmp_path: Path) -> None:
    told: list[str] = []
    here.on(lambda event: told.append(getattr(event, "origin", "")))
    report = replayed(log, here)
    assert (report.ok, report.divergences, report.summary) == (True, [], "as recorded: 7 calls")
    assert [step.status for step in report.steps] == ["same"] * 7
    assert (tmp_path / "here" / "src" / "app.py").read_text() == "one\n2\nthree\n"
    assert (tmp_path / "here" / "log.txt").read_text() == "first\nsecond\n"
    assert {"host", "session:1", "terminal"} <= set(told)


def test_a_file_that_changed_in_between_is_named_with_its_diff(
    log: str, here: Sandbox, tmp_path: Path
) -> None:
    def meddle(progress: ReplayProgress) -> None:
        if progress.running == 5:
            (tmp_path / "here" / "log.txt").write_text("other\n")

    report = replayed(log, here, on_progress=meddle)
    assert not report.ok
    [divergence] = report.divergences
    assert (divergence.call, divergence.name, divergence.field, divergence.path) == (
        5,
        "run",
        "file",
        "log.txt",
    )
    assert divergence.expected.startswith("the log has a file of 13 bytes (")
    assert divergence.got.startswith("here it is a file of 13 bytes (")
    assert divergence.diff == "@@ -1,2 +1,2 @@\n-first\n+other\n second"
    assert report.summary.startswith("call 5 (run), log.txt: the log has a file of 13 bytes")
    assert report.summary.endswith("; stopped after 5 of 7 calls")
    assert isinstance(divergence.expected_value, dict)
    assert divergence.expected_value["text"] == "first\nsecond\n"


def test_a_file_that_no_later_call_concerns_is_named_too(log: str, here: Sandbox, tmp_path: Path) -> None:
    def meddle(progress: ReplayProgress) -> None:
        if progress.running == 5:
            (tmp_path / "here" / "src" / "app.py").write_text("one\n3\nthree\n")

    [divergence] = replayed(log, here, on_progress=meddle).divergences
    assert (divergence.call, divergence.path) == (5, "src/app.py")
    assert divergence.diff == "@@ -1,3 +1,3 @@\n one\n-2\n+3\n three"


def test_a_resume_on_other_files_says_so_and_makes_no_call(log: str, here: Sandbox, tmp_path: Path) -> None:
    stopped = replayed(log, here, paths=["src/*"], tools=["write", "edit"]).progress
    stopped = stopped.model_copy(update={"done": 4})
    empty = make_sandbox(tmp_path / "empty")
    report = replayed(log, empty, resume=stopped)
    assert [(found.name, found.path) for found in report.divergences] == [
        ("resume", "log.txt"),
        ("resume", "src"),
        ("resume", "src/app.py"),
    ]
    assert (report.steps, list((tmp_path / "empty").iterdir())) == ([], [])
    assert replayed(log, empty, resume=report.progress).steps[0].call == 5


def test_all_divergences_are_listed_when_asked_for(log: str, here: Sandbox, tmp_path: Path) -> None:
    def meddle(progress: ReplayProgress) -> None:
        if progress.running == 2:
            (tmp_path / "here" / "src" / "app.py").write_text("2\nthree\n")

    report = replayed(log, here, on_progress=meddle, stop_at_first=False)
    fields = [(found.call, found.field, found.path) for found in report.divergences]
    assert fields[:2] == [(2, "ok", None), (2, "summary", None)]
    assert (2, "file", "src/app.py") in fields
    assert {call for call, _, _ in fields} == {2, 6}
    assert [step.status for step in report.steps].count("diverged") == 2
    assert report.progress.done == 7


def test_another_start_is_told_before_any_call(log: str, here: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "here" / "extra.txt").write_text("x")
    report = replayed(log, here)
    assert [(found.call, found.name, found.path) for found in report.divergences] == [
        (None, "start", "extra.txt")
    ]
    assert report.divergences[0].expected == "the log has no such file"
    assert report.steps == []
    going_on = replayed(log, here, resume=report.progress)
    assert [step.status for step in going_on.steps] == ["same"] * 7
    assert not going_on.ok


def test_a_change_here_that_the_log_does_not_have_is_told(tmp_path: Path, here: Sandbox) -> None:
    async def first(arguments: Anything, context: ToolContext) -> str:
        return "done"

    async def second(arguments: Anything, context: ToolContext) -> str:
        await context.sandbox.fs.write("surprise.txt", "!")
        return "done"

    def tool(execute: Any) -> Tool[Any]:
        return Tool(name="work", description="", arguments=Anything, execute=execute)

    async def work(sandbox: Sandbox) -> None:
        sandbox.tools.register(tool(first))
        await sandbox.tools.run("work")

    log = recorded(tmp_path / "there", work)
    here.tools.register(tool(second))
    [found] = replayed(log, here).divergences
    assert (found.path, found.expected) == ("surprise.txt", "the log has no such file")
    assert found.got.startswith("here it is a file of 1 bytes")


def test_what_a_host_changed_in_between_is_told_and_not_done(tmp_path: Path, here: Sandbox) -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("ls")
        await sandbox.fs.write("host.txt", "by hand")
        await sandbox.tools.run("read", {"path": "host.txt"})

    log = recorded(tmp_path / "there", work)
    stopped = replayed(log, here)
    assert [(found.name, found.path, found.line) for found in stopped.divergences] == [
        ("outside", "host.txt", 5)
    ]
    assert (stopped.progress.done, stopped.progress.running) == (1, None)
    asyncio.run(here.fs.write("host.txt", "by hand"))
    report = replayed(log, here, resume=stopped.progress)
    assert [step.status for step in report.steps] == ["same"]


def test_calls_are_chosen_by_tool_and_by_path(log: str, here: Sandbox, tmp_path: Path) -> None:
    report = replayed(log, here, tools=["write", "edit"])
    assert [step.status for step in report.steps] == ["same", "same", *["skipped"] * 5]
    assert report.steps[2].reason == "bash is not among the tools asked for"
    assert report.ok
    assert not (tmp_path / "here" / "log.txt").exists()

    other = make_sandbox(tmp_path / "other")
    report = replayed(log, other, paths=["*.txt"])
    assert [step.call for step in report.steps if step.status == "same"] == [4, 5]
    assert (tmp_path / "other" / "log.txt").read_text() == "first\nsecond\n"
    assert not (tmp_path / "other" / "src").exists()


def test_a_dry_run_does_nothing_and_says_what_it_would(log: str, here: Sandbox, tmp_path: Path) -> None:
    report = replayed(log, here, dry_run=True, tools=["write", "run"])
    assert report.ok
    assert report.summary == "4 calls would run, 3 would not"
    assert [step.what for step in report.steps if step.status == "planned"] == [
        "write src/app.py",
        "run append log.txt first",
        "run append log.txt second",
        "run tick",
    ]
    assert list((tmp_path / "here").iterdir()) == []


def test_a_stop_at_any_moment_and_a_resume_make_no_call_twice(log: str, tmp_path: Path) -> None:
    """The host is gone before or after each of the calls; what it kept is JSON."""

    async def play(root: Path, stop_after: int) -> ReplayReport:
        kept, count = "", 0
        sandbox = make_sandbox(root)

        async def keep(progress: ReplayProgress) -> None:
            nonlocal kept, count
            kept, count = progress.to_wire(), count + 1
            if count == stop_after:
                raise InterruptedError

        with pytest.raises(InterruptedError):
            await replay(log, sandbox, on_progress=keep)
        return await replay(log, make_sandbox(root), resume=json.loads(kept), stop_at_first=False)

    for stop_after in range(1, 14):
        root = tmp_path / f"stopped-{stop_after}"
        report = asyncio.run(play(root, stop_after))
        calls = [step.call for step in report.steps]
        assert calls == list(range(1 + (stop_after // 2), 8))
        before = stop_after % 2
        assert report.unknown == ([calls[0]] if before else [])
        assert [step.status for step in report.steps[:1]] == (["unknown"] if before else ["same"])
        lines = (root / "log.txt").read_text().splitlines() if (root / "log.txt").exists() else []
        assert len(lines) == len(set(lines))


def test_a_call_of_which_it_is_unknown_whether_it_ran_is_named(log: str, here: Sandbox) -> None:
    async def play() -> ReplayReport:
        under_way = await prepare_replay(log, here)
        async for progress in under_way.run():
            if progress.running == 4:
                break
        await here.runtime.run("append log.txt first")
        return await replay(log, here, resume=progress)

    report = asyncio.run(play())
    assert not report.ok
    assert report.unknown == [4]
    assert report.divergences == []
    assert report.summary == "as recorded, but it is unknown whether call 4 ran"
    assert report.steps[0].status == "unknown"
    assert "not made again" in str(report.steps[0].reason)


def test_an_unknown_call_that_left_other_files_is_a_divergence(log: str, here: Sandbox) -> None:
    progress: ReplayProgress | None = None

    async def play() -> ReplayReport:
        nonlocal progress
        async for progress in (await prepare_replay(log, here)).run():
            if progress.running == 4:
                break
        return await replay(log, here, resume=progress)

    report = asyncio.run(play())
    assert [(found.call, found.path) for found in report.divergences] == [(4, "log.txt")]
    assert report.divergences[0].got == "here it is no such file"


def test_a_stop_between_calls_is_certain(log: str, here: Sandbox) -> None:
    async def play() -> ReplayReport:
        under_way = await prepare_replay(log, here)
        steps = under_way.run()
        async for progress in steps:
            if progress.running == 4:
                break
        await steps.aclose()
        assert (under_way.progress.done, under_way.progress.running) == (3, None)
        return await replay(log, here, resume=under_way.progress)

    report = asyncio.run(play())
    assert (report.ok, [step.status for step in report.steps]) == (True, ["same"] * 4)


def test_cancelling_in_the_middle_of_a_call_leaves_its_number(tmp_path: Path, here: Sandbox) -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("write", {"path": "a", "content": "a"})
        await sandbox.runtime.run("slowly b b")

    log = recorded(tmp_path / "there", work)

    async def play() -> ReplayProgress:
        under_way = await prepare_replay(log, here)
        started = heard(here, "run:start")

        async def drive() -> None:
            async for _ in under_way.run():
                pass

        task = asyncio.ensure_future(drive())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return under_way.progress

    progress = asyncio.run(play())
    assert (progress.done, progress.running) == (1, 2)


def test_calls_that_were_stopped_or_never_ended_are_left_out(tmp_path: Path, here: Sandbox) -> None:
    async def play() -> str:
        sandbox = make_sandbox(tmp_path / "there")
        recording = record(sandbox)
        for number in (1, 2):
            begun = heard(sandbox, "run:start")
            task = asyncio.ensure_future(sandbox.runtime.run("wait"))
            await begun.wait()
            if number == 2:
                await recording.stop()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return recording.log

    report = replayed(asyncio.run(play()), here)
    assert [(step.status, step.reason) for step in report.steps] == [
        ("skipped", "it was stopped from outside while it was recorded"),
        ("skipped", "it had not ended when the recording did"),
    ]


def test_bytes_and_errors_come_back_as_they_were(tmp_path: Path, here: Sandbox) -> None:
    async def work(sandbox: Sandbox) -> None:
        await sandbox.runtime.run("cat", stdin=b"\0\xff")
        with pytest.raises(Exception, match="no shell"):
            await sandbox.runtime.run("crash")
        await sandbox.tools.run("no_such_tool", {})
        await sandbox.tools.run("read", {"path": "missing.txt"})

    report = replayed(recorded(tmp_path / "there", work), here)
    assert report.ok, report.summary


def test_thousands_of_files_are_told_in_lines_of_some(tmp_path: Path) -> None:
    async def spread(arguments: Anything, context: ToolContext) -> str:
        # Past `sandbox.fs`, which looks for changes after each write.
        fs = context.sandbox._parts.fs
        for number in range(450):
            await fs.write(f"many/{number:04}.txt", str(number + arguments.value))
        return "spread"

    tool: Tool[Any] = Tool(name="spread", description="", arguments=Anything, execute=spread)

    async def work(sandbox: Sandbox) -> None:
        sandbox.tools.register(tool)
        await sandbox.tools.run("spread", {"value": 0})

    log = recorded(tmp_path / "there", work)
    assert [json.loads(line)["entry"] for line in log.splitlines()].count("files") == 2
    assert replayed(log, make_sandbox(tmp_path / "same", tools=[tool])).ok
    other = replayed(log.replace('"value":0', '"value":1'), make_sandbox(tmp_path / "other", tools=[tool]))
    assert len(other.divergences) == 200
    assert other.divergences[0].path == "many/0000.txt"


def test_side_by_side_calls_are_compared_together(tmp_path: Path, here: Sandbox) -> None:
    async def work(sandbox: Sandbox) -> None:
        await asyncio.gather(
            sandbox.runtime.run("slowly slow.txt s"),
            sandbox.tools.run("write", {"path": "fast.txt", "content": "f"}),
        )

    report = replayed(recorded(tmp_path / "there", work), here)
    assert report.ok, report.summary
    assert [step.call for step in report.steps] == [2, 1]


NOW = 1_796_202_000_000.0  # 2026-12-02 09:00 UTC


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "Built src/main.tsx in 120 ms: 8 files",
            "Built src/main.tsx in 1,2 s: 8 files".replace("1,2", "1.2"),
        ),
        ("2026-12-02T09:00:01.123Z", "2026-12-02T10:30:00Z"),
        ("Wed Dec  2 09:00:00 UTC 2026", "Wed Dec  2 11:12:13 UTC 2026"),
        ("-rw-r--r-- 1 user user 5 Dec  2 09:00 a", "-rw-r--r-- 1 user user 5 Dec  2 09:01 a"),
        ("1796202000", "1796202061"),
        ("real\t0m0.005s", "real\t0m1.100s"),
        ("/tmp/tmp.Ab3dE9xYz1", "/tmp/tmp.0123456789"),
        ("the sandbox 'here' cannot run", "the sandbox 'there' cannot run"),
        ("run-3", "run-14"),
    ],
)
def test_what_differs_by_itself_is_no_divergence(old: str, new: str) -> None:
    blur = Blur([NOW], ["here", "there"])
    assert blur.output(old) == blur.output(new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("released 2020-01-01", "released 2021-01-01"),
        ("port 8080", "port 8081"),
        ("Jan  1 09:00", "Jan  2 09:00"),
        ("1234567890", "1234567891"),
        ("v1.2.3", "v1.2.4"),
        ("tmp_results", "tmp_outcome"),
    ],
)
def test_what_is_content_stays_a_divergence(old: str, new: str) -> None:
    blur = Blur([NOW], ["here", "there"])
    assert blur.output(old) != blur.output(new)


def test_a_time_of_now_in_a_file_is_no_divergence_and_a_number_is(tmp_path: Path, here: Sandbox) -> None:
    async def stamp(arguments: Anything, context: ToolContext) -> str:
        import time

        await context.sandbox.fs.write("stamp", f"at {time.time():.6f}\n{context.sandbox.id}\n")
        return "stamped"

    async def work(sandbox: Sandbox) -> None:
        sandbox.tools.register(tool)
        await sandbox.tools.run("stamp")

    tool: Tool[Any] = Tool(name="stamp", description="", arguments=Anything, execute=stamp)
    log = recorded(tmp_path / "there", work)
    here.tools.register(tool)
    [found] = replayed(log, here).divergences
    assert found.diff is not None
    assert {"-there", "+here"} < set(found.diff.split("\n"))
    alike = make_sandbox(tmp_path / "alike", "there", tools=[tool])
    assert replayed(log, alike).ok


def lines_of(log: str) -> list[str]:
    return log.splitlines(keepends=True)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda log: "", "the log is empty"),
        (lambda log: "hello\n", "line 1 of the log is not valid JSON"),
        (lambda log: log.replace('"version":1', '"version":7', 1), "version 7; this inbrowser reads"),
        (lambda log: log[log.index("\n") + 1 :], "line 1 of the log is no header"),
        (lambda log: log[:-20], "cut off: the recording ended while it was written; remove that line"),
        (lambda log: log.replace('{"entry":"call"', "{{", 1), "line 3 of the log is not valid JSON"),
        (lambda log: log + "[" * 100_000 + "\n", "nested more than 200 levels deep"),
        (lambda log: log + '{"entry":"spell"}\n', "line 17 of the log is no entry"),
        (lambda log: log + lines_of(log)[0], "line 17 of the log is a second header"),
        (lambda log: log + lines_of(log)[-1], "which has ended before"),
        (lambda log: log.replace('"path":"src/app.py"', '"path":{"$x":1}', 1), "is no tag"),
        (lambda log: log.replace('"name":"grep"', '"name":"warp"'), "calls 'warp', a tool that"),
        (lambda log: log.replace('"arguments":{"command"', '"arguments":{"order"'), "that no run has"),
        (lambda log: log.replace('"tick"', '"tick","env":{"$lost":"X"}'), "cannot hold: X"),
    ],
)  # fmt: skip
def test_a_log_that_cannot_be_replayed_is_refused_by_line(
    log: str, here: Sandbox, tmp_path: Path, spoil: Callable[[str], str], message: str
) -> None:
    with pytest.raises(ReplayError) as caught:
        replayed(spoil(log), here)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "here").iterdir()) == []


def test_progress_of_another_log_is_refused(log: str, here: Sandbox) -> None:
    progress = replayed(log, here, dry_run=True).progress
    for wrong in (progress.model_copy(update={"log": "x"}), progress.model_copy(update={"running": 3})):
        with pytest.raises(ReplayError, match=r"another log|is next"):
            replayed(log, here, resume=wrong)
    with pytest.raises(ReplayError, match="no progress of a replay"):
        replayed(log, here, resume={"done": 3})


@pytest.mark.parametrize("wrong", [{"tools": "bash"}, {"paths": [1]}, {"resume": "here"}])
def test_options_of_another_kind_are_refused(log: str, here: Sandbox, wrong: dict[str, Any]) -> None:
    with pytest.raises(ReplayError, match=next(iter(wrong))):
        replayed(log, here, **wrong)
    with pytest.raises(ReplayError, match="a log is text"):
        replayed(None, here)  # type: ignore[arg-type]


def test_two_recordings_of_the_same_work_agree_and_other_work_does_not(log: str, tmp_path: Path) -> None:
    async def other_work(sandbox: Sandbox) -> None:
        await sandbox.tools.run("write", {"path": "src/app.py", "content": "one\ntwo\n"})
        await sandbox.tools.run("ls")

    again = recorded(tmp_path / "again", a_day_of_work)
    report = asyncio.run(compare_recordings(log, again))
    assert (report.ok, report.summary) == (True, "as recorded: 7 calls")
    report = asyncio.run(compare_recordings(log, recorded(tmp_path / "other", other_work)))
    assert not report.ok
    first = report.divergences[0]
    assert (first.call, first.field) == (1, "arguments.content")
    assert first.diff == "@@ -1,3 +1,2 @@\n one\n two\n-three"
    assert report.divergences[-1].got == "here there are no more calls"
