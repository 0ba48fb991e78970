/** Commands that a script starts with `&`: each goes on beside it, with a copy of its variables. */

import { type ExecResult, Interpreter as Inner, Scope } from "just-bash/browser";
import { adopt, type Interpreter, type Result, type State } from "./shell-inside";
import type { SyntaxNode } from "./shell-syntax";

interface Job {
  number: number;
  source: string;
  result: Promise<Result>;
  /** Set when it has ended. */
  ended: Result | undefined;
  stop: AbortController;
}

/** How long a job may go on. */
export const JOB_MS = 120_000;
const KILLED: Record<number, string> = { 137: "Killed", 143: "Terminated" };
const FIRST = 1000;
/** Each command has a worker of its own, and its jobs stay there. */
const EARLIER = "jobs of earlier commands are not known here";
const OK: Result = { stdout: "", stderr: "", exitCode: 0 };

export class Jobs {
  private jobs: Job[] = [];
  private last = FIRST;

  constructor(private readonly exec: (script: string, options?: object) => Promise<ExecResult>) {}

  /** Forget what the last run left behind; what still runs goes on untold. */
  reset(): void {
    this.jobs = [];
    this.last = FIRST;
  }

  /** Whether any job still runs. */
  get running(): boolean {
    return this.jobs.some(({ ended }) => !ended);
  }

  /** Let jobs that need no time come to their end, and return what those that ended put out and nobody waited for. */
  async settle(ms: number): Promise<Result> {
    const deadline = performance.now() + ms;
    while (this.running && performance.now() < deadline) await null;
    return this.collect(this.jobs.filter(({ ended }) => ended));
  }

  /** Resolves when no job runs any more. */
  async allEnded(): Promise<void> {
    await Promise.allSettled(this.jobs.map(({ result }) => result));
  }

  start(parent: Interpreter, statement: SyntaxNode): Result {
    const stop = new AbortController();
    const child = fork(parent, stop.signal, this.exec);
    const live = parent.sink !== undefined && parent.sink === parent.shell.output;
    child.sink = live ? parent.sink : undefined;
    const script = {
      type: "Script",
      statements: [{ ...statement, background: false }],
      captured: !live,
    };
    const killed = new Promise<Result>((resolve) => {
      stop.signal.onabort = () => resolve({ ...OK, exitCode: stop.signal.reason });
    });
    const number = ++this.last;
    const source = String(statement.sourceText ?? "").replace(/\s*&$/, "");
    const result = Promise.race([child.executeScript(script).catch(failed), killed]);
    const job: Job = { number, source, result, ended: undefined, stop };
    job.result = result.then((ended) => (job.ended = ended));
    this.jobs.push(job);
    parent.ctx.state.lastBackgroundPid = number;
    return OK;
  }

  async wait(args: string[]): Promise<Result> {
    const next = args.includes("-n");
    const names = args.filter((each) => !each.startsWith("-"));
    const named = names.map((each) => this.find(each));
    const unknown = names.find((_, index) => !named[index]);
    if (unknown) {
      const what = unknown.startsWith("%")
        ? `${unknown}: no such job`
        : `pid ${unknown} is not a child of this shell`;
      return { ...OK, stderr: `bash: wait: ${what}${this.hint}\n`, exitCode: 127 };
    }
    const awaited = named.length ? (named as Job[]) : this.jobs;
    if (next && !awaited.length) return { ...OK, exitCode: 127 };
    if (next) await Promise.race(awaited.map(({ result }) => result));
    else await Promise.allSettled(awaited.map(({ result }) => result));
    const ended = next ? awaited.filter((job) => job.ended).slice(0, 1) : awaited;
    const last = named.length || next ? (ended.at(-1)?.ended?.exitCode ?? 1) : 0;
    return { ...this.collect(ended), exitCode: last };
  }

  /** `left` tells whether an earlier command of the same shell left jobs. */
  list(args: string[], left = false): Result {
    if (left && !this.jobs.length) return { ...OK, stderr: `bash: jobs: ${EARLIER}\n` };
    const shown = this.jobs.map(({ number, ended, source }, index) =>
      args.includes("-p")
        ? `${number}\n`
        : `[${index + 1}]${index === this.jobs.length - 1 ? "+" : " "}  ${stateOf(ended).padEnd(24)}${source}${ended ? "" : " &"}\n`,
    );
    return { ...OK, stdout: shown.join("") };
  }

  /** Said of a job that there is not, where it may be one of an earlier command. */
  get hint(): string {
    return this.last === FIRST ? `; ${EARLIER}` : "";
  }

  /** Stop a job; tells whether there is one of that name. */
  kill(name: string, exitCode: number): boolean {
    const job = this.find(name);
    job?.stop.abort(exitCode);
    return job !== undefined && !job.ended;
  }

  find(name: string): Job | undefined {
    if (/^%[%+]?$/.test(name)) return this.jobs.at(-1);
    const number = Number(name.replace(/^%/, ""));
    if (name.startsWith("%")) return this.jobs[number - 1];
    return this.jobs.find((job) => job.number === number);
  }

  private collect(ended: Job[]): Result {
    this.jobs = this.jobs.filter((job) => !ended.includes(job));
    const all = ended.map((job) => job.ended ?? OK);
    return {
      stdout: all.map(({ stdout }) => stdout).join(""),
      stderr: all.map(({ stderr }) => stderr).join(""),
      exitCode: 0,
    };
  }
}

function stateOf(ended: Result | undefined): string {
  if (!ended) return "Running";
  return KILLED[ended.exitCode] ?? (ended.exitCode ? `Exit ${ended.exitCode}` : "Done");
}

/** Return an interpreter that begins where another is now. */
function fork(parent: Interpreter, signal: AbortSignal, exec: Jobs["exec"]): Interpreter {
  const limits = Object.create(parent.ctx.limits, { maxExecutionTimeMs: { value: JOB_MS } });
  const state = { ...copyOf(parent.ctx.state), signal, inCondition: false };
  const options = {
    ...parent.ctx,
    limits,
    executionScope: new Scope(limits, signal),
    exec: (script: string, more?: object) => exec(script, { ...more, rawScript: true, signal }),
  };
  const child = new Inner(options, state as State);
  child.depth = 1;
  adopt(child, parent.shell);
  return child;
}

function failed(error: unknown): Result {
  const { stdout = "", stderr, exitCode = 1, message } = error as Partial<Result> & Error;
  return { stdout, stderr: stderr ?? `bash: ${message}\n`, exitCode };
}

/** A copy whose own tables may be changed; `structuredClone` would take as long as a small command. */
export function copyOf(state: State): State {
  const copy = (value: unknown) => {
    if (value instanceof Map) return new Map(value);
    if (value instanceof Set) return new Set(value);
    if (Array.isArray(value)) return [...value];
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return value;
    return { ...value };
  };
  const whole = Object.fromEntries(
    Object.entries(state).map(([name, value]) => [name, copy(value)]),
  ) as unknown as State;
  for (const [name, { kind, elements }] of state.arrays)
    whole.arrays.set(name, { kind, elements: new Map(elements) });
  return whole;
}
