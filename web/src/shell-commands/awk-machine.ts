/** Runs awk programs. */

import type { Start } from "./awk";
import { FUNCTIONS, gensub } from "./awk-functions";
import type { Expression, Program, Statement } from "./awk-syntax";
import { compare, Input, isTrue, type Table, toNumber, type Value } from "./awk-values";
import { Fault } from "./command";
import { pace } from "./ground";
import { compile } from "./pattern";
import { float } from "./printf";

/** Thrown where a program needs the output of a command that did not run yet. */
export class Need extends Error {
  constructor(
    readonly command: string,
    readonly input = "",
  ) {
    super(command);
  }
}

class Jump extends Error {
  constructor(
    readonly kind: string,
    readonly value?: Value,
  ) {
    super(kind);
  }
}

const NEXT = new Jump("next");
const NEXT_FILE = new Jump("nextfile");
const BREAK = new Jump("break");
const CONTINUE = new Jump("continue");
const DEEPEST = 1000;

type Cell = Value | Table;

export class Machine {
  out = "";
  exitCode = 0;
  /** What was printed into files, whole. */
  readonly files = new Map<string, string>();
  /** What was printed to commands. */
  readonly pipes = new Map<string, string>();
  readonly globals = new Map<string, Cell>();
  random = Math.random;
  private locals: Map<string, Cell> | undefined;
  private fields: (Value | undefined)[] = [];
  private record: string | undefined = "";
  private stale = false;
  private depth = 0;
  private answered = 0;
  private readonly readers = new Map<string, Reader>();
  private main: Reader | undefined;
  private argument = 1;
  private gotFile = false;

  constructor(
    private readonly program: Program,
    start: Start,
    env: Record<string, string>,
    private readonly open: (file: string) => string,
    private readonly answers: { text: string; exitCode: number }[],
  ) {
    const set = (name: string, value: Cell) => this.globals.set(name, value);
    for (const [name, value] of Object.entries({
      FS: " ",
      OFS: " ",
      ORS: "\n",
      RS: "\n",
      SUBSEP: "\x1c",
      CONVFMT: "%.6g",
      OFMT: "%.6g",
      FILENAME: "",
    }))
      set(name, value);
    for (const name of ["NR", "FNR", "NF", "RSTART"]) set(name, 0);
    set("RLENGTH", -1);
    set("ENVIRON", new Map(Object.entries(env).map(([name, value]) => [name, new Input(value)])));
    set("ARGC", start.operands.length + 1);
    set("ARGV", new Map(["awk", ...start.operands].map((each, at) => [String(at), new Input(each)])));
    if (start.separator !== undefined) set("FS", start.separator === "t" ? "\t" : escaped(start.separator));
    for (const [name, value] of start.variables) set(name, new Input(escaped(value)));
  }

  run(): void {
    const { begin, rules, end } = this.program;
    try {
      for (const each of begin) this.do(each);
      if (rules.length || end.length) while (this.nextRecord()) this.apply();
    } catch (error) {
      if (!(error instanceof Jump && error.kind === "exit")) throw error;
      this.leave(error);
    }
    try {
      for (const each of end) this.do(each);
    } catch (error) {
      if (!(error instanceof Jump && error.kind === "exit")) throw error;
      this.leave(error);
    }
  }

  private leave({ value }: Jump): void {
    if (value !== undefined) this.exitCode = toNumber(value) & 0xff;
  }

  private apply(): void {
    pace();
    try {
      for (const rule of this.program.rules) {
        const [from, to] = rule.patterns;
        if (to) {
          if (!rule.open && !isTrue(this.value(from as Expression))) continue;
          rule.open = !isTrue(this.value(to));
        } else if (from && !isTrue(this.value(from))) continue;
        if (rule.body) this.do(rule.body);
        else this.out += this.text(this.get("0field")) + this.show(this.get("ORS"));
      }
    } catch (error) {
      if (error === NEXT_FILE) this.main = undefined;
      else if (error !== NEXT) throw error;
    }
  }

  private nextRecord(): boolean {
    const line = this.readMain();
    if (line === undefined) return false;
    this.setRecord(line);
    return true;
  }

  private readMain(): string | undefined {
    for (;;) {
      if (!this.main && !this.openNext()) return undefined;
      const line = this.main?.next(this.show(this.get("RS")));
      if (line !== undefined) {
        this.set("NR", toNumber(this.get("NR")) + 1);
        this.set("FNR", toNumber(this.get("FNR")) + 1);
        return line;
      }
      this.main = undefined;
    }
  }

