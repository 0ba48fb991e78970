"""The embedding API as a host's page uses it."""

import pytest
from playwright.sync_api import Page

from tests.e2e.commands import collected_until

DESIGN_EXAMPLE = """
async () => {
  const { openSandbox, createSandboxAgentTools, createAgentSession, createReactLoopStrategy, createModel } = inbrowser;
  const progress = [];
  const sandbox = await openSandbox({ id: "demo", storage: "memory", onProgress: (p) => progress.push(p) });
  const written = await sandbox.tools.run("write", { path: "app.py", content: "print('hi')\\n" });
  const tools = await createSandboxAgentTools(sandbox, { names: ["read", "write", "edit", "bash"] });
  const llm = createModel({ api: "scripted", script: { turns: [
    { text: "Reading.", tool_calls: [{ name: "read", arguments: { path: "app.py" } }] },
    { text: "It says hi." },
  ] } });
  const session = await createAgentSession({ strategy: createReactLoopStrategy({ maxTurns: 24 }), llm, tools });
  const kinds = [];
  for await (const event of session.submit("What does it say?", { signal: AbortSignal.timeout(20000) }))
    kinds.push(event.kind);
  return { written, kinds, tools: tools.list().map((t) => t.name), history: await session.history(), progress: progress.length };
}
"""

RUN_HOST_SESSION = """
async () => {
  const seen = [];
  const llm = {
    id: "mine",
    async *chat(request, signal) {
      seen.push(request);
      const asked = request.messages.at(-1).role === "tool";
      if (!asked) yield { type: "tool_call", id: "c1", name: "shout", arguments: '{"word": "hey"}' };
      else yield { type: "text", delta: "Done: " + request.messages.at(-1).text };
      yield { type: "end", stop: asked ? "end" : "tool_use" };
    },
  };
  const toolList = [{ name: "shout", description: "Shout a word", parameters: { type: "object", properties: { word: { type: "string" } } } }];
  const session = await inbrowser.createAgentSession({
    strategy: inbrowser.createReactLoopStrategy({ maxTurns: 3 }), llm, toolList,
    tools: async (call) => call.arguments.word.toUpperCase() + "!",
  });
  let last;
  for await (last of session.submit("go")) ;
  return { last, requests: seen.length, tools: seen[0].tools.map((t) => t.name) };
}
"""


def tool(page: Page, name: str, arguments: object) -> dict:
    return page.evaluate("([name, args]) => sandbox.tools.run(name, args)", [name, arguments])


def rejected(page: Page, expression: str) -> dict:
    """Return name and message of the error that an expression of the page rejects with."""
    return page.evaluate(
        f"async () => {{ try {{ await ({expression}); }} catch (e) {{ return {{ name: e.name, message: e.message }} }} }}"
    )


def test_the_documented_flow_runs_as_written(page: Page, site: str) -> None:
    page.goto(f"{site}/pages/embed.html")
    result = page.evaluate(DESIGN_EXAMPLE)
    assert result["written"]["ok"]
    assert result["written"]["summary"] == "Wrote 12 bytes to app.py (created)"
    assert result["tools"] == ["read", "write", "edit", "bash"]
    assert result["kinds"][0] == "turn_started"
    assert result["kinds"][-1] == "completed"
    assert result["kinds"].count("tool_finished") == 1
    assert [message["role"] for message in result["history"]] == ["user", "assistant", "tool", "assistant"]
    assert result["progress"] > 5


def test_a_models_and_tools_of_the_host_are_first_class(embedded: Page) -> None:
    result = embedded.evaluate(RUN_HOST_SESSION)
    assert result["last"]["kind"] == "completed"
    assert result["last"]["text"] == "Done: HEY!"
    assert result["requests"] == 2
    assert result["tools"] == ["shout"]


