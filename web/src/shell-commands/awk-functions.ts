/** The functions that awk programs find. */

import type { Machine } from "./awk-machine";
import type { Expression } from "./awk-syntax";
import { Input, toNumber, type Value } from "./awk-values";
import { Fault } from "./command";
import { strftime } from "./date";
import { compile } from "./pattern";

type Function_ = (machine: Machine, args: Expression[]) => Value;

const number =
  (apply: (...values: number[]) => number): Function_ =>
  (machine, args) =>
    apply(...args.map((each) => toNumber(machine.value(each))));
const bits = (apply: (a: bigint, b: bigint) => bigint): Function_ =>
  number((a, b) => Number(apply(BigInt(Math.trunc(a)), BigInt(Math.trunc(b ?? 0)))));

function text(machine: Machine, args: Expression[], at: number): string {
  const given = args[at];
  return given ? machine.show(machine.value(given)) : "";
}

export const FUNCTIONS: Record<string, Function_> = {
  length(machine, args) {
    const [given] = args;
    if (!given) return [...machine.show(machine.get("0field"))].length;
    if (given.kind === "variable" && isTable(machine, given.name)) return machine.table(given.name).size;
    return [...text(machine, args, 0)].length;
  },
  substr(machine, args) {
    const whole = [...text(machine, args, 0)];
    const start = Math.round(toNumber(args[1] && machine.value(args[1])));
    const end = args[2] ? start + Math.round(toNumber(machine.value(args[2]))) : Number.POSITIVE_INFINITY;
    return whole.slice(Math.max(0, start - 1), Math.max(0, end - 1)).join("");
  },
  index: (machine, args) => {
    const [whole, part] = [text(machine, args, 0), text(machine, args, 1)];
    const at = whole.indexOf(part);
    return at < 0 ? 0 : [...whole.slice(0, at)].length + 1;
  },
  split(machine, args) {
    const [, into, by] = args;
    const whole = text(machine, args, 0);
    if (into?.kind !== "variable") throw new Fault("split: second argument is no array", 2);
    const separator =
      by === undefined
        ? machine.show(machine.get("FS"))
        : by.kind === "regex"
          ? by.source
          : machine.show(machine.value(by));
    const parts =
      by?.kind === "regex" && whole
        ? machine.parts(whole, separator.length === 1 ? `[${separator}]` : separator)
        : machine.parts(whole, separator);
    const table = machine.table(into.name);
    table.clear();
    parts.forEach((each, at) => table.set(String(at + 1), new Input(each)));
    return parts.length;
  },
  sub: (machine, args) => substitute(machine, args, false),
  gsub: (machine, args) => substitute(machine, args, true),
  match(machine, args) {
    const whole = text(machine, args, 0);
    const found = machine.pattern(args[1] as Expression).exec(whole);
    machine.set("RSTART", found ? [...whole.slice(0, found.index)].length + 1 : 0);
    machine.set("RLENGTH", found ? [...found[0]].length : -1);
    if (args[2]?.kind === "variable") {
      const table = machine.table(args[2].name);
      table.clear();
      found?.forEach((each, at) => table.set(String(at), new Input(each ?? "")));
    }
    return machine.get("RSTART");
  },
  sprintf: (machine, args) =>
    machine.format(
      text(machine, args, 0),
      args.slice(1).map((each) => machine.value(each)),
    ),
  tolower: (machine, args) => text(machine, args, 0).toLowerCase(),
  toupper: (machine, args) => text(machine, args, 0).toUpperCase(),
  sin: number(Math.sin),
  cos: number(Math.cos),
  atan2: number(Math.atan2),
  exp: number(Math.exp),
  log: number(Math.log),
  sqrt: number(Math.sqrt),
  int: number(Math.trunc),
  and: bits((a, b) => a & b),
  or: bits((a, b) => a | b),
  xor: bits((a, b) => a ^ b),
  lshift: bits((a, b) => a << b),
  rshift: bits((a, b) => a >> b),
  compl: number((value) => Number(BigInt.asUintN(53, ~BigInt(value)))),
  rand: (machine) => machine.random(),
  srand(machine, args) {
    let seed = args[0] ? toNumber(machine.value(args[0])) : Date.now() / 1000;
    machine.random = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    return 0;
  },
  systime: () => Math.floor(Date.now() / 1000),
  strftime: (machine, args) =>
    strftime(
      text(machine, args, 0) || "%a %b %e %H:%M:%S UTC %Y",
      new Date(args[1] ? toNumber(machine.value(args[1])) * 1000 : Date.now()),
    ),
  system(machine, args) {
    const { text: said, exitCode } = machine.answer(text(machine, args, 0));
    machine.out += said;
    return exitCode;
  },
  close: (machine, args) => machine.close(text(machine, args, 0)),
  fflush: () => 0,
  asort: (machine, args) => sorted(machine, args, false),
  asorti: (machine, args) => sorted(machine, args, true),
};

function isTable(machine: Machine, name: string): boolean {
  try {
    machine.get(name);
    return false;
  } catch {
    return true;
  }
}

function sorted(machine: Machine, args: Expression[], keys: boolean): Value {
  const [source, into = source] = args;
  if (source?.kind !== "variable" || into?.kind !== "variable")
    throw new Fault("asort: argument is no array", 2);
  const table = machine.table(source.name);
  const all = keys
    ? [...table.keys()].sort()
    : [...table.values()].sort(
        (a, b) => toNumber(a) - toNumber(b) || (machine.show(a) < machine.show(b) ? -1 : 1),
      );
  const target = machine.table(into.name);
  target.clear();
  all.forEach((each, at) => target.set(String(at + 1), each));
  return all.length;
}

function substitute(machine: Machine, args: Expression[], all: boolean): Value {
  const [pattern, , target = { kind: "field", index: { kind: "number", value: 0 } } satisfies Expression] =
    args;
  const replacement = text(machine, args, 1);
  const whole = machine.show(machine.value(target));
  let count = 0;
  const result = whole.replace(machine.pattern(pattern as Expression, "g"), (found) => {
    if (count && !all) return found;
    count += 1;
    return replacement.replace(/\\\\&|\\&|&|\\\\/g, (each) =>
      each === "&" ? found : each === "\\&" ? "&" : each === "\\\\&" ? `\\${found}` : "\\",
    );
  });
  if (count) machine.assign(target, result);
  return count;
}

export function gensub(machine: Machine, args: Expression[]): Value {
  const [pattern] = args;
  const [replacement, how] = [text(machine, args, 1), text(machine, args, 2)];
  const whole = args[3] ? text(machine, args, 3) : machine.show(machine.get("0field"));
  let count = 0;
  const source = pattern?.kind === "regex" ? pattern.source : text(machine, args, 0);
  return whole.replace(compile(source, { extended: true, flags: "g" }), (...found) => {
    count += 1;
    if (!/^g/i.test(how) && count !== Number(how || 1)) return found[0];
    return replacement.replace(/\\(\d)|&/g, (_, group) => found[Number(group ?? 0)] ?? "");
  });
}
