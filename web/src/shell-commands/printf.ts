/** printf: values in a format, byte for byte. */

import { toBytes, toText } from "../shell-text";
import { type Context, command, Fault, type Result } from "./command";
import { strftime } from "./date";
import { shellQuoted } from "./quote";

const ESCAPES: Record<string, string> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
  "?": "?",
};
const SPECIFIER = /%([-+ #0']*)(\*|\d+)?(?:\.(\*|-?\d*))?(?:hh|h|ll|l|j|z|t|L)?(\([^)]*\)T|.)/gsu;

export const printf = command("printf", async (args, context) => {
  let [format, ...values] = args;
  let variable: string | undefined;
  if (format === "-v") [variable, format, ...values] = values;
  else if (/^-v./.test(format ?? "")) [variable, format, ...values] = [format?.slice(2), ...values];
  if (format === "--") [format, ...values] = values;
  if (format === undefined) throw new Fault("usage: printf [-v var] format [arguments]", 2);
  const writer = new Writer(format, values);
  const out = writer.all();
  if (variable !== undefined) {
    await assign(context, variable, toText(out));
    return result("", writer);
  }
  return result(out, writer);
});

function result(stdout: string, { errors }: Writer): Result {
  return { stdout, stderr: errors, exitCode: errors ? 1 : 0, stdoutKind: "bytes" };
}

async function assign(context: Context, name: string, value: string): Promise<void> {
  const [, array = "", key] = /^([A-Za-z_]\w*)(?:\[(.*)\])?$/s.exec(name) ?? [];
  if (!array) throw new Fault(`\`${name}': not a valid identifier`, 2);
  await context.assignShellVariable?.(array, value, key);
}

class Writer {
  errors = "";
  private at = 0;
  /** Set by `\c`, after which nothing more is put out. */
  private ended = false;

  constructor(
    private readonly format: string,
    private readonly values: string[],
  ) {}

  /** In bytes, one character each. */
  all(): string {
    let out = "";
    do {
      const before = this.at;
      out += this.once();
      if (this.at === before) break;
    } while (this.at < this.values.length && !this.ended);
    return out;
  }

  private once(): string {
    let out = "";
    let from = 0;
    for (const match of this.format.matchAll(SPECIFIER)) {
      const [whole, flags = "", width, precision, kind = ""] = match;
      out += this.unescaped(this.format.slice(from, match.index), false);
      if (this.ended) return out;
      from = match.index + whole.length;
      out += kind === "%" ? "%" : this.one(flags, width, precision, kind);
      if (this.ended) return out;
    }
    return out + this.unescaped(this.format.slice(from), false);
  }

  private next(): string | undefined {
    return this.values[this.at++];
  }

  private one(given: string, width: string | undefined, precision: string | undefined, kind: string): string {
    let flags = given;
    let wide = width === "*" ? Number(this.next() ?? 0) : Number(width ?? 0);
    if (wide < 0) {
      flags += "-";
      wide = -wide;
    }
    const exact =
      precision === undefined ? undefined : Number(precision === "*" ? (this.next() ?? 0) : precision || 0);
    const limit = exact !== undefined && exact < 0 ? undefined : exact;
    const value = this.next();
    const text = this.shown(kind, value, flags, limit);
    if (text === undefined) {
      this.errors += `bash: printf: \`${kind}': invalid format character\n`;
      this.ended = true;
      return "";
    }
    const numeric = /[diouxXeEfFgGaA]/.test(kind);
    if (flags.includes("-")) return text + " ".repeat(Math.max(0, wide - text.length));
    if (flags.includes("0") && numeric && (limit === undefined || /[eEfFgG]/.test(kind))) {
      const [, sign = "", digits = ""] = /^([-+ ]?(?:0[xX])?)(.*)$/s.exec(text) ?? [];
      return sign + "0".repeat(Math.max(0, wide - text.length)) + digits;
    }
    return " ".repeat(Math.max(0, wide - text.length)) + text;
  }

  private shown(
    kind: string,
    value: string | undefined,
    flags: string,
    limit: number | undefined,
  ): string | undefined {
    const text = value ?? "";
    const cut = (whole: string) => (limit === undefined ? whole : whole.slice(0, limit));
    if (kind === "s") return cut(toBytes(text));
    if (kind === "b") return cut(this.unescaped(text, true));
    if (kind === "q") return toBytes(shellQuoted(text));
    if (kind === "c") return toBytes([...text][0] ?? "");
    if (kind.endsWith("T")) return time(kind.slice(1, -2), value);
    if (/[di]/.test(kind)) return integer(this.whole(text), flags, limit, 10);
    if (/[ouxX]/.test(kind)) {
      const unsigned = BigInt.asUintN(64, this.whole(text));
      const base = { o: 8, u: 10, x: 16, X: 16 }[kind] as number;
      const shown = integer(unsigned, flags.replace(/[+ ]/g, ""), limit, base);
      const prefix = flags.includes("#") && unsigned ? { o: "0", x: "0x", X: "0x" }[kind as "x"] : "";
      return kind === "X" ? (prefix + shown).toUpperCase() : (prefix ?? "") + shown;
    }
    if (/[eEfFgGaA]/.test(kind)) return float(this.fraction(text), kind, flags, limit ?? 6);
    return undefined;
  }

  private whole(text: string): bigint {
    const trimmed = text.trim();
    if (/^["']/.test(trimmed)) return BigInt(trimmed.codePointAt(1) ?? 0);
    const [, sign = "", digits = "", rest = ""] = /^([-+]?)(0[xX][0-9a-fA-F]+|\d*)(.*)$/s.exec(trimmed) ?? [];
    if (rest || (!digits && trimmed)) this.errors += `bash: printf: ${text}: invalid number\n`;
    const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits || "0";
    const value = BigInt(octal);
    return BigInt.asIntN(64, sign === "-" ? -value : value);
  }

  private fraction(text: string): number {
    const trimmed = text.trim();
    if (/^["']/.test(trimmed)) return trimmed.codePointAt(1) ?? 0;
    if (/^[-+]?inf/i.test(trimmed))
      return trimmed.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    const number = Number(trimmed);
    if (!Number.isNaN(number)) return number;
    this.errors += `bash: printf: ${text}: invalid number\n`;
    return Number.parseFloat(trimmed) || 0;
  }

  /** Escapes as bytes; `%b` and the format differ a little. */
  private unescaped(text: string, argument: boolean): string {
    if (!text.includes("\\")) return toBytes(text);
    return text
      .split(/(\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|[\s\S]))/)
      .map((part, at) => (this.ended ? "" : at % 2 ? this.escape(part.slice(1), argument) : toBytes(part)))
      .join("");
  }

  private escape(text: string, argument: boolean): string {
    if (text[0] === "c" && argument) {
      this.ended = true;
      return "";
    }
    if (/^x./.test(text)) return String.fromCharCode(Number.parseInt(text.slice(1), 16));
    if (/^[uU]./.test(text)) return toBytes(String.fromCodePoint(Number.parseInt(text.slice(1), 16)));
    if (/^[0-7]/.test(text)) {
      const digits = argument && text[0] === "0" ? text.slice(1, 4) || "0" : text.slice(0, 3);
      return (
        String.fromCharCode(Number.parseInt(digits, 8) & 0xff) +
        toBytes(text.slice(argument && text[0] === "0" ? 4 : 3))
      );
    }
    return ESCAPES[text] ?? toBytes(`\\${text}`);
  }
}

function integer(value: bigint, flags: string, limit: number | undefined, base: number): string {
  const digits = (value < 0 ? -value : value).toString(base).padStart(limit ?? 0, "0");
  const sign = value < 0 ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  return sign + digits;
}

/** A number as C shows it. */
export function float(value: number, kind: string, flags: string, precision: number): string {
  const sign =
    value < 0 || Object.is(value, -0) ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const size = Math.abs(value);
  const upper = kind === kind.toUpperCase();
  let text: string;
  if (!Number.isFinite(size)) text = Number.isNaN(size) ? "nan" : "inf";
  else if (/f/i.test(kind)) text = fixed(size, precision);
  else if (/e/i.test(kind)) text = exponent(size.toExponential(Math.min(precision, 100)));
  else if (/g/i.test(kind)) {
    const digits = precision || 1;
    const power = size ? Number(size.toExponential(digits - 1).split("e")[1]) : 0;
    const scientific = power < -4 || power >= digits;
    text = scientific
      ? exponent(size.toExponential(digits - 1))
      : fixed(size, Math.max(0, digits - 1 - power));
    if (!flags.includes("#")) text = text.replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "");
  } else text = `0x${size.toString(16)}`;
  return sign + (upper ? text.toUpperCase() : text);
}

function fixed(value: number, digits: number): string {
  return value < 1e21
    ? value.toFixed(Math.min(digits, 100))
    : BigInt(value).toString() + (digits ? `.${"0".repeat(digits)}` : "");
}

function exponent(text: string): string {
  return text.replace(/e([-+])(\d)$/, "e$10$2");
}

function time(format: string, value: string | undefined): string {
  const seconds = value === undefined || value === "-1" || value === "-2" ? Date.now() / 1000 : Number(value);
  return toBytes(strftime(format || "%X", new Date(seconds * 1000)));
}
