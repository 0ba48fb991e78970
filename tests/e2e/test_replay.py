"""Recordings and replays as a host's page makes them."""

import json

import pytest
from playwright.sync_api import Page

RECORD = """
async (onLine) => {
  const lines = [];
  const recording = inbrowser.record(sandbox, { onLine: (line) => lines.push(line) });
  await sandbox.tools.run("write", { path: "src/app.py", content: "one\\ntwo\\n" });
  await recording.note("said", { text: "ü $" });
  await sandbox.tools.run("bash", { command: "cd src && date >> times.txt && ls -l && mktemp" });
  await sandbox.tools.run("bash", { command: "pwd; wc -l app.py" });
  await sandbox.runtime.run("cat - >> log.txt", { stdin: "first\\n", origin: "terminal" });
  await sandbox.runtime.run("echo second >> log.txt; time sleep 0.01", { origin: "terminal" });
  await sandbox.tools.run("edit", { path: "src/app.py", edits: [{ oldText: "two", newText: "2" }] });
  await sandbox.tools.run("no_such_tool", {});
  await sandbox.runtime.run("rm -r src && mkdir -p new/dir && mv log.txt new/dir/");
  const log = await recording.stop();
  await sandbox.runtime.run("echo not recorded");
  return { log, streamed: lines.join("") === log, again: (await recording.stop()) === log };
}
"""


@pytest.fixture
def log(embedded: Page) -> str:
    made = embedded.evaluate(RECORD)
    assert made["streamed"]
    assert made["again"]
    return made["log"]


def replayed(page: Page, log: str, options: str = "{}", before: str = "") -> dict:
    """Replay on a new sandbox, `window.other`, after some preparation of it."""
    return page.evaluate(
        f"""async (log) => {{
          window.other = await inbrowser.openSandbox({{ id: "other" }});
          {before}
          return inbrowser.replay(log, other, {options});
        }}""",
        log,
    )


def test_what_was_recorded_in_a_page_replays_on_a_second_sandbox(embedded: Page, log: str) -> None:
    report = replayed(embedded, log)
    assert report["divergences"] == []
    assert (report["ok"], report["summary"]) == (True, "as recorded: 8 calls")
    assert embedded.evaluate("other.fs.readText('new/dir/log.txt')") == "first\nsecond\n"
    assert not embedded.evaluate("other.fs.exists('src')")


def test_a_file_changed_in_between_is_named_with_what_differs(embedded: Page, log: str) -> None:
    report = replayed(
        embedded,
        log,
        "{ onProgress: (at) => at.running === 5 && other.fs.write('log.txt', 'meddled\\n') }",
    )
    assert not report["ok"]
    [divergence] = report["divergences"]
    assert (divergence["call"], divergence["name"], divergence["path"]) == (5, "run", "log.txt")
    assert divergence["diff"] == "@@ -1,2 +1,2 @@\n-first\n+meddled\n second"
    assert "the log has a file of 13 bytes" in report["summary"]
    assert report["progress"]["done"] == 5


def test_a_dry_run_and_filters_choose_what_is_done(embedded: Page, log: str) -> None:
    plan = replayed(embedded, log, "{ dryRun: true, tools: ['write', 'edit'] }")
    assert [step["what"] for step in plan["steps"] if step["status"] == "planned"] == [
        "write src/app.py",
        "edit src/app.py",
    ]
    assert embedded.evaluate("other.fs.list()") == []
    report = replayed(embedded, log, "{ paths: ['src/app.py'], tools: ['write', 'edit'] }")
    assert (report["ok"], report["summary"]) == (True, "as recorded: 2 calls, 6 left out")
    assert embedded.evaluate("other.fs.readText('src/app.py')") == "one\n2\n"


OPEN_KEPT = """
async () => { window.other = await inbrowser.openSandbox({ id: "kept-for-replay", storage: "indexeddb" }) }
"""

REPLAY_UNTIL = """
([log, running]) => new Promise((gone) => {
  const stay = new Promise(() => {});
  inbrowser.replay(log, other, { onProgress: async (progress) => {
    await other.flush();
    localStorage.progress = JSON.stringify(progress);
    if (progress.done < 5 || (progress.running !== null) !== running) return;
    gone();
    await stay;
  } });
})
"""

GO_ON = """
async (log) => {
  const seen = [];
  const report = await inbrowser.replay(log, other, {
    resume: JSON.parse(localStorage.progress),
    onProgress: (progress) => seen.push(progress.running),
  });
  return { report, seen };
}
"""


def test_a_replay_goes_on_after_the_page_was_reloaded_and_does_nothing_twice(
    embedded: Page, log: str
) -> None:
    """The host keeps the progress before and after each call; then its page is gone."""
    embedded.evaluate(OPEN_KEPT)
    embedded.evaluate(REPLAY_UNTIL, [log, False])
    embedded.reload()
    embedded.evaluate(OPEN_KEPT)
    assert embedded.evaluate("other.fs.readText('log.txt')") == "first\nsecond\n"
    went_on = embedded.evaluate(GO_ON, log)
    assert went_on["seen"] == [6, None, 7, None, 8, None]
    assert (went_on["report"]["ok"], went_on["report"]["divergences"]) == (True, [])
    assert embedded.evaluate("other.fs.readText('new/dir/log.txt')") == "first\nsecond\n"
    embedded.evaluate("other.destroy()")
    embedded.evaluate("inbrowser.deleteSandbox('kept-for-replay')")


