/** just-bash, held to what a run may take: its time, its output, and a fresh start each time. */

import { Bash, type BashExecResult } from "just-bash/browser";
import { COMMANDS } from "./shell-commands";
import { latin1, PROJECT, type ShellFiles } from "./shell-files";
import "./shell-inside";
import { Jobs } from "./shell-jobs";
import { type Processes, processCommands } from "./shell-processes";
import { mend, type Script, type SyntaxNode } from "./shell-syntax";
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
}

export interface RunOutcome {
  stdout: string;
  stderr: string;
  exitCode: number;
  cwd: string;
  truncated: boolean;
  timedOut: boolean;
}

const TIMED_OUT = 124;
/** A loop stops at the timeout and its output is kept; whatever else runs is stopped a little later. */
const AFTER_LOOPS_MS = 50;
const AFTER_COMMANDS_MS = 100;
/** How long commands may go on in the background after the run that started them. */
const BACKGROUND_MS = 120_000;
/** How long a run waits at its end for commands in the background that may be about to end. */
const SETTLE_MS = 20;

const ENDLESS = 1e9;
/** Limits stand for the time here, and what they say would puzzle. */
const LIMIT_MESSAGES = /^.*, increase executionLimits\.\w+.*\n/gm;
const LIMITS = {
  maxAwkIterations: ENDLESS,
  maxSedIterations: ENDLESS,
  maxJqIterations: ENDLESS,
  maxArrayElements: 2e7,
  maxWorkUnits: 1e12,
  maxCallDepth: 500,
  maxOutputSize: 32 << 20,
};
const ENVIRONMENT = { HOME: PROJECT, USER: "user", LANG: "C.UTF-8", TERM: "dumb" };

/** Runs a script that is there as a tree already. */
const KEPT = "__kept";

/** What is used of Bash beyond its published types. The version is pinned, and tests hold what comes of it. */
interface Inside {
  limits: Record<string, number>;
  state: { env: Map<string, string>; exportedVars: Set<string>; startTime: number };
}

export class ShellBash {
  private readonly bash: Bash;
  private readonly inside: Inside;
  private readonly fresh: Inside["state"];
  private readonly jobs = new Jobs((script, context, signal) =>
    this.runKept(script, Object.fromEntries(context.env), context.cwd, signal),
  );
  private readonly kept: Script[] = [];
  /** The functions that the script at hand defines. */
  private functions: SyntaxNode[] = [];
  private clock = new Clock(0);

  /** Without `processes` there are no PROCESS_COMMANDS. */
  constructor(files: ShellFiles, processes?: Processes) {
    this.bash = new Bash({
      fs: files,
      cwd: PROJECT,
      env: ENVIRONMENT,
      customCommands: [
        ...COMMANDS,
        ...this.jobs.commands,
        ...(processes ? processCommands(processes, () => false) : []),
      ],
      sleep: (ms) => this.clock.sleep(ms),
      executionLimits: LIMITS,
    });
    this.inside = this.bash as unknown as Inside;
    this.fresh = copyOf(this.inside.state);
    this.limitByClock("maxLoopIterations", 0);
    this.limitByClock("maxCommandCount", AFTER_LOOPS_MS);
    this.bash.registerTransformPlugin({
      name: "inbrowser",
      transform: ({ ast }) => ({ ast: this.mended(ast as unknown as Script) as unknown as typeof ast }),
    });
  }

  /** Run one command at a time. Commands that it leaves in the background go on; see `backgroundEnd`. */
  async run(request: RunRequest): Promise<RunOutcome> {
    const { command, cwd, env, stdin, timeoutMs, maxOutput } = request;
    this.begin(timeoutMs, cwd, env);
    const options = { cwd, rawScript: true, stdin: latin1(stdin), stdinKind: "bytes" } as const;
    const done = await this.bash.exec(command, options).catch(failed);
    const timedOut = this.clock.over();
    if (timedOut) done.stderr = done.stderr.replace(LIMIT_MESSAGES, "");
    else await this.finish(done);
    const stdout = cut(done.stdout, maxOutput);
    const stderr = cut(plainErrors(done.stderr), maxOutput);
    this.clock = new Clock(BACKGROUND_MS);
    return {
      stdout: stdout.text,
      stderr: stderr.text,
      exitCode: timedOut ? TIMED_OUT : done.exitCode,
      cwd: done.env.PWD ?? cwd,
      truncated: stdout.cut || stderr.cut,
      timedOut,
    };
  }