  private openNext(): boolean {
    const arguments_ = this.table("ARGV");
    for (const count = toNumber(this.get("ARGC")); this.argument < count; ) {
      const operand = this.show(arguments_.get(String(this.argument++)));
      if (!operand) continue;
      const assignment = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(operand);
      if (assignment) this.set(assignment[1] as string, new Input(escaped(assignment[2] as string)));
      else return this.begin(operand);
    }
    if (this.gotFile) return false;
    return this.begin("-");
  }

  private begin(file: string): boolean {
    this.gotFile = true;
    this.main = new Reader(this.open(file));
    this.set("FILENAME", file === "-" ? "" : file);
    this.set("FNR", 0);
    return true;
  }

  // Records and fields

  private setRecord(text: string): void {
    this.record = text;
    this.stale = true;
  }

  private split(): void {
    if (!this.stale) return;
    this.stale = false;
    const parts = this.parts(
      this.record as string,
      this.show(this.get("FS")),
      this.show(this.get("RS")) === "",
    );
    this.fields = parts.map((each) => new Input(each));
    this.globals.set("NF", parts.length);
  }

  parts(text: string, separator: string, paragraphs = false): string[] {
    if (text === "") return [];
    if (separator === " ") return text.trim() === "" ? [] : text.trim().split(/[ \t\n]+/);
    if (separator === "") return [...text];
    const single = separator.length === 1 && separator !== "\\" && !paragraphs;
    if (single) return text.split(separator === "|" || separator !== " " ? separator : " ");
    const source = separator.length === 1 ? `[${separator === "\\" ? "\\\\" : separator}]` : separator;
    return text.split(plain(compile(paragraphs ? `(${source})|\n` : source, { extended: true })));
  }

  private fieldAt(index: number): Value {
    if (index === 0) return new Input(this.whole());
    this.split();
    return this.fields[index - 1];
  }

  private whole(): string {
    if (this.record === undefined)
      this.record = this.fields.map((each) => this.show(each)).join(this.show(this.get("OFS")));
    return this.record;
  }

  private setField(index: number, value: Value): void {
    if (index < 0) throw new Fault(`trying to access out of range field ${index}`, 2);
    if (index === 0) {
      this.setRecord(this.show(value));
      return;
    }
    this.split();
    while (this.fields.length < index - 1) this.fields.push("");
    this.fields[index - 1] = value;
    this.globals.set("NF", this.fields.length);
    this.record = undefined;
  }

  // Variables

  get(name: string): Value {
    if (name === "0field") return this.fieldAt(0);
    if (name === "NF") this.split();
    const cell = this.locals?.has(name) ? this.locals.get(name) : this.globals.get(name);
    if (cell instanceof Map) throw new Fault(`can't use array ${name} as a value`, 2);
    return cell;
  }

  set(name: string, value: Value): void {
    if (this.locals?.has(name)) this.locals.set(name, value);
    else if (name === "NF") {
      this.split();
      const count = toNumber(value);
      while (this.fields.length < count) this.fields.push("");
      this.fields.length = count;
      this.globals.set("NF", count);
      this.record = undefined;
    } else this.globals.set(name, value);
  }

  table(name: string): Table {
    const scope = this.locals?.has(name) ? this.locals : this.globals;
    const cell = scope.get(name);
    if (cell instanceof Map) return cell;
    if (cell !== undefined) throw new Fault(`can't use scalar ${name} as an array`, 2);
    const table: Table = new Map();
    scope.set(name, table);
    return table;
  }

  show(value: Value): string {
    return this.shown(value, "CONVFMT");
  }

  private text(value: Value): string {
    return this.shown(value, "OFMT");
  }

  private shown(value: Value, format: string): string {
    if (typeof value === "string") return value;
    if (value === undefined) return "";
    if (typeof value !== "number") return value.text;
    if (Number.isInteger(value) && Math.abs(value) < 1e16) return Object.is(value, -0) ? "0" : String(value);
    const pattern = this.globals.get(format);
    const match = /^%\.?(\d*)([efgEFG])$/.exec(String(pattern));
    return match
      ? float(value, match[2] as string, "", Number(match[1] || 6))
      : this.format(String(pattern), [value]);
  }

