/** sed's scripts, read into commands. */

import { Fault } from "./command";
import { compile } from "./pattern";

export type Address =
  | { kind: "line"; line: number }
  | { kind: "last" }
  | { kind: "step"; first: number; step: number }
  /** Without a pattern the last one that was used. */
  | { kind: "pattern"; pattern: RegExp | undefined }
  | { kind: "plus"; count: number }
  | { kind: "multiple"; of: number };

export interface SedCommand {
  name: string;
  from?: Address;
  to?: Address;
  negated: boolean;
  /** Set while a range is open: the line it ends with, or Infinity. */
  until?: number | undefined;
  text: string;
  /** Where a branch or a block leads. */
  target: number;
  pattern?: RegExp | undefined;
  replacement: Piece[];
  global: boolean;
  print: boolean;
  nth: number;
  file: string;
  table: Map<string, string>;
}

/** A part of a replacement: text, a group by its number, or a change of case. */
export type Piece = string | number | { change: string };

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07" };

export function parseSed(script: string, extended: boolean): SedCommand[] {
  return new Parser(script, extended).all();
}

class Parser {
  private at = 0;
  private readonly commands: SedCommand[] = [];
  private readonly open: SedCommand[] = [];
  private readonly labels = new Map<string, number>();

  constructor(
    private readonly script: string,
    private readonly extended: boolean,
  ) {}

  all(): SedCommand[] {
    for (;;) {
      this.skip(/[\s;]*/y);
      if (this.at >= this.script.length) break;
      this.command();
    }
    if (this.open.length) throw new Fault("-e expression #1, char 0: unmatched `{'");
    for (const each of this.commands) {
      if (!/[btT]/.test(each.name)) continue;
      const target = each.text ? this.labels.get(each.text) : this.commands.length;
      if (target === undefined)
        throw new Fault(
          `-e expression #1, char ${this.script.length}: can't find label for jump to \`${each.text}'`,
        );
      each.target = target;
    }
    return this.commands;
  }

