/** numfmt, factor, seq, expr: sums and figures. */

import type { Command } from "just-bash/browser";
import { command, Fault, lines, read, tool } from "./command";
import { pace } from "./ground";
import { compile } from "./pattern";
import { float } from "./printf";

const UNITS = "KMGTPEZY";

export const numbers: Command[] = [
  tool(
    "numfmt",
    "to=t: t: from=f: f: suffix=s: s: padding=p: p: round=r: r: d: delimiter=d field=F: F: header=H? H? format=o: o: grouping=g g to-unit=u: u: from-unit=v: v:",
    (given, context) => {
      const texts = given.rest.length ? given.rest : lines(read(context, "-"));
      const rows = texts.map((line) => {
        const field = given.number("F", 1);
        const parts = line.split(/(\s+)/);
        const at = 2 * (field - 1) + (parts[0] === "" ? 2 : 0);
        const value = fromUnits(parts[at] ?? "", given.get("f")) * Number(given.get("v") ?? 1);
        const shown = toUnits(value / Number(given.get("u") ?? 1), given.get("t")) + (given.get("s") ?? "");
        const padding = Number(given.get("p") ?? 0);
        parts[at] = padding < 0 ? shown.padEnd(-padding) : shown.padStart(padding);
        return parts.join("");
      });
      return `${rows.join("\n")}\n`;
    },
  ),
  tool("factor", "h exponents=h", (given, context) => {
    const texts = given.rest.length ? given.rest : read(context, "-").split(/\s+/).filter(Boolean);
    return texts
      .map(
        (each) =>
          `${each}:${factors(each)
            .map((factor) => ` ${factor}`)
            .join("")}\n`,
      )
      .join("");
  }),
  command("seq", (args) => seq(args)),
  command("expr", (args) => {
    const value = new Expression(args).whole();
    return { stdout: `${value}\n`, stderr: "", exitCode: value === "" || value === "0" ? 1 : 0 };
  }),
];

function fromUnits(text: string, unit: string | undefined): number {
  const match = /^(-?[\d.]+)([KMGTPEZYkmgt]?)(i?)B?$/.exec(text);
  if (!match) throw new Fault(`invalid number: '${text}'`, 2);
  if (match[2] && !unit) throw new Fault(`rejecting suffix in input: '${text}' (consider using --from)`, 2);
  const base = unit === "iec" || unit === "iec-i" || (unit === "auto" && match[3]) ? 1024 : 1000;
  return Number(match[1]) * base ** (UNITS.indexOf((match[2] || " ").toUpperCase()) + 1);
}

function toUnits(value: number, unit: string | undefined): string {
  if (!unit || unit === "none") return String(value);
  const base = unit.startsWith("iec") ? 1024 : 1000;
  let size = Math.abs(value);
  let power = 0;
  for (; size >= base && power < UNITS.length; power++) size /= base;
  if (!power) return String(value);
  let shown = size < 10 ? (Math.ceil(size * 10) / 10).toFixed(1) : String(Math.ceil(size));
  if (shown === "10.0") shown = "10";
  const letter = unit === "si" && power === 1 ? "K" : UNITS[power - 1];
  return `${value < 0 ? "-" : ""}${shown}${letter}${unit === "iec-i" ? "i" : ""}`;
}

function factors(text: string): bigint[] {
  if (!/^\d+$/.test(text)) throw new Fault(`'${text}' is not a valid positive integer`);
  let left = BigInt(text);
  const found: bigint[] = [];
  for (let each = 2n; each * each <= left; each += each === 2n ? 1n : 2n) {
    pace();
    while (left % each === 0n) {
      found.push(each);
      left /= each;
    }
  }
  return left > 1n ? [...found, left] : found;
}