  key(keys: Expression[]): string {
    if (keys.length === 1) return this.show(this.value(keys[0] as Expression));
    return keys.map((each) => this.show(this.value(each))).join(this.show(this.get("SUBSEP")));
  }

  pattern(expression: Expression, flags = ""): RegExp {
    const source = expression.kind === "regex" ? expression.source : this.show(this.value(expression));
    return compile(source, { extended: true, flags });
  }

  // Statements

  private do(statement: Statement): void {
    switch (statement.kind) {
      case "block":
        for (const each of statement.body) this.do(each);
        return;
      case "expression":
        this.value(statement.value);
        return;
      case "print":
        this.print(statement);
        return;
      case "if":
        if (isTrue(this.value(statement.condition))) this.do(statement.yes);
        else if (statement.no) this.do(statement.no);
        return;
      case "while":
        if (statement.first && !this.pass(statement.body)) return;
        while (isTrue(this.value(statement.condition))) if (!this.pass(statement.body)) return;
        return;
      case "for":
        if (statement.begin) this.do(statement.begin);
        for (
          ;
          !statement.condition || isTrue(this.value(statement.condition));
          statement.update && this.do(statement.update)
        )
          if (!this.pass(statement.body)) return;
        return;
      case "each":
        for (const key of [...this.table(statement.array).keys()]) {
          this.set(statement.variable, new Input(key));
          if (!this.pass(statement.body)) return;
        }
        return;
      case "delete": {
        const table = this.table(statement.name);
        if (statement.keys) table.delete(this.key(statement.keys));
        else table.clear();
        return;
      }
      case "exit":
      case "return":
        throw new Jump(statement.kind, statement.value && this.value(statement.value));
      case "next":
        throw NEXT;
      case "nextfile":
        throw NEXT_FILE;
      case "break":
        throw BREAK;
      case "continue":
        throw CONTINUE;
    }
  }

  /** Run the body of a loop once; tells whether the loop goes on. */
  private pass(body: Statement): boolean {
    pace();
    try {
      this.do(body);
    } catch (error) {
      if (error === BREAK) return false;
      if (error !== CONTINUE) throw error;
    }
    return true;
  }

  private print({ format, args, to }: Extract<Statement, { kind: "print" }>): void {
    const values = args.map((each) => this.value(each));
    const text = format
      ? this.format(this.show(values[0]), values.slice(1))
      : (args.length
          ? values.map((each) => this.text(each)).join(this.show(this.get("OFS")))
          : this.whole()) + this.show(this.get("ORS"));
    if (!to) {
      this.out += text;
      return;
    }
    const target = this.show(this.value(to.target));
    if (to.operator === "|") this.pipes.set(target, (this.pipes.get(target) ?? "") + text);
    else if (target === "/dev/stdout" || target === "-") this.out += text;
    else {
      if (!this.files.has(target)) this.files.set(target, to.operator === ">>" ? this.old(target) : "");
      this.files.set(target, this.files.get(target) + text);
    }
  }

  private old(file: string): string {
    try {
      return this.open(file);
    } catch {
      return ""; // It is not there yet.
    }
  }

  // Expressions

  value(expression: Expression): Value {
    switch (expression.kind) {
      case "number":
      case "string":
        return expression.value;
      case "variable":
        return this.get(expression.name);
      case "field":
        return this.fieldAt(toNumber(this.value(expression.index)));
      case "element": {
        const table = this.table(expression.name);
        const key = this.key(expression.keys);
        if (!table.has(key)) table.set(key, undefined);
        return table.get(key);
      }
      case "regex":
        return Number(compile(expression.source, { extended: true }).test(this.whole()));
      case "group":
        return expression.list.length === 1
          ? this.value(expression.list[0] as Expression)
          : this.key(expression.list);
      case "assign": {
        const value = this.value(expression.value);
        const { operator, target } = expression;
        const result = operator ? arithmetic(operator, toNumber(this.value(target)), toNumber(value)) : value;
        this.assign(target, result);
        return result;
      }
      case "step": {
        const before = toNumber(this.value(expression.target));
        this.assign(expression.target, before + expression.by);
        return expression.before ? before + expression.by : before;
      }
      case "unary": {
        const value = this.value(expression.value);
        return expression.operator === "!"
          ? Number(!isTrue(value))
          : expression.operator === "-"
            ? -toNumber(value)
            : toNumber(value);
      }
      case "ternary":
        return this.value(isTrue(this.value(expression.condition)) ? expression.yes : expression.no);
      case "in":
        return Number(this.table(expression.name).has(this.key(expression.keys)));
      case "binary":
        return this.binary(expression);
      case "call":
        return this.call(expression.name, expression.args);
      case "getline":
        return this.getline(expression);
    }
  }

