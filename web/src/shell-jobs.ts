/** Commands that a script starts with `&`, and what it asks to be done at its end. */

import { type Command, defineCommand, type ExecResult } from "just-bash/browser";
import { LAST_JOB, RENAMED, type Script, type SyntaxNode } from "./shell-syntax";

type Result = Pick<ExecResult, "stdout" | "stderr" | "exitCode">;
type Context = Parameters<Command["execute"]>[1];

/** Runs a script that was kept, with the variables and in the directory of a command's context. */
export type RunKept = (script: Script, context: Context, signal: AbortSignal) => Promise<Result>;

interface Job {
  number: number;
  source: string;
  result: Promise<Result>;
  /** Set when it has ended. */
  ended: Result | undefined;
  stop: AbortController;
}

const START = "__start";
const KILLED = 143;
const OK: Result = { stdout: "", stderr: "", exitCode: 0 };

export class Jobs {
  /** What `trap ... EXIT` asks for. */
  atExit = "";
  private readonly kept: SyntaxNode[] = [];
  private jobs: Job[] = [];

  constructor(private readonly runKept: RunKept) {}

  /** The commands that start, await and end jobs. */
  readonly commands: Command[] = [
    defineCommand(START, (args, context) => this.start(args, context)),
    defineCommand(RENAMED.wait as string, (args) => this.wait(args)),
    defineCommand("jobs", async () => ({ ...OK, stdout: this.list() })),
    defineCommand("kill", async (args) => this.kill(args)),
    defineCommand("disown", async () => OK),
    defineCommand("trap", async (args) => this.trap(args)),
  ];

  /** Keep a statement; returns the command that starts it. */
  keep(statement: SyntaxNode): string[] {
    return [START, String(this.kept.push(statement) - 1)];
  }

  /** Forget what the last script left behind; what still runs goes on untold. */
  reset(): void {
    this.kept.length = 0;
    this.jobs = [];
    this.atExit = "";
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

  private async start([index]: string[], context: Context): Promise<Result> {
    const statement = this.kept[Number(index)] as SyntaxNode;
    const stop = new AbortController();
    const number = (this.jobs.at(-1)?.number ?? 1000) + 1;
    const script = { type: "Script", statements: [statement] };
    const killed = new Promise<Result>((resolve) => {
      stop.signal.onabort = () => resolve({ ...OK, exitCode: KILLED });
    });
    const result = Promise.race([this.runKept(script, context, stop.signal), killed]);
    const job: Job = { number, source: String(statement.sourceText ?? ""), result, ended: undefined, stop };
    job.result = result.then((ended) => (job.ended = ended));
    this.jobs.push(job);
    context.env.set(LAST_JOB, String(number));
    return OK;
  }

  private async wait(args: string[]): Promise<Result> {
    const named = args.filter((each) => !each.startsWith("-")).map((each) => this.find(each));
    if (named.some((job) => !job)) return { ...OK, stderr: "bash: wait: no such job\n", exitCode: 127 };
    const awaited = named.length ? (named as Job[]) : this.jobs;
    await Promise.allSettled(awaited.map(({ result }) => result));
    const last = named.length ? (awaited.at(-1)?.ended?.exitCode ?? 1) : 0;
    return { ...this.collect(awaited), exitCode: last };
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

  private kill(args: string[]): Result {
    if (args[0] === "-l") return { ...OK, stdout: "HUP INT QUIT KILL TERM\n" };
    const names = args.filter((each) => !each.startsWith("-"));
    const unknown = names.filter((each) => !this.find(each));
    const probing = args.includes("-0");
    if (!probing) for (const each of names) this.find(each)?.stop.abort();
    const stderr = unknown.map((each) => `bash: kill: (${each}) - No such process\n`).join("");
    return { ...OK, stderr, exitCode: unknown.length ? 1 : 0 };
  }

  private trap(args: string[]): Result {
    const [action = "-", ...signals] = args[0] === "--" ? args.slice(1) : args;
    if (signals.some((each) => each === "EXIT" || each === "0")) this.atExit = action === "-" ? "" : action;
    return OK;
  }

  private find(name: string): Job | undefined {
    const number = Number(name.replace(/^%/, ""));
    if (name.startsWith("%")) return this.jobs[number - 1];
    return this.jobs.find((job) => job.number === number);
  }

  private list(): string {
    return this.jobs
      .map(({ ended, source }, index) => `[${index + 1}]  ${ended ? "Done" : "Running"}  ${source}\n`)
      .join("");
  }
}
