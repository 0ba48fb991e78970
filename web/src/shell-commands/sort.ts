/** sort: whole lines or keys, as texts, numbers, sizes, months or versions. */

import { bytesOf } from "../shell-text";
import { Fault, type Given, lines, type Output, readEach, resolve, tool, unlines } from "./command";
import { ground } from "./ground";

type Compare = (a: string, b: string) => number;

/** What letters after a key, or options, ask for. */
interface Order {
  compare: Compare;
  reverse: boolean;
  blanks: boolean;
}

interface Key extends Order {
  from: [field: number, character: number];
  to: [field: number, character: number] | undefined;
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const SIZES = "KMGTPEZY";

export const sort = tool(
  "sort",
  "b d f g h i k: M m n o: r R s t: u V z c C S: T: numeric-sort=n reverse=r unique=u key=k field-separator=t ignore-case=f stable=s output=o version-sort=V human-numeric-sort=h general-numeric-sort=g month-sort=M zero-terminated=z check=c ignore-leading-blanks=b dictionary-order=d merge=m random-sort=R parallel=S buffer-size=S ignore-nonprinting=i",
  (given, context) => {
    const end = given.has("z") ? "\0" : "\n";
    const { files, errors } = readEach("sort", context, given.rest);
    if (errors) return { errors: errors.replace(/^sort: /gm, "sort: cannot read: "), code: 2 };
    const all = files.flatMap(({ data }) =>
      given.has("z")
        ? data.split("\0").filter((each, at, list) => each || at < list.length - 1)
        : lines(data),
    );
    const compare = comparison(given);
    const last = given.has("s", "u")
      ? () => 0
      : given.has("r")
        ? (a: string, b: string) => bytewise(b, a)
        : bytewise;
    const whole: Compare = (a, b) => compare(a, b) || last(a, b);
    if (given.has("c", "C")) return checked(all, given, whole);
    if (given.has("R"))
      for (let at = all.length - 1; at > 0; at--) swap(all, at, Math.floor(Math.random() * (at + 1)));
    else all.sort(whole);
    const kept = given.has("u") ? all.filter((each, at) => !at || compare(all[at - 1] as string, each)) : all;
    const out = end === "\n" ? unlines(kept) : kept.map((each) => each + end).join("");
    const target = given.get("o");
    if (target === undefined) return { out };
    ground.files.tree.write(resolve(context, target), bytesOf(out));
    return {};
  },
);

function swap(all: string[], a: number, b: number): void {
  [all[a], all[b]] = [all[b] as string, all[a] as string];
}

function checked(all: string[], given: Given, compare: Compare): Output {
  const at = all.findIndex(
    (each, index) => index > 0 && (compare(all[index - 1] as string, each) || (given.has("u") ? 1 : 0)) > 0,
  );
  if (at < 0) return {};
  return {
    errors: given.has("C") ? "" : `sort: ${given.rest[0] ?? "-"}:${at + 1}: disorder: ${all[at]}\n`,
    code: 1,
  };
}

function comparison(given: Given): Compare {
  const letters = [..."bdfghiMnrRV"].filter((each) => given.has(each)).join("");
  const separator = given.get("t") === "\\0" ? "\0" : given.get("t");
  const keys = given.all("k").map((text) => keyOf(text, letters));
  if (!keys.length) {
    const { compare, reverse, blanks } = order(letters);
    const trim = (text: string) => (blanks ? text.replace(/^[ \t]+/, "") : text);
    return (a, b) => (reverse ? compare(trim(b), trim(a)) : compare(trim(a), trim(b)));
  }
  return (a, b) => {
    for (const key of keys) {
      const result = key.compare(extract(a, key, separator), extract(b, key, separator));
      if (result) return key.reverse ? -result : result;
    }
    return 0;
  };
}

function keyOf(text: string, letters: string): Key {
  const match = /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text);
  if (!match || match[1] === "0") throw new Fault(`invalid field specification '${text}'`, 2);
  const own = (match[3] ?? "") + (match[6] ?? "");
  const to: Key["to"] = match[4] ? [Number(match[4]), Number(match[5] ?? 0)] : undefined;
  return { ...order(own || letters), from: [Number(match[1]), Number(match[2] ?? 1)], to };
}

