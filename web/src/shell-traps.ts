/** `trap`: what a script asks to be done at its end, after a failure, and when it is told to stop. */

import { Exit, type Thrown } from "just-bash/browser";
import type { Interpreter, Result } from "./shell-inside";
import { parseScript } from "./shell-source";
import type { SyntaxNode } from "./shell-syntax";

/** Their numbers are what `kill -l` says. */
export const SIGNALS = [
  "EXIT",
  "HUP",
  "INT",
  "QUIT",
  "ILL",
  "TRAP",
  "ABRT",
  "BUS",
  "FPE",
  "KILL",
  "USR1",
  "SEGV",
  "USR2",
  "PIPE",
  "ALRM",
  "TERM",
  "STKFLT",
  "CHLD",
  "CONT",
  "STOP",
  "TSTP",
  "TTIN",
  "TTOU",
  "URG",
  "XCPU",
  "XFSZ",
  "VTALRM",
  "PROF",
  "WINCH",
  "IO",
  "PWR",
  "SYS",
];
/** Signals that end nothing. */
const HARMLESS = new Set(["CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH"]);
/** Commands that fail because one inside of them failed, which was told of already. */
const AROUND = new Set(["Group", "If", "For", "CStyleFor", "While", "Until", "Case"]);

type Ended = Thrown & { exitCode: number; signal?: string };

/** A script that sends itself a signal does what it said it would, or ends. */
export async function strike(interpreter: Interpreter, name: string): Promise<Result> {
  const { traps } = interpreter.ctx.state;
  if (name !== "KILL" && traps?.action(name) !== undefined) return await traps.run(interpreter, name);
  if (HARMLESS.has(name)) return { stdout: "", stderr: "", exitCode: 0 };
  throw Object.assign(new Exit(128 + SIGNALS.indexOf(name)), { signal: name });
}

export class Traps {
  private readonly actions = new Map<string, string>();
  private running = false;
  /** Whether ERR goes off in functions, too. */
  everywhere = false;

  /** A subshell ignores the signals that the shell around it ignores. */
  constructor(around?: Traps) {
    for (const [event, action] of around?.actions ?? []) if (!action) this.actions.set(event, action);
  }

  /** Whether single statements have to be looked at. */
  get watching(): boolean {
    return !this.running && (this.actions.has("ERR") || this.actions.has("DEBUG"));
  }

  action(signal: string): string | undefined {
    return this.actions.get(signal);
  }

  set(signals: string[], action: string): void {
    for (const each of signals)
      if (action === "-") this.actions.delete(each);
      else this.actions.set(each, action);
  }

  list(signals: string[]): string {
    const shown = signals.length ? signals : [...this.actions.keys()];
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    return shown
      .filter((each) => this.actions.has(each))
      .map(
        (each) =>
          `trap -- ${quoted(this.actions.get(each) as string)} ${/^(EXIT|ERR|DEBUG|RETURN)$/.test(each) ? each : `SIG${each}`}\n`,
      )
      .join("");
  }

  /** Run what belongs to an event; `$?` is for it what it was, and is so again after it. */
  async run(interpreter: Interpreter, event: string): Promise<Result> {
    const action = this.actions.get(event);
    const { state } = interpreter.ctx;
    const { lastExitCode } = state;
    if (!action || this.running) return { stdout: "", stderr: "", exitCode: lastExitCode };
    this.running = true;
    try {
      const result = await interpreter.executeScript(parseScript(action));
      return { ...result, exitCode: lastExitCode };
    } finally {
      this.running = false;
      state.lastExitCode = lastExitCode;
      state.env.set("?", String(lastExitCode));
    }
  }

  /** Run a script, and EXIT after it. */
  async untilExit(interpreter: Interpreter, script: () => Promise<Result>): Promise<Result> {
    let thrown: Ended | undefined;
    let result: Result | undefined;
    try {
      result = await script();
    } catch (error) {
      if (!isExit(error)) throw error;
      thrown = error;
    }
    const ended = (thrown ?? result) as Result;
    const signal = thrown?.signal;
    if (this.actions.has("EXIT") && signal !== "KILL") {
      if (!signal) {
        interpreter.ctx.state.lastExitCode = ended.exitCode;
        interpreter.ctx.state.env.set("?", String(ended.exitCode));
      }
      let last: Result;
      try {
        last = await this.run(interpreter, "EXIT");
      } catch (error) {
        if (!isExit(error)) throw error;
        last = error;
      }
      ended.stdout += last.stdout;
      ended.stderr += last.stderr;
      if (!signal) ended.exitCode = last.exitCode;
    }
    if (thrown) throw thrown;
    return ended;
  }

  /** Run a function, and RETURN after it if the function set that. */
  async untilReturn(interpreter: Interpreter, body: () => Promise<Result>): Promise<Result> {
    const before = this.actions.get("RETURN");
    const result = await body();
    if (this.actions.get("RETURN") === before) return result;
    return joined(result, await this.run(interpreter, "RETURN"));
  }

  /** Run a statement, DEBUG before it and ERR after it if it fails where nobody looks at that. */
  async around(
    interpreter: Interpreter,
    statement: SyntaxNode,
    body: () => Promise<Result>,
  ): Promise<Result> {
    const { state } = interpreter.ctx;
    const commands = (statement.pipelines as SyntaxNode[]).at(-1)?.commands as SyntaxNode[];
    const single = commands.length > 1 || !AROUND.has(String(commands[0]?.type));
    const inside = Boolean(state.funcNameStack?.length) && !this.everywhere;
    state.env.set("BASH_COMMAND", String(statement.sourceText ?? ""));
    const before = single && !inside ? await this.run(interpreter, "DEBUG") : undefined;
    try {
      const result = await body();
      const failed = result.exitCode !== 0 && single && !inside && !state.inCondition && !state.errexitSafe;
      const after = failed ? joined(result, await this.run(interpreter, "ERR")) : result;
      return before
        ? { ...after, stdout: before.stdout + after.stdout, stderr: before.stderr + after.stderr }
        : after;
    } catch (error) {
      if ((error as Error).name === "ErrexitError" && single && !inside) {
        const ended = error as Ended;
        state.lastExitCode = ended.exitCode;
        const { stdout, stderr } = await this.run(interpreter, "ERR");
        ended.stdout += stdout;
        ended.stderr += stderr;
      }
      throw error;
    }
  }
}

function isExit(error: unknown): error is Ended {
  return /^(Exit|Errexit)Error$/.test((error as Error | undefined)?.name ?? "");
}

function joined(first: Result, second: Result): Result {
  if (!second.stdout && !second.stderr) return first;
  const { internalOutputAccounting: _, ...rest } = first;
  return { ...rest, stdout: first.stdout + second.stdout, stderr: first.stderr + second.stderr };
}