def test_files_keep_text_and_bytes(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          const fs = sandbox.fs;
          await fs.write("a/ü 'x' 🎈\\n.txt", "héllo\\r\\n");
          await fs.write("a/b.bin", new Uint8Array([0, 255, 13, 10]));
          await fs.rename("a/b.bin", "c/d.bin").catch(() => fs.mkdir("c").then(() => fs.rename("a/b.bin", "c/d.bin")));
          const text = await fs.readText("a/ü 'x' 🎈\\n.txt");
          const bytes = [...await fs.readBytes("c/d.bin")];
          const names = (await fs.list("a")).map((s) => s.path);
          const kind = (await fs.stat("c")).kind;
          await fs.remove("c", { recursive: true });
          return { text, bytes, names, kind, gone: await fs.exists("c/d.bin") };
        }"""
    )
    assert result == {
        "text": "héllo\r\n",
        "bytes": [0, 255, 13, 10],
        "names": ["a/ü 'x' 🎈\n.txt"],
        "kind": "directory",
        "gone": False,
    }


SHOUT = """
import glob
for path in glob.glob("/sandboxes/*/src"):
    with open(path + "/link") as source, open(path + "/python.txt", "w") as target:
        target.write(source.read().upper())
"""


def test_shell_python_and_tools_see_one_tree(embedded: Page) -> None:
    result = embedded.evaluate(
        """async (shout) => {
          await sandbox.tools.run("write", { path: "src/a.txt", content: "one\\ntwo\\n" });
          const shell = await sandbox.runtime.run("cd src && grep -n two a.txt && echo three >> a.txt && ln -s a.txt link");
          await inbrowser.runPython(shout);
          const python = await sandbox.runtime.run("cat src/python.txt");
          return { shell: shell.stdout, python: python.stdout, host: await sandbox.fs.readText("src/link") };
        }""",
        SHOUT,
    )
    assert result == {
        "shell": "2:two\n",
        "python": "ONE\nTWO\nTHREE\n",
        "host": "one\ntwo\nthree\n",
    }


def test_the_working_directory_lasts_and_never_leaves_the_project(embedded: Page) -> None:
    places = embedded.evaluate(
        """async () => {
          const bash = (command) => sandbox.tools.run("bash", { command }).then((r) => r.data.text.split("\\n")[0]);
          await bash("mkdir -p sub && cd sub");
          return [await bash("pwd"), await bash("cd /tmp && pwd"), await bash("pwd")];
        }"""
    )
    assert places == ["/project/sub", "/tmp", "/project"]


def test_what_a_loop_put_out_before_its_timeout_is_kept(embedded: Page) -> None:
    result = tool(embedded, "bash", {"command": "echo first; while :; do echo again; done", "timeout": 1})
    assert "timed out after 1 s" in result["summary"]
    assert result["data"]["text"].startswith("first\nagain\nagain\n")


def test_a_busy_command_delays_nobody_and_stops_at_its_timeout(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          const order = [];
          const busy = sandbox.tools.run("bash", { command: "echo begun > begun.txt; while true; do :; done", timeout: 3 })
            .then((r) => { order.push("busy"); return r; });
          const others = await Promise.all([
            sandbox.tools.run("write", { path: "w.txt", content: "w" }),
            sandbox.tools.run("read", { path: "w.txt" }).then(() => sandbox.tools.run("ls", {})),
            sandbox.runtime.run("echo beside", { origin: "terminal" }),
          ]);
          order.push("others");
          const ended = await busy;
          return { order, ended, others: others.map((o) => o.ok ?? o.stdout), after: (await sandbox.runtime.run("cat begun.txt")).stdout };
        }"""
    )
    assert result["order"] == ["others", "busy"]
    assert result["others"] == [True, True, "beside\n"]
    assert result["ended"]["ok"] is False
    assert "timed out after 3 s" in result["ended"]["summary"]
    assert result["after"] == "begun\n"