  private binary({ operator, left, right }: Extract<Expression, { kind: "binary" }>): Value {
    if (operator === "&&") return Number(isTrue(this.value(left)) && isTrue(this.value(right)));
    if (operator === "||") return Number(isTrue(this.value(left)) || isTrue(this.value(right)));
    if (operator === "~" || operator === "!~")
      return Number(this.pattern(right).test(this.show(this.value(left))) === (operator === "~"));
    const [a, b] = [this.value(left), this.value(right)];
    if (operator === " ") return this.show(a) + this.show(b);
    if (/^[<>=!]/.test(operator)) {
      const order = compare(a, b, (value) => this.show(value));
      return Number(
        {
          "<": order < 0,
          "<=": order <= 0,
          "==": order === 0,
          "!=": order !== 0,
          ">": order > 0,
          ">=": order >= 0,
        }[operator as "<"],
      );
    }
    return arithmetic(operator, toNumber(a), toNumber(b));
  }

  assign(target: Expression, value: Value): void {
    if (target.kind === "variable") this.set(target.name, value);
    else if (target.kind === "field") this.setField(toNumber(this.value(target.index)), value);
    else if (target.kind === "element") this.table(target.name).set(this.key(target.keys), value);
    else throw new Fault("assignment to something that holds no value", 2);
  }

  private call(name: string, args: Expression[]): Value {
    const builtin = FUNCTIONS[name];
    if (builtin) return builtin(this, args);
    if (name === "gensub") return gensub(this, args);
    const own = this.program.functions.get(name);
    if (!own) throw new Fault(`calling undefined function ${name}`, 2);
    if (++this.depth > DEEPEST) throw new Fault(`function ${name}: nested too deeply`, 2);
    const before = this.locals;
    const locals = new Map<string, Cell>();
    // Whether a name that has no value yet is an array shows only in the function.
    const fresh: [string, string][] = [];
    own.parameters.forEach((parameter, at) => {
      const given = args[at];
      if (given?.kind === "variable") {
        const cell = this.locals?.has(given.name)
          ? this.locals.get(given.name)
          : given.name === "NF"
            ? this.get("NF")
            : this.globals.get(given.name);
        if (cell === undefined) fresh.push([parameter, given.name]);
        locals.set(parameter, cell);
      } else locals.set(parameter, given && this.value(given));
    });
    this.locals = locals;
    try {
      this.do(own.body);
      return undefined;
    } catch (error) {
      if (error instanceof Jump && error.kind === "return") return error.value;
      throw error;
    } finally {
      this.locals = before;
      this.depth -= 1;
      for (const [parameter, outer] of fresh) {
        const cell = locals.get(parameter);
        if (cell instanceof Map) (before?.has(outer) ? before : this.globals).set(outer, cell);
      }
    }
  }

  private getline({ target, source, command }: Extract<Expression, { kind: "getline" }>): Value {
    let line: string | undefined;
    if (!source) line = this.readMain();
    else {
      const name = this.show(this.value(source));
      const key = (command ? "|" : "<") + name;
      let reader = this.readers.get(key);
      try {
        reader ??= new Reader(command ? this.answer(name).text : this.open(name));
      } catch (error) {
        if (error instanceof Fault) return -1;
        throw error;
      }
      this.readers.set(key, reader);
      line = reader.next(this.show(this.get("RS")));
      if (line !== undefined && command) this.set("NR", toNumber(this.get("NR")) + 1);
    }
    if (line === undefined) return 0;
    if (target) this.assign(target, new Input(line));
    else this.setRecord(line);
    return 1;
  }

  /** The output of a command. */
  answer(command: string): { text: string; exitCode: number } {
    const known = this.answers[this.answered];
    if (!known) {
      throw new Need(command);
    }
    this.answered += 1;
    return known;
  }

