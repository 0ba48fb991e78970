/** cut, paste, uniq, nl, comm and join: files line by line and field by field. */

import type { Command } from "just-bash/browser";
import { bytesOf, toBytes, toText } from "../shell-text";
import {
  type Context,
  Fault,
  type Given,
  lines,
  type Output,
  read,
  readEach,
  resolve,
  tool,
  unlines,
} from "./command";
import { ground } from "./ground";

export const fields: Command[] = [
  tool(
    "cut",
    "b: c: f: d: s n z complement=C output-delimiter=O fields=f delimiter=d bytes=b characters=c only-delimited=s zero-terminated=z O: C",
    cut,
  ),
  tool("paste", "d: s z delimiters=d serial=s zero-terminated=z", paste),
  tool(
    "uniq",
    "c d D u i f: s: w: z count=c repeated=d unique=u ignore-case=i skip-fields=f skip-chars=s check-chars=w zero-terminated=z all-repeated=D",
    uniq,
  ),
  tool(
    "nl",
    "b: n: w: s: v: i: h: f: d: l: p body-numbering=b number-format=n number-width=w number-separator=s starting-line-number=v line-increment=i",
    nl,
  ),
  tool("comm", "1 2 3 z O: check-order=c nocheck-order=c c output-delimiter=O zero-terminated=z", comm),
  tool("join", "t: a: v: o: e: 1: 2: j: i z header=H H ignore-case=i check-order=c nocheck-order=c c", join),
];

/** A list like `1,3-5,7-`: tells whether a number, from 1, is in it. */
function listed(list: string): (number: number) => boolean {
  const ranges = list.split(/[,\s]/).map((each) => {
    const [, from, dash, to] = /^(\d*)(-?)(\d*)$/.exec(each) ?? [];
    if ((!from && !to) || from === "0") throw new Fault(`invalid byte, character or field list`);
    return [Number(from || 1), dash ? Number(to || Number.POSITIVE_INFINITY) : Number(from)] as const;
  });
  return (number) => ranges.some(([from, to]) => number >= from && number <= to);
}

function cut(given: Given, context: Context): Output {
  const list = given.get("f") ?? given.get("c") ?? given.get("b");
  if (list === undefined) throw new Fault("you must specify a list of bytes, characters, or fields");
  const wanted = listed(list);
  const inside = given.has("C") ? (number: number) => !wanted(number) : wanted;
  const delimiter = toBytes(given.get("d") ?? "\t");
  const end = given.has("z") ? "\0" : "\n";
  const { files, errors } = readEach("cut", context, given.rest);
  const rows = files.flatMap(({ data }) =>
    end === "\n" ? lines(data) : data.split(end).filter((each, at, all) => each || at < all.length - 1),
  );
  const glue = toBytes(given.get("O") ?? (given.has("f") ? delimiter : ""));
  const kept: string[] = [];
  for (const row of rows) {
    if (given.has("f") && !row.includes(delimiter)) {
      if (!given.has("s")) kept.push(row);
      continue;
    }
    const parts = given.has("f") ? row.split(delimiter) : [...row];
    kept.push(parts.filter((_, at) => inside(at + 1)).join(glue));
  }
  return { out: kept.map((each) => each + end).join(""), errors };
}

function paste(given: Given, context: Context): Output {
  const delimiters = [
    ...toBytes(
      (given.get("d") ?? "\t").replace(
        /\\(.)/g,
        (_, each) => ({ n: "\n", t: "\t", "0": "\0" })[each as "n"] ?? each,
      ),
    ),
  ].map((each) => (each === "\0" ? "" : each));
  const glue = (at: number) => (delimiters.length ? (delimiters[at % delimiters.length] as string) : "");
  const end = given.has("z") ? "\0" : "\n";
  const names = given.rest.length ? given.rest : ["-"];
  const own = lines(names.includes("-") ? read(context, "-") : "");
  const streams = names.filter((each) => each === "-").length;
  let stream = -1;
  const columns = names.map((name) => {
    if (name !== "-") return lines(read(context, name));
    stream += 1;
    return own.filter((_, at) => at % streams === stream);
  });
  const joined = (row: string[]) => row.map((each, at) => (at ? glue(at - 1) + each : each)).join("");
  if (given.has("s")) return { out: columns.map((each) => joined(each) + end).join("") };
  const height = Math.max(...columns.map((each) => each.length));
  return {
    out: Array.from({ length: height }, (_, at) => joined(columns.map((each) => each[at] ?? "")) + end).join(
      "",
    ),
  };
}

function uniq(given: Given, context: Context): Output {
  const [input = "-", target] = given.rest;
  const skipped = (line: string) => {
    let key = line;
    for (let left = given.number("f", 0); left > 0; left--) key = key.replace(/^[ \t]*[^ \t]*/, "");
    key = key.slice(given.number("s", 0));
    if (given.has("w")) key = key.slice(0, given.number("w", 0));
    return given.has("i") ? key.toLowerCase() : key;
  };
  const groups: string[][] = [];
  let last: string | undefined;
  const end = given.has("z") ? "\0" : "\n";
  const data = read(context, input);
  for (const line of given.has("z") ? data.split(end).slice(0, -1) : lines(data)) {
    const key = skipped(line);
    if (key === last) groups.at(-1)?.push(line);
    else groups.push([line]);
    last = key;
  }
  const shown = groups.filter(({ length }) =>
    given.has("d", "D") ? length > 1 : given.has("u") ? length === 1 : true,
  );
  const count = (group: string[]) => (given.has("c") ? `${String(group.length).padStart(7)} ` : "");
  const rows = shown.flatMap((group) => (given.has("D") ? group : [`${count(group)}${group[0]}`]));
  const out = rows.map((each) => each + end).join("");
  if (target === undefined) return { out };
  ground.files.tree.write(resolve(context, target), bytesOf(out));
  return {};
}

