/** split: the pieces of a file, by lines, by bytes, or into a number of them. */

import type { Command } from "just-bash/browser";
import { bytesOf } from "../shell-text";
import { type Context, Fault, type Given, type Output, read, resolve, tool } from "./command";
import { ground } from "./ground";

const UNITS: Record<string, number> = {
  b: 512,
  K: 1 << 10,
  k: 1 << 10,
  M: 1 << 20,
  G: 1 << 30,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
};

export const split: Command = tool(
  "split",
  "l: b: C: n: a: d x e u # lines=l bytes=b line-bytes=C number=n suffix-length=a numeric-suffixes=d hex-suffixes=x additional-suffix=s: s: elide-empty-files=e verbose=v v",
  (given, context) => {
    const [name = "-", prefix = "x"] = given.rest;
    const data = read(context, name);
    const pieces = given.has("n")
      ? parted(data, given.get("n") ?? "", given.has("e"))
      : given.has("b")
        ? bySize(data, size(given.get("b") ?? ""))
        : given.has("C")
          ? byLineBytes(data, size(given.get("C") ?? ""))
          : byLines(data, given.number("l", given.number("#", 1000)));
    return written(pieces, prefix, given, context);
  },
);

function written(pieces: string[], prefix: string, given: Given, context: Context): Output {
  const numeric = given.has("d", "x");
  const base = given.has("d") ? 10 : given.has("x") ? 16 : 26;
  let length = given.number("a", 2);
  while (!given.has("a") && pieces.length > base ** length) length += 1;
  if (pieces.length > base ** length) throw new Fault("output file suffixes exhausted");
  let text = "";
  pieces.forEach((piece, number) => {
    let suffix = "";
    for (let left = number, place = 0; place < length; place++, left = Math.floor(left / base)) {
      const digit = left % base;
      suffix = (numeric ? digit.toString(base) : String.fromCharCode(97 + digit)) + suffix;
    }
    const file = `${prefix}${suffix}${given.get("s") ?? ""}`;
    ground.files.tree.write(resolve(context, file), bytesOf(piece));
    if (given.has("v")) text += `creating file '${file}'\n`;
  });
  return { text };
}

function size(text: string): number {
  const [, number, unit = ""] = /^(\d+)([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = unit ? UNITS[unit.replace(/iB$/, "")] : 1;
  if (!Number(number) || !factor) throw new Fault(`invalid number of bytes: '${text}'`);
  return Number(number) * factor;
}

/** All lines with their ends. */
function ended(data: string): string[] {
  return data.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function byLines(data: string, count: number): string[] {
  if (count < 1) throw new Fault(`invalid number of lines: '${count}'`);
  const all = ended(data);
  return Array.from({ length: Math.ceil(all.length / count) }, (_, at) =>
    all.slice(at * count, (at + 1) * count).join(""),
  );
}

function bySize(data: string, bytes: number): string[] {
  return Array.from({ length: Math.ceil(data.length / bytes) }, (_, at) =>
    data.slice(at * bytes, (at + 1) * bytes),
  );
}

function byLineBytes(data: string, bytes: number): string[] {
  const pieces: string[] = [];
  let room = 0;
  for (const line of ended(data).flatMap((each) => bySize(each, bytes))) {
    if (line.length > room) {
      pieces.push("");
      room = bytes;
    }
    pieces[pieces.length - 1] += line;
    room -= line.length;
  }
  return pieces;
}

/** `N`, `l/N` that cuts no line, or `r/N` that deals lines out in turn. */
function parted(data: string, chunks: string, elide: boolean): string[] {
  const [, way, text] = /^(?:([lr])\/)?(\d+)$/.exec(chunks) ?? [];
  const count = Number(text);
  if (!count) throw new Fault(`invalid number of chunks: '${chunks}'`);
  const pieces: string[] = Array.from({ length: count }, () => "");
  const each = Math.floor(data.length / count);
  if (way) {
    let at = 0;
    for (const [number, line] of ended(data).entries()) {
      const piece = way === "r" ? number % count : each ? Math.min(count - 1, Math.floor(at / each)) : 0;
      pieces[piece] += line;
      at += line.length;
    }
  } else
    pieces.forEach((_, at) => {
      pieces[at] = data.slice(at * each, at === count - 1 ? undefined : (at + 1) * each);
    });
  return elide ? pieces.filter(Boolean) : pieces;
}
