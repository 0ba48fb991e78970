/** patch: change files as a diff says. */

import { decodeBytes, encodeText } from "../shell-text";
import { type Context, Fault, type Given, read, resolve, tool } from "./command";
import { ground } from "./ground";

const OPTIONS =
  "p: i: R N f t s b d: o: u E F: l r: z: C strip=p input=i reverse=R forward=N force=f batch=t silent=s quiet=s backup=b directory=d output=o fuzz=F dry-run=C remove-empty-files=E ignore-whitespace=l reject-file=r suffix=z unified=u no-backup-if-mismatch=M M merge=m m";
const MOST_FUZZ = 2;

interface Hunk {
  start: number;
  /** What the hunk says, sign first. */
  lines: string[];
  text: string[];
  /** Whether the old, or the new file, ends without a newline here. */
  bare: [boolean, boolean];
}

interface FilePatch {
  before: string;
  after: string;
  head: string[];
  hunks: Hunk[];
}

export const patch = tool("patch", OPTIONS, (given, context) => {
  const [target, from] = given.rest;
  const place = given.has("d") ? { ...context, cwd: resolve(context, given.get("d") as string) } : context;
  const patches = parsePatch(read(context, given.get("i") ?? from ?? "-"));
  if (!patches.length) throw new Fault("**** Only garbage was found in the patch input.", 2);
  const result = { text: "", code: 0 };
  for (const each of patches) apply(each, target, given, place as Context, result);
  return result;
});

/** Read unified diffs; everything around them is left out. */
function parsePatch(text: string): FilePatch[] {
  const all = decode(text).split("\n");
  const patches: FilePatch[] = [];
  for (let at = 0; at < all.length; at++) {
    const line = all[at] as string;
    if (line.startsWith("--- ") && all[at + 1]?.startsWith("+++ ")) {
      const next = all[at + 1] as string;
      patches.push({ before: nameIn(line), after: nameIn(next), head: [line, next], hunks: [] });
      at += 1;
      continue;
    }
    const match = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (!match || !patches.length) continue;
    let [old, fresh] = [Number(match[2] ?? 1), Number(match[4] ?? 1)];
    const hunk: Hunk = {
      start: Number(match[1]) + (old ? 0 : 1),
      lines: [],
      text: [line],
      bare: [false, false],
    };
    while ((old > 0 || fresh > 0) && at + 1 < all.length) {
      at += 1;
      const each = (all[at] as string) || " ";
      if (each.startsWith("\\")) {
        noteBare(hunk);
        continue;
      }
      if (!/^[-+ ]/.test(each)) throw new Fault(`**** malformed patch at line ${at + 1}: ${each}`, 2);
      hunk.lines.push(each);
      hunk.text.push(each);
      if (each[0] !== "+") old -= 1;
      if (each[0] !== "-") fresh -= 1;
    }
    if (all[at + 1]?.startsWith("\\")) {
      noteBare(hunk);
      at += 1;
    }
    patches.at(-1)?.hunks.push(hunk);
  }
  return patches;
}

function decode(latin1: string): string {
  return decodeBytes(Uint8Array.from(latin1, (each) => each.charCodeAt(0)));
}

function noteBare(hunk: Hunk): void {
  const sign = hunk.lines.at(-1)?.[0];
  hunk.text.push("\\ No newline at end of file");
  if (sign !== "+") hunk.bare[0] = true;
  if (sign !== "-") hunk.bare[1] = true;
}

function nameIn(line: string): string {
  return (line.slice(4).split("\t")[0] as string).trim().replace(/^"(.*)"$/, "$1");
}

