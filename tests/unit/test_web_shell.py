"""The browser's shell: commands in workers that share the sandbox's tree with everybody else."""

import asyncio
import os
from typing import Any

import pytest
from inbrowser.sandbox import Sandbox, SandboxError, open_sandbox
from inbrowser.sandbox.errors import RunFailedError
from inbrowser.sandbox.runtime import RunResult

pytest.importorskip("inbrowser_bridge", reason="there is no shell outside the browser")

BUSY = "while true; do :; done"


def script(run: Any) -> Any:
    """Run an async test body in a sandbox of its own."""

    async def body() -> Any:
        sandbox = await open_sandbox()
        try:
            return await run(sandbox)
        finally:
            await sandbox.destroy()

    return asyncio.run(body())


def sh(*commands: str, **options: Any) -> RunResult:
    """Run commands one after the other; returns how the last one ended."""

    async def run(sandbox: Sandbox) -> RunResult:
        for command in commands:
            result = await sandbox.runtime.run(command, **options)
        return result

    return script(run)


def out(*commands: str, **options: Any) -> str:
    return sh(*commands, **options).stdout


def outs(*commands: str) -> list[str]:
    """Run commands one after the other; returns what each put out."""

    async def run(sandbox: Sandbox) -> list[str]:
        return [(await sandbox.runtime.run(command)).stdout for command in commands]

    return script(run)


def test_a_shell_and_python_see_each_others_changes() -> None:
    async def run(sandbox: Sandbox) -> list[str]:
        await sandbox.fs.write("a/b.txt", "one\n")
        first = await sandbox.runtime.run(
            "cat a/b.txt; echo two >> a/b.txt; mkdir -p c/d; mv a/b.txt c/d/e.txt"
        )
        moved = await sandbox.fs.read_text("c/d/e.txt")
        await sandbox.fs.write("c/d/e.txt", "three\n")
        await sandbox.fs.remove("a", recursive=True)
        second = await sandbox.runtime.run("cat c/d/e.txt; ls")
        return [first.stdout, moved, second.stdout]

    assert script(run) == ["one\n", "one\ntwo\n", "three\nc\n"]


def test_bytes_links_and_permissions_survive_both_ways() -> None:
    async def run(sandbox: Sandbox) -> dict[str, Any]:
        data = bytes(range(256)) * 300
        await sandbox.fs.write("in.bin", data)
        await sandbox.runtime.run(
            "cp in.bin out.bin; cat in.bin in.bin > twice.bin; cat < in.bin | cat > piped.bin"
        )
        await sandbox.runtime.run(
            "ln -s in.bin link; ln -s /project/in.bin absolute; chmod 750 out.bin; "
            "touch -d 2001-02-03T04:05:06Z in.bin"
        )
        return {
            "copy": await sandbox.fs.read_bytes("out.bin") == data,
            "twice": await sandbox.fs.read_bytes("twice.bin") == data * 2,
            "piped": await sandbox.fs.read_bytes("piped.bin") == data,
            "link": await sandbox.fs.read_bytes("link") == data,
            "absolute": await sandbox.fs.read_bytes("absolute") == data,
            "mode": (await sandbox.fs.stat("out.bin")).mode & 0o777,
            "time": (await sandbox.fs.stat("in.bin")).mtime,
        }

    assert script(run) == {
        "copy": True,
        "twice": True,
        "piped": True,
        "link": True,
        "absolute": True,
        "mode": 0o750,
        "time": 981173106,
    }


def test_odd_names_cross_unchanged() -> None:
    names = ["-rf", "a b", "l\nine", "it's", '"', "ü🎈", "*", "__proto__", "constructor"]

    async def run(sandbox: Sandbox) -> tuple[list[str], list[str]]:
        await sandbox.fs.mkdir("copy")
        for name in names:
            await sandbox.fs.write(name, name)
            await sandbox.runtime.run('cp -- "$NAME" "copy/$NAME"', env={"NAME": name})
        copies = [status.path for status in await sandbox.fs.list("copy")]
        return copies, [await sandbox.fs.read_text(path) for path in copies]

    copies, texts = script(run)
    assert copies == sorted(f"copy/{name}" for name in names)
    assert [path.removeprefix("copy/") for path in copies] == texts


def test_links_do_not_lead_out_of_the_project() -> None:
    result = sh(
        "ln -s /lib/python3.14 lib; ln -s ../../../lib up",
        "cat lib/os.py up/python3.14/os.py; echo x > lib/new.py",
    )
    assert result.exit_code == 1
    assert result.stdout == ""
    assert not os.path.exists("/lib/python3.14/new.py")


