/** How the shell's own commands are written: arguments and input in, output and an exit code out. */

import { type Command, defineCommand, type ExecResult } from "just-bash/browser";
import { latin1, toBytes } from "../shell-text";
import { TreeError } from "../tree-nodes";
import { ground } from "./ground";

export type Context = Parameters<Command["execute"]>[1];
export type Result = Pick<ExecResult, "stdout" | "stderr" | "exitCode"> & Partial<ExecResult>;

/** Why a command cannot go on; said after its name. */
export class Fault extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** The options of one call, by their letters. */
export class Given {
  private readonly values = new Map<string, string[]>();
  readonly rest: string[] = [];

  add(letter: string, value = ""): void {
    this.values.set(letter, [...this.all(letter), value]);
  }

  has(...letters: string[]): boolean {
    return letters.some((letter) => this.values.has(letter));
  }

  get(letter: string): string | undefined {
    return this.values.get(letter)?.at(-1);
  }

  all(letter: string): string[] {
    return this.values.get(letter) ?? [];
  }

  /** A value that must be a whole number. */
  number(letter: string, otherwise: number): number {
    const text = this.get(letter);
    if (text === undefined) return otherwise;
    if (!/^[-+]?\d+$/.test(text)) throw new Fault(`invalid number: '${text}'`);
    return Number(text);
  }
}

/** What a command hands back: its output in bytes, one character each, and perhaps more. */
export interface Output {
  /** Bytes, one character each. */
  out?: string;
  /** Text, instead of `out`. */
  text?: string;
  errors?: string;
  code?: number;
}

type Run = (given: Given, context: Context) => Output | string | Promise<Output | string>;

/**
 * Make a command. `options` lists letters, `x:` one with a value, `x?` one with a value that is attached or absent, and
 * `long=x` another name of a letter. A string that is returned is text for the standard output.
 */
export function tool(name: string, options: string, run: Run): Command {
  return command(name, async (args, context) => finished(await run(parse(args, options), context)));
}

/** Return what a command hands back as just-bash wants it. */
export function finished(result: Output | string): Result {
  const {
    out,
    text = "",
    errors = "",
    code,
  }: Output = typeof result === "string" ? { text: result } : result;
  return {
    stdout: out ?? toBytes(text),
    stderr: errors,
    exitCode: code ?? (errors ? 1 : 0),
    stdoutKind: "bytes",
  };
}

/** Make a command that looks at its arguments itself. */
export function command(
  name: string,
  run: (args: string[], context: Context) => Result | Promise<Result>,
): Command {
  return defineCommand(name, async (args, context) => {
    try {
      return await run(args, context);
    } catch (error) {
      if (error instanceof Fault) return fail(name, error.message, error.exitCode);
      if (error instanceof TreeError) return fail(name, reasonOf(error));
      throw error;
    }
  });
}

/** Sort arguments into options and the rest. */
export function parse(args: string[], options: string): Given {
  const kinds = new Map<string, string>();
  for (const each of options.split(" ").filter(Boolean)) {
    const [name = "", letter] = each.split("=");
    const [own = "", kind] = letter ?? name;
    if (letter) kinds.set(`--${name}`, own);
    if (!letter || kind) kinds.set(own, kind ?? "");
  }
  const given = new Given();
  for (let at = 0; at < args.length; at++) {
    const each = args[at] as string;
    if (each === "--") {
      given.rest.push(...args.slice(at + 1));
      break;
    }
    if (each.startsWith("--")) {
      const [name = "", ...values] = each.split("=");
      const letter = kinds.get(name) ?? longest(kinds, name);
      if (!letter) throw new Fault(`unrecognized option '${each}'`);
      const value = values.length ? values.join("=") : kinds.get(letter) === ":" ? args[++at] : "";
      if (value === undefined) throw new Fault(`option '${name}' requires an argument`);
      given.add(letter, value);
    } else if (each.startsWith("-") && each.length > 1 && !(kinds.has("#") && /^-\d+$/.test(each))) {
      for (let place = 1; place < each.length; place++) {
        const letter = each[place] as string;
        const kind = kinds.get(letter);
        if (kind === undefined) throw new Fault(`invalid option -- '${letter}'`);
        if (!kind) {
          given.add(letter);
          continue;
        }
        const attached = each.slice(place + 1);
        const value = kind === "?" || attached ? attached : args[++at];
        if (value === undefined) throw new Fault(`option requires an argument -- '${letter}'`);
        given.add(letter, value);
        break;
      }
    } else if (/^-\d+$/.test(each)) given.add("#", each.slice(1));
    else given.rest.push(each);
  }
  return given;
}

/** A long option may be cut short. */
function longest(kinds: Map<string, string>, name: string): string | undefined {
  const full = [...kinds.keys()].filter((each) => each.startsWith(name));
  return full.length === 1 ? kinds.get(full[0] as string) : undefined;
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

export function resolve(context: Context, name: string): string {
  return ground.files.resolvePath(context.cwd, name);
}

/** The input, one character a byte. */
export function stdin(context: Context): string {
  return context.stdin as unknown as string;
}

/** How much of an endless file is read where nobody says. */
const ENDLESS = 1 << 20;

/** Return a file's bytes, one character each. `-` is the input. Throws a Fault that names the file. */
export function read(context: Context, name: string, limit = ENDLESS): string {
  if (name === "-" || name === "/dev/stdin") return stdin(context);
  if (name === "/dev/zero") return "\0".repeat(limit);
  if (/^\/dev\/u?random$/.test(name)) return random(limit);
  try {
    return latin1(ground.files.tree.read(resolve(context, name)));
  } catch (error) {
    throw new Fault(`${name}: ${reasonOf(error)}`);
  }
}

function random(length: number): string {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 0x10000) crypto.getRandomValues(bytes.subarray(at, at + 0x10000));
  return latin1(bytes);
}

/** Read files one after the other; what cannot be read is said in `errors`. */
export function readEach(
  name: string,
  context: Context,
  names: string[],
): { files: { name: string; data: string }[]; errors: string } {
  const files: { name: string; data: string }[] = [];
  let errors = "";
  for (const each of names.length ? names : ["-"]) {
    try {
      files.push({ name: each, data: read(context, each) });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      errors += `${name}: ${error.message}\n`;
    }
  }
  return { files, errors };
}

/** All lines of files, without their ends. */
export function lines(text: string): string[] {
  if (!text) return [];
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  return all;
}

export function unlines(all: string[]): string {
  return all.length ? `${all.join("\n")}\n` : "";
}

/** The operating system's words for what failed. */
export const REASONS: Record<string, string> = {
  EACCES: "Permission denied",
  EBUSY: "Device or resource busy",
  EEXIST: "File exists",
  EINVAL: "Invalid argument",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  ENAMETOOLONG: "File name too long",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  EROFS: "Read-only file system",
};

/** An error of the file system in an operating system's words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof TreeError)) throw error;
  return REASONS[error.code] ?? error.message;
}
