"""Commands as an agent gives them: input that never comes, failures that say why, what goes on in the background."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.commands import output
from tests.e2e.test_processes import embedded

__all__ = ["embedded"]


def bash(page: Page, command: str, **more: object) -> dict[str, Any]:
    return page.evaluate(
        "(given) => sandbox.tools.run('bash', given)", {"command": command, "timeout": 30, **more}
    )


@pytest.mark.parametrize(
    ("command", "code", "text"),
    [
        ("cat", 0, "(no output)"),
        ("read x; echo [$x]", 0, "[]\n"),
        ("read -p 'sure? ' x || echo end", 0, "end\n"),
        ("python -c 'input()'", 1, "EOFError"),
        ("cat <<EOF\nhi\nEOF\npython -c 'import sys; print(repr(sys.stdin.read()))'", 0, "hi\n''\n"),
        ("bash -c 'cat'; sort; wc -l; grep x; xargs echo", 0, "0\n\n"),
        ("while read -r l; do echo $l; done; tr a b; tee f; awk 1; sed p; bc; jq .", 0, "(no output)"),
    ],
)
def test_a_command_that_wants_input_meets_its_end(embedded: Page, command: str, code: int, text: str) -> None:
    result = bash(embedded, command)
    assert (result["data"]["stopped"], result["data"]["exit_code"]) == (None, code)
    assert text in result["data"]["text"]


def test_a_failure_comes_with_all_that_was_said(embedded: Page) -> None:
    result = bash(embedded, "ls nofile; echo out; python -c 'raise ValueError(7)'")
    assert not result["ok"]
    assert result["summary"] == "exit code 1"
    text = result["data"]["text"]
    assert "ls: cannot access 'nofile': No such file or directory\n" in text
    assert "out\n" in text
    assert text.endswith("ValueError: 7\n")


@pytest.mark.parametrize("command", ["while true; do :; done", "python -c 'while True: pass'", "sleep 60"])
def test_a_tool_call_that_runs_out_of_time_says_so_and_keeps_what_was_done(
    embedded: Page, command: str
) -> None:
    result = bash(embedded, f"echo kept > kept.txt; echo before; {command}", timeout=2)
    assert not result["ok"]
    assert result["summary"] == "timed out after 2 s; this is the output so far"
    assert result["data"]["text"].startswith("before\n")
    assert "kept.txt (created)" in result["data"]["text"]
    assert result["data"]["duration"] < 4
    assert bash(embedded, "echo ok; cat kept.txt")["data"]["text"] == "ok\nkept\n"


def test_a_job_has_an_id_a_state_a_log_and_can_be_killed(embedded: Page) -> None:
    started = bash(embedded, "sleep 60 & echo $!")
    assert started["data"]["text"].strip().isdigit()
    assert started["data"]["duration"] < 5
    script = (
        "for i in 1 2 3; do echo step $i; done > log.txt & wait $!; cat log.txt; "
        "sleep 60 & (exit 3) & sleep 0.1; jobs; kill %1; wait; jobs"
    )
    assert output(embedded, script) == (
        "step 1\nstep 2\nstep 3\n"
        "[1]   Running                 sleep 60 &\n[2]+  Exit 3                  (exit 3)\n"
    )


def test_nothing_goes_on_after_the_sandbox(embedded: Page) -> None:
    beats = embedded.evaluate(
        """async () => {
          const open = () => inbrowser.openSandbox({ id: "beats", storage: "indexeddb" });
          let kept = await open();
          const both = Promise.withResolvers();
          const seen = new Set();
          kept.on(({ type, path }) => type === "file" && seen.add(path).size === 2 && both.resolve());
          const beat = "while :; do echo $((i++)) > shell; sleep 0.02; done";
          const python = "i = 0\\nwhile True:\\n  i += 1\\n  open('python', 'w').write(str(i))";
          await kept.fs.write("beat.py", python);
          seen.clear();
          await kept.runtime.run(`(${beat}) & python beat.py &`, { timeoutMs: 30_000 });
          await both.promise;
          await kept.destroy();
          kept = await open();
          const look = () => Promise.all(["shell", "python"].map((path) => kept.fs.readText(path)));
          const first = await look();
          await new Promise((resolve) => setTimeout(resolve, 300));
          const second = await look();
          await kept.destroy();
          return [first, second];
        }"""
    )
    assert beats[0] == beats[1]