def test_a_late_shell_cannot_write_through_a_link_that_came_meanwhile() -> None:
    async def run(sandbox: Sandbox) -> None:
        await sandbox.runtime.run("mkdir -p x/python3.14")
        late = asyncio.ensure_future(sandbox.runtime.run("sleep 0.5; echo evil > x/python3.14/evil.py"))
        await sandbox.runtime.run("sleep 0.1; rm -r x; ln -s /lib x")
        await late

    script(run)
    assert not os.path.exists("/lib/python3.14/evil.py")


@pytest.mark.parametrize("target", ['""', "/project", "/"])
def test_the_project_cannot_be_removed_by_a_slip(target: str) -> None:
    async def run(sandbox: Sandbox) -> bool:
        await sandbox.fs.write("keep.txt", "")
        await sandbox.runtime.run(f"rm -r {target}")
        await sandbox.runtime.run(f"mv {target} /tmp/away")
        return await sandbox.fs.exists(".")

    assert script(run)


def test_an_unset_variable_removes_nothing() -> None:
    assert out("touch keep.txt", 'rm -rf "$NOTHING"; ls') == "keep.txt\n"


def test_nothing_of_one_command_but_its_files_meets_the_next() -> None:
    left = "export A=1; readonly B=2; shopt -s nullglob; set -e; f() { :; }; cd /tmp; echo kept > /tmp/file"
    asked = 'B=3; echo "[$A$B]" *.none; type f; false; pwd; cat /tmp/file'
    assert out(left, asked) == "[3] *.none\n/project\nkept\n"


def test_the_environment_of_a_call_is_exported() -> None:
    assert out("bash -c 'echo \"$NAME\"'; printenv NAME", env={"NAME": "v w"}) == "v w\nv w\n"


def test_input_is_what_was_given_or_empty() -> None:
    assert out("cat; read line || echo end") == "end\n"
    assert out("wc -c", stdin=b"\xff\x00\xfe") == "3\n"
    assert out("rev", stdin="äb\n") == "bä\n"


def test_text_comes_back_as_written() -> None:
    assert out("printf 'é\\n' > f; cat f; echo 日本; head -c 2 f; cat f >&2") == "é\n日本\né"
    assert sh("printf 'é\\n' > f; cat f >&2").stderr == "é\n"


@pytest.mark.parametrize(
    "command",
    ["yes", "seq 1 3000000", "head -c 9000000 big; echo; echo end"],
)
def test_a_flood_keeps_its_head_and_tail(command: str) -> None:
    result = sh(
        "x=0123456789; for i in 1 2 3 4 5 6; do x=$x$x$x$x$x$x$x$x$x$x; done; echo $x > big",
        command,
        timeout=30,
    )
    assert result.truncated
    assert "characters left out" in result.stdout
    assert len(result.stdout) < 5_100_000
    assert result.stdout.endswith("\n")


@pytest.mark.parametrize(
    "command",
    [
        BUSY,
        "sleep 30",
        f"({BUSY}) | cat",
        "awk 'BEGIN { while (1) i++ }'",
        f"bash -c '{BUSY}'",
    ],
)
def test_whatever_runs_ends_at_its_timeout(command: str) -> None:
    result = sh(f"echo before > f; {command}; echo after > f", timeout=0.5)
    assert (result.exit_code, result.stopped) == (124, "timeout")
    assert result.duration < 5


def test_output_until_the_timeout_is_kept() -> None:
    result = sh("echo out; echo err >&2; while :; do echo again; done", timeout=0.5)
    assert result.stdout.startswith("out\nagain\n")
    assert result.stderr == "err\n"
    assert sh("echo out; sleep 10", timeout=0.3).stdout == "out\n"


def test_a_stopped_run_keeps_what_it_wrote_and_delays_nobody() -> None:
    async def run(sandbox: Sandbox) -> tuple[str, str, str]:
        wrote = asyncio.Event()
        command = f"for i in $(seq 1 50); do echo $i > $i.txt; done; echo x > last.txt; echo wrote; {BUSY}"
        busy = asyncio.ensure_future(sandbox.runtime.run(command, on_output=lambda *_: wrote.set()))
        await wrote.wait()
        beside = await sandbox.runtime.run("cat last.txt")
        busy.cancel()
        await asyncio.wait([busy])
        after = await sandbox.runtime.run("cat 50.txt; ls | wc -l")
        return beside.stdout, await sandbox.fs.read_text("50.txt"), after.stdout

    assert script(run) == ("x\n", "50\n", "50\n51\n")