def test_stop_ends_a_run_at_once(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          const stop = new AbortController();
          const off = sandbox.on((e) => e.type === "run:start" && stop.abort());
          const name = await sandbox.runtime.run("while true; do :; done", { signal: stop.signal }).catch((e) => e.name);
          off();
          return { name, next: (await sandbox.runtime.run("echo ok")).stdout };
        }"""
    )
    assert result["next"] == "ok\n"


def test_a_shell_lasts_from_command_to_command(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          const shell = await sandbox.runtime.openShell();
          await shell.run("mkdir sub; cd sub; name=value; f() { echo f:$name; }");
          const pieces = [];
          const ran = await shell.run("f; cat; echo $A >&2", {
            stdin: "in\\n", env: { A: "given" }, onOutput: (stream, text) => pieces.push([stream, text]),
          });
          const beside = (await sandbox.runtime.run("pwd; echo $name")).stdout;
          return { ran, pieces, beside, cwd: shell.cwd, history: shell.history.length, other: (await sandbox.runtime.openShell()).cwd };
        }"""
    )
    assert (result["ran"]["stdout"], result["ran"]["stderr"]) == ("f:value\nin\n", "given\n")
    assert "".join(text for stream, text in result["pieces"] if stream == "stdout") == "f:value\nin\n"
    assert result["cwd"] == result["ran"]["cwd"] == "/project/sub"
    assert (result["beside"], result["history"], result["other"]) == ("/project\n\n", 2, "/project")


def test_a_shell_completes_in_units_of_javascript(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          await sandbox.fs.write("my dir/😀.txt", "");
          const shell = await sandbox.runtime.openShell();
          await shell.run("greet() { :; }; touch /tmp/notes.txt");
          const line = "echo 😀 my | cat";
          const complete = (text) => shell.complete(text).then((found) => found.common);
          return {
            inside: await shell.complete(line, line.indexOf(" |")),
            more: await shell.complete("g"),
            common: await Promise.all(["gree", "prin", "cat 'my dir/", "cat /tmp/n", "cat /etc/"].map(complete)),
            whole: await Promise.all(["echo 'a", "if true; then", "echo a"].map((text) => shell.needsMore(text))),
          };
        }"""
    )
    assert result["inside"] == {"start": 8, "end": 10, "candidates": ["my dir/"], "common": "my\\ dir/"}
    assert {"greet", "grep"} <= set(result["more"]["candidates"])
    assert result["common"] == ["greet ", "print", "😀.txt' ", "notes.txt ", ""]
    assert result["whole"] == [True, True, False]


def test_closing_a_shell_ends_what_runs_in_it(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          const shell = await sandbox.runtime.openShell();
          const begun = new Promise((resolve) => sandbox.on((event) => event.type === "run:start" && resolve()));
          const runs = ["sleep 100", "echo next"].map((command) => shell.run(command).catch((error) => error.name));
          await begun;
          await Promise.all([shell.close(), shell.close()]);
          return { runs: await Promise.all(runs), after: await shell.run("pwd").catch((error) => error.name) };
        }"""
    )
    assert result == {"runs": ["CancelledError", "CancelledError"], "after": "InvalidCallError"}


def test_events_are_gap_free_and_say_who(embedded: Page) -> None:
    events = embedded.evaluate(
        """async () => {
          const events = [];
          const done = new Promise((resolve) => sandbox.on((e) => { events.push(e); if (e.type === "destroyed") resolve(); }));
          await sandbox.tools.run("write", { path: "a.txt", content: "a" }, { origin: "ui" });
          await sandbox.runtime.run("echo b > b.txt", { origin: "terminal" });
          const tools = await inbrowser.createSandboxAgentTools(sandbox, { names: ["bash"] });
          await tools.execute({ id: "1", name: "bash", arguments: { command: "rm a.txt" } }, { sessionId: "s1" });
          await sandbox.destroy();
          await done;
          return events;
        }"""
    )
    assert [event["seq"] for event in events] == list(range(events[0]["seq"], events[0]["seq"] + len(events)))
    story = [(e["type"], e.get("origin") or e.get("path")) for e in events]
    assert story[:3] == [("tool:start", "ui"), ("file", "a.txt"), ("tool:finish", "ui")]
    assert ("run:start", "terminal") in story
    assert ("file", "b.txt") in story
    assert ("tool:start", "session:s1") in story
    assert story[-1][0] == "destroyed"


