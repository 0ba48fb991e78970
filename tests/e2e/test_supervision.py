"""What a crash of the kernel means for whoever uses it: what is told, what goes on, and what is gone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.endable import FATAL, WATCH_KERNELS, crash, host

__all__ = ["host"]


def test_a_sandbox_in_memory_is_gone_and_says_why(host: Page) -> None:
    host.evaluate(
        "async () => { window.sandbox = await inbrowser.openSandbox({ id: 'brief' });"
        " window.heard = []; sandbox.on((event) => heard.push(event)); await sandbox.fs.write('a.txt', 'a'); }"
    )
    restart = crash(host)
    assert restart["phase"] == "ready"
    assert restart["reopened"] == []
    assert [lost["id"] for lost in restart["lost"]] == ["brief"]
    failures = host.evaluate(
        "() => Promise.all([sandbox.fs.list(), sandbox.checkpoints.list(), sandbox.runtime.run('ls')].map(failure))"
    )
    for failure in failures:
        assert failure["name"] == "SandboxDestroyedError"
        assert "'brief' was in memory" in failure["message"]
    last = host.evaluate("() => heard.at(-1)")
    assert (last["type"], "was in memory" in last["reason"]) == ("destroyed", True)
    assert (
        host.evaluate("async () => (await inbrowser.openSandbox({ id: 'brief' })).fs.exists('a.txt')")
        is False
    )


def test_checkpoints_locks_and_models_go_on(host: Page) -> None:
    host.evaluate(
        """async () => {
          window.sandbox = await inbrowser.openSandbox({ id: "proxies", storage: "indexeddb" });
          await sandbox.fs.write("a.txt", "one");
          window.checkpoint = await sandbox.checkpoints.create({ label: "first" });
          await sandbox.fs.write("a.txt", "two");
          await sandbox.locks.add("locked.txt");
          const script = { turns: [{ text: "", tool_calls: [{ name: "read", arguments: { path: "a.txt" } }] }, { text: "done" }] };
          window.session = await inbrowser.createAgentSession({
            strategy: inbrowser.createReactLoopStrategy(), llm: inbrowser.createModel({ api: "scripted", script }),
            tools: await inbrowser.createSandboxAgentTools(sandbox), id: "named",
          });
          for await (const _ of session.submit("hello"));
          await sandbox.locks.setReadOnly("no changes now");
          window.recording = inbrowser.record(sandbox);
          await recording.log();
          window.before = JSON.stringify(await session.history());
        }"""
    )
    assert crash(host)["reopened"] == ["proxies"]
    result = host.evaluate(
        """async () => {
          const refused = await failure(sandbox.fs.write("b.txt", "b"));
          await sandbox.locks.setReadOnly(null);
          const locks = (await sandbox.locks.list()).map(({ pattern }) => pattern);
          const text = await sandbox.fs.readText("a.txt");
          await sandbox.checkpoints.restore(checkpoint.id);
          const same = JSON.stringify(await session.history()) === before;
          const kinds = [];
          for await (const { kind } of session.submit("again")) kinds.push(kind);
          return { refused, locks, text, restored: await sandbox.fs.readText("a.txt"), same, last: kinds.at(-1),
                   recording: await failure(recording.stop()), length: (await session.history()).length };
        }"""
    )
    assert result["refused"]["name"] == "ReadOnlyError"
    assert "no changes now" in result["refused"]["message"]
    assert (result["text"], result["restored"]) == ("two", "one")
    assert result["locks"] == ["locked.txt"]
    assert (result["same"], result["last"], result["length"]) == (True, "completed", 8)
    assert result["recording"]["name"] == "KernelCrashedError"
    assert "recording" in result["recording"]["message"]


def test_a_destroyed_sandbox_stays_destroyed(host: Page) -> None:
    host.evaluate(
        "async () => { window.sandbox = await inbrowser.openSandbox({ id: 'ended', storage: 'indexeddb' });"
        " await sandbox.destroy(); }"
    )
    restart = crash(host)
    assert (restart["reopened"], restart["lost"]) == ([], [])
    assert host.evaluate("() => failure(sandbox.fs.list())") == {
        "name": "SandboxDestroyedError",
        "message": "the sandbox 'ended' was destroyed; open another one",
    }


def test_a_model_of_the_page_is_stopped_with_the_kernel(host: Page) -> None:
    stopped = host.evaluate(
        """async (code) => {
          const stopped = Promise.withResolvers();
          const llm = {
            id: "slow",
            async *chat(request, signal) {
              signal.addEventListener("abort", () => stopped.resolve("stopped"));
              inbrowser.runPython(code).catch(() => {});
              await stopped.promise;
            },
          };
          const session = await inbrowser.createAgentSession({ strategy: inbrowser.createReactLoopStrategy(), llm });
          let last;
          for await (last of session.submit("hello"));
          return [await stopped.promise, last.kind, last.name, (await session.history()).map(({ role }) => role)];
        }""",
        FATAL,
    )
    assert stopped == ["stopped", "error", "KernelCrashedError", ["user"]]


def test_a_kernel_that_crashes_again_and_again_is_left_alone(host: Page) -> None:
    host.evaluate("async () => { window.sandbox = await inbrowser.openSandbox({ id: 'loop' }) }")
    assert [crash(host)["phase"] for _ in range(3)] == ["ready", "ready", "failed"]
    failure = host.evaluate("() => failure(inbrowser.runPython('1'))")
    assert failure["name"] == "KernelCrashedError"
    assert "for the 3rd time within 30 s" in failure["message"]


def test_a_busy_kernel_is_waited_for(host: Page) -> None:
    host.evaluate("() => inbrowser.superviseKernel({ patienceMs: Infinity })")
    busy = "import time\nend = time.monotonic() + 7\nwhile time.monotonic() < end: pass\n'done'"
    assert host.evaluate("(code) => inbrowser.runPython(code)", busy) == "done"
    assert host.evaluate("() => failure((async () => inbrowser.superviseKernel({ patienceMs: 0 }))())") == {
        "name": "TypeError",
        "message": "patienceMs is 0: give milliseconds, or Infinity",
    }


@pytest.fixture
def workbench(page: Page, site: str) -> Page:
    page.add_init_script(WATCH_KERNELS)
    page.goto(f"{site}/")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible(timeout=30_000)
    return page


def test_the_workbench_says_so_and_goes_on(workbench: Page) -> None:
    page = workbench
    terminal = page.get_by_role("region", name="Terminal")
    files = page.get_by_role("region", name="Files")
    terminal.click()
    page.keyboard.type("mkdir notes && echo hello > notes/a.txt && cd notes\n")
    files.get_by_role("treeitem", name=re.compile("notes")).click()
    files.get_by_role("treeitem", name=re.compile("a.txt")).click()
    expect(page.get_by_role("status").get_by_text("Saved")).to_be_visible()
    # Else the editor shows what the demo writes.
    page.get_by_role("button", name="Follow", exact=True).click()
    page.get_by_role("button", name="Run demo").first.click()
    expect(page.get_by_role("region", name="Chat").get_by_text("write").first).to_be_visible()

    page.evaluate(
        """() => {
          window.states = [];
          const look = () => states.push(document.querySelector("inb-boot").textContent.trim());
          new MutationObserver(look).observe(document.querySelector("inb-boot"), { childList: true, subtree: true });
        }"""
    )
    page.evaluate("(code) => runInKernel(code)", FATAL)
    notice = page.get_by_role("note").filter(has_text="Python crashed and was restarted")
    expect(notice).to_contain_text("Files and checkpoints are as they were last saved")
    expect(page.get_by_role("status").get_by_text("Ready")).to_be_visible()
    assert "Restarting" in page.evaluate("() => states")
    reply = page.get_by_role("article", name="Assistant").first
    expect(reply).to_contain_text("the kernel crashed")

    expect(page.get_by_role("region", name="Editor").get_by_text("hello")).to_be_visible()
    terminal.click()
    page.keyboard.type("pwd && echo back > b.txt\n")
    expect(terminal.get_by_text("/project/notes", exact=True).first).to_be_attached()
    expect(files.get_by_role("treeitem", name=re.compile("b.txt"))).to_be_visible()
    notice.get_by_role("button", name="Dismiss").click()
    expect(notice).to_have_count(0)
    page.get_by_role("button", name="Run demo").first.click()
    expect(page.get_by_role("article", name="Assistant").last).to_contain_text("recorded", timeout=40_000)


@pytest.mark.parametrize(
    "code",
    [
        "import json; json.loads('[' * 10_000 + ']' * 10_000)",
        "x = []\nfor _ in range(200_000): x = [x]\ndel x",
    ],
)
def test_nesting_too_deep_for_the_interpreter_is_told_at_once(host: Page, code: str) -> None:
    host.evaluate(
        "async () => { window.sandbox = await inbrowser.openSandbox({ id: 'deep', storage: 'indexeddb' });"
        " await sandbox.fs.write('a.txt', 'kept'); await sandbox.flush(); }"
    )
    told = host.evaluate(
        """async (code) => {
          const over = untilRestarted();
          const pending = failure(sandbox.runtime.run("sleep 60"));
          const run = failure(inbrowser.runPython(code));
          return [(await run).name, (await pending).name, (await over).phase, await sandbox.fs.readText("a.txt")];
        }""",
        code,
    )
    assert told == ["KernelCrashedError", "KernelCrashedError", "ready", "kept"]


def test_no_json_from_outside_ends_the_kernel(host: Page) -> None:
    texts = host.evaluate(
        """async () => {
          const restarted = [];
          inbrowser.onKernelRestart(({ message }) => restarted.push(message));
          const sandbox = await inbrowser.openSandbox();
          const deep = "[".repeat(10_000);
          const texts = [];
          let turn = 0;
          const llm = {
            id: "hostile",
            async *chat({ messages }) {
              if (turn++) return yield { type: "text", delta: messages.at(-1).text };
              yield { type: "tool_call", id: "c1", name: "write", arguments: `{"path": ${deep}` };
              yield { type: "end", stop: "tool_use" };
            },
          };
          const strategy = inbrowser.createReactLoopStrategy();
          const tools = await inbrowser.createSandboxAgentTools(sandbox);
          const session = await inbrowser.createAgentSession({ strategy, llm, tools });
          for await (const event of session.submit("go")) if (event.kind === "completed") texts.push(event.text);

          let nested = "x";
          for (let level = 0; level < 1_000; level++) nested = [nested];
          const host = await inbrowser.createAgentSession({
            strategy, toolList: [{ name: "dig" }], tools: async () => ({ text: "", details: { nested } }),
            llm: { id: "host", async *chat() { yield { type: "tool_call", id: "c1", name: "dig" }; yield { type: "end", stop: "tool_use" }; } },
          });
          for await (const event of host.submit("go")) if (event.kind === "tool_finished") { texts.push(event.text); break; }

          texts.push((await failure(inbrowser.replay(deep, sandbox))).message);
          texts.push((await failure(sandbox.tools.run("write", { path: nested }))).message);
          await sandbox.fs.write("deep.json", deep);
          texts.push((await sandbox.tools.run("read", { path: "deep.json" })).summary);
          texts.push((await failure(inbrowser.runPython(`${deep}${"]".repeat(10_000)}`))).message);
          return { texts, restarted, answers: await inbrowser.runPython("1 + 1") };
        }"""
    )
    call, tool, replayed, run, read, literal = texts["texts"]
    assert "the argument object is nested more than 200 levels deep (10,001)" in call
    assert "is nested more than 200 levels deep" in tool
    assert "line 1 of the log is nested more than 200 levels deep (10,000)" in replayed
    assert "the call is nested more than 200 levels deep" in run
    assert read.startswith("Read deep.json")
    assert "too many nested parentheses" in literal
    assert (texts["restarted"], texts["answers"]) == ([], 2)
