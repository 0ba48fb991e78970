/** awk: programs over records and their fields. */

import { encodeText, latin1, toText } from "../shell-text";
import { Machine, Need } from "./awk-machine";
import { parseAwk } from "./awk-syntax";
import { type Context, command, Fault, parse, type Result, read, resolve, stdin } from "./command";
import { ground } from "./ground";

export const awk = [named("awk"), named("gawk"), named("mawk")];

/** How often a program may ask for another command's output. */
const MOST_COMMANDS = 1000;

function named(name: string) {
  return command(name, async (args, context) => {
    const given = parse(
      optionsOnly(args),
      "F: v: f: e: field-separator=F assign=v file=f source=e version=V V posix=P P",
    );
    if (given.has("V")) return { stdout: "awk 1.3.4\n", stderr: "", exitCode: 0 };
    const rest = args.slice(optionsOnly(args).length);
    if (rest[0] === "--") rest.shift();
    const sources = [...given.all("f").map((file) => toText(read(context, file))), ...given.all("e")];
    const source = sources.length ? sources.join("\n") : rest.shift();
    if (source === undefined) throw new Fault("usage: awk [-F fs] [-v var=value] 'program' [file ...]", 2);
    const variables = given.all("v").map((each) => split(each));
    return await run(name, source, { variables, separator: given.get("F"), operands: rest }, context);
  });
}

/** Options end where the program begins. */
function optionsOnly(args: string[]): string[] {
  let at = 0;
  while (at < args.length && /^-./.test(args[at] as string) && args[at] !== "--")
    at +=
      /^-[Fvfe]$/.test(args[at] as string) ||
      /^--(field-separator|assign|file|source)$/.test(args[at] as string)
        ? 2
        : 1;
  return args.slice(0, at);
}

export function split(assignment: string): [string, string] {
  const at = assignment.indexOf("=");
  return [assignment.slice(0, at), assignment.slice(at + 1)];
}

export interface Start {
  variables: [string, string][];
  separator: string | undefined;
  operands: string[];
}

/** A program that needs another command's output is run again once that is there. */
async function run(name: string, source: string, start: Start, context: Context): Promise<Result> {
  const answers: { text: string; exitCode: number }[] = [];
  const open = (file: string) => toText(file === "-" ? stdin(context) : read(context, file));
  for (let round = 0; round < MOST_COMMANDS; round++) {
    const machine = new Machine(parseAwk(source), start, { ...context.exportedEnv }, open, answers);
    let needed: Need | undefined;
    try {
      machine.run();
    } catch (error) {
      if (error instanceof Need) needed = error;
      else if (error instanceof Fault)
        return {
          stdout: latin1(encodeText(machine.out)),
          stderr: `${name}: ${error.message}\n`,
          exitCode: 2,
          stdoutKind: "bytes",
        };
      else throw error;
    }
    for (const [file, text] of machine.files)
      if (!file.startsWith("/dev/")) ground.files.tree.write(resolve(context, file), encodeText(text));
    if (!needed) return await finish(machine, context);
    const done = await context.exec?.(needed.command, {
      cwd: context.cwd,
      env: { ...context.exportedEnv },
      stdin: needed.input,
    });
    answers.push({
      text: done ? (done.stdoutKind === "bytes" ? toText(done.stdout) : done.stdout) : "",
      exitCode: done?.exitCode ?? 127,
    });
  }
  throw new Fault("too many commands", 2);
}

/** Give what was printed to commands to them; where their output stands, `machine.out` has a mark. */
async function finish(machine: Machine, context: Context): Promise<Result> {
  let { out } = machine;
  let stderr = machine.files.get("/dev/stderr") ?? "";
  for (const [line, text] of machine.pipes) {
    const done = await context.exec?.(line, {
      cwd: context.cwd,
      env: { ...context.exportedEnv },
      stdin: text,
    });
    if (!done) continue;
    out += done.stdoutKind === "bytes" ? toText(done.stdout) : done.stdout;
    stderr += done.stderr;
  }
  return { stdout: latin1(encodeText(out)), stderr, exitCode: machine.exitCode, stdoutKind: "bytes" };
}
