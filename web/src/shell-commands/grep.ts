/** grep, egrep, fgrep, zgrep: the lines that a pattern finds. */

import { gunzipSync } from "fflate";
import type { Command } from "just-bash/browser";
import { bytesOf, latin1, toBytes, toText } from "../shell-text";
import type { Node } from "../tree-nodes";
import {
  type Context,
  Fault,
  type Given,
  lines,
  type Output,
  read,
  reasonOf,
  resolve,
  tool,
} from "./command";
import { ground, pace } from "./ground";
import { quoted, translate } from "./pattern";

const OPTIONS =
  "E F G P e: f: i y v w x c l L q s n b H h o r R a I U z Z T m: A: B: C: # d: D: color=Q? colour=Q? Q? include=J: J: exclude=K: K: exclude-dir=M: M: extended-regexp=E fixed-strings=F basic-regexp=G perl-regexp=P regexp=e file=f ignore-case=i no-ignore-case=0 0 invert-match=v word-regexp=w line-regexp=x count=c files-with-matches=l files-without-match=L quiet=q silent=q no-messages=s line-number=n byte-offset=b with-filename=H no-filename=h only-matching=o recursive=r dereference-recursive=R text=a max-count=m after-context=A before-context=B context=C null=Z null-data=z binary-files=N: N: label=O: O: line-buffered=U initial-tab=T";

export const grep: Command[] = [
  named("grep", ""),
  named("egrep", "E"),
  named("fgrep", "F"),
  named("zgrep", ""),
];

function named(name: string, kind: string): Command {
  return tool(name, OPTIONS, (given, context) => {
    if (kind) given.add(kind);
    try {
      return new Search(name, given, context).run();
    } catch (error) {
      if (error instanceof Fault) throw new Fault(error.message, 2);
      throw error;
    }
  });
}

class Search {
  private out: string[] = [];
  private errors = "";
  private found = false;
  private failed = false;
  private readonly matcher: RegExp;
  private readonly title: boolean;
  private readonly limit: number;
  private readonly before: number;
  private readonly after: number;
  private readonly colored: boolean;

  constructor(
    private readonly name: string,
    private readonly given: Given,
    private readonly context: Context,
  ) {
    const patterns = given.all("e").flatMap((each) => each.split("\n"));
    for (const file of given.all("f")) patterns.push(...lines(toText(read(context, file))));
    if (!given.has("e", "f")) {
      const first = given.rest.shift();
      if (first === undefined) throw new Fault("usage: grep [OPTION]... PATTERNS [FILE]...");
      patterns.push(...first.split("\n"));
    }
    this.matcher = matcherOf(patterns, given);
    this.title = given.has("H") || (!given.has("h") && (given.rest.length > 1 || given.has("r", "R")));
    this.limit = given.number("m", Number.POSITIVE_INFINITY);
    const around = given.number("C", given.number("#", 0));
    this.before = given.number("B", around);
    this.after = given.number("A", around);
    this.colored = given.get("Q") === "always";
  }

  run(): Output {
    const { given } = this;
    const names = given.rest.length ? given.rest : [given.has("r", "R") ? "." : "-"];
    const bare = !given.rest.length && given.has("r", "R");
    for (const name of names) {
      if (this.found && given.has("q")) break;
      const node = name === "-" ? undefined : this.node(name);
      if (node?.kind === "directory") {
        if (given.has("r", "R")) this.walk(node, bare ? "" : `${name.replace(/\/+$/, "")}/`);
        else if (given.get("d") !== "skip") this.complain(`${name}: Is a directory`);
      } else if (name === "-" || node) this.search(name, this.data(name));
    }
    return {
      out: this.out.join(""),
      errors: this.errors,
      code: given.has("q") && this.found ? 0 : this.failed ? 2 : this.found ? 0 : 1,
    };
  }

  private node(name: string): Node | undefined {
    try {
      return ground.files.tree.find("open", resolve(this.context, name));
    } catch (error) {
      this.complain(`${name}: ${reasonOf(error)}`);
      return undefined;
    }
  }

  private complain(text: string): void {
    this.failed = true;
    if (!this.given.has("s")) this.errors += `${this.name}: ${text}\n`;
  }

  private data(name: string): string {
    const data = read(this.context, name);
    return this.name === "zgrep" && data.startsWith("\x1f\x8b") ? latin1(gunzipSync(bytesOf(data))) : data;
  }

