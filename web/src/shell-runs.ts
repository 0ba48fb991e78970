/** One shell as the kernel sees it: a worker with a mirror of the trees, which runs one command at a time. */

import { Clock } from "./clock";
import type { Rules } from "./guard";
import { KILLED } from "./guest/guest";
import type { Guests } from "./guest/guests";
import type { Programs } from "./guest/programs";
import { type Batch, type DirtyPaths, pack, unpack } from "./mirror";
import { PageWorker } from "./page-worker";
import type { RunOutcome, RunRequest } from "./shell-bash";
import { Collected, clean, type Stream } from "./shell-output";
import type { ProgramRequest, ShellMessage, ShellRequest } from "./shell-worker";
import type { TrackedTree } from "./tracked-fs";

/** A worker that has not ended its command by itself so long after the timeout is ended. */
const GRACE_MS = 250;
const TIMED_OUT = 124;
const STOPPED = 130;
const utf8 = new TextEncoder();

/** How a run ended; `stopped` says what ended it if it did not end by itself. */
interface Reply {
  stdout: string;
  stderr: string;
  exitCode: number;
  cwd: string;
  truncated: boolean;
  stopped: "timeout" | "stop" | null;
}

/** A run, while it lasts. */
interface Running extends PromiseWithResolvers<Ending> {
  request: RunRequest;
  collected: Collected;
  time: Clock | undefined;
  /** Told when a program begins to wait for downloads, and when it does so no more. */
  downloading: (is: boolean) => void;
  say: (stream: Stream, text: string) => void;
}

export interface Ending {
  reply: Reply;
  state?: string | undefined;
}

export class Shell {
  /** It takes no more commands. */
  ended = false;
  private closed = false;
  private received = 0;
  /** Until when commands in the background keep this shell from being used again. */
  background: Promise<void> | undefined;
  private readonly worker: PageWorker;
  private readonly ready = Promise.withResolvers<void>();
  private readonly mirrors: { tree: TrackedTree; cursor: DirtyPaths }[];
  /** The ways to kill the programs that its commands started. */
  private readonly started = new Map<number, (code: number) => void>();
  private running: Running | undefined;
  /** Those that the worker knows. */
  private rules: Rules | undefined;
  private rest = () => {};

  constructor(
    trees: TrackedTree[],
    host: MessagePort,
    private readonly programs: Programs,
    private readonly guests: Guests,
  ) {
    this.mirrors = trees.map((tree) => ({ tree, cursor: tree.addCursor() }));
    this.worker = new PageWorker(host);
    this.worker.onmessage = ({ data }: MessageEvent<ShellMessage>) => this.receive(data);
    this.worker.onfailure = (reason) => this.break(reason);
    this.send();
  }

  async run(
    request: RunRequest,
    say: Running["say"],
    downloading: Running["downloading"] = () => {},
  ): Promise<Ending> {
    const collected = new Collected();
    const promise = Promise.withResolvers<Ending>();
    const running: Running = { ...promise, request, collected, time: undefined, downloading, say };
    this.running = running;
    this.background = undefined;
    this.send({ run: request });
    for (const { tree } of this.mirrors) tree.listeners.add(this.update);
    // The time of a command does not run while its worker is still loading.
    void this.ready.promise.then(() => {
      running.time = new Clock(request.timeoutMs + GRACE_MS);
      running.time.whenOver(() => void this.stop("timeout"));
    });
    try {
      return await running.promise;
    } finally {
      this.running = undefined;
      running.time?.end();
      if (!this.background) this.listenNoMore();
    }
  }

  /** End the command, whatever it does; what it has sent of its changes stays. */
  async stop(why: "timeout" | "stop"): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    const { running } = this;
    await this.worker.end();
    await this.quiet();
    this.end();
    if (!running || running !== this.running) return;
    const exitCode = why === "timeout" ? TIMED_OUT : STOPPED;
    running.resolve({ reply: replyOf(running, why, { exitCode, cwd: running.request.cwd }) });
  }

  end(): void {
    this.ended = true;
    this.closed = true;
    this.worker.terminate();
    for (const { tree, cursor } of this.mirrors) tree.removeCursor(cursor);
    this.listenNoMore();
    for (const kill of this.started.values()) kill(KILLED);
    this.rest();
  }

  /** Wait until all has come that the worker has sent: while there is more, no turn of a timer is without any. */
  private async quiet(): Promise<void> {
    let before: number;
    do {
      before = this.received;
      await new Promise((resolve) => setTimeout(resolve));
    } while (this.received > before);
  }

  /** Send what the worker does not know of the trees, and what to do then. */
  private send(then: Omit<ShellRequest, "batches" | "rules"> = {}): void {
    const batches = this.mirrors.map(({ tree, cursor }) => pack(tree.writer.changesFor(cursor)));
    const { rules } = (this.mirrors[0] as { tree: TrackedTree }).tree.guard;
    const request: ShellRequest = { batches, rules: rules === this.rules ? undefined : rules, ...then };
    this.rules = rules;
    this.worker.postMessage(
      request,
      batches.map(({ bytes }) => bytes.buffer),
    );
  }

  private receive(message: ShellMessage): void {
    if (this.closed) return;
    this.received += 1;
    if ("ready" in message) this.ready.resolve();
    else if ("batch" in message) this.apply(message.mount, message.batch);
    else if ("program" in message) this.startProgram(message.program);
    else if ("fetch" in message) this.guests.fetch(message.fetch, message.port);
    else if ("kill" in message) this.started.get(message.kill)?.(TIMED_OUT);
    else if ("failure" in message) this.break(message.failure);
    else if ("idle" in message) {
      this.listenNoMore();
      this.rest();
    } else if ("pieces" in message) {
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

  private apply(mount: number, batch: Batch): void {
    const mirror = this.mirrors[mount];
    mirror?.tree.writer.apply(unpack(batch), mirror.cursor);
  }

  private startProgram({ id, ...command }: ProgramRequest): void {
    const output = (stream: Stream, bytes: Uint8Array) => {
      const request: ShellRequest = { batches: [], output: { id, stream, bytes } };
      if (!this.ended) this.worker.postMessage(request);
    };
    const { running } = this;
    const kill = this.programs.run(command, {
      output,
      downloading: (is) => {
        if (is) running?.time?.hold();
        else running?.time?.release();
        running?.downloading(is);
        if (!this.ended)
          this.worker.postMessage({ batches: [], downloading: { id, is } } satisfies ShellRequest);
      },
      exit: (exitCode, remark) => {
        this.started.delete(id);
        if (remark) output("stderr", utf8.encode(`${command.argv[0]}: ${remark}\n`));
        if (!this.ended) this.send({ ended: { id, exitCode } });
      },
    });
    this.started.set(id, kill);
  }

  private listenNoMore(): void {
    for (const { tree } of this.mirrors) tree.listeners.delete(this.update);
  }

  /** Tell the shell what others change while it works: a loop may wait for a file of theirs. */
  private readonly update = () => {
    if (!this.ended && this.mirrors.some(({ cursor }) => cursor.size)) this.send();
  };

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
