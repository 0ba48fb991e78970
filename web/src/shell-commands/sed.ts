/** sed: edits lines as a script says. */

import { encodeText, toText } from "../shell-text";
import { type Context, Fault, type Given, type Output, read, resolve, tool } from "./command";
import { ground, pace } from "./ground";
import { type Address, type Piece, parseSed, type SedCommand } from "./sed-script";

const OPTIONS =
  "n E r i? s u z e: f: l: b quiet=n silent=n regexp-extended=E in-place=i? separate=s unbuffered=u null-data=z expression=e file=f posix=p p version=V V debug=D D sandbox=S S follow-symlinks=L L line-length=l binary=b";

export const sed = tool("sed", OPTIONS, (given, context) => {
  if (given.has("V")) return "sed (GNU sed) 4.9\n";
  const parts = [
    ...given.all("e"),
    ...given.all("f").map((name) => toText(read(context, name)).replace(/\n$/, "")),
  ];
  if (!parts.length) {
    const first = given.rest.shift();
    if (first === undefined) throw new Fault("no script specified");
    parts.push(first);
  }
  const script = parts.join("\n");
  if (/^#n(\n|$)/.test(script)) given.add("n");
  const commands = parseSed(script, given.has("E", "r"));
  const run = new Run(commands, given, context);
  return run.all();
});

interface Line {
  text: string;
  /** Whether a newline followed it. */
  ended: boolean;
  file: string;
}

class Run {
  private out: string[] = [];
  private errors = "";
  private code = 0;
  private lines: Line[] = [];
  private at = 0;
  private space = "";
  private hold = "";
  private number = 0;
  private after: string[] = [];
  private lastPattern: RegExp | undefined;
  private ended = false;
  private missingNewline = false;
  private readonly end: string;
  private readonly quiet: boolean;
  private readonly written = new Map<string, string>();

  constructor(
    private readonly commands: SedCommand[],
    private readonly given: Given,
    private readonly context: Context,
  ) {
    this.end = given.has("z") ? "\0" : "\n";
    this.quiet = given.has("n");
  }

  all(): Output {
    const { given, context } = this;
    const names = given.rest.length ? given.rest : ["-"];
    const inPlace = given.has("i");
    const apart = inPlace || given.has("s");
    const batches = apart ? names.map((name) => [name]) : [names];
    let text = "";
    for (const batch of batches) {
      if (this.ended) break;
      this.lines = [];
      this.at = 0;
      if (apart) this.number = 0;
      for (const name of batch) this.load(name);
      if (!this.lines.length && this.code) continue;
      this.cycles();
      const result = this.out.join("");
      this.out = [];
      if (!inPlace) {
        text += result;
        continue;
      }
      const [name = ""] = batch;
      const path = resolve(context, name);
      if (!ground.files.has(path)) continue;
      const rest = this.lines.slice(this.at).map((line) => line.text + (line.ended ? this.end : ""));
      const suffix = given.get("i");
      if (suffix)
        ground.files.tree.copy(
          path,
          resolve(context, suffix.includes("*") ? suffix.replaceAll("*", name) : name + suffix),
        );
      ground.files.tree.write(path, encodeText(result + rest.join("")));
    }
    for (const [name, content] of this.written)
      if (!name.startsWith("/dev/std")) ground.files.tree.write(resolve(context, name), encodeText(content));
    return { text: text + (this.written.get("/dev/stdout") ?? ""), errors: this.errors, code: this.code };
  }

  private load(name: string): void {
    try {
      const data = toText(read(this.context, name));
      const parts = data.split(this.end);
      const last = parts.pop() as string;
      for (const each of parts) this.lines.push({ text: each, ended: true, file: name });
      if (last) this.lines.push({ text: last, ended: false, file: name });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const [path, reason] = error.message.split(": ");
      this.errors +=
        reason === "Is a directory"
          ? `sed: couldn't edit ${path}: not a regular file\n`
          : `sed: can't read ${error.message}\n`;
      this.code = reason === "Is a directory" ? 4 : 2;
    }
  }

  private cycles(): void {
    this.ended = false;
    let keep = false;
    while (keep || this.next()) {
      pace();
      const outcome = this.cycle();
      keep = outcome === "again";
      if (outcome !== "deleted" && !keep && !this.quiet) this.put(this.space);
      this.flush();
      if (this.ended) return;
    }
  }

  private next(): boolean {
    const line = this.lines[this.at];
    if (!line) return false;
    this.at += 1;
    this.number += 1;
    this.space = line.text;
    return true;
  }

  private get last(): boolean {
    return this.at >= this.lines.length;
  }

  private put(text: string): void {
    if (this.missingNewline) this.out.push(this.end);
    const whole = !this.last || (this.lines[this.at - 1]?.ended ?? true);
    this.missingNewline = !whole;
    this.out.push(whole ? text + this.end : text);
  }

  private flush(): void {
    for (const each of this.after) {
      if (this.missingNewline) this.out.push(this.end);
      this.missingNewline = false;
      this.out.push(each);
    }
    this.after = [];
  }

  /** Run the script on the pattern space. */
  private cycle(): "printed" | "deleted" | "again" {
    let replaced = false;
    for (let at = 0; at < this.commands.length; at++) {
      const command = this.commands[at] as SedCommand;
      const { name } = command;
      if (name === "}" || name === ":") continue;
      if (!this.selected(command)) {
        if (name === "{") at = command.target;
        continue;
      }
      switch (name) {
        case "s":
          if (this.substitute(command)) replaced = true;
          break;
        case "p":
          this.put(this.space);
          break;
        case "d":
          return "deleted";
        case "D": {
          const end = this.space.indexOf("\n");
          if (end < 0) return "deleted";
          this.space = this.space.slice(end + 1);
          return "again";
        }
        case "P":
          this.out.push(`${this.space.split("\n")[0]}${this.end}`);
          break;
        case "n":
          if (this.last) {
            if (!this.quiet) this.put(this.space);
            this.ended = true;
            return "deleted";
          }
          if (!this.quiet) this.put(this.space);
          this.flush();
          this.next();
          break;
        case "N": {
          if (this.last) return "printed";
          const { space } = this;
          this.flush();
          this.next();
          this.space = `${space}\n${this.space}`;
          break;
        }
        case "g":
          this.space = this.hold;
          break;
        case "G":
          this.space += `\n${this.hold}`;
          break;
        case "h":
          this.hold = this.space;
          break;
        case "H":
          this.hold += `\n${this.space}`;
          break;
        case "x":
          [this.space, this.hold] = [this.hold, this.space];
          break;
        case "z":
          this.space = "";
          break;
        case "a":
          this.after.push(`${command.text}\n`);
          break;
        case "i":
          this.out.push(`${command.text}\n`);
          break;
        case "c":
          if (!command.to || command.negated || command.until === undefined)
            this.out.push(`${command.text}\n`);
          return "deleted";
        case "=":
          this.out.push(`${this.number}\n`);
          break;
        case "F":
          this.out.push(`${this.lines[this.at - 1]?.file ?? "-"}\n`);
          break;
        case "l":
          this.out.push(`${visible(this.space)}$\n`);
          break;
        case "q":
        case "Q":
          this.ended = true;
          this.code = Number(command.text || 0);
          return name === "q" ? "printed" : "deleted";
        case "y":
          this.space = [...this.space].map((each) => command.table.get(each) ?? each).join("");
          break;
        case "r":
          try {
            this.after.push(toText(read(this.context, command.file)));
          } catch (error) {
            if (!(error instanceof Fault)) throw error;
          }
          break;
        case "w":
          this.write(command.file, `${this.space}\n`);
          break;
        case "W":
          this.write(command.file, `${this.space.split("\n")[0]}\n`);
          break;
        case "t":
          if (replaced) at = command.target - 1;
          replaced = false;
          break;
        case "T":
          if (!replaced) at = command.target - 1;
          replaced = false;
          break;
        case "b":
          at = command.target - 1;
          pace();
          break;
      }
    }
    return "printed";
  }

  private write(file: string, text: string): void {
    if (file === "/dev/stdout") this.out.push(text);
    else this.written.set(file, (this.written.get(file) ?? "") + text);
  }

  private selected(command: SedCommand): boolean {
    if (!command.from) return true;
    return (
      (command.to ? this.inRange(command, command.from, command.to) : this.matches(command.from)) !==
      command.negated
    );
  }

  private inRange(command: SedCommand, from: Address, to: Address): boolean {
    if (command.until !== undefined) {
      const over =
        to.kind === "pattern" || to.kind === "last" ? this.matches(to) : this.number >= command.until;
      if (to.kind === "line" && this.number > to.line) {
        command.until = undefined;
        return this.inRange(command, from, to);
      }
      if (over) command.until = undefined;
      return true;
    }
    const zero = from.kind === "line" && from.line === 0 && this.number === 1;
    if (!zero && !this.matches(from)) return false;
    const end =
      to.kind === "line"
        ? to.line
        : to.kind === "plus"
          ? this.number + to.count
          : to.kind === "multiple"
            ? Math.ceil(this.number / (to.of || 1)) * (to.of || 1)
            : Number.POSITIVE_INFINITY;
    if (zero && to.kind === "pattern" && this.matches(to)) return true;
    if (end > this.number && !(to.kind === "last" && this.last)) command.until = end;
    return true;
  }

  private matches(address: Address): boolean {
    switch (address.kind) {
      case "line":
        return this.number === address.line;
      case "last":
        return this.last;
      case "step":
        return address.step
          ? this.number >= address.first && (this.number - address.first) % address.step === 0
          : this.number === address.first;
      case "pattern": {
        const pattern = this.used(address.pattern);
        pattern.lastIndex = 0;
        return pattern.test(this.space);
      }
      default:
        return false;
    }
  }

  private used(pattern: RegExp | undefined): RegExp {
    const found = pattern ?? this.lastPattern;
    if (!found) throw new Fault("no previous regular expression");
    this.lastPattern = found;
    return found;
  }

  private substitute(command: SedCommand): boolean {
    const { replacement, global, nth } = command;
    const pattern = this.used(command.pattern);
    const { space } = this;
    let result = "";
    let from = 0;
    let count = 0;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(space); match; match = pattern.exec(space)) {
      const empty = match[0] === "";
      // Nothing is found right after what was found last.
      if (!(empty && count && match.index === from)) {
        count += 1;
        if (count >= nth) {
          result += space.slice(from, match.index) + filled(replacement, match);
          from = match.index + match[0].length;
          if (!global) break;
        }
      }
      if (empty) pattern.lastIndex = match.index + ((space.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
      if (pattern.lastIndex > space.length) break;
    }
    if (count < nth) return false;
    this.space = result + space.slice(from);
    if (command.print) this.put(this.space);
    if (command.file) this.write(command.file, `${this.space}\n`);
    return true;
  }
}

function filled(pieces: Piece[], match: RegExpExecArray): string {
  if (pieces.length === 1 && typeof pieces[0] === "string") return pieces[0];
  let text = "";
  let mode = "";
  let once = "";
  const changed = (part: string) => {
    let whole = mode === "U" ? part.toUpperCase() : mode === "L" ? part.toLowerCase() : part;
    if (once && whole) {
      const [first = ""] = whole;
      whole = (once === "u" ? first.toUpperCase() : first.toLowerCase()) + whole.slice(first.length);
      once = "";
    }
    return whole;
  };
  for (const piece of pieces) {
    if (typeof piece === "string") text += changed(piece);
    else if (typeof piece === "number") text += changed(match[piece] ?? "");
    else if (/[ul]/.test(piece.change)) once = piece.change;
    else mode = piece.change === "E" ? "" : piece.change;
  }
  return text;
}

function visible(text: string): string {
  const named: Record<string, string> = {
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
    "\x07": "\\a",
  };
  return [...text]
    .map(
      (each) =>
        named[each] ??
        (/[ -~]/.test(each)
          ? each
          : Array.from(encodeText(each), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")),
    )
    .join("");
}