function seq(args: string[]) {
  let separator = "\n";
  let format: string | undefined;
  let wide = false;
  const numbers: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const each = args[at] as string;
    if (/^-s|^--separator/.test(each))
      separator = each.replace(/^-s|^--separator=?/, "") || (args[++at] ?? "");
    else if (/^-f|^--format/.test(each)) format = each.replace(/^-f|^--format=?/, "") || args[++at];
    else if (each === "-w" || each === "--equal-width") wide = true;
    else if (each !== "--") numbers.push(each);
  }
  const bad = numbers.find((each) => Number.isNaN(Number(each)) || each === "");
  if (bad !== undefined) throw new Fault(`invalid floating point argument: '${bad}'`);
  if (!numbers.length || numbers.length > 3)
    throw new Fault(numbers.length ? `extra operand '${numbers[3]}'` : "missing operand");
  const [first, step, last] =
    numbers.length === 1
      ? ["1", "1", numbers[0]]
      : numbers.length === 2
        ? [numbers[0], "1", numbers[1]]
        : numbers;
  const digits = Math.max(...[first, step].map((each) => String(each).split(".")[1]?.length ?? 0));
  const [from, by, to] = [Number(first), Number(step), Number(last)];
  if (!by) throw new Fault(`invalid Zero increment value: '${step}'`);
  const count = Math.floor((to - from) / by + 1e-10) + 1;
  const rows: string[] = [];
  for (let at = 0; at < count; at++) {
    pace();
    rows.push((from + at * by).toFixed(digits));
  }
  const width = wide ? Math.max(...[from.toFixed(digits), to.toFixed(digits)].map((each) => each.length)) : 0;
  const shown = rows.map((each) => {
    if (format !== undefined)
      return format.replace(/%([-+ 0#]*)(\d*)(?:\.(\d+))?([efgEFG])/, (_, flags, size, precision, kind) => {
        const text = float(Number(each), kind, flags, Number(precision ?? 6));
        return flags.includes("-")
          ? text.padEnd(Number(size))
          : text.padStart(Number(size), flags.includes("0") ? "0" : " ");
      });
    if (!wide) return each;
    return each.startsWith("-") ? `-${each.slice(1).padStart(width - 1, "0")}` : each.padStart(width, "0");
  });
  return { stdout: shown.length ? `${shown.join(separator)}\n` : "", stderr: "", exitCode: 0 };
}

/** expr: every operand and operator is an argument of its own. */
class Expression {
  private at = 0;

  constructor(private readonly args: string[]) {}

  whole(): string {
    if (!this.args.length) throw new Fault("missing operand", 2);
    const value = this.level(0);
    if (this.at < this.args.length)
      throw new Fault(`syntax error: unexpected argument '${this.args[this.at]}'`, 2);
    return value;
  }

  private level(depth: number): string {
    const operators = [
      ["|"],
      ["&"],
      ["<", "<=", "=", "==", "!=", ">=", ">"],
      ["+", "-"],
      ["*", "/", "%"],
      [":"],
    ][depth];
    if (!operators) return this.operand();
    let left = this.level(depth + 1);
    while (operators.includes(this.args[this.at] ?? "")) {
      const operator = this.args[this.at++] as string;
      left = apply(operator, left, this.level(depth + 1));
    }
    return left;
  }

  private operand(): string {
    const word = this.args[this.at++];
    if (word === undefined) throw new Fault("syntax error: missing argument", 2);
    if (word === "(") {
      const value = this.level(0);
      if (this.args[this.at++] !== ")") throw new Fault("syntax error: expecting ')'", 2);
      return value;
    }
    const more = this.at < this.args.length;
    if (word === "length" && more) return String([...this.operand()].length);
    if (word === "match" && more) return apply(":", this.operand(), this.operand());
    if (word === "index" && more) {
      const [text, letters] = [this.operand(), this.operand()];
      return String([...text].findIndex((each) => letters.includes(each)) + 1);
    }
    if (word === "substr" && more) {
      const [text, start, length] = [this.operand(), Number(this.operand()), Number(this.operand())];
      return start < 1 ? "" : [...text].slice(start - 1, start - 1 + length).join("");
    }
    if (word === "+" && more) return this.args[this.at++] as string;
    return word;
  }
}

function apply(operator: string, a: string, b: string): string {
  const none = (text: string) => text === "" || /^-?0+$/.test(text);
  if (operator === "|") return none(a) ? (none(b) ? "0" : b) : a;
  if (operator === "&") return none(a) || none(b) ? "0" : a;
  if (operator === ":") {
    const match = compile(`^\\(?:${b}\\)`.replace("\\(?:", "").replace(/\\\)$/, "")).exec(a);
    const grouped = /\\\(/.test(b);
    return grouped ? (match?.[1] ?? "") : String(match ? [...match[0]].length : 0);
  }
  const whole = /^-?\d+$/;
  if (/[<>=]/.test(operator)) {
    const order =
      whole.test(a) && whole.test(b)
        ? BigInt(a) < BigInt(b)
          ? -1
          : BigInt(a) > BigInt(b)
            ? 1
            : 0
        : a < b
          ? -1
          : a > b
            ? 1
            : 0;
    const holds = {
      "<": order < 0,
      "<=": order <= 0,
      "=": !order,
      "==": !order,
      "!=": order !== 0,
      ">=": order >= 0,
      ">": order > 0,
    }[operator as "<"];
    return holds ? "1" : "0";
  }
  if (!whole.test(a) || !whole.test(b)) throw new Fault("non-integer argument", 2);
  const [x, y] = [BigInt(a), BigInt(b)];
  if (!y && /[/%]/.test(operator)) throw new Fault("division by zero", 2);
  return String(
    { "+": x + y, "-": x - y, "*": x * y, "/": y ? x / y : 0n, "%": y ? x % y : 0n }[operator as "+"],
  );
}