def test_a_page_that_was_gone_before_a_call_ended_leaves_it_in_doubt(embedded: Page, log: str) -> None:
    embedded.evaluate(OPEN_KEPT)
    embedded.evaluate(REPLAY_UNTIL, [log, True])
    embedded.reload()
    embedded.evaluate(OPEN_KEPT)
    report = embedded.evaluate(GO_ON, log)["report"]
    assert (report["ok"], report["unknown"]) == (False, [6])
    assert [(found["call"], found["path"]) for found in report["divergences"]] == [(6, "src/app.py")]
    assert embedded.evaluate("other.fs.readText('src/app.py')") == "one\ntwo\n"
    embedded.evaluate("other.destroy()")
    embedded.evaluate("inbrowser.deleteSandbox('kept-for-replay')")


STOP = """
async ([log, when]) => {
  window.other = await inbrowser.openSandbox({ id: "other" });
  const stop = new AbortController();
  const told = [];
  other.on((event) => event.type === "run:start" && when === "during" && event.command.includes("second") && stop.abort());
  const error = await inbrowser.replay(log, other, { signal: stop.signal, onProgress: (progress) => {
    told.push(progress);
    if (when === "before" && progress.running === 5) stop.abort();
  } }).catch((error) => error);
  const files = await other.runtime.run("cat log.txt");
  return { name: error.name, last: told.at(-1), log: files.stdout };
}
"""


def test_a_stop_before_a_call_leaves_nothing_in_doubt(embedded: Page, log: str) -> None:
    stopped = embedded.evaluate(STOP, [log, "before"])
    assert stopped["name"] == "AbortError"
    assert (stopped["last"]["done"], stopped["last"]["running"]) == (4, None)
    report = embedded.evaluate(
        "([log, resume]) => inbrowser.replay(log, other, { resume })", [log, stopped["last"]]
    )
    assert report["ok"], report["summary"]
    assert embedded.evaluate("other.fs.readText('new/dir/log.txt')") == "first\nsecond\n"


def test_a_call_that_a_stop_met_is_named_and_not_made_again(embedded: Page, log: str) -> None:
    slow = log.replace("time sleep 0.01", "sleep 30")
    stopped = embedded.evaluate(STOP, [slow, "during"])
    assert (stopped["last"]["done"], stopped["last"]["running"]) == (4, 5)
    report = embedded.evaluate(
        "([log, resume]) => inbrowser.replay(log, other, { resume, stopAtFirst: false })",
        [slow, stopped["last"]],
    )
    assert report["unknown"] == [5]
    assert report["steps"][0]["status"] == "unknown"
    assert not report["ok"]
    assert embedded.evaluate("other.fs.readText('new/dir/log.txt')") == stopped["log"]


def test_bad_logs_and_progress_are_typed_errors(embedded: Page, log: str) -> None:
    def refused(bad: str, options: str = "{}") -> str:
        error = embedded.evaluate(
            f"""async (log) => {{
              try {{ await inbrowser.replay(log, sandbox, {options}); }}
              catch (error) {{ return {{ name: error.name, message: error.message }} }}
            }}""",
            bad,
        )
        assert error["name"] == "ReplayError"
        assert "\n" not in error["message"]
        return error["message"]

    assert "line 1 of the log is not valid JSON" in refused("hello")
    assert f"line {log.count(chr(10))} of the log is cut off" in refused(log[:-9])
    assert "nested more than 200 levels deep" in refused(log + "[" * 1_000_000 + "\n")
    assert "this inbrowser reads version 1" in refused(log.replace('"version":1', '"version":2'))
    assert "another log" in refused(log, "{ resume: { log: 'x', done: 1, total: 8 } }")
    deep = json.dumps({"entry": "note", "name": "n", "data": None})
    nested = deep.replace("null", '{"$tuple":[' * 95 + "1" + "]}" * 95) + "\n"
    report = embedded.evaluate("(log) => inbrowser.replay(log, sandbox, { dryRun: true })", log + nested)
    assert report["ok"]


def test_two_recordings_are_compared_without_running_anything(embedded: Page, log: str) -> None:
    other = embedded.evaluate(RECORD.replace("sandbox", "other").replace(
        "const lines", "window.other = await inbrowser.openSandbox(); const lines"
    ))["log"]  # fmt: skip
    same = embedded.evaluate("([a, b]) => inbrowser.compareRecordings(a, b)", [log, other])
    assert (same["ok"], same["summary"]) == (True, "as recorded: 8 calls")
    changed = other.replace('"text":"one\\n2\\n"', '"text":"one\\n3\\n"').replace("sha256:", "sha256:0")
    differs = embedded.evaluate("([a, b]) => inbrowser.compareRecordings(a, b)", [log, changed])
    assert {(found["call"], found["path"]) for found in differs["divergences"]} == {(6, "src/app.py")}
