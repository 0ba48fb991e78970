/** xargs: commands made of what comes in. */

import { toBytes as bytes, toText } from "../shell-text";
import { command, Fault, parse, type Result, read, stdin } from "./command";
import { shellQuoted } from "./quote";

const OPTIONS =
  "0 I: i? n: L: l? P: d: r t p x s: E: a: null=0 replace=i max-args=n max-lines=l max-procs=P delimiter=d no-run-if-empty=r verbose=t max-chars=s arg-file=a exit=x eof=E show-limits=S S";

export const xargs = command("xargs", async (args, context) => {
  const own = ownArguments(args);
  const given = parse(args.slice(0, own), OPTIONS);
  const words = args.slice(own).length ? args.slice(own) : ["echo"];
  const input = given.has("a") ? read(context, given.get("a") as string) : stdin(context);
  const place = given.get("I") ?? (given.has("i") ? given.get("i") || "{}" : undefined);
  const groups =
    place !== undefined
      ? itemsByLine(input, given.has("0") ? "\0" : given.get("d")).map((each) => [each])
      : grouped(
          input,
          given.has("0") ? "\0" : given.get("d"),
          given.has("L") ? given.number("L", 1) : given.has("l") ? Number(given.get("l") || 1) : undefined,
          given.has("n") ? given.number("n", 1) : undefined,
        );
  if (!groups.length && !given.has("r") && place === undefined) groups.push([]);
  const result: Result = { stdout: "", stderr: "", exitCode: 0, stdoutKind: "bytes" };
  for (const group of groups) {
    const whole =
      place === undefined
        ? [...words, ...group]
        : words.map((each) => each.replaceAll(place, group[0] as string));
    if (given.has("t")) result.stderr += `${whole.join(" ")}\n`;
    const line = whole.map(shellQuoted).join(" ");
    if (!context.exec) throw new Fault("cannot run commands here");
    const done = await context.exec(line, { cwd: context.cwd, stdin: "", env: { ...context.exportedEnv } });
    result.stdout += done.stdoutKind === "bytes" ? done.stdout : bytes(done.stdout);
    result.stderr += done.stderr;
    if (done.exitCode === 127 || done.exitCode === 126) return { ...result, exitCode: done.exitCode };
    if (done.exitCode === 255) return { ...result, exitCode: 124 };
    if (done.exitCode) result.exitCode = 123;
  }
  return result;
});

/** Where the command begins that is to be run. */
function ownArguments(args: string[]): number {
  for (let at = 0; at < args.length; at++) {
    const each = args[at] as string;
    if (each === "--") return at + 1;
    if (!each.startsWith("-") || each === "-") return at;
    if (
      /^-[a-zA-Z0-9]*[InLPdsEa]$/.test(each) ||
      /^--(max-args|max-procs|delimiter|max-chars|arg-file|replace)$/.test(each)
    )
      at += 1;
  }
  return args.length;
}

function separated(input: string, delimiter: string): string[] {
  const real =
    delimiter === "\\n" ? "\n" : delimiter === "\\t" ? "\t" : delimiter === "\\0" ? "\0" : delimiter;
  const all = toText(input).split(real);
  if (all.at(-1) === "") all.pop();
  return all;
}

function itemsByLine(input: string, delimiter: string | undefined): string[] {
  if (delimiter !== undefined) return separated(input, delimiter);
  return toText(input)
    .split("\n")
    .map((each) => unquoted(each.trimStart()).join(" "))
    .filter(Boolean);
}

function grouped(
  input: string,
  delimiter: string | undefined,
  perLine: number | undefined,
  perCommand: number | undefined,
): string[][] {
  if (perLine !== undefined && delimiter === undefined) {
    const rows = toText(input)
      .split("\n")
      .filter((each) => each.trim())
      .map(unquoted);
    return chunks(rows, perLine).map((each) => each.flat());
  }
  const items = delimiter === undefined ? unquoted(toText(input)) : separated(input, delimiter);
  return items.length ? chunks(items, perCommand ?? items.length) : [];
}

function chunks<T>(all: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}

/** Words, of which parts may be quoted. */
function unquoted(text: string): string[] {
  const words = text.match(/(?:"[^"\n]*"|'[^'\n]*'|\\[\s\S]|[^\s"'\\])+/g) ?? [];
  return words.map((each) =>
    each.replace(
      /"([^"\n]*)"|'([^'\n]*)'|\\([\s\S])/g,
      (_, double, single, escaped) => double ?? single ?? escaped,
    ),
  );
}
