/** xxd, hexdump, od, strings: bytes for people to read. */

import type { Command } from "just-bash/browser";
import { bytesOf, latin1 } from "../shell-text";
import { type Context, Fault, type Given, type Output, read, tool } from "./command";
import { ground } from "./ground";

export const dumps: Command[] = [
  tool(
    "xxd",
    "p r i u b l: s: c: g: ps=p postscript=p plain=p revert=r include=i len=l seek=s cols=c e",
    xxd,
  ),
  tool("hexdump", "C v n: s: e: c x", hexdump),
  tool("od", "A: t: N: j: v a b c d o x w? width=w address-radix=A format=t read-bytes=N skip-bytes=j", od),
  tool("strings", "a n: t: # all=a bytes=n", (given, context) => {
    const shortest = given.number("n", given.number("#", 4));
    const found = given.rest.flatMap(
      (name) => read(context, name).match(new RegExp(`[\\x20-\\x7e\\t]{${shortest},}`, "g")) ?? [],
    );
    return { out: found.map((each) => `${each}\n`).join("") };
  }),
];

function hex(value: number, width = 2): string {
  return value.toString(16).padStart(width, "0");
}

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (each) => (each > 31 && each < 127 ? String.fromCharCode(each) : ".")).join("");
}

function part(data: string, given: Given, from: string, count: string): Uint8Array {
  const start = Number(given.get(from) ?? 0);
  const begin = start < 0 ? Math.max(0, data.length + start) : start;
  const length = given.has(count) ? Number(given.get(count)) : data.length;
  return bytesOf(data.slice(begin, begin + length));
}

function xxd(given: Given, context: Context): Output {
  const [name = "-", target] = given.rest;
  const data = read(context, name, Number(given.get("l") ?? 0) + Number(given.get("s") ?? 0) || undefined);
  const out = given.has("r") ? unhex(data, given.has("p")) : shownByXxd(data, name, given);
  if (target === undefined) return { out };
  ground.files.tree.write(ground.files.resolvePath(context.cwd, target), bytesOf(out));
  return {};
}

function unhex(data: string, plain: boolean): string {
  const digits = data
    .split("\n")
    .map((line) => (plain ? line : line.replace(/^\s*[0-9a-fA-F]+:/, "").split(/ {2}/)[0]))
    .join("")
    .replace(/[^0-9a-fA-F]/g, "");
  return latin1(Uint8Array.from(digits.match(/../g) ?? [], (each) => Number.parseInt(each, 16)));
}

function shownByXxd(data: string, name: string, given: Given): string {
  const bytes = part(data, given, "s", "l");
  const begin = Math.max(0, Number(given.get("s") ?? 0));
  const digits = (each: number) =>
    given.has("u") ? hex(each).toUpperCase() : given.has("b") ? each.toString(2).padStart(8, "0") : hex(each);
  const width = Number(
    given.get("c") ?? (given.has("p") ? 30 : given.has("i") ? 12 : given.has("b") ? 6 : 16),
  );
  const rows: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += width) rows.push(bytes.subarray(at, at + width));
  if (given.has("p")) return rows.map((row) => `${Array.from(row, digits).join("")}\n`).join("");
  if (given.has("i")) {
    const body = rows
      .map((row) => `  ${Array.from(row, (each) => `0x${digits(each)}`).join(", ")}`)
      .join(",\n");
    if (name === "-") return `${body}\n`;
    const word = name.replace(/\W/g, "_");
    return `unsigned char ${word}[] = {\n${body}\n};\nunsigned int ${word}_len = ${bytes.length};\n`;
  }
  const group = Number(given.get("g") ?? (given.has("b") ? 1 : 2)) || width;
  const cell = given.has("b") ? 8 : 2;
  return rows
    .map((row, index) => {
      let shown = "";
      for (let at = 0; at < width; at++)
        shown +=
          (at < row.length ? digits(row[at] as number) : " ".repeat(cell)) +
          ((at + 1) % group === 0 || at === width - 1 ? " " : "");
      return `${hex(begin + index * width, 8)}: ${shown} ${printable(row)}\n`;
    })
    .join("");
}

function hexdump(given: Given, context: Context): Output {
  if (given.has("e")) throw new Fault("formats of one's own are not available; use -C");
  const bytes = part(
    (given.rest.length ? given.rest : ["-"]).map((name) => read(context, name)).join(""),
    given,
    "s",
    "n",
  );
  const begin = Number(given.get("s") ?? 0);
  const wide = given.has("C") ? 8 : 7;
  let out = "";
  let last = "";
  let skipping = false;
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const same = latin1(row);
    if (!given.has("v") && same === last && row.length === 16) {
      if (!skipping) out += "*\n";
      skipping = true;
      continue;
    }
    skipping = false;
    last = same;
    if (given.has("C")) {
      const cells = Array.from({ length: 16 }, (_, index) =>
        index < row.length ? hex(row[index] as number) : "  ",
      );
      out += `${hex(begin + at, 8)}  ${cells.slice(0, 8).join(" ")}  ${cells.slice(8).join(" ")}  |${printable(row)}|\n`;
    } else {
      const words = Array.from({ length: Math.ceil(row.length / 2) }, (_, index) =>
        hex((row[2 * index] as number) | ((row[2 * index + 1] ?? 0) << 8), 4),
      );
      out += `${hex(begin + at, 7)} ${words.join(" ").padEnd(39)}\n`;
    }
  }
  return { out: bytes.length ? `${out}${hex(begin + bytes.length, wide)}\n` : out };
}