def test_what_a_shell_sent_before_it_was_stopped_is_not_lost() -> None:
    from pyodide.code import run_js

    async def run(sandbox: Sandbox) -> int:
        begun = asyncio.Event()
        sandbox.on(lambda event: begun.set() if getattr(event, "path", "") == "1.txt" else None)
        writes = f"for i in $(seq 1 500); do echo $i > $i.txt; done; {BUSY}"
        busy = asyncio.ensure_future(sandbox.runtime.run(writes))
        await begun.wait()
        # The kernel is busy while the shell writes; all that it sent waits when the stop comes.
        run_js("const end = performance.now() + 2000; while (performance.now() < end) {}")
        busy.cancel()
        await asyncio.wait([busy])
        return len(await sandbox.fs.list())

    assert script(run) == 500


def test_too_many_commands_at_once_are_refused() -> None:
    async def run(sandbox: Sandbox) -> str:
        runs = [asyncio.ensure_future(sandbox.runtime.run("sleep 30")) for _ in range(8)]
        await asyncio.sleep(0.1)
        try:
            await sandbox.runtime.run("echo one more")
        except RunFailedError as error:
            return str(error)
        finally:
            for each in runs:
                each.cancel()
            await asyncio.wait(runs)
        return "ran"

    assert script(run).startswith("8 commands run already")


def test_runs_side_by_side_leave_whole_files() -> None:
    async def run(sandbox: Sandbox) -> str:
        lines = "for i in $(seq 1 200); do echo {0}; done > out.txt"
        await asyncio.gather(*(sandbox.runtime.run(lines.format(name)) for name in "abc"))
        return await sandbox.fs.read_text("out.txt")

    assert script(run) in {f"{name}\n" * 200 for name in "abc"}


def test_a_command_in_the_background_does_not_hold_its_run() -> None:
    assert outs(
        "sleep 60 & echo done",
        "(sleep 0.2; echo late) & echo now; wait; echo end",
        "(exit 3) & wait $!; echo $?",
        "f() { echo in f; }; f & wait",
        "echo quick &",
        "sleep 60 & kill $!; wait; echo ended",
    ) == ["done\n", "now\nlate\nend\n", "3\n", "in f\n", "quick\n", "ended\n"]


def test_a_command_in_the_background_goes_on_after_its_run() -> None:
    async def run(sandbox: Sandbox) -> str:
        written = asyncio.Event()
        sandbox.on(lambda event: written.set() if getattr(event, "path", "") == "late.txt" else None)
        wait = "while [ ! -e go ]; do sleep 0.05; done"
        first = await sandbox.runtime.run(f"({wait}; echo late > late.txt) & echo now")
        second = await sandbox.runtime.run("ls late.txt; touch go")
        # A redirection makes the file before there is anything in it.
        late = ""
        while not late:
            await written.wait()
            written.clear()
            late = (await sandbox.runtime.run("cat late.txt")).stdout
        return first.stdout + second.stdout + late

    assert script(run) == "now\nlate\n"


def test_a_command_sees_what_others_change_while_it_runs() -> None:
    async def run(sandbox: Sandbox) -> str:
        begun = asyncio.Event()
        sandbox.on(lambda event: begun.set() if getattr(event, "path", "") == "begun" else None)
        waits = asyncio.create_task(
            sandbox.runtime.run("touch begun; while [ ! -s go ]; do sleep 0.05; done; cat go")
        )
        await begun.wait()
        await sandbox.runtime.run("echo gone > go")
        return (await waits).stdout

    assert script(run) == "gone\n"


def test_a_script_may_clean_up_at_its_end() -> None:
    assert outs(
        "clean() { rm t; echo cleaned; }; trap clean EXIT; touch t; echo work",
        "ls",
        "trap 'echo bye $x' EXIT; x=1; echo hi",
    ) == ["work\ncleaned\n", "", "hi\nbye 1\n"]


def test_what_is_not_there_says_so_and_what_to_do_instead() -> None:
    result = sh("for name in perl git npm make node; do $name --version; echo $?; command -v $name; done")
    assert result.stdout == "127\n" * 5
    for line, instead in zip(
        result.stderr.splitlines(), ["awk", "checkpoints", "preview", "run its", "preview"], strict=True
    ):
        assert "not available in this sandbox; " in line
        assert instead in line


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        ("vim f", "sed -i"),
        ("nano f", "cat <<"),
        ("less f", "cat, head"),
        ("man ls", "--help"),
        ("top", "jobs"),
        ("git commit", "checkpoints"),
        ("sudo ls", "leave it out"),
        ("apt-get install jq", "pip"),
    ],
)
def test_what_wants_somebody_at_a_terminal_names_another_way(command: str, instead: str) -> None:
    result = sh(command, timeout=5)
    assert result.exit_code != 0
    assert result.stopped is None
    assert instead in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_that_cannot_be_written_fails_its_command_alone() -> None:
    result = sh("echo x > none/f; echo $?; mkdir d; echo x > d || echo refused")
    assert result.stdout == "1\nrefused\n"
    assert result.stderr == "bash: none/f: No such file or directory\nbash: d: Is a directory\n"


