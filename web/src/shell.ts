/**
 * The kernel's side of the shells of one sandbox. Each command that runs has a worker to itself, so that it delays
 * nobody and can be ended at any moment; workers are used again, and one is kept ready.
 */

import type { Rules } from "./guard";
import { type DirtyPaths, pack, unpack } from "./mirror";
import type { RunOutcome, RunRequest } from "./shell-bash";
import { Collected, clean, type Stream } from "./shell-output";
import type { ShellMessage, ShellRequest } from "./shell-worker";
import type { TrackedTree } from "./tracked-fs";

/** What runs at the same time at the most. */
const MAX_RUNS = 8;
/** Workers that have nothing to do; each holds a copy of the tree. */
const MAX_IDLE = 2;
/** Workers whose last command left something running in the background. */
const MAX_BACKGROUND = 4;
/** A little longer than a worker lets its background jobs run. */
const BACKGROUND_MS = 125_000;
/** A command that runs so long may have to be ended, or others may come meanwhile. */
const SPARE_AFTER_MS = 200;
/** A worker that has not ended its command by itself so long after the timeout is ended. */
const GRACE_MS = 250;
const TIMED_OUT = 124;
const STOPPED = 130;
const NOTHING = new Uint8Array(0);

/** How a run ended; `stopped` says what ended it if it did not end by itself. */
interface Reply {
  stdout: string;
  stderr: string;
  exitCode: number;
  cwd: string;
  truncated: boolean;
  stopped: "timeout" | "stop" | null;
}

/** Told of the output of each run as it comes. */
type Said = (number: number, stream: Stream, text: string) => void;

/**
 * Told of the end of each run, once: a Reply as JSON with its `duration` in seconds and the `state` for the next run in
 * the same shell, if there is a shell and the run ended by itself; or why there is no reply.
 */
type Ended = (number: number, reply: string, failure?: string, state?: string) => void;

export function createShells(tree: TrackedTree, said: Said, ended: Ended): Shells {
  return new Shells(tree, said, ended);
}

export class Shells {
  private readonly idle: Shell[] = [];
  private readonly live = new Map<number, Shell>();
  private readonly background = new Set<Shell>();
  private runs = 0;
  private closed = false;

  constructor(
    private readonly tree: TrackedTree,
    private readonly said: Said,
    private readonly ended: Ended,
  ) {}

  /**
   * Start a command and return the number of its run. `env` is a JSON object, `state` what the last run in the same
   * shell left or "" in a new one. Throws when too many run already.
   */
  start(
    command: string,
    cwd: string,
    env: string,
    timeoutMs: number,
    maxOutput: number,
    stdin: Uint8Array = NOTHING,
    state?: string,
  ): number {
    if (this.live.size >= MAX_RUNS)
      throw new Error(`${MAX_RUNS} commands run already; wait for one of them or stop it`);
    const shell = this.idle.pop() ?? new Shell(this.tree);
    this.runs += 1;
    this.live.set(this.runs, shell);
    this.run(this.runs, shell, { command, cwd, env: JSON.parse(env), stdin, timeoutMs, maxOutput, state });
    return this.runs;
  }

  /** End a run, whatever it does. Nothing happens if it has ended. */
  stop(number: number): void {
    this.live.get(number)?.stop("stop");
  }

  /** End everything; nobody is told. */
  close(): void {
    this.closed = true;
    for (const shell of [...this.idle, ...this.live.values(), ...this.background]) shell.end();
  }

  private async run(number: number, shell: Shell, request: RunRequest): Promise<void> {
    const started = performance.now();
    const spare = setTimeout(() => this.keepSpare(), SPARE_AFTER_MS);
    let reply = "";
    let failure: string | undefined;
    let state: string | undefined;
    try {
      const outcome = await shell.run(
        request,
        (stream, text) => this.closed || this.said(number, stream, text),
      );
      state = outcome.state;
      reply = JSON.stringify({ ...outcome.reply, duration: (performance.now() - started) / 1000 });
    } catch (error) {
      failure = (error as Error).message;
    }
    clearTimeout(spare);
    this.live.delete(number);
    if (shell.background) this.leave(shell, shell.background);
    else this.release(shell);
    if (!this.closed) this.ended(number, reply, failure, state);
  }

  private keepSpare(): void {
    if (!this.closed && !this.idle.length) this.idle.push(new Shell(this.tree));
  }

  private release(shell: Shell): void {
    if (shell.ended || this.closed || this.idle.length >= MAX_IDLE) shell.end();
    else this.idle.push(shell);
  }

