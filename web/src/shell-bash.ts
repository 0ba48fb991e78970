/** just-bash, held to what a run may take: its time, its output, and the state that it begins with. */

import { Bash, type BashExecResult } from "just-bash/browser";
import { Clock } from "./clock";
import { COMMANDS } from "./shell-commands";
import { ground } from "./shell-commands/ground";
import { PROJECT, type ShellFiles } from "./shell-files";
import { join, type Shell, type State } from "./shell-inside";
import { copyOf, JOB_MS, Jobs } from "./shell-jobs";
import { Output, type Piece, type Rest, type Stream } from "./shell-output";
import { type Processes, processCommands } from "./shell-processes";
import "./shell-arrays";
import "./shell-source";
import { restore, save } from "./shell-state";
import { latin1 } from "./shell-text";
import { VERSION_PARTS } from "./shell-variables";
import { TreeError } from "./tree-nodes";

export interface RunRequest {
  command: string;
  cwd: string;
  /** Exported variables. */
  env: Record<string, string>;
  stdin: Uint8Array;
  timeoutMs: number;
  /** Characters of each stream that are kept: half at the head, half at the tail. */
  maxOutput: number;
  /** What the last run in the same shell came to; "" in a new shell, and nothing for a run without one. */
  state?: string | undefined;
}

export interface RunOutcome {
  exitCode: number;
  cwd: string;
  timedOut: boolean;
  /** What was not sent as it came. */
  rest: Record<Stream, Rest>;
  /** Given to the next run in the same shell. */
  state?: string | undefined;
}

const TIMED_OUT = 124;
/** A loop stops at the timeout and its output is kept; whatever else runs is stopped a little later. */
const AFTER_LOOPS_MS = 50;
const AFTER_COMMANDS_MS = 150;
/** How long a run waits at its end for commands in the background that may be about to end. */
const SETTLE_MS = 20;

const ENDLESS = 1e9;
const LIMITS = {
  maxAwkIterations: ENDLESS,
  maxSedIterations: ENDLESS,
  maxArrayElements: 2e7,
  maxWorkUnits: 1e12,
  maxCallDepth: 500,
  maxOutputSize: 256 << 20,
  maxSourceBytes: 16 << 20,
  maxHeredocSize: 16 << 20,
};
const ENVIRONMENT = { HOME: PROJECT, USER: "user", LANG: "C.UTF-8", TERM: "dumb", SHELL: "/bin/bash" };

/** What is used of Bash beyond its published types. The version is pinned, and tests hold what comes of it. */
interface Inside {
  limits: Record<string, number>;
  state: State;
}

export class ShellBash {
  private readonly bash: Bash;
  private readonly inside: Inside;
  private readonly fresh: State;
  private readonly shell: Shell;
  private output = new Output(0, () => {});
  private clock = new Clock(0);

  /** Without `processes` there are no PROCESS_COMMANDS. */
  constructor(
    private readonly files: ShellFiles,
    processes?: Processes,
  ) {
    const exec: Shell["exec"] = (script, options) => this.bash.exec(script, options);
    this.shell = {
      files,
      jobs: new Jobs(exec),
      output: new Output(0, () => {}),
      first: undefined,
      parent: undefined,
      live: false,
      demand: undefined,
      exec,
    };
    join(this.shell);
    this.bash = new Bash({
      fs: files,
      cwd: PROJECT,
      env: ENVIRONMENT,
      customCommands: [...COMMANDS, ...(processes ? processCommands(processes, () => this.shell.live) : [])],
      ...(processes && { fetch: processes.fetch }),
      sleep: (ms) => this.clock.sleep(ms),
      executionLimits: LIMITS,
    });
    this.inside = this.bash as unknown as Inside;
    this.fresh = copyOf(this.inside.state);
    const version = new Map(VERSION_PARTS.map((each, index) => [String(index), each]));
    this.fresh.arrays.set("BASH_VERSINFO", { kind: "indexed", elements: version });
    this.fresh.readonlyVars = new Set([...(this.fresh.readonlyVars ?? []), "BASH_VERSINFO"]);
    this.limitByClock("maxLoopIterations", 0);
    this.limitByClock("maxCommandCount", AFTER_LOOPS_MS);
    this.limitByClock("maxExecutionTimeMs", AFTER_COMMANDS_MS);
  }

  /**
   * Run one command at a time; `send` gets its output as it comes. Commands that it leaves in the background go on; see
   * `backgroundEnd`.
   */
  async run(request: RunRequest, send: (pieces: Piece[]) => void): Promise<RunOutcome> {
    const { command, cwd, stdin, maxOutput } = request;
    const output = new Output(maxOutput, send);
    this.output = output;
    this.begin(request, output);
    const options = { cwd, rawScript: true, stdin: latin1(stdin), stdinKind: "bytes" } as const;
    const done = await this.bash.exec(command, options).catch(failed);
    const timedOut = this.clock.over();
    output.take(done);
    if (!timedOut) output.take(await this.shell.jobs.settle(SETTLE_MS));
    // Few commands say why they could not change something.
    for (const message of this.files.takeRefusals()) output.say(message);
    this.clock = new Clock(JOB_MS);
    const state = this.shell.first?.ctx.state;
    if (state && this.shell.jobs.running) state.leftJobs = true;
    return {
      exitCode: timedOut ? TIMED_OUT : done.exitCode,
      cwd: state?.env.get("PWD") ?? cwd,
      timedOut,
      rest: output.close(),
      ...(request.state !== undefined && {
        state: state && !timedOut ? save(state, this.fresh) : request.state,
      }),
    };
  }

  /** The time of the command at hand. */
  get time(): Clock {
    return this.clock;
  }

  /** Put out what comes of a program that runs where output is shown as it comes. */
  show(stream: Stream, text: string): void {
    this.output.write(stream, text);
  }

  /** A promise of the end of what the last run left in the background, or undefined when there is nothing. */
  get backgroundEnd(): Promise<void> | undefined {
    return this.shell.jobs.running ? this.shell.jobs.allEnded() : undefined;
  }

  /** just-bash keeps names of exported and read-only variables, and options, from one script to the next. */
  private begin({ cwd, env, timeoutMs, state: kept }: RunRequest, output: Output): void {
    const state = copyOf(this.fresh);
    if (kept !== undefined) restore(state, kept);
    for (const [name, value] of Object.entries({ PWD: cwd, OLDPWD: cwd, ...env })) {
      if (name === "OLDPWD" && kept) continue;
      state.env.set(name, value);
      state.exportedVars.add(name);
    }
    state.startTime = Date.now();
    this.files.umask = state.umask ?? 0o022;
    this.inside.state = state;
    this.clock = new Clock(timeoutMs);
    Object.assign(ground, { files: this.files, over: () => this.clock.over() });
    this.shell.jobs.reset();
    Object.assign(this.shell, { output, first: undefined, parent: undefined });
  }

  /**
   * just-bash drops all output when its time is up, but keeps it when a limit of loops or commands is reached. So the
   * time is made such a limit.
   */
  private limitByClock(name: string, later: number): void {
    const get = () => (this.clock.over(later) ? 0 : ENDLESS);
    Object.defineProperty(this.inside.limits, name, { get });
  }
}

/** What a file system answers is not always caught on its way through just-bash. */
function failed(error: unknown): BashExecResult {
  if (!(error instanceof TreeError)) throw error;
  return { stdout: "", stderr: `bash: ${error.message}\n`, exitCode: 1, env: {} };
}
