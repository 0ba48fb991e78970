/**
 * The kernel's side of the shells of one sandbox. Each command that runs has a worker to itself, so that it delays
 * nobody and can be ended at any moment; workers are used again, and one is kept ready.
 */

import type { GuestSettings, InstallListener } from "./guest/guest";
import { Guests } from "./guest/guests";
import type { ChildCommand, ChildOutcome } from "./guest/messages";
import { type Pip, type Prepare, Programs } from "./guest/programs";
import type { RunRequest } from "./shell-bash";
import type { Stream } from "./shell-output";
import { Shell } from "./shell-runs";
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
/** After the first command has had the processor to itself. */
const GUEST_AFTER_MS = 500;
const PYTHON = /\bpy(thon|test)/;
const NOTHING = new Uint8Array(0);
/** What processes of Python have running in shells at the same time at the most. */
const MAX_CHILDREN = 8;
/** They end with the process that started them, at the latest. */
const CHILD_MS = 3_600_000;
const CHILD_OUTPUT = 32 << 20;
const utf8 = new TextEncoder();

/** Told of the output of each run as it comes. */
type Said = (number: number, stream: Stream, text: string) => void;

/**
 * Told of the end of each run, once: a Reply as JSON with its `duration` in seconds and the `state` for the next run in
 * the same shell, if there is a shell and the run ended by itself; or why there is no reply.
 */
type Ended = (number: number, reply: string, failure?: string, state?: string) => void;

/** What Python is called for. */
export type Callbacks = [said: Said, ended: Ended, pip: Pip, prepare: Prepare];

/** `settings` are GuestSettings, as JSON; guests are asked for on the port `host`. */
export function createShells(
  trees: TrackedTree[],
  host: MessagePort,
  settings: string,
  ...callbacks: Callbacks
): Shells {
  return new Shells(trees, host, JSON.parse(settings) as GuestSettings, callbacks);
}

export class Shells {
  private readonly idle: Shell[] = [];
  private readonly live = new Map<number, Shell>();
  private readonly background = new Set<Shell>();
  private readonly children = new Set<Shell>();
  private readonly guests: Guests;
  private readonly programs: Programs;
  private readonly said: Said;
  private readonly ended: Ended;
  private runs = 0;
  private closed = false;

  constructor(
    private readonly trees: TrackedTree[],
    private readonly host: MessagePort,
    settings: GuestSettings,
    [said, ended, pip, prepare]: Callbacks,
  ) {
    this.said = said;
    this.ended = ended;
    this.guests = new Guests(trees, host, settings, this);
    this.programs = new Programs(this.guests, pip, prepare);
  }

  /** Have these packs of packages in every process of Python from now on. */
  setPacks(packs: Uint8Array[]): void {
    this.guests.setPacks(packs);
  }

  /** Run the installer; `files` are pairs of a path and bytes. Returns the way to stop it. */
  install(
    request: string,
    packs: Uint8Array[],
    files: [path: string, bytes: Uint8Array][],
    network: string[],
    posted: InstallListener["posted"],
    ended: InstallListener["ended"],
  ): () => void {
    return this.guests.install(request, packs, Object.fromEntries(files), network, { posted, ended });
  }

  /** Run what a process of Python starts; returns the way to kill it. */
  runChild(
    child: ChildCommand,
    downloading: (is: boolean) => void,
    done: (outcome: ChildOutcome) => void,
  ): () => void {
    if (this.children.size >= MAX_CHILDREN) {
      done(failedChild(`${MAX_CHILDREN} commands run already that processes started, which is the limit`));
      return () => {};
    }
    const shell = this.take();
    this.children.add(shell);
    const { command, cwd, env, stdin = NOTHING } = child;
    const line = typeof command === "string" ? command : command.map(quoted).join(" ");
    const request = { command: line, cwd, env, stdin, timeoutMs: CHILD_MS, maxOutput: CHILD_OUTPUT };
    shell
      .run(request, () => {}, downloading)
      .then(({ reply: { stdout, stderr, exitCode } }) => {
        done({ stdout: utf8.encode(stdout), stderr: utf8.encode(stderr), exitCode });
      })
      .catch((error: Error) => done(failedChild(error.message)))
      .finally(() => {
        this.children.delete(shell);
        this.release(shell);
      });
    return () => void shell.stop("stop");
  }

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
    const shell = this.take();
    // Who uses a shell will most likely want Python, and who names it, soon.
    if (PYTHON.test(command)) this.guests.keepSpare();
    else if (!this.runs) setTimeout(() => this.guests.keepSpare(), GUEST_AFTER_MS);
    this.runs += 1;
    this.live.set(this.runs, shell);
    this.run(this.runs, shell, { command, cwd, env: JSON.parse(env), stdin, timeoutMs, maxOutput, state });
    return this.runs;
  }

  /** End a run, whatever it does. Nothing happens if it has ended. */
  stop(number: number): void {
    void this.live.get(number)?.stop("stop");
  }

  /** End everything; nobody is told. */
  close(): void {
    this.closed = true;
    for (const shell of [...this.idle, ...this.live.values(), ...this.background, ...this.children])
      shell.end();
    this.guests.close();
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
    if (!this.closed && !this.idle.length) this.idle.push(this.make());
  }

  private take(): Shell {
    return this.idle.pop() ?? this.make();
  }

  private make(): Shell {
    return new Shell(this.trees, this.host, this.programs, this.guests);
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

function failedChild(reason: string): ChildOutcome {
  return { stdout: NOTHING, stderr: utf8.encode(`bash: ${reason}\n`), exitCode: 126 };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