  private skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const [text = ""] = pattern.exec(this.script) ?? [];
    this.at += text.length;
    return text;
  }

  private fail(what: string): never {
    throw new Fault(`-e expression #1, char ${this.at}: ${what}`);
  }

  private command(): void {
    const made: SedCommand = {
      name: "",
      negated: false,
      text: "",
      target: 0,
      replacement: [],
      global: false,
      print: false,
      nth: 0,
      file: "",
      table: new Map(),
    };
    const from = this.address();
    if (from) {
      made.from = from;
      this.skip(/[ \t]*/y);
      if (this.script[this.at] === ",") {
        this.at += 1;
        this.skip(/[ \t]*/y);
        const to = this.address();
        if (!to) this.fail("unexpected `,'");
        made.to = to;
      }
    }
    if (this.skip(/[ \t]*!*[ \t]*/y).includes("!")) made.negated = true;
    made.name = this.script[this.at++] ?? this.fail("missing command");
    this.rest(made);
    this.commands.push(made);
    if (made.name === ":") this.labels.set(made.text, this.commands.length);
  }

  private address(): Address | undefined {
    const number = this.skip(/\d+/y);
    if (number) {
      const step = this.skip(/~\d+/y);
      return step
        ? { kind: "step", first: Number(number), step: Number(step.slice(1)) }
        : { kind: "line", line: Number(number) };
    }
    const each = this.script[this.at];
    const relative = this.skip(/[+~]\d+/y);
    if (relative)
      return relative[0] === "+"
        ? { kind: "plus", count: Number(relative.slice(1)) }
        : { kind: "multiple", of: Number(relative.slice(1)) };
    if (each === "$") {
      this.at += 1;
      return { kind: "last" };
    }
    if (each !== "/" && each !== "\\") return undefined;
    this.at += each === "\\" ? 2 : 1;
    const source = this.until(this.script[this.at - 1] as string, true);
    const flags = this.skip(/[IM]*/y);
    return { kind: "pattern", pattern: this.pattern(source, flags) };
  }

  private pattern(source: string, flags: string): RegExp | undefined {
    if (!source) return undefined;
    return compile(source, {
      extended: this.extended,
      flags: `g${/[iI]/.test(flags) ? "i" : ""}${/[mM]/.test(flags) ? "m" : ""}`,
    });
  }

  /** The text up to a delimiter; in a pattern, a delimiter in brackets is none. */
  private until(end: string, pattern: boolean): string {
    let text = "";
    let set = false;
    for (; this.at < this.script.length; this.at++) {
      const each = this.script[this.at] as string;
      if (each === "\\" && this.at + 1 < this.script.length) {
        const next = this.script[this.at + 1] as string;
        this.at += 1;
        if (next === end && !set)
          text +=
            /[.*[\]^$+?(){}|]/.test(end) && pattern
              ? `\\${end}`
              : end === "&" || end === "\\"
                ? `\\${end}`
                : end;
        else if (next === "\n") text += pattern ? "\n" : "\\\n";
        else text += `\\${next}`;
      } else if (pattern && set && each === "]") {
        set = false;
        text += each;
      } else if (pattern && !set && each === "[") {
        const [start = ""] = /^\[\^?\]?(?:\[[:.=].*?[:.=]\])?/.exec(this.script.slice(this.at)) ?? [];
        text += start;
        this.at += start.length - 1;
        set = this.script.indexOf("]", this.at + 1) >= 0;
      } else if (each === end && !set) {
        this.at += 1;
        return text;
      } else text += each;
    }
    return this.fail(`unterminated ${pattern ? "address regex" : "`s' command"}`);
  }

  private rest(made: SedCommand): void {
    switch (made.name) {
      case "#":
        this.skip(/[^\n]*/y);
        made.name = ":";
        made.text = `#${this.at}`;
        return;
      case "{":
        this.open.push(made);
        return;
      case "}": {
        const block = this.open.pop();
        if (!block) this.fail("unexpected `}'");
        else block.target = this.commands.length;
        this.end();
        return;
      }
      case "s":
        this.substitution(made);
        return;
      case "y":
        this.transliteration(made);
        return;
      case "a":
      case "i":
      case "c":
        made.text = this.lines();
        return;
      case ":":
        this.skip(/[ \t]*/y);
        made.text = this.skip(/[^\s;]+/y);
        return;
      case "b":
      case "t":
      case "T":
        this.skip(/[ \t]*/y);
        made.text = this.skip(/[^\s;}]*/y);
        return;
      case "r":
      case "R":
      case "w":
      case "W":
        this.skip(/[ \t]*/y);
        made.file = this.skip(/[^\n]*/y);
        return;
      case "q":
      case "Q":
      case "l":
      case "L":
        this.skip(/[ \t]*/y);
        made.text = this.skip(/\d*/y);
        this.end();
        return;
      default:
        if (!"dDgGhHnNpPxz=F".includes(made.name)) this.fail(`unknown command: \`${made.name}'`);
        this.end();
    }
  }

  private end(): void {
    this.skip(/[ \t]*/y);
    const next = this.script[this.at];
    if (next !== undefined && !/[\n;}#]/.test(next)) this.fail("extra characters after command");
  }

  private substitution(made: SedCommand): void {
    const end = this.script[this.at++];
    if (end === undefined || end === "\n" || end === "\\") this.fail("unterminated `s' command");
    const source = this.until(end, true);
    const replacement = this.until(end, false);
    const flags = this.skip(/(?:[gpiImMe]|\d+)*/y);
    if (this.script[this.at] === "w") {
      this.at += 1;
      this.skip(/[ \t]*/y);
      made.file = this.skip(/[^\n]*/y);
    } else this.end();
    made.global = flags.includes("g");
    made.print = flags.includes("p");
    made.nth = Number(/\d+/.exec(flags)?.[0] ?? 1);
    made.pattern = this.pattern(source, flags);
    made.replacement = piecesOf(replacement);
  }

  private transliteration(made: SedCommand): void {
    const end = this.script[this.at++] ?? "/";
    const plain = (text: string) => [...text.replace(/\\(.)/gs, (_, each) => ESCAPES[each] ?? each)];
    const [from, to] = [plain(this.until(end, false)), plain(this.until(end, false))];
    if (from.length !== to.length) this.fail("strings for `y' command are different lengths");
    from.forEach((each, at) => made.table.set(each, to[at] as string));
    this.end();
  }

  /** The text of `a`, `i` and `c`: on the same line, or after a backslash on the next ones. */
  private lines(): string {
    this.skip(/[ \t]*/y);
    if (this.skip(/\\[ \t]*\n/y)) this.skip(/[ \t]*(?=\\)/y);
    else if (this.script[this.at] === "\\") this.at += 1;
    let text = "";
    for (; this.at < this.script.length && this.script[this.at] !== "\n"; this.at++) {
      if (this.script[this.at] === "\\") {
        this.at += 1;
        const next = this.script[this.at] ?? "";
        text += next === "t" ? "\t" : next;
      } else text += this.script[this.at];
    }
    return text;
  }
}

function piecesOf(replacement: string): Piece[] {
  const pieces: Piece[] = [];
  const put = (text: string) => {
    if (typeof pieces.at(-1) === "string") pieces[pieces.length - 1] += text;
    else pieces.push(text);
  };
  for (let at = 0; at < replacement.length; at++) {
    const each = replacement[at] as string;
    if (each === "&") pieces.push(0);
    else if (each !== "\\") put(each);
    else {
      at += 1;
      const next = replacement[at] ?? "\\";
      const hex = /^x[0-9a-fA-F]{1,2}/.exec(replacement.slice(at))?.[0];
      if (/\d/.test(next)) pieces.push(Number(next));
      else if (/[UuLlE]/.test(next)) pieces.push({ change: next });
      else if (hex) {
        put(String.fromCharCode(Number.parseInt(hex.slice(1), 16)));
        at += hex.length - 1;
      } else put(ESCAPES[next] ?? next);
    }
  }
  return pieces;
}
