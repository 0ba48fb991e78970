/** The chat's state: what was said, who answers, and whether an answer is under way. */

import type { AgentSession, ModelHandle, Sandbox } from "../api";
import {
  compareRecordings,
  createAgentSession,
  createModel,
  createReactLoopStrategy,
  createSandboxAgentTools,
  record,
} from "../index";
import { loadDemo } from "./demo";
import { afterDemo, beforeDemo } from "./demo-start";
import { modelOptions } from "./model-apis";
import { Observable } from "./observable";
import type { ModelSettings, Preferences } from "./preferences";
import { type Entry, type Metrics, Reply } from "./transcript";
import { sum } from "./usage";
import type { Workspace } from "./workspace";

/** One conversation at a time; it goes on when the model changes. */
export class Conversation extends Observable {
  entries: Entry[] = [];
  /** Whether a message is being worked on. */
  running = false;
  #session: AgentSession | undefined;
  /** The settings that `#session` was made with; none for a scripted one, which is good for one message. */
  #madeWith: Readonly<ModelSettings> | undefined;
  #stopped = new AbortController();

  constructor(
    private readonly workspace: Workspace,
    private readonly preferences: Preferences,
  ) {
    super();
  }

  /** What all replies took together; undefined before the first turn is over. */
  get usage(): Metrics | undefined {
    return sum(this.entries.map((entry) => (entry.kind === "reply" ? entry.usage : undefined)));
  }

  /** Ask the chosen model. */
  async send(text: string): Promise<void> {
    const settings = this.preferences.model;
    await this.#converse(text, (sandbox) =>
      settings.source === "scripted" ? this.#scripted(sandbox) : this.#asked(sandbox, settings),
    );
  }

  /** Play the demo, whatever the settings say, and compare what it did with its recording. */
  async demo(): Promise<void> {
    try {
      const { prompt, log } = await loadDemo();
      let end = async () => {};
      const join = async (sandbox: Sandbox) => {
        const before = await beforeDemo(sandbox);
        end = () => afterDemo(sandbox, before);
        return this.#scripted(sandbox);
      };
      await this.#converse(prompt, join, { log, end: () => end() });
    } catch (error) {
      this.#answer("Run the demo").fail(...described(error));
      this.changed();
    }
  }

  /** Stop what is under way; what happened so far stays in the history. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    try {
      await this.#session?.cancel();
    } catch {
      // What keeps the session from stopping has ended the run too, and the chat tells of that.
    }
  }

  /** Forget everything that was said. */
  clear(): void {
    this.entries = [];
    this.#session = this.#madeWith = undefined;
    this.changed();
  }

  /** With a `log`, the reply ends with how what was done compares with that recording; `end` is called last. */
  async #converse(
    text: string,
    join: (sandbox: Sandbox) => Promise<AgentSession>,
    { log, end = async () => {} }: { log?: string; end?: () => Promise<void> } = {},
  ): Promise<void> {
    if (this.running) return;
    this.running = true;
    this.#stopped = new AbortController();
    const reply = this.#answer(text);
    this.changed();
    try {
      const sandbox = await unless(this.#stopped.signal, this.workspace.ready());
      const session = await unless(this.#stopped.signal, join(sandbox));
      const recording = log === undefined ? undefined : record(sandbox);
      let done: string | undefined;
      try {
        for await (const event of session.submit(text)) {
          reply.apply(event);
          if (event.kind === "turn_completed") this.changed();
        }
        reply.finish();
      } finally {
        done = await recording?.stop().catch(() => undefined);
      }
      if (log && done && !this.#stopped.signal.aborted) reply.check(await compareRecordings(log, done));
    } catch (error) {
      if (this.#stopped.signal.aborted) reply.end("cancelled");
      else reply.fail(...described(error));
    } finally {
      await end().catch((error: unknown) => reply.fail(...described(error)));
      this.running = false;
      this.changed();
    }
  }

  #answer(text: string): Reply {
    const reply = new Reply();
    this.entries = [...this.entries, { kind: "question", text }, reply];
    return reply;
  }

  async #scripted(sandbox: Sandbox): Promise<AgentSession> {
    const { turns } = await loadDemo();
    return this.#start(sandbox, createModel({ api: "scripted", script: { turns } }), undefined);
  }

  async #asked(sandbox: Sandbox, settings: Readonly<ModelSettings>): Promise<AgentSession> {
    if (this.#session && this.#madeWith === settings) return this.#session;
    return this.#start(sandbox, createModel(modelOptions(settings)), settings);
  }

  async #start(
    sandbox: Sandbox,
    llm: ModelHandle,
    madeWith: Readonly<ModelSettings> | undefined,
  ): Promise<AgentSession> {
    const history = await this.#session?.history();
    const tools = await createSandboxAgentTools(sandbox);
    this.#session = await createAgentSession({
      strategy: createReactLoopStrategy(),
      llm,
      tools,
      ...(history && { history }),
    });
    this.#madeWith = madeWith;
    return this.#session;
  }
}

function described(error: unknown): [name: string, message: string] {
  return error instanceof Error ? [error.name, error.message] : ["Error", String(error)];
}

async function unless<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return Promise.race([
    promise,
    new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    ),
  ]);
}
