/** tr: characters for characters, byte by byte. */

import { toBytes } from "../shell-text";
import { Fault, stdin, tool } from "./command";

const CLASSES: Record<string, RegExp> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  digit: /\d/,
  lower: /[a-z]/,
  print: /[ -~]/,
  graph: /[!-~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
};
const ESCAPES: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};
const ALL = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

export const tr = tool(
  "tr",
  "c C d s t complement=c delete=d squeeze-repeats=s truncate-set1=t",
  (given, context) => {
    const [first, second] = given.rest;
    if (first === undefined) throw new Fault("missing operand");
    if (second === undefined && !given.has("d", "s")) throw new Fault(`missing operand after '${first}'`);
    let from = expand(toBytes(first), 0);
    if (given.has("c", "C")) {
      const inside = new Set(from);
      from = ALL.filter((each) => !inside.has(each));
    }
    let to = second === undefined ? [] : expand(toBytes(second), from.length);
    if (to.length && to.length < from.length && !given.has("t"))
      to = [...to, ...Array(from.length - to.length).fill(to.at(-1))];
    const table = ALL.slice();
    if (!given.has("d"))
      from.forEach((each, at) => (table[each.charCodeAt(0)] = to.length ? (to[at] ?? each) : each));
    const gone = given.has("d") ? new Set(from) : new Set<string>();
    const single = new Set(given.has("s") ? (second === undefined ? from : to) : []);
    const data = stdin(context);
    const parts: string[] = [];
    let last = "";
    for (let at = 0; at < data.length; at++) {
      if (gone.has(data[at] as string)) continue;
      const each = table[data.charCodeAt(at)] as string;
      if (each === last && single.has(each)) continue;
      parts.push(each);
      last = each;
    }
    return { out: parts.join("") };
  },
);

/** The characters of a set; `[x*]` fills up to `length`. */
function expand(set: string, length: number): string[] {
  const all: string[] = [];
  for (let at = 0; at < set.length; ) {
    const rest = set.slice(at);
    const named = /^\[:(\w+):\]/.exec(rest);
    const repeated = /^\[(\\?.)\*(\d*)\]/s.exec(rest);
    if (named) {
      const own = CLASSES[named[1] as string];
      if (!own) throw new Fault(`invalid character class '${named[1]}'`);
      all.push(...ALL.filter((each) => own.test(each)));
      at += named[0].length;
    } else if (repeated) {
      const count = Number(repeated[2] || length - all.length);
      all.push(...Array(Math.max(0, count)).fill(single(repeated[1] as string, 0)[0]));
      at += repeated[0].length;
    } else if (/^\[=.=\]/s.test(rest)) {
      all.push(rest[2] as string);
      at += 5;
    } else {
      const [start, next] = single(set, at);
      if (set[next] === "-" && next + 1 < set.length) {
        const [end, after] = single(set, next + 1);
        if (end < start)
          throw new Fault(`range-endpoints of '${start}-${end}' are in reverse collating sequence order`);
        for (let code = start.charCodeAt(0); code <= end.charCodeAt(0); code++)
          all.push(String.fromCharCode(code));
        at = after;
      } else {
        all.push(start);
        at = next;
      }
    }
  }
  return all;
}

function single(set: string, at: number): [string, number] {
  if (set[at] !== "\\" || at + 1 >= set.length) return [set[at] as string, at + 1];
  const octal = /^[0-7]{1,3}/.exec(set.slice(at + 1))?.[0];
  if (octal) return [String.fromCharCode(Number.parseInt(octal, 8) & 0xff), at + 1 + octal.length];
  const next = set[at + 1] as string;
  return [ESCAPES[next] ?? next, at + 2];
}
