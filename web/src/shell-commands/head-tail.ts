/** head and tail: the beginning and the end of files. */

import type { Command } from "just-bash/browser";
import { type Context, Fault, type Given, type Output, read, tool } from "./command";

const OPTIONS =
  "n: c: q v z # f F s: lines=n bytes=c quiet=q silent=q verbose=v zero-terminated=z follow=f retry=F";
const UNITS: Record<string, number> = {
  b: 512,
  k: 1024,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  kB: 1000,
  MB: 1e6,
};

export const headTail: Command[] = [
  tool("head", OPTIONS, (given, context) => each("head", given, context, first)),
  tool("tail", OPTIONS, (given, context) => {
    if (given.has("f", "F")) throw new Fault("cannot follow a file here; run `tail` again to see what came");
    return each("tail", given, context, last);
  }),
];

type Cut = (data: string, count: number, sign: string, end: string | undefined) => string;

function each(name: string, given: Given, context: Context, cut: Cut): Output {
  const bytes = given.get("c");
  const [, sign = "", digits, unit = ""] =
    /^([-+]?)(\d+)(\w*)$/.exec(bytes ?? given.get("n") ?? given.get("#") ?? "10") ?? [];
  if (!digits)
    throw new Fault(`invalid number of ${bytes ? "bytes" : "lines"}: '${bytes ?? given.get("n")}'`);
  const count = Number(digits) * (UNITS[unit] ?? 1);
  const end = bytes ? undefined : given.has("z") ? "\0" : "\n";
  const names = given.rest.length ? given.rest : ["-"];
  const titled = given.has("v") || (names.length > 1 && !given.has("q"));
  let out = "";
  let errors = "";
  for (const file of names) {
    try {
      const data = read(context, file, bytes && sign !== "-" ? count : undefined);
      if (titled) out += `${out ? "\n" : ""}==> ${file === "-" ? "standard input" : file} <==\n`;
      out += cut(data, count, sign, end);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const [path, reason] = error.message.split(": ");
      errors +=
        reason === "Is a directory"
          ? `${name}: error reading '${path}': ${reason}\n`
          : `${name}: cannot open '${path}' for reading: ${reason}\n`;
    }
  }
  return { out, errors };
}

function first(data: string, count: number, sign: string, end: string | undefined): string {
  if (end === undefined) return data.slice(0, sign === "-" ? Math.max(0, data.length - count) : count);
  return data.slice(0, sign === "-" ? fromEnd(data, count, end) : fromStart(data, count, end));
}

function last(data: string, count: number, sign: string, end: string | undefined): string {
  if (end === undefined)
    return data.slice(sign === "+" ? Math.max(0, count - 1) : Math.max(0, data.length - count));
  return data.slice(sign === "+" ? fromStart(data, Math.max(0, count - 1), end) : fromEnd(data, count, end));
}

/** Where the line after so many lines begins. */
function fromStart(data: string, count: number, end: string): number {
  let at = 0;
  for (let left = count; left > 0; left--) {
    const next = data.indexOf(end, at);
    if (next < 0) return data.length;
    at = next + 1;
  }
  return at;
}

/** Where the last so many lines begin. */
function fromEnd(data: string, count: number, end: string): number {
  let at = data.endsWith(end) ? data.length - 1 : data.length;
  if (!count) return data.length;
  for (let left = count; left > 0; left--) {
    if (at <= 0) return 0;
    at = data.lastIndexOf(end, at - 1);
    if (at < 0) return 0;
  }
  return at + 1;
}