function apply(
  patch: FilePatch,
  target: string | undefined,
  given: Given,
  context: Context,
  result: { text: string; code: number },
): void {
  const reverse = given.has("R");
  const [before, after] = reverse ? [patch.after, patch.before] : [patch.before, patch.after];
  const name = target ?? choose(before, after, given, context);
  const path = resolve(context, name);
  const there = ground.files.has(path);
  if (
    !there &&
    before !== "/dev/null" &&
    !patch.hunks.every((hunk) => hunk.lines.every((each) => each[0] === (reverse ? "-" : "+")))
  )
    throw new Fault(`**** Can't find file to patch: ${name}`, 1);
  const dry = given.has("C");
  const say = (text: string) => {
    if (!given.has("s")) result.text += text;
  };
  say(`${dry ? "checking" : "patching"} file ${name}\n`);
  const text = there ? decodeBytes(ground.files.tree.read(path)) : "";
  const source = text.split("\n");
  let bare = source.pop() !== "";
  if (bare) source.push(text.slice(text.lastIndexOf("\n") + 1));
  const rejected: Hunk[] = [];
  let moved = 0;
  let inexact = false;
  patch.hunks.forEach((hunk, index) => {
    const lines = reverse
      ? hunk.lines.map((each) => (each[0] === "+" ? "-" : each[0] === "-" ? "+" : " ") + each.slice(1))
      : hunk.lines;
    const found = locate(source, lines, hunk.start - 1 + moved, given);
    const number = `Hunk #${index + 1}`;
    if (!found) {
      rejected.push(hunk);
      say(`${number} FAILED at ${hunk.start}.\n`);
      return;
    }
    const { at, fuzz } = found;
    const offset = at - (hunk.start - 1 + moved);
    if (offset || fuzz) {
      inexact = true;
      const fuzzy = fuzz ? ` with fuzz ${fuzz}` : "";
      const far = offset ? ` (offset ${offset} line${offset === 1 ? "" : "s"})` : "";
      say(`${number} succeeded at ${at + 1}${fuzzy}${far}.\n`);
    }
    const used = trimmed(lines, fuzz);
    const removed = used.filter((each) => each[0] !== "+").length;
    const fresh: string[] = [];
    let place = at;
    for (const each of used) {
      if (each[0] === "+") fresh.push(each.slice(1));
      else {
        if (each[0] === " ") fresh.push(source[place] as string);
        place += 1;
      }
    }
    source.splice(at, removed, ...fresh);
    if (at + fresh.length >= source.length && (hunk.bare[0] || hunk.bare[1]))
      bare = hunk.bare[reverse ? 0 : 1];
    moved += fresh.length - removed + offset;
  });
  const total = patch.hunks.length;
  if (rejected.length) {
    const saved = dry ? "" : ` -- saving rejects to file ${name}.rej`;
    say(`${rejected.length} out of ${total} hunk${total === 1 ? "" : "s"} FAILED${saved}\n`);
    result.code = 1;
    if (!dry)
      write(`${path}.rej`, `${[...patch.head, ...rejected.flatMap((hunk) => hunk.text)].join("\n")}\n`);
  }
  if (dry) return;
  if ((rejected.length || inexact || given.has("b")) && there && !given.has("M")) write(`${path}.orig`, text);
  const gone = after === "/dev/null" || (given.has("E") && !source.length);
  if (gone && !source.length) ground.files.tree.remove(path);
  else if (rejected.length < total) {
    if (!there) ground.files.tree.makeDirectory(path.slice(0, path.lastIndexOf("/")) || "/", true);
    write(path, source.length ? source.join("\n") + (bare ? "" : "\n") : "");
  }
}

function write(path: string, text: string): void {
  ground.files.tree.write(path, encodeText(text));
}

/** The file that is meant: of the two names, the one that is there. */
function choose(before: string, after: string, given: Given, context: Context): string {
  const strip = given.has("p") ? given.number("p", 0) : undefined;
  const names = [before, after]
    .filter((each) => each !== "/dev/null")
    .map((each) =>
      strip === undefined
        ? ground.files.has(resolve(context, each))
          ? each
          : (each.split("/").pop() as string)
        : each.split("/").slice(strip).join("/"),
    );
  return names.find((each) => ground.files.has(resolve(context, each))) ?? (names.at(-1) as string);
}

function locate(
  source: string[],
  lines: string[],
  wanted: number,
  given: Given,
): { at: number; fuzz: number } | undefined {
  const same = given.has("l")
    ? (a: string, b: string) => a.replace(/\s+/g, " ").trim() === b.replace(/\s+/g, " ").trim()
    : (a: string, b: string) => a === b;
  for (let fuzz = 0; fuzz <= Math.min(MOST_FUZZ, given.number("F", MOST_FUZZ)); fuzz++) {
    const old = trimmed(lines, fuzz)
      .filter((each) => each[0] !== "+")
      .map((each) => each.slice(1));
    if (fuzz && old.length === lines.filter((each) => each[0] !== "+").length) continue;
    const shift = lines.slice(0, fuzz).filter((each) => each[0] === " ").length;
    const fits = (at: number) =>
      at >= 0 &&
      at + old.length <= source.length &&
      old.every((each, index) => same(each, source[at + index] as string));
    if (!old.length) return { at: Math.max(0, Math.min(wanted, source.length)), fuzz };
    for (let distance = 0; distance <= source.length; distance++)
      for (const at of distance ? [wanted + shift + distance, wanted + shift - distance] : [wanted + shift])
        if (fits(at)) return { at, fuzz };
  }
  return undefined;
}

/** A hunk without so many lines of context at either end. */
function trimmed(lines: string[], fuzz: number): string[] {
  let [start, end] = [0, lines.length];
  while (start < fuzz && lines[start]?.[0] === " ") start += 1;
  while (lines.length - end < fuzz && lines[end - 1]?.[0] === " ") end -= 1;
  return lines.slice(start, end);
}