def test_a_destroyed_sandbox_stops_its_runs() -> None:
    async def run(sandbox: Sandbox) -> str:
        busy = asyncio.ensure_future(sandbox.runtime.run(BUSY))
        await asyncio.sleep(0.1)
        await sandbox.destroy()
        try:
            await busy
        except SandboxError as error:
            return type(error).__name__
        return "ended"

    assert script(run) == "SandboxDestroyedError"


def test_a_shell_keeps_its_state_from_command_to_command() -> None:
    async def run(sandbox: Sandbox) -> tuple[str, list[str], str]:
        shell, other = sandbox.runtime.open_shell(), sandbox.runtime.open_shell()
        await shell.run("mkdir sub; cd sub; x='a b'; export E=1; list=(1 2); declare -A m=([k]=v)")
        await shell.run(
            "f() { echo f:$1; }; alias hi='echo hi'; shopt -s nullglob; set -e; false; echo never"
        )
        kept = await shell.run(
            'pwd; echo "$x" "${list[1]}" "${m[k]}"; bash -c \'echo $E\'; f 3; hi; echo *.no; false; echo on'
        )
        return kept.stdout, shell.history[:1], (await other.run('pwd; echo "[$x]"; type f || true')).stdout

    kept, history, other = script(run)
    assert kept == "/project/sub\na b 2 v\n1\nf:3\nhi\n\non\n"
    assert history == ["mkdir sub; cd sub; x='a b'; export E=1; list=(1 2); declare -A m=([k]=v)"]
    assert other.startswith("/project\n[]\n")


def test_jobs_of_earlier_commands_are_said_to_be_unknown() -> None:
    async def run(sandbox: Sandbox) -> tuple[str, list[str]]:
        shell = sandbox.runtime.open_shell()
        before = await shell.run("jobs")
        await shell.run("sleep 3 &")
        later = await shell.run("jobs; kill %1; wait %1; kill 1001; sleep 0 & wait; kill %1")
        return before.stderr, later.stderr.splitlines()

    assert script(run) == (
        "",
        [
            "bash: jobs: jobs of earlier commands are not known here",
            "bash: kill: %1: no such job; jobs of earlier commands are not known here",
            "bash: wait: %1: no such job; jobs of earlier commands are not known here",
            "bash: kill: (1001) - No such process; jobs of earlier commands are not known here",
            "bash: kill: %1: no such job",
        ],
    )


def test_dates_know_noon_and_midnight() -> None:
    dates = [out(f"date -d '2024-01-02 {text}' '+%d %T'") for text in ("noon", "midnight", "tomorrow noon")]
    assert dates == ["02 12:00:00\n", "02 00:00:00\n", "03 12:00:00\n"]


def test_a_run_that_was_ended_leaves_its_shell_as_it_was() -> None:
    async def run(sandbox: Sandbox) -> str:
        shell = sandbox.runtime.open_shell()
        await shell.run("x=before")
        await shell.run("x=after; sleep 9", timeout=0.2)
        return (await shell.run("echo $x")).stdout

    assert script(run) == "before\n"


def test_output_comes_as_it_is_written_and_in_order() -> None:
    async def run(sandbox: Sandbox) -> tuple[list[str], str, str]:
        pieces: list[tuple[str, str]] = []
        first = asyncio.Event()

        def note(stream: str, text: str) -> None:
            pieces.append((stream, text))
            first.set()

        command = "f() { echo out; echo err >&2; sleep 30; }; echo hidden > f; if true; then f; fi"
        busy = asyncio.ensure_future(sandbox.runtime.run(command, on_output=note, timeout=2))
        await asyncio.wait_for(first.wait(), 1.5)
        early = [stream for stream, _ in pieces[:1]]
        result = await busy
        return early, result.stdout, result.stderr

    assert script(run) == (["stdout"], "out\n", "err\n")


def test_a_worker_that_had_to_be_ended_leaves_its_output() -> None:
    result = sh("echo first; awk 'BEGIN { while (1) x = x }'", timeout=0.5)
    assert (result.stdout, result.stopped) == ("first\n", "timeout")
