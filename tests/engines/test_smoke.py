"""What a visitor and a host need first, in each engine: nothing of it may depend on one."""

from tests.engines.driver import Engine, Page

READY = (
    "() => [...document.querySelectorAll('[role=status]')].some((each) => each.textContent.includes('Ready'))"
)

FILES = """async () => {
  const sandbox = await inbrowser.openSandbox();
  const summaries = [];
  const tool = async (name, args) => {
    const result = await sandbox.tools.run(name, args);
    summaries.push([name, result.ok, result.summary, result.data.text]);
    return result.data.text ?? result.summary;
  };
  await tool("write", { path: "src/a.txt", content: "one\\ntwo\\n" });
  await tool("edit", { path: "src/a.txt", edits: [{ old_text: "two", new_text: "three" }] });
  const read = await tool("read", { path: "src/a.txt" });
  const found = await tool("grep", { pattern: "thr.e" });
  const shell = await tool("bash", { command: "cat src/a.txt | sort -r | head -1 > b.txt && cat b.txt" });
  await inbrowser.runPython("import glob\\nfor p in glob.glob('/sandboxes/*/src'): open(p + '/p.txt', 'w').write('py')");
  const python = await sandbox.fs.readText("src/p.txt");
  const jq = await tool("bash", { command: "jq -n 'def f: 1 + f; f'; echo '{\\"b\\": 2}' | jq '.b + 1'" });
  const stopped = await sandbox.runtime.run("while :; do :; done", { timeoutMs: 500 });
  await sandbox.destroy();
  return { summaries, read, found, shell, python, jq, stopped: stopped.stopped };
}"""

CHECKPOINTS = """async () => {
  const sandbox = await inbrowser.openSandbox();
  await sandbox.fs.write("a.txt", "before");
  const { id } = await sandbox.checkpoints.create({ label: "first" });
  await sandbox.runtime.run("echo after > a.txt; mkdir d; touch d/b.txt");
  await sandbox.checkpoints.restore(id);
  const state = [await sandbox.fs.readText("a.txt"), await sandbox.fs.exists("d")];
  const archives = {};
  for (const format of ["zip", "tar.gz"]) {
    const bytes = await new Response(await sandbox.exportArchive({ format })).blob();
    const other = await inbrowser.openSandbox();
    await other.importArchive(bytes);
    archives[format] = await other.fs.readText("a.txt");
    await other.destroy();
  }
  await sandbox.destroy();
  return { state, archives };
}"""

KEEP = """async () => {
  const sandbox = await inbrowser.openSandbox({ id: "kept", storage: "indexeddb" });
  await sandbox.tools.run("write", { path: "kept.txt", content: "still here" });
  const { id } = await sandbox.checkpoints.create();
  await sandbox.fs.write("bytes.bin", new Uint8Array([0, 255, 10]));
  await sandbox.flush();
  const { quota } = await inbrowser.estimateStorage();
  if (typeof quota !== "number" || typeof (await inbrowser.persistStorage()) !== "boolean") throw new Error("no estimate");
  window.before = true;
  return id;
}"""

FIND_KEPT = """async (id) => {
  const sandbox = await inbrowser.openSandbox({ id: "kept", storage: "indexeddb" });
  const found = [sandbox.isNew, await sandbox.fs.readText("kept.txt"), [...await sandbox.fs.readBytes("bytes.bin")]];
  await sandbox.checkpoints.restore(id);
  found.push(await sandbox.fs.exists("bytes.bin"));
  await sandbox.destroy();
  return found;
}"""

PREVIEW = """async () => {
  const sandbox = await inbrowser.openSandbox();
  const told = new Promise((resolve) => sandbox.on((event) => event.type === "preview:console" && resolve(event.text)));
  const failed = new Promise((resolve) => sandbox.on((event) => event.type === "preview:error" && resolve(event)));
  await sandbox.fs.write("src/main.tsx", `import { createRoot } from "react-dom/client";
function App() { return <b ref={(b) => console.log("shown", b.textContent)}>hi</b>; }
createRoot(document.getElementById("root")!).render(<App />);
setTimeout(() => { throw new Error("too late"); });`);
  const place = document.getElementById("app");
  place.style = "width: 400px; height: 300px";
  const mounted = sandbox.services.preview.mount(place);
  const built = await sandbox.services.preview.compile();
  const text = built.ok && await told;
  const error = built.ok && await failed;
  mounted.unmount();
  await sandbox.destroy();
  return { built, text, error };
}"""

SESSION = """async () => {
  const { openSandbox, createSandboxAgentTools, createAgentSession, createReactLoopStrategy, createModel } = inbrowser;
  const sandbox = await openSandbox();
  const llm = createModel({ api: "scripted", script: { turns: [
    { text: "First.", tool_calls: [{ name: "write", arguments: { path: "app.sh", content: "echo $((6 * 7))" } }] },
    { tool_calls: [{ name: "bash", arguments: { command: "bash app.sh" } }] },
    { text: "It prints 42." },
  ] } });
  const tools = await createSandboxAgentTools(sandbox, { names: ["write", "bash"] });
  const session = await createAgentSession({ strategy: createReactLoopStrategy(), llm, tools });
  const events = [];
  for await (const event of session.submit("go", { signal: AbortSignal.timeout(60000) })) events.push(event);
  const history = await session.history();
  await sandbox.destroy();
  return { kinds: events.map((event) => event.kind), output: JSON.stringify(history) };
}"""


