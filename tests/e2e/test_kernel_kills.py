"""A kernel that is killed at any moment, or hangs, comes back with all files that were saved."""

import os
import random

from playwright.sync_api import Page

from tests.e2e.endable import FATAL, SET_UP, host

__all__ = ["host"]

KILLS = int(os.environ.get("INBROWSER_KERNEL_KILLS", "6"))
"""More of them take about eight seconds each."""

ENDLESS = "while True: pass"

# Writes files through a session and directly, and notes what was acknowledged.
WORK = """
async (from) => {
  const tools = await inbrowser.createSandboxAgentTools(sandbox, { names: ["write"] });
  let calls = from;
  window.talks = true;
  const llm = {
    id: "writer",
    async *chat(request) {
      if (talks) yield { type: "tool_call", id: `c${calls}`, name: "write", arguments: JSON.stringify({ path: `tool/${calls++}.txt`, content: "by a tool\\n" }) };
      else yield { type: "text", delta: `${request.messages.length} messages` };
      yield { type: "end", stop: talks ? "tool_use" : "end" };
    },
  };
  window.session = await inbrowser.createAgentSession({
    strategy: inbrowser.createReactLoopStrategy({ maxTurns: 10000 }), llm, tools,
  });
  window.work = { from, written: from, saved: from, turns: 0, events: [], sandboxEvents: [] };
  const { sandboxEvents } = work;
  sandbox.on(({ type }) => sandboxEvents.push(type));
  const converse = async () => {
    for await (const event of session.submit("write")) {
      if (event.kind === "turn_completed") work.turns++;
      work.events.push(event);
    }
  };
  const write = async () => {
    for (;;) {
      await sandbox.fs.write(`direct/${work.written + 1}.txt`, `file ${work.written + 1}`);
      work.written++;
      if (work.written % 3) continue;
      const { written } = work;
      await sandbox.flush();
      work.saved = written;
    }
  };
  window.working = Promise.all([failure(converse()), failure(write())]);
}
"""

AFTER = """
async (saved) => {
  const [conversing, writing] = await working;
  const restart = restarts.at(-1) ?? await untilRestarted(1);
  const missing = [];
  for (let number = work.from + 1; number <= work.saved; number++) saved.push(number);
  for (const number of saved)
    if ((await failure(sandbox.fs.readText(`direct/${number}.txt`).then((text) => { if (text !== `file ${number}`) throw new Error(text); }))))
      missing.push(number);
  const history = await session.history();
  talks = false;
  const kinds = [];
  let last;
  for await (last of session.submit("go on")) kinds.push(last.kind);
  return {
    conversing, writing, restart, saved, missing, last: work.events.at(-1), turns: work.turns, written: work.written,
    errors: work.events.filter(({ kind }) => kind === "error" || kind === "completed").length,
    results: history.filter(({ role }) => role === "tool").length,
    again: kinds.at(-1), text: last.text, told: work.sandboxEvents.filter((type) => type === "kernel:restart").length,
  };
}
"""


def test_a_killed_kernel_comes_back_with_what_was_saved(host: Page, site: str) -> None:
    chance = random.Random(20261203)
    written, saved = 0, []
    for kill in range(KILLS):
        if kill % 2 == 0:
            # Three in a row would be a loop.
            host.goto(f"{site}/pages/embed.html")
            host.evaluate(SET_UP)
            host.evaluate(
                "async () => { inbrowser.superviseKernel({ patienceMs: 4000 }); void untilRestarted();"
                " window.sandbox = await inbrowser.openSandbox({ id: 'killed', storage: 'indexeddb' }); }"
            )
        host.evaluate("() => { restarts.length = 0 }")
        host.evaluate(WORK, written)
        host.wait_for_function("(count) => work.written >= count", arg=written + chance.randrange(1, 40))
        match kill:
            case 0:
                host.evaluate("(code) => runInKernel(code)", FATAL)
            case 1:
                host.evaluate("(code) => runInKernel(code)", ENDLESS)
            case _:
                host.evaluate("(ms) => setTimeout(terminateKernel, ms)", chance.random() * 30)
        after = host.evaluate(AFTER, saved)
        assert after["missing"] == []
        assert after["conversing"] is None
        assert after["last"]["kind"] == "error"
        assert after["last"]["name"] == after["writing"]["name"] == "KernelCrashedError"
        assert after["errors"] == 1
        assert "reopened as last saved" in after["writing"]["message"]
        assert after["restart"]["phase"] == "ready"
        assert after["restart"]["reopened"] == ["killed"]
        assert after["told"] == 1
        assert after["results"] >= after["turns"]
        assert after["again"] == "completed"
        # What was written after the last flush may be gone, or not.
        written, saved = after["written"] + 1, after["saved"]