TOGETHER = """
async () => {
  const { createAgentSession, createModel, createReactLoopStrategy, createSandboxAgentTools } = inbrowser;
  const start = async (id, names, calls) => createAgentSession({
    id,
    strategy: createReactLoopStrategy(),
    llm: createModel({ api: "scripted", script: { turns: [{ tool_calls: calls }, { text: "done" }] } }),
    tools: await createSandboxAgentTools(sandbox, { names }),
  });
  const write = (path) => ({ name: "write", arguments: { path, content: path } });
  const writer = await start("writer", ["write"], [write("a.txt"), { name: "bash", arguments: { command: "touch b.txt" } }]);
  const runner = await start("runner", ["bash"], [{ name: "bash", arguments: { command: "touch c.txt" } }, write("d.txt")]);
  const events = [];
  sandbox.on((event) => events.push(event));
  const play = async (session) => {
    const finished = [];
    for await (const event of session.submit("go")) if (event.kind === "tool_finished") finished.push(event.ok);
    return finished;
  };
  const [first, second] = await Promise.all([
    play(writer),
    play(runner),
    sandbox.tools.run("write", { path: "e.txt", content: "e" }),
    sandbox.runtime.run("touch f.txt", { origin: "terminal" }),
  ]);
  const names = (await sandbox.fs.list()).map((entry) => entry.path);
  // Events come by a way of their own: the last of them says that all are here.
  const last = new Promise((resolve) => sandbox.on((event) => event.type === "destroyed" && resolve()));
  await sandbox.destroy();
  await last;
  return { first, second, names, events };
}
"""


def test_sessions_a_host_and_a_terminal_share_one_sandbox(embedded: Page) -> None:
    result = embedded.evaluate(TOGETHER)
    assert result["first"] == [True, False]
    assert result["second"] == [True, False]
    assert result["names"] == ["a.txt", "c.txt", "e.txt", "f.txt"]
    seqs = [event["seq"] for event in result["events"]]
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    who = {(event["type"], event["origin"]) for event in result["events"] if "origin" in event}
    assert {
        ("tool:start", "session:writer"),
        ("tool:start", "session:runner"),
        ("run:start", "session:runner"),
        ("tool:start", "host"),
        ("run:start", "terminal"),
    } <= who


def test_a_destroyed_sandbox_refuses_everything_with_one_error(embedded: Page) -> None:
    embedded.evaluate(
        """async () => {
          const last = new Promise((resolve) => sandbox.on((event) => event.type === "destroyed" && resolve()));
          await sandbox.destroy();
          await last;
        }"""
    )
    uses = [
        "(async () => sandbox.on(() => {}))()",
        "sandbox.fs.readText('x')",
        "sandbox.fs.write('x', 'y')",
        "sandbox.tools.run('ls')",
        "sandbox.runtime.run('echo')",
        "sandbox.services.preview.compile()",
    ]
    assert {rejected(embedded, use)["name"] for use in uses} == {"SandboxDestroyedError"}