function nl(given: Given, context: Context): Output {
  const body = given.get("b") ?? "t";
  const width = given.number("w", 6);
  const format = given.get("n") ?? "rn";
  let number = given.number("v", 1);
  const numbered = (line: string) =>
    body === "a" ||
    (body === "t" ? line !== "" : body.startsWith("p") && new RegExp(body.slice(1)).test(line));
  const { files, errors } = readEach("nl", context, given.rest);
  const rows = files
    .flatMap(({ data }) => lines(data))
    .map((line) => {
      const separator = given.get("s") ?? "\t";
      if (!numbered(line)) return `${" ".repeat(width + separator.length)}${line}`;
      const text = String(number);
      number += given.number("i", 1);
      const shown = format === "ln" ? text.padEnd(width) : text.padStart(width, format === "rz" ? "0" : " ");
      return shown + separator + line;
    });
  return { out: unlines(rows), errors };
}

function comm(given: Given, context: Context): Output {
  const [first = "-", second = "-"] = given.rest;
  const [a, b] = [lines(read(context, first)), lines(read(context, second))];
  const separator = given.get("O") ?? "\t";
  const before = [0, given.has("1") ? 0 : 1, (given.has("1") ? 0 : 1) + (given.has("2") ? 0 : 1)];
  const rows: string[] = [];
  const put = (column: number, line: string) =>
    given.has(String(column + 1)) || rows.push(separator.repeat(before[column] as number) + line);
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (right === undefined || (left !== undefined && left < right)) put(0, a[i++] as string);
    else if (left === undefined || right < left) put(1, b[j++] as string);
    else {
      put(2, left);
      i += 1;
      j += 1;
    }
  }
  return { out: unlines(rows) };
}

function join(given: Given, context: Context): Output {
  const separator = given.get("t");
  const split = (line: string) =>
    separator === undefined ? line.trim().split(/[ \t]+/) : line.split(separator);
  const keys = ["1", "2"].map((each) => given.number(each, given.number("j", 1)) - 1) as [number, number];
  const [a, b] = given.rest.slice(0, 2).map((name) => lines(read(context, name)).map(split)) as [
    string[][],
    string[][],
  ];
  const fold = (text = "") => (given.has("i") ? text.toLowerCase() : text);
  const empty = given.get("e") ?? "";
  const format = given.all("o").join(",").split(/[ ,]+/).filter(Boolean);
  const rows: string[] = [];
  const put = (left: string[] | undefined, right: string[] | undefined) => {
    const key = left?.[keys[0]] ?? right?.[keys[1]] ?? "";
    const sides = [left, right];
    const others = sides.flatMap((side, index) => side?.filter((_, at) => at !== keys[index]) ?? []);
    const chosen = format.map((each) => {
      const [side, field] = each.split(".");
      return each === "0" ? key : sides[Number(side) - 1]?.[Number(field) - 1] || empty;
    });
    rows.push((format.length && format[0] !== "auto" ? chosen : [key, ...others]).join(separator ?? " "));
  };
  const only = given.all("v");
  const single = [...given.all("a"), ...only];
  const alone = (left: string[] | undefined, right: string[] | undefined) => {
    if (single.includes(left ? "1" : "2")) put(left, right);
  };
  const key = (row: string[] | undefined, side: 0 | 1) => row && fold(row[keys[side]]);
  const errors = [
    ...unsorted(given.rest[0], a, (row) => key(row, 0)),
    ...unsorted(given.rest[1], b, (row) => key(row, 1)),
  ];
  let at = 0;
  for (let from = 0; from < a.length; ) {
    const mine = key(a[from], 0) as string;
    while (at < b.length && (key(b[at], 1) as string) < mine) alone(undefined, b[at++]);
    const to = span(a, from, (row) => key(row, 0) === mine);
    const end = span(b, at, (row) => key(row, 1) === mine);
    for (const left of a.slice(from, to)) {
      if (end === at) alone(left, undefined);
      else if (!only.length) for (const right of b.slice(at, end)) put(left, right);
    }
    from = to;
    at = end;
  }
  while (at < b.length) alone(undefined, b[at++]);
  return { out: toBytes(toText(unlines(rows))), errors: errors.join("") };
}

function* unsorted(
  name = "-",
  rows: string[][],
  key: (row: string[]) => string | undefined,
): Generator<string> {
  for (let at = 1; at < rows.length; at++)
    if ((key(rows[at - 1] as string[]) ?? "") > (key(rows[at] as string[]) ?? "")) {
      yield `join: ${name}:${at + 1}: is not sorted: ${rows[at]?.join(" ")}\n`;
      return;
    }
}

/** Where the rows that fit, from one on, end. */
function span(rows: string[][], from: number, fits: (row: string[]) => boolean): number {
  let to = from;
  while (to < rows.length && fits(rows[to] as string[])) to += 1;
  return to;
}