function extract(line: string, { from, to, blanks }: Key, separator: string | undefined): string {
  const places = fieldPlaces(line, separator);
  const startOf = (field: number) => places[field - 1]?.[0] ?? line.length;
  let start = startOf(from[0]);
  if (blanks) while (/[ \t]/.test(line[start] ?? "")) start += 1;
  start += from[1] - 1;
  if (!to) return line.slice(start);
  const [field, character] = to;
  if (!character) return line.slice(start, places[field - 1]?.[1] ?? line.length);
  let end = startOf(field);
  if (blanks) while (/[ \t]/.test(line[end] ?? "")) end += 1;
  return line.slice(start, end + character);
}

/** Where fields begin and end; without a separator, the blanks before one belong to it. */
function fieldPlaces(line: string, separator: string | undefined): [number, number][] {
  if (separator === undefined)
    return [...line.matchAll(/[ \t]*[^ \t]+/g)].map((match) => [match.index, match.index + match[0].length]);
  const places: [number, number][] = [];
  for (let at = 0; at <= line.length; ) {
    const next = line.indexOf(separator, at);
    const end = next < 0 ? line.length : next;
    places.push([at, end]);
    at = end + 1;
  }
  return places;
}

function order(letters: string): Order {
  const has = (letter: string) => letters.includes(letter);
  const compare = has("n")
    ? byValue(number)
    : has("h")
      ? byValue(size)
      : has("g")
        ? byValue((text) =>
            Number.isNaN(Number.parseFloat(text)) ? Number.NEGATIVE_INFINITY : Number.parseFloat(text),
          )
        : has("M")
          ? byValue((text) => MONTHS.indexOf(text.trim().slice(0, 3).toUpperCase()))
          : has("V")
            ? versions
            : textual(has("f"), has("d"), has("i"));
  return { compare, reverse: has("r"), blanks: has("b") };
}

function textual(fold: boolean, dictionary: boolean, printable: boolean): Compare {
  if (!fold && !dictionary && !printable) return bytewise;
  const shown = (text: string) => {
    const plain = dictionary
      ? text.replace(/[^\w\s]|_/g, "")
      : printable
        ? text.replace(/[^ -~]/g, "")
        : text;
    return fold ? plain.toUpperCase() : plain;
  };
  return (a, b) => bytewise(shown(a), shown(b));
}

export function bytewise(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byValue(value: (text: string) => number): Compare {
  return (a, b) => {
    const [x, y] = [value(a), value(b)];
    return x < y ? -1 : x > y ? 1 : 0;
  };
}

function number(text: string): number {
  return Number(/^\s*(-?\d*\.?\d*)/.exec(text)?.[1] || 0) || 0;
}

function size(text: string): number {
  const [, value = "", unit = ""] = /^\s*(-?\d*\.?\d*)([KMGTPEZY]?)/i.exec(text) ?? [];
  return (Number(value) || 0) * 1024 ** (SIZES.indexOf(unit.toUpperCase() || " ") + 1);
}

/** Digits in texts count as numbers. */
export function versions(a: string, b: string): number {
  const [x, y] = [a, b].map((each) => each.match(/\d+|\D+/g) ?? []) as unknown as [string[], string[]];
  for (let at = 0; at < Math.max(x.length, y.length); at++) {
    const [left, right] = [x[at], y[at]];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    const both = /^\d/.test(left) && /^\d/.test(right);
    const result = both ? Number(left) - Number(right) : bytewise(left, right);
    if (result) return result;
  }
  return 0;
}