interface Format {
  size: number;
  width: number;
  show(value: bigint, bytes: Uint8Array): string;
}

const NAMED: Record<number, string> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};
const SIZES: Record<string, number> = { C: 1, S: 2, I: 4, L: 8, "": 4 };
const CONTROLS =
  "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp".split(
    " ",
  );

function formatOf(text: string): Format {
  const [, kind = "o", size = ""] = /^([acdfoux])([CSIL]|\d*)/.exec(text) ?? [];
  const length = kind === "c" || kind === "a" ? 1 : (SIZES[size] ?? Number(size));
  const digits = {
    x: 2 * length,
    o: Math.ceil((8 * length) / 3),
    u: { 1: 3, 2: 5, 4: 10, 8: 20 }[length] ?? 10,
    d: { 1: 4, 2: 6, 4: 11, 8: 20 }[length] ?? 11,
    c: 3,
    a: 3,
    f: length === 4 ? 15 : 24,
  }[kind as "x"];
  const show = (value: bigint, bytes: Uint8Array): string => {
    const number = Number(value);
    if (kind === "x") return value.toString(16).padStart(digits, "0");
    if (kind === "o") return value.toString(8).padStart(digits, "0");
    if (kind === "u") return value.toString();
    if (kind === "d") return BigInt.asIntN(8 * length, value).toString();
    if (kind === "a")
      return number === 127 ? "del" : (CONTROLS[number & 127] ?? String.fromCharCode(number & 127));
    if (kind === "f") {
      const view = new DataView(new Uint8Array(bytes).buffer);
      return String(
        length === 4 ? Number(view.getFloat32(0, true).toPrecision(7)) : view.getFloat64(0, true),
      );
    }
    return (
      NAMED[number] ??
      (number > 31 && number < 127 ? String.fromCharCode(number) : number.toString(8).padStart(3, "0"))
    );
  };
  return { size: length, width: digits, show };
}

function od(given: Given, context: Context): Output {
  const short: Record<string, string> = { a: "a", b: "o1", c: "c", d: "u2", o: "o2", x: "x2" };
  const texts = [
    ...Object.keys(short)
      .filter((each) => given.has(each))
      .map((each) => short[each] as string),
    ...given.all("t").flatMap((each) => each.match(/[acdfoux](?:[CSIL]|\d*)/g) ?? []),
  ];
  const formats = (texts.length ? texts : ["o2"]).map(formatOf);
  const limit = given.has("N") ? Number(given.get("N")) + Number(given.get("j") ?? 0) : undefined;
  const bytes = part(
    (given.rest.length ? given.rest : ["-"]).map((name) => read(context, name, limit)).join(""),
    given,
    "j",
    "N",
  );
  const radix = given.get("A") ?? "o";
  const begin = Number(given.get("j") ?? 0);
  const address = (at: number) =>
    radix === "n"
      ? ""
      : at.toString({ o: 8, d: 10, x: 16 }[radix as "o"] ?? 8).padStart(radix === "x" ? 6 : 7, "0");
  const row = Number(given.get("w") || (given.has("w") ? 32 : 16));
  // Columns of all formats stand above each other.
  const perByte = Math.max(...formats.map(({ size, width }) => (width + 1) / size));
  let out = "";
  let last = "";
  let skipping = false;
  for (let at = 0; at < bytes.length; at += row) {
    const slice = bytes.subarray(at, at + row);
    if (!given.has("v") && slice.length === row && latin1(slice) === last) {
      if (!skipping) out += "*\n";
      skipping = true;
      continue;
    }
    skipping = false;
    last = latin1(slice);
    formats.forEach((format, index) => {
      let line = index ? " ".repeat(address(0).length) : address(begin + at);
      for (let place = 0; place < slice.length; place += format.size) {
        const own = new Uint8Array(format.size);
        own.set(slice.subarray(place, place + format.size));
        const value = own.reduceRight((sum, each) => (sum << 8n) | BigInt(each), 0n);
        line += format.show(value, own).padStart(Math.round(perByte * format.size));
      }
      out += `${line}\n`;
    });
  }
  return { out: radix === "n" ? out : `${out}${address(begin + bytes.length)}\n` };
}