  /** A promise of the end of what the last run left in the background, or undefined when there is nothing. */
  get backgroundEnd(): Promise<void> | undefined {
    return this.jobs.running ? this.jobs.allEnded() : undefined;
  }

  /** just-bash keeps names of exported and read-only variables, and options, from one script to the next. */
  private begin(timeoutMs: number, cwd: string, env: Record<string, string>): void {
    const state = copyOf(this.fresh);
    for (const [name, value] of Object.entries({ PWD: cwd, OLDPWD: cwd, ...env })) {
      state.env.set(name, value);
      state.exportedVars.add(name);
    }
    state.startTime = Date.now();
    this.inside.state = state;
    this.inside.limits.maxExecutionTimeMs = timeoutMs + AFTER_COMMANDS_MS;
    this.clock = new Clock(timeoutMs);
    this.jobs.reset();
    this.kept.length = 0;
    this.functions = [];
  }

  /** Add what jobs and the script's own last wishes put out. */
  private async finish(done: { stdout: string; stderr: string; env: Record<string, string> }): Promise<void> {
    const late = [await this.jobs.settle(SETTLE_MS)];
    if (this.jobs.atExit)
      late.push(await this.runKept(this.parse(this.jobs.atExit), done.env, done.env.PWD ?? PROJECT));
    for (const { stdout, stderr } of late) {
      done.stdout += stdout;
      done.stderr += stderr;
    }
  }

  private async runKept(script: Script, env: Record<string, string>, cwd: string, signal?: AbortSignal) {
    const number = this.kept.push({ ...script, statements: [...this.functions, ...script.statements] }) - 1;
    this.inside.limits.maxExecutionTimeMs = BACKGROUND_MS;
    return await this.bash.exec(`${KEPT} ${number}`, {
      cwd,
      env,
      rawScript: true,
      ...(signal && { signal }),
    });
  }

  private mended(script: Script): Script {
    const kept = /^__kept (\d+)$/.exec(String(script.statements[0]?.sourceText ?? ""));
    if (kept) return this.kept[Number(kept[1])] ?? script;
    const whole = mend(script, {
      parse: (source) => this.parse(source),
      background: (statement) => this.jobs.keep(statement),
    });
    this.functions.push(...whole.statements.filter(definesFunction));
    return whole;
  }

  private parse(source: string): Script {
    return this.bash.transform(source).ast as unknown as Script;
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

/** The time that one command has. */
class Clock {
  private readonly deadline: number;
  private stopped = false;

  constructor(ms: number) {
    this.deadline = performance.now() + ms;
  }

  /** Tell whether the time was over `later` milliseconds ago; once that was so, it is over for everything. */
  over(later = 0): boolean {
    this.stopped ||= performance.now() - later >= this.deadline;
    return this.stopped;
  }

  async sleep(ms: number): Promise<void> {
    const left = this.deadline - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.min(ms, left)));
    if (ms > left) this.stopped = true;
  }
}

/** A copy whose own tables may be changed; `structuredClone` would take as long as a small command. */
function copyOf<T extends object>(state: T): T {
  const copy = (value: unknown) => {
    if (value instanceof Map) return new Map(value);
    if (value instanceof Set) return new Set(value);
    if (Array.isArray(value)) return [...value];
    return typeof value === "object" && value !== null ? { ...value } : value;
  };
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, copy(value)])) as T;
}

function definesFunction(statement: SyntaxNode): boolean {
  const [pipeline] = statement.pipelines as { commands: SyntaxNode[] }[];
  return pipeline?.commands[0]?.type === "FunctionDef";
}

/** What a file system answers is not always caught on its way through just-bash. */
function failed(error: unknown): BashExecResult {
  if (!(error instanceof TreeError)) throw error;
  return { stdout: "", stderr: `bash: ${error.message}\n`, exitCode: 1, env: {} };
}

function plainErrors(text: string): string {
  return text.replaceAll(": cannot open redirect target\n", ": No such file or directory\n");
}

function cut(text: string, limit: number): { text: string; cut: boolean } {
  if (text.length <= limit) return { text, cut: false };
  const half = limit >> 1;
  const left = `[... ${text.length - 2 * half} characters left out ...]`;
  return { text: `${text.slice(0, half)}\n${left}\n${text.slice(-half)}`.toWellFormed(), cut: true };
}
