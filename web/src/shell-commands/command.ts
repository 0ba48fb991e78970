/** How the shell's own commands are written: arguments in, text and an exit code out. */

import { type Command, defineCommand, type ExecResult } from "just-bash/browser";

export type Context = Parameters<Command["execute"]>[1];
export type Result = Pick<ExecResult, "stdout" | "stderr" | "exitCode">;

export function command(name: string, run: (args: string[], context: Context) => Promise<Result>): Command {
  return defineCommand(name, run);
}

/** Change the arguments of a command that just-bash has, before it sees them. */
export function withArguments(name: string, change: (args: string[]) => string[]): Command {
  return defineCommand(name, (args, context) => original(change(args), context));
}

/** Run the command of just-bash that one of ours replaces. */
export async function original(args: string[], context: Context): Promise<ExecResult> {
  if (!context.origCommand) return fail("bash", "command not found", 127);
  // What the command charged for its output holds no more once the output is changed.
  const { internalOutputAccounting: _, ...result } = await context.origCommand(args);
  return result;
}

export function output(stdout: string, exitCode = 0, stderr = ""): Result {
  return { stdout, stderr, exitCode };
}

export function fail(name: string, message: string, exitCode = 1): Result {
  return { stdout: "", stderr: `${name}: ${message}\n`, exitCode };
}

/** Split arguments: letters of short options, long options, and the rest. `--` ends options. */
export function options(args: string[]): { letters: string; long: string[]; rest: string[] } {
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  const isOption = (each: string) => each.length > 1 && each.startsWith("-");
  const given = before.filter(isOption);
  return {
    letters: given
      .filter((each) => !each.startsWith("--"))
      .map((each) => each.slice(1))
      .join(""),
    long: given.filter((each) => each.startsWith("--")),
    rest: [...before.filter((each) => !isOption(each)), ...(end < 0 ? [] : args.slice(end + 1))],
  };
}