  private walk(folder: Node, prefix: string): void {
    if (folder.kind !== "directory") return;
    const [include, exclude, folders] = ["J", "K", "M"].map((each) => this.given.all(each).map(glob)) as [
      RegExp[],
      RegExp[],
      RegExp[],
    ];
    for (const child of [...folder.children.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      pace();
      const name = prefix + child.name;
      if (child.kind === "directory") {
        if (!folders.some((each) => each.test(child.name))) this.walk(child, `${name}/`);
      } else if (child.kind === "file" || this.given.has("R")) {
        if (
          (include.length && !include.some((each) => each.test(child.name))) ||
          exclude.some((each) => each.test(child.name))
        )
          continue;
        try {
          this.search(name, this.data(name));
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
        }
      }
    }
  }

  private search(name: string, data: string): void {
    const { given, matcher } = this;
    const binary = !given.has("a", "z") && given.get("N") !== "text" && data.includes("\0");
    if (binary && given.has("I")) return;
    const shown = name === "-" ? (given.get("O") ?? "(standard input)") : name;
    const text = toText(data);
    const end = given.has("z") ? "\0" : "\n";
    // Most files have nothing: one look tells.
    if (
      !given.has("v") &&
      end === "\n" &&
      !given.has("c", "L") &&
      !new RegExp(matcher.source, `${matcher.flags.replace("g", "")}m`).test(text)
    )
      return;
    const all =
      end === "\n" ? lines(text) : text.split(end).filter((each, at, list) => each || at < list.length - 1);
    const picks: number[] = [];
    for (let at = 0; at < all.length && picks.length < this.limit; at++) {
      pace();
      matcher.lastIndex = 0;
      if (matcher.test(all[at] as string) !== given.has("v")) {
        picks.push(at);
        if (given.has("q", "l", "L")) break;
      }
    }
    if (picks.length) this.found = true;
    if (given.has("q")) return;
    const gap = given.has("Z") ? "\0" : "\n";
    if (given.has("L")) {
      if (!picks.length) this.put(shown + gap);
    } else if (given.has("l")) {
      if (picks.length) this.put(shown + gap);
    } else if (given.has("c")) this.put(`${this.title ? `${shown}:` : ""}${picks.length}\n`);
    else if (binary) {
      if (picks.length) this.errors += `${this.name}: ${shown}: binary file matches\n`;
    } else this.print(shown, all, picks, end);
  }

  private put(text: string): void {
    this.out.push(toBytes(text));
  }

  private print(name: string, all: string[], picks: number[], end: string): void {
    const { given, matcher } = this;
    const wanted = new Set(picks);
    const offsets = given.has("b") ? offsetsOf(all) : [];
    const prefix = (at: number, sign: string, extra = 0) => {
      const parts = [
        this.title ? this.paint(name, "35") : undefined,
        given.has("n") ? this.paint(String(at + 1), "32") : undefined,
        given.has("b") ? this.paint(String((offsets[at] as number) + extra), "32") : undefined,
      ];
      return parts
        .filter((each) => each !== undefined)
        .map((each) => each + this.paint(sign, "36"))
        .join("");
    };
    matcher.lastIndex = 0;
    if (given.has("o")) {
      if (given.has("v")) return;
      for (const at of picks)
        for (const match of (all[at] as string).matchAll(matcher))
          if (match[0])
            this.put(
              `${prefix(at, ":", toBytes((all[at] as string).slice(0, match.index)).length)}${this.paint(match[0], "01;31")}${end}`,
            );
      return;
    }
    const apart = this.before > 0 || this.after > 0 || given.has("A", "B", "C", "#");
    let last = -1;
    for (const pick of picks) {
      const start = Math.max(last + 1, pick - this.before, 0);
      if (apart && (last >= 0 ? start > last + 1 : this.out.length > 0)) this.put("--\n");
      for (let at = start; at < pick; at++) this.put(`${prefix(at, "-")}${all[at]}${end}`);
      const line = all[pick] as string;
      this.put(
        `${prefix(pick, ":")}${this.colored ? line.replace(matcher, (each) => this.paint(each, "01;31")) : line}${end}`,
      );
      last = pick;
      for (let at = pick + 1; at <= pick + this.after && at < all.length && !wanted.has(at); at++) {
        this.put(`${prefix(at, "-")}${all[at]}${end}`);
        last = at;
      }
    }
  }

  private paint(text: string, code: string): string {
    return this.colored && text ? `\x1b[${code}m\x1b[K${text}\x1b[m\x1b[K` : text;
  }
}

function matcherOf(patterns: string[], given: Given): RegExp {
  const sources = patterns.map((each) => {
    if (given.has("F")) return quoted(each);
    if (given.has("P")) return each;
    return translate(each, given.has("E"));
  });
  const any = sources.length === 1 ? (sources[0] as string) : sources.map((each) => `(?:${each})`).join("|");
  const whole = given.has("x")
    ? `^(?:${any})$`
    : given.has("w")
      ? `(?<![\\p{L}\\p{N}_])(?:${any})(?![\\p{L}\\p{N}_])`
      : any;
  const flags = given.has("i", "y") ? "gi" : "g";
  try {
    return new RegExp(sources.length ? whole : "(?!)", `${flags}u`);
  } catch {
    try {
      return new RegExp(perl(whole), flags);
    } catch {
      throw new Fault(`invalid regular expression: ${patterns[0]}`);
    }
  }
}

/** What Perl's expressions have and JavaScript's have not, as far as it can be said otherwise. */
function perl(source: string): string {
  return source
    .replace(/\\h/g, "[ \\t]")
    .replace(/\(\?P</g, "(?<")
    .replace(/\\[AZz]/g, (each) => (each === "\\A" ? "^" : "$"))
    .replace(
      /\[:(\w+):\]/g,
      (_, name) =>
        ({
          alpha: "a-zA-Z",
          digit: "0-9",
          alnum: "a-zA-Z0-9",
          space: "\\s",
          upper: "A-Z",
          lower: "a-z",
          punct: "!-/:-@\\[-`{-~",
        })[name as "alpha"] ?? "",
    );
}

/** Where lines begin, in bytes. */
function offsetsOf(all: string[]): number[] {
  let at = 0;
  return all.map((line) => {
    const start = at;
    at += toBytes(line).length + 1;
    return start;
  });
}

/** A file name's pattern. */
export function glob(pattern: string): RegExp {
  let source = "";
  for (let at = 0; at < pattern.length; at++) {
    const each = pattern[at] as string;
    const set = each === "[" && /^\[[!^]?\]?[^\]]*\]/.exec(pattern.slice(at))?.[0];
    if (set) {
      source += set.replace(/^\[!/, "[^").replace(/\\/g, "\\\\");
      at += set.length - 1;
    } else if (each === "\\") {
      at += 1;
      source += quoted(pattern[at] ?? "\\");
    } else source += each === "*" ? "[^]*" : each === "?" ? "[^]" : quoted(each);
  }
  return new RegExp(`^${source}$`, "u");
}