def test_unknown_tools_and_handles_are_refused_at_once(embedded: Page) -> None:
    error = rejected(embedded, "inbrowser.createSandboxAgentTools(sandbox, { names: ['read', 'teleport'] })")
    assert error["name"] == "UnknownToolError"
    assert "teleport" in error["message"]
    outside = embedded.evaluate(
        """async () => {
          const tools = await inbrowser.createSandboxAgentTools(sandbox, { names: ["read"] });
          return tools.execute({ id: "1", name: "write", arguments: { path: "x", content: "y" } }, { sessionId: "s" })
            .then((output) => output.isError, (error) => error.name);
        }"""
    )
    assert outside in (True, "UnknownToolError")
    assert embedded.evaluate("() => sandbox.fs.exists('x')") is False


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("teleport", {}, "no such tool"),
        ("read", {}, "path"),
        ("read", {"path": ["a"]}, "path"),
        ("read", {"path": "../x"}, "leads out"),
        ("read", {"path": "/etc/passwd"}, "leads out"),
        ("read", {"path": "link/passwd"}, "leads out"),
        ("read", {"path": "folder"}, "directory"),
        ("read", {"path": "nothing.txt"}, "nothing.txt"),
        ("write", {"path": "folder", "content": "x"}, "directory"),
        ("write", {"path": "a\0b", "content": "x"}, "NUL"),
        ("write", {"path": "n" * 300, "content": "x"}, "255"),
        ("edit", {"path": "folder/f.txt", "edits": []}, "edits"),
        ("bash", {"command": "echo x", "cwd": "../.."}, "leads out"),
    ],
)
def test_bad_input_gives_one_clear_message(embedded: Page, name: str, arguments: dict, words: str) -> None:
    embedded.evaluate(
        """async () => {
          await sandbox.fs.write("folder/f.txt", "f");
          await inbrowser.runPython("import os, glob\\nfor root in glob.glob('/sandboxes/*'): os.symlink('/etc', root + '/link')");
        }"""
    )
    result = tool(embedded, name, arguments)
    assert result["ok"] is False
    assert words.lower() in result["summary"].lower()
    assert "\n" not in result["summary"]
    assert "Traceback" not in str(result)
    assert tool(embedded, "read", {"path": "folder/f.txt"})["ok"] is True


def test_deeply_nested_arguments_cannot_kill_the_kernel(embedded: Page) -> None:
    error = embedded.evaluate(
        """async () => {
          let deep = 1;
          for (let i = 0; i < 3000; i++) deep = [deep];
          return sandbox.tools.run("read", { path: "x", extra: deep }).then((r) => r.summary, (e) => e.message);
        }"""
    )
    assert "nested" in error
    assert tool(embedded, "ls", {})["ok"] is True