MEETS = """
import asyncio

async def say(queue, word, seconds):
    await asyncio.sleep(seconds)
    await queue.put(word)
    return word

async def main():
    queue = asyncio.Queue()
    said = asyncio.gather(say(queue, "b", 0.02), say(queue, "a", 0.01))
    print(await queue.get(), await queue.get(), sorted(await said), end=" ")
    try:
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()
    except TimeoutError:
        print("cancelled")

asyncio.run(main())
"""

PROCESSES = """async ([commands, meets]) => {
  const sandbox = await inbrowser.openSandbox();
  await sandbox.fs.write("fails.py", "def f():\\n    raise ValueError('no')\\nf()\\n");
  await sandbox.fs.write("meets.py", meets);
  await sandbox.fs.write("test_a.py", "def test_good():\\n    pass\\n\\ndef test_bad():\\n    assert 1 == 2\\n");
  const results = {};
  for (const command of commands) {
    const { exitCode, stdout, stderr } = await sandbox.runtime.run(command, { timeoutMs: 20000 });
    results[command] = [exitCode, stdout, stderr];
  }
  await sandbox.destroy();
  return results;
}"""


def test_the_workbench_gets_ready(engine: Engine, site: str) -> None:
    page = engine.open(f"{site}/")
    assert page.until(READY) is True
    assert page.screenshot().startswith(b"\x89PNG")
    page.close()


def test_tools_and_the_shell_work_on_one_tree(host: Page) -> None:
    result = host.evaluate(FILES)
    assert [each for each in result["summaries"] if not each[1]] == []
    assert "three" in result["read"]
    assert "src/a.txt:2" in result["found"]
    assert result["shell"].startswith("three\n")
    assert result["python"] == "py"
    assert "cannot allocate memory" in result["jq"]
    assert "3\n" in result["jq"]
    assert result["stopped"] == "timeout"


def test_checkpoints_and_archives_bring_the_tree_back(host: Page) -> None:
    assert host.evaluate(CHECKPOINTS) == {
        "state": ["before", False],
        "archives": {"zip": "before", "tar.gz": "before"},
    }


def test_a_preview_shows_and_tells(host: Page) -> None:
    result = host.evaluate(PREVIEW)
    assert result["built"]["ok"], result
    assert result["text"] == "shown hi"
    assert "too late" in result["error"]["message"]
    assert (result["error"]["file"], result["error"]["line"]) == ("src/main.tsx", 4)


def test_a_scripted_session_calls_tools(host: Page) -> None:
    result = host.evaluate(SESSION)
    assert result["kinds"][-1] == "completed"
    assert result["kinds"].count("tool_finished") == 2
    assert "42" in result["output"]


def test_a_reload_finds_what_was_kept(host: Page) -> None:
    checkpoint = host.evaluate(KEEP)
    host.reload()
    host.until("() => Boolean(window.inbrowser && !window.before)")
    assert host.evaluate(FIND_KEPT, checkpoint) == [False, "still here", [0, 255, 10], False]


def test_processes_of_python_are_like_those_of_any_shell(engine: Engine, host: Page) -> None:
    expected = {
        "python -c 'import sys; print(sys.argv[1:], sys.stdin.read()); sys.exit(3)' a 'b c' <<< in": (
            3,
            "['a', 'b c'] in\n\n",
        ),
        "echo 'print(6 * 7)' | python -": (0, "42\n"),
        "python -c \"open('made.txt', 'w').write('x' * 5)\" && cat made.txt": (0, "xxxxx"),
        "python -c 'import asyncio; print(asyncio.run(asyncio.sleep(0.01, 7)))'": (0, "7\n"),
        "python meets.py": (0, "a b ['a', 'b'] cancelled\n"),
        "printf 'some text' | gzip | gunzip": (0, "some text"),
        "timeout 1 python -c 'while True: pass'": (124, ""),
        "pip install -q requests && pip freeze | grep ^requests==": (0, "requests=="),
    }
    failing = ["python fails.py", "python -m pytest -q test_a.py"]
    starting = 'python -c \'import subprocess; print(subprocess.run(["echo", "hi"], capture_output=True, text=True).stdout)\''
    results = host.evaluate(PROCESSES, [[*expected, *failing, starting], MEETS])
    for command, (code, out) in expected.items():
        exit_code, stdout, stderr = results[command]
        assert (exit_code, stdout[: len(out)] if out.endswith("==") else stdout) == (code, out), stderr
    code, _, stderr = results[failing[0]]
    assert code == 1
    assert 'File "/project/fails.py", line 2, in f' in stderr
    code, stdout, _ = results[failing[1]]
    assert code == 1
    assert "1 failed, 1 passed" in stdout
    code, stdout, stderr = results[starting]
    if engine.name == "WebKit":
        assert code == 1
        assert "OSError" in stderr.splitlines()[-1], stderr
    else:
        assert (code, stdout) == (0, "hi\n\n"), stderr


AT_ONCE = """async () => {
  const said = [];
  for (let turn = 0; turn < 4; turn++) {
    const sandbox = await inbrowser.openSandbox();
    const runs = [..."abcdefgh"].map((letter) => sandbox.runtime.run(`echo ${letter}`));
    for (const { stdout } of await Promise.all(runs)) said.push(stdout.trim());
    await sandbox.destroy();
  }
  return said.join("");
}"""


def test_many_commands_at_once_all_come_to_an_end(host: Page) -> None:
    assert host.evaluate(AT_ONCE) == "abcdefgh" * 4