  close(name: string): number {
    const known = this.readers.delete(`<${name}`) || this.readers.delete(`|${name}`);
    if (!this.pipes.has(name)) return known || this.files.has(name) ? 0 : -1;
    const known_ = this.answers[this.answered];
    if (!known_) throw new Need(name, this.pipes.get(name));
    this.answered += 1;
    this.out += known_.text;
    this.pipes.delete(name);
    return known_.exitCode;
  }

  format(pattern: string, values: Value[]): string {
    let at = 0;
    return pattern.replace(
      /%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]*([\s\S])/g,
      (whole, given: string, width: string | undefined, precision: string | undefined, kind: string) => {
        if (kind === "%") return "%";
        let flags = given;
        let wide = width === "*" ? toNumber(values[at++]) : Number(width ?? 0);
        if (wide < 0) {
          flags += "-";
          wide = -wide;
        }
        const limit =
          precision === undefined
            ? undefined
            : precision === "*"
              ? toNumber(values[at++])
              : Number(precision || 0);
        if (!/[cdeEfFgGiosuxX]/.test(kind)) return whole;
        const value = values[at++];
        const text = this.converted(kind, value, flags, limit);
        if (flags.includes("-")) return text.padEnd(wide);
        if (!flags.includes("0") || /[cs]/.test(kind)) return text.padStart(wide);
        const [, sign = "", digits = ""] = /^([-+ ]?)([\s\S]*)$/.exec(text) ?? [];
        return sign + digits.padStart(wide - sign.length, "0");
      },
    );
  }

  private converted(kind: string, value: Value, flags: string, limit: number | undefined): string {
    if (kind === "s")
      return limit === undefined ? this.show(value) : [...this.show(value)].slice(0, limit).join("");
    if (kind === "c")
      return typeof value === "number" || (value instanceof Input && value.value !== undefined)
        ? String.fromCodePoint(toNumber(value) & 0x1fffff)
        : ([...this.show(value)][0] ?? "");
    const number = toNumber(value);
    if (/[eEfFgG]/.test(kind)) return float(number, kind, flags, limit ?? 6);
    if (!Number.isFinite(number)) return String(number).toLowerCase().slice(0, 3);
    const whole = BigInt(Math.trunc(number));
    const base = { o: 8, x: 16, X: 16 }[kind] ?? 10;
    const digits = (whole < 0n && base === 10 ? -whole : BigInt.asUintN(64, whole))
      .toString(base)
      .padStart(limit ?? 0, "0");
    const sign = base === 10 && whole < 0n ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
    const prefix = flags.includes("#") && base === 16 ? "0x" : flags.includes("#") && base === 8 ? "0" : "";
    return kind === "X" ? (prefix + digits).toUpperCase() : sign + prefix + digits;
  }
}

/** Reads records out of a text. */
class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  next(separator: string): string | undefined {
    const { text } = this;
    if (separator === "") while (text[this.at] === "\n") this.at += 1;
    if (this.at >= text.length) return undefined;
    let end: number;
    let length = 1;
    if (separator.length === 1) end = text.indexOf(separator, this.at);
    else {
      const pattern = separator === "" ? /\n\n+/g : compile(separator, { extended: true, flags: "g" });
      pattern.lastIndex = this.at;
      const match = pattern.exec(text);
      end = match ? match.index : -1;
      length = match?.[0].length ?? 0;
    }
    const line = text.slice(this.at, end < 0 ? text.length : end);
    this.at = end < 0 ? text.length : end + length;
    // What ends a file is no part of its last record.
    if (end < 0 && separator !== "\n")
      return line.replace(separator === "" ? /\n+$/ : /\n$/, separator === "" ? "" : "\n");
    return line;
  }
}

function arithmetic(operator: string, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "^":
      return a ** b;
    default:
      if (b === 0) throw new Fault(`division by zero${operator === "%" ? " in %" : ""}`, 2);
      return operator === "/" ? a / b : a % b;
  }
}

/** Groups would become fields of their own. */
function plain(pattern: RegExp): RegExp {
  return new RegExp(pattern.source.replace(/(?<!\\)((?:\\\\)*)\((?!\?)/g, "$1(?:"), pattern.flags);
}

function escaped(text: string): string {
  return text.replace(
    /\\(.)/g,
    (whole, each: string) =>
      ({ n: "\n", t: "\t", r: "\r", "\\": "\\", '"': '"', "/": "/" })[each as "n"] ?? whole,
  );
}