def test_a_large_file_is_read_in_part(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => {
          const line = "x".repeat(99) + "\\n";
          await sandbox.fs.write("big.txt", line.repeat(500_000));
          return sandbox.tools.run("read", { path: "big.txt", offset: 250_000, limit: 2 });
        }"""
    )
    assert result["ok"] is True
    assert result["data"]["text"].startswith("x" * 99 + "\n" + "x" * 99)


def test_a_thousand_adapters_leave_no_trace(embedded: Page) -> None:
    events = embedded.evaluate(
        """async () => {
          const events = [];
          const last = new Promise((resolve) => sandbox.on((event) => {
            events.push(event.type);
            if (event.type === "destroyed") resolve();
          }));
          for (let i = 0; i < 1000; i++) await inbrowser.createSandboxAgentTools(sandbox, { names: ["read"] });
          await sandbox.tools.run("write", { path: "a", content: "" });
          await sandbox.destroy();
          await last;
          return events;
        }"""
    )
    assert events == ["tool:start", "file", "tool:finish", "destroyed"]


LIVE = """async () => await inbrowser.runPython(`
import gc
[type(each).__name__ for each in gc.get_objects() if type(each).__name__ in
 ("ModelEndpoint", "ToolsEndpoint", "SessionEndpoint", "ShellEndpoint", "SandboxEndpoint")]
`)"""


def test_what_the_page_drops_is_released_in_python(embedded: Page) -> None:
    before = sorted(embedded.evaluate(LIVE))
    embedded.evaluate(
        """async () => {
          const other = await inbrowser.openSandbox();
          const shell = await other.runtime.openShell();
          await shell.run("true");
          const chat = async function* () { yield { type: "text", delta: "hi" }; yield { type: "end", reason: "stop" }; };
          for (const llm of [inbrowser.createModel({ api: "openai-chat", model: "m" }), { id: "host", chat }]) {
            const session = await inbrowser.createAgentSession({
              strategy: inbrowser.createReactLoopStrategy(), llm,
              tools: await inbrowser.createSandboxAgentTools(other),
            });
            if (llm.chat) for await (const event of session.submit("hi")) event;
          }
          window.other = other;
        }"""
    )
    made = ["ModelEndpoint", *["SessionEndpoint", "ToolsEndpoint"] * 2, "SandboxEndpoint", "ShellEndpoint"]
    assert sorted(embedded.evaluate(LIVE)) == sorted([*before, *made])
    embedded.evaluate("async () => { await other.destroy(); delete window.other; }")
    assert collected_until(embedded, lambda: sorted(embedded.evaluate(LIVE)) == before)


def test_python_of_the_host_runs_in_the_kernel(embedded: Page) -> None:
    result = embedded.evaluate(
        """async () => [
          await inbrowser.runPython("import asyncio\\nawait asyncio.sleep(0)\\n{'n': n + 1, 'list': (1, 2)}", { n: 1 }),
          [...await inbrowser.runPython("bytes([1, 2])")],
          (await inbrowser.runPython("[1] * 100_000")).length,
          await inbrowser.runPython("1/0").catch((e) => [e.name, e.message]),
        ]"""
    )
    assert result == [{"n": 2, "list": [1, 2]}, [1, 2], 100_000, ["ZeroDivisionError", "division by zero"]]


def test_a_call_that_is_aborted_at_once_is_not_made(embedded: Page) -> None:
    outcomes = embedded.evaluate(
        """async () => {
          const ends = [];
          for (let i = 0; i < 20; i++) {
            const stop = new AbortController();
            const run = sandbox.runtime.run("sleep 30", { signal: stop.signal });
            if (i % 2) await Promise.resolve();
            stop.abort();
            ends.push(run.then(() => "ended", (error) => error.name));
          }
          return Promise.all(ends);
        }"""
    )
    assert set(outcomes) <= {"AbortError", "CancelledError"}


OWN_TOOLS_BESIDE_A_SANDBOXS = """
async () => {
  const { createAgentSession, createModel, createReactLoopStrategy, createSandboxAgentTools } = inbrowser;
  const calls = ["write", "double", "fail"].map((name) => ({ name, arguments: { write: { path: "n.txt", content: "21" }, double: { n: 21 }, fail: {} }[name] }));
  const llm = createModel({ api: "scripted", script: { turns: [{ toolCalls: calls }, { text: "done" }] } });
  const parameters = { type: "object", properties: { n: { type: "integer" } } };
  const tools = [
    await createSandboxAgentTools(sandbox, { names: ["read", "write"] }),
    { name: "double", description: "Double a number", parameters, execute: ({ n }, { sessionId }) => ({ twice: n * 2, sessionId }) },
    { name: "fail", description: "", parameters, execute: () => { throw new Error("no luck"); } },
  ];
  const session = await createAgentSession({ strategy: createReactLoopStrategy(), llm, tools, id: "own" });
  const finished = [];
  for await (const event of session.submit("go")) if (event.kind === "tool_finished") finished.push([event.name, event.ok, event.text]);
  const taken = await createAgentSession({ strategy: createReactLoopStrategy(), llm, tools: [tools[0], { ...tools[1], name: "read" }] }).catch((error) => error.message);
  return { finished, file: await sandbox.fs.readText("n.txt"), taken };
}
"""


def test_tools_of_the_host_stand_beside_those_of_a_sandbox(embedded: Page) -> None:
    result = embedded.evaluate(OWN_TOOLS_BESIDE_A_SANDBOXS)
    assert [name for name, _, _ in result["finished"]] == ["write", "double", "fail"]
    assert result["finished"][1][1:] == [True, '{"twice":42,"sessionId":"own"}']
    assert result["finished"][2][1:] == [False, "Error: no luck"]
    assert result["file"] == "21"
    assert "a tool 'read' already" in result["taken"]