  private async leave(shell: Shell, end: Promise<void>): Promise<void> {
    this.background.add(shell);
    const [oldest] = this.background;
    if (this.background.size > MAX_BACKGROUND) oldest?.end();
    const timer = setTimeout(() => shell.end(), BACKGROUND_MS);
    await end;
    clearTimeout(timer);
    this.background.delete(shell);
    this.release(shell);
  }
}

/** A run, while it lasts. */
interface Running extends PromiseWithResolvers<Ending> {
  request: RunRequest;
  collected: Collected;
  say: (stream: Stream, text: string) => void;
}

interface Ending {
  reply: Reply;
  state?: string | undefined;
}

class Shell {
  ended = false;
  /** Until when commands in the background keep this shell from being used again. */
  background: Promise<void> | undefined;
  private readonly worker = new Worker(new URL("./shell-worker.js", import.meta.url), {
    type: "module",
    name: "inbrowser shell",
  });
  private readonly ready = Promise.withResolvers<void>();
  private readonly mirror: DirtyPaths;
  private running: Running | undefined;
  /** Those that the worker knows. */
  private rules: Rules | undefined;
  private rest = () => {};

  constructor(private readonly tree: TrackedTree) {
    this.mirror = tree.addCursor();
    this.worker.onmessage = ({ data }: MessageEvent<ShellMessage>) => this.receive(data);
    this.worker.onerror = (event) => this.break(event.message || "its script did not load");
    this.send();
  }

  async run(request: RunRequest, say: Running["say"]): Promise<Ending> {
    const collected = new Collected();
    const running = { ...Promise.withResolvers<Ending>(), request, collected, say };
    this.running = running;
    this.background = undefined;
    this.send(request);
    // The time of a command does not run while its worker is still loading.
    void this.ready.promise.then(() => this.limit(running, request.timeoutMs + GRACE_MS));
    try {
      return await running.promise;
    } finally {
      this.running = undefined;
    }
  }

  private async limit(running: Running, ms: number): Promise<void> {
    const timer = setTimeout(() => this.stop("timeout"), ms);
    await running.promise.catch(() => {});
    clearTimeout(timer);
  }

  /** End the command, whatever it does; what it has sent of its changes stays. */
  stop(why: "timeout" | "stop"): void {
    const { running } = this;
    const exitCode = why === "timeout" ? TIMED_OUT : STOPPED;
    // Not at once: with a worker go the messages from it that are still on their way.
    setTimeout(() => {
      if (running !== this.running) return;
      this.end();
      if (running) running.resolve({ reply: replyOf(running, why, { exitCode, cwd: running.request.cwd }) });
    });
  }

  end(): void {
    this.ended = true;
    this.worker.terminate();
    this.tree.removeCursor(this.mirror);
    this.rest();
  }

  /** Send what the worker does not know of the tree, and what to run. */
  private send(run?: RunRequest): void {
    const changes = this.tree.writer.changesFor(this.mirror);
    const batch = changes.length ? pack(changes) : undefined;
    const { rules } = this.tree.guard;
    const request: ShellRequest = { batch, rules: rules === this.rules ? undefined : rules, run };
    this.rules = rules;
    this.worker.postMessage(request, batch ? [batch.bytes.buffer] : []);
  }

  private receive(message: ShellMessage): void {
    if (this.ended) return;
    if ("ready" in message) this.ready.resolve();
    else if ("batch" in message) this.tree.writer.apply(unpack(message.batch), this.mirror);
    else if ("failure" in message) this.break(message.failure);
    else if ("idle" in message) this.rest();
    else if ("pieces" in message) {
      this.running?.collected.add(message.pieces);
      for (const [stream, text] of message.pieces) this.running?.say(stream, clean(text));
    } else {
      if (message.background)
        this.background = new Promise((resolve) => {
          this.rest = resolve;
        });
      const { running } = this;
      const { timedOut, state } = message.outcome;
      if (running)
        running.resolve({ reply: replyOf(running, timedOut ? "timeout" : null, message.outcome), state });
    }
  }

  private break(reason: string): void {
    this.end();
    this.running?.reject(new Error(`the shell's worker failed: ${reason}`));
  }
}

function replyOf(
  { collected, request }: Running,
  stopped: Reply["stopped"],
  { exitCode, cwd, rest }: Pick<RunOutcome, "exitCode" | "cwd"> & Partial<RunOutcome>,
): Reply {
  const stdout = collected.whole("stdout", request.maxOutput, rest?.stdout);
  const stderr = collected.whole("stderr", request.maxOutput, rest?.stderr);
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    exitCode,
    cwd,
    truncated: stdout.cut || stderr.cut,
    stopped,
  };
}
