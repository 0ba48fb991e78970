/**
 * The kernel's side of the shells of one sandbox. Each command that runs has a worker to itself, so that it delays
 * nobody and can be ended at any moment; workers are used again, and one is kept ready.
 */

import type { DirtyPaths } from "./mirror";
import type { RunMessage, ShellMessage, ShellResult } from "./shell-worker";
import type { TrackedTree } from "./tracked-fs";

/** What runs at the same time at the most. */
const MAX_RUNS = 8;
/** A worker that has not ended its command by itself so long after the timeout is ended. */
const GRACE_MS = 250;
const TIMED_OUT = 124;
const STOPPED = 130;

type Request = Omit<RunMessage, "changes" | "stdin">;

/** How a run ended; `stopped` says what ended it if it did not end by itself. */
export interface RunReply extends Omit<ShellResult, "timedOut"> {
  stopped: "timeout" | "stop" | null;
}

/** A command that runs. */
export interface Run {
  /** A RunReply as JSON. */
  result: Promise<string>;
  stop(): void;
}

export function createShells(tree: TrackedTree): Shells {
  return new Shells(tree);
}

export class Shells {
  private readonly idle: Shell[] = [];
  private readonly live = new Set<Shell>();
  private closed = false;

  constructor(private readonly tree: TrackedTree) {}

  /** Start a command; `request` is a Request as JSON. Throws when too many run already. */
  start(request: string, stdin: Uint8Array): Run {
    if (this.live.size >= MAX_RUNS)
      throw new Error(`${MAX_RUNS} commands run already; wait for one of them or stop it`);
    const shell = this.idle.pop() ?? new Shell(this.tree);
    this.live.add(shell);
    if (!this.idle.length) this.idle.push(new Shell(this.tree));
    const result = shell.run(JSON.parse(request) as Request, stdin).finally(() => {
      this.live.delete(shell);
      if (shell.ended || this.closed) shell.end();
      else this.idle.push(shell);
    });
    return { result: result.then(JSON.stringify), stop: () => shell.stop("stop") };
  }

  close(): void {
    this.closed = true;
    for (const shell of [...this.idle, ...this.live]) shell.end();
  }
}

class Shell {
  ended = false;
  private readonly worker = new Worker(new URL("./shell-worker.js", import.meta.url), {
    type: "module",
    name: "inbrowser shell",
  });
  private readonly ready = Promise.withResolvers<void>();
  private readonly mirror: DirtyPaths;
  private finish: ((reply: RunReply) => void) | undefined;
  private fail: ((error: Error) => void) | undefined;
  private cwd = "";

  constructor(private readonly tree: TrackedTree) {
    this.mirror = tree.addMirror();
    this.worker.onmessage = ({ data }: MessageEvent<ShellMessage>) => this.receive(data);
    this.worker.onerror = (event) => this.break(event.message || "its script did not load");
  }

  async run(request: Request, stdin: Uint8Array): Promise<RunReply> {
    this.cwd = request.cwd;
    const { promise, resolve, reject } = Promise.withResolvers<RunReply>();
    this.finish = resolve;
    this.fail = reject;
    const changes = this.tree.changesFor(this.mirror);
    this.worker.postMessage({ ...request, changes, stdin } satisfies RunMessage);
    let timer: ReturnType<typeof setTimeout> | undefined;
    // A command's time does not run while its worker is still loading.
    void this.ready.promise.then(() => {
      timer = setTimeout(() => this.stop("timeout"), request.timeoutMs + GRACE_MS);
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.finish = this.fail = undefined;
    }
  }

  /** End the command at once, whatever it does; what it has sent of its changes stays. */
  stop(why: "timeout" | "stop"): void {
    this.end();
    this.finish?.({
      stdout: "",
      stderr: "",
      exitCode: why === "timeout" ? TIMED_OUT : STOPPED,
      cwd: this.cwd,
      truncated: false,
      stopped: why,
    });
  }

  end(): void {
    this.ended = true;
    this.worker.terminate();
    this.tree.removeMirror(this.mirror);
  }

  private break(reason: string): void {
    this.end();
    this.fail?.(new Error(`the shell's worker failed: ${reason}`));
  }

  private receive(message: ShellMessage): void {
    if (this.ended) return;
    if ("ready" in message) {
      this.ready.resolve();
      return;
    }
    if ("changes" in message) {
      this.tree.apply(message.changes, this.mirror);
      return;
    }
    if ("failure" in message) {
      this.break(message.failure);
      return;
    }
    const { timedOut, ...result } = message.result;
    this.finish?.({ ...result, stopped: timedOut ? "timeout" : null });
  }
}
