/** bc: numbers of any length, with variables, conditions and loops. */

import { type Output, read, tool } from "./command";
import { pace } from "./ground";

export const bc = tool("bc", "l q s w i mathlib=l quiet=q standard=s", (given, context) => {
  const source = [...given.rest.map((name) => read(context, name)), read(context, "-")].join("\n");
  const machine = new Machine();
  if (given.has("l")) machine.scale = 20;
  try {
    machine.run(source);
  } catch (error) {
    if (!(error instanceof BcFault)) throw error;
    if (error.message !== "quit") machine.errors += `(standard_in) 1: ${error.message}\n`;
  }
  return { text: machine.out, errors: machine.errors, code: 0 } satisfies Output;
});

class BcFault extends Error {}

/** A number: `digits` divided by ten to the power of `scale`. */
interface Num {
  digits: bigint;
  scale: number;
}

const TOKEN =
  /\s*(?:\/\*[\s\S]*?\*\/|#[^\n]*)*[ \t]*(\d*\.?[0-9A-F]+|\d+\.|[a-z][a-z0-9_]*|"[^"]*"|\n|[-+*/%^]=|\+\+|--|==|!=|<=|>=|&&|\|\||[^\s])/y;
const STOP = new Set([";", "\n", "}", undefined]);

function rescale({ digits, scale }: Num, wanted: number): bigint {
  return wanted >= scale ? digits * 10n ** BigInt(wanted - scale) : digits / 10n ** BigInt(scale - wanted);
}

class Machine {
  out = "";
  errors = "";
  scale = 0;
  private ibase = 10;
  private obase = 10;
  private readonly variables = new Map<string, Num>();
  private tokens: string[] = [];
  private at = 0;

  run(source: string): void {
    const text = source.replaceAll("\\\n", "");
    this.tokens = [];
    TOKEN.lastIndex = 0;
    for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) this.tokens.push(match[1] as string);
    this.at = 0;
    while (this.at < this.tokens.length) {
      if (this.peek() === ";" || this.peek() === "\n") this.at += 1;
      else this.statement(true);
    }
  }

  private peek(): string | undefined {
    return this.tokens[this.at];
  }

  private take(token: string): boolean {
    if (this.peek() !== token) return false;
    this.at += 1;
    return true;
  }

  private expect(token: string): void {
    if (!this.take(token)) throw new BcFault("syntax error");
  }

  private statement(doing: boolean): void {
    pace();
    while (this.take("\n")) {}
    const token = this.peek();
    if (this.take("{")) {
      while (!this.take("}")) {
        if (this.peek() === undefined) throw new BcFault("syntax error");
        if (!this.take(";") && !this.take("\n")) this.statement(doing);
      }
    } else if (token?.startsWith('"')) {
      this.at += 1;
      if (doing) this.out += token.slice(1, -1);
    } else if (this.take("print")) {
      do {
        const next = this.peek();
        if (next?.startsWith('"')) {
          this.at += 1;
          if (doing) this.out += next.slice(1, -1).replace(/\\n/g, "\n").replace(/\\t/g, "\t");
        } else {
          const value = this.expression(doing);
          if (doing) this.out += this.shown(value);
        }
      } while (this.take(","));
    } else if (token === "if" || token === "while") this.conditional(token, doing);
    else if (token === "for") this.loop(doing);
    else if (token === "quit" || token === "halt") {
      this.at += 1;
      if (doing) throw new BcFault("quit");
    } else if (this.take("define")) throw new BcFault("functions are not available here");
    else {
      const assigns =
        /^[a-z]/.test(token ?? "") && /^([-+*/%^]?=|\+\+|--)$/.test(this.tokens[this.at + 1] ?? "");
      const value = this.expression(doing);
      if (doing && !assigns) this.out += `${this.shown(value)}\n`;
      if (!STOP.has(this.peek())) throw new BcFault("syntax error");
    }
  }

  private conditional(kind: string, doing: boolean): void {
    this.at += 1;
    const start = this.at;
    for (;;) {
      pace();
      this.at = start;
      this.expect("(");
      const condition = this.expression(doing);
      this.expect(")");
      const yes = doing && condition.digits !== 0n;
      this.statement(yes);
      if (kind === "if") {
        const before = this.at;
        while (this.take("\n") || this.take(";")) {}
        if (this.take("else")) this.statement(doing && !yes);
        else this.at = before;
        return;
      }
      if (!yes) return;
    }
  }

  private loop(doing: boolean): void {
    this.at += 1;
    this.expect("(");
    if (this.peek() !== ";") this.expression(doing);
    this.expect(";");
    const condition = this.at;
    for (;;) {
      pace();
      this.at = condition;
      const yes = this.peek() === ";" ? doing : this.expression(doing).digits !== 0n && doing;
      this.expect(";");
      const update = this.at;
      if (this.peek() !== ")") this.expression(false);
      this.expect(")");
      this.statement(yes);
      if (!yes) return;
      const end = this.at;
      this.at = update;
      if (this.peek() !== ")") this.expression(true);
      this.at = end;
    }
  }

  private expression(doing: boolean): Num {
    let left = this.and(doing);
    while (this.take("||")) left = truth(left.digits !== 0n || this.and(doing).digits !== 0n);
    return left;
  }

  private and(doing: boolean): Num {
    let left = this.not(doing);
    while (this.take("&&")) {
      const right = this.not(doing);
      left = truth(left.digits !== 0n && right.digits !== 0n);
    }
    return left;
  }

  private not(doing: boolean): Num {
    if (this.take("!")) return truth(this.not(doing).digits === 0n);
    return this.relation(doing);
  }

  private relation(doing: boolean): Num {
    let left = this.sum(doing);
    for (let operator = this.peek(); /^(==|!=|<=|>=|<|>)$/.test(operator ?? ""); operator = this.peek()) {
      this.at += 1;
      const right = this.sum(doing);
      const scale = Math.max(left.scale, right.scale);
      const [a, b] = [rescale(left, scale), rescale(right, scale)];
      left = truth(
        { "==": a === b, "!=": a !== b, "<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b }[
          operator as "=="
        ],
      );
    }
    return left;
  }

  private sum(doing: boolean): Num {
    let left = this.product(doing);
    for (let operator = this.peek(); operator === "+" || operator === "-"; operator = this.peek()) {
      this.at += 1;
      left = this.apply(operator, left, this.product(doing), doing);
    }
    return left;
  }

  private product(doing: boolean): Num {
    let left = this.unary(doing);
    for (
      let operator = this.peek();
      operator === "*" || operator === "/" || operator === "%";
      operator = this.peek()
    ) {
      this.at += 1;
      left = this.apply(operator, left, this.unary(doing), doing);
    }
    return left;
  }

  private unary(doing: boolean): Num {
    if (this.take("-")) {
      const value = this.unary(doing);
      return { ...value, digits: -value.digits };
    }
    return this.power(doing);
  }

  private power(doing: boolean): Num {
    const base = this.operand(doing);
    if (!this.take("^")) return base;
    return this.apply("^", base, this.unary(doing), doing);
  }

  private apply(operator: string, a: Num, b: Num, doing: boolean): Num {
    if (!doing) return a;
    const scale = Math.max(a.scale, b.scale);
    if (operator === "+") return { digits: rescale(a, scale) + rescale(b, scale), scale };
    if (operator === "-") return { digits: rescale(a, scale) - rescale(b, scale), scale };
    if (operator === "*") {
      const wanted = Math.min(a.scale + b.scale, Math.max(this.scale, a.scale, b.scale));
      return {
        digits: rescale({ digits: a.digits * b.digits, scale: a.scale + b.scale }, wanted),
        scale: wanted,
      };
    }
    if (operator === "^") return this.raise(a, Number(rescale(b, 0)));
    if (!b.digits) throw new BcFault("Divide by zero");
    const quotient = { digits: rescale(a, this.scale + b.scale) / b.digits, scale: this.scale };
    if (operator === "/") return quotient;
    const wanted = Math.max(a.scale, this.scale + b.scale);
    return {
      digits:
        rescale(a, wanted) -
        rescale({ digits: quotient.digits * b.digits, scale: this.scale + b.scale }, wanted),
      scale: wanted,
    };
  }

  private raise(base: Num, exponent: number): Num {
    if (exponent < 0) return this.apply("/", { digits: 1n, scale: 0 }, this.raise(base, -exponent), true);
    if (exponent * base.digits.toString().length > 1e6) throw new BcFault("exponent too large");
    const scale = Math.min(base.scale * exponent, Math.max(this.scale, base.scale));
    return {
      digits: rescale({ digits: base.digits ** BigInt(exponent), scale: base.scale * exponent }, scale),
      scale,
    };
  }

  private operand(doing: boolean): Num {
    const token = this.tokens[this.at++];
    if (token === "(") {
      const value = this.expression(doing);
      this.expect(")");
      return value;
    }
    if (token === "++" || token === "--") {
      const name = this.tokens[this.at++] as string;
      return this.store(name, this.apply(token[0] as string, this.load(name), ONE, doing), doing);
    }
    if (token === undefined || STOP.has(token)) throw new BcFault("syntax error");
    if (/^[\d.A-F]/.test(token)) return this.literal(token);
    if (!/^[a-z]/.test(token)) throw new BcFault("syntax error");
    if (this.peek() === "(") return this.call(token, doing);
    let name = token;
    if (this.take("[")) {
      name += `[${rescale(this.expression(doing), 0)}]`;
      this.expect("]");
    }
    const operator = this.peek() ?? "";
    if (/^[-+*/%^]?=$/.test(operator)) {
      this.at += 1;
      const value = this.expression(doing);
      return this.store(
        name,
        operator === "=" ? value : this.apply(operator[0] as string, this.load(name), value, doing),
        doing,
      );
    }
    if (operator === "++" || operator === "--") {
      this.at += 1;
      const value = this.load(name);
      this.store(name, this.apply(operator[0] as string, value, ONE, doing), doing);
      return value;
    }
    return this.load(name);
  }

  private literal(token: string): Num {
    const [whole = "", fraction = ""] = token.split(".");
    if (this.ibase === 10 && /^[\d.]+$/.test(token))
      return { digits: BigInt(whole + fraction || "0"), scale: fraction.length };
    const value = [...whole].reduce(
      (sum, each) => sum * BigInt(this.ibase) + BigInt(Number.parseInt(each, 16)),
      0n,
    );
    return { digits: value, scale: 0 };
  }

  private call(name: string, doing: boolean): Num {
    this.expect("(");
    const value = this.expression(doing);
    this.expect(")");
    if (name === "length")
      return {
        digits: BigInt((value.digits < 0n ? -value.digits : value.digits).toString().length),
        scale: 0,
      };
    if (name === "scale") return { digits: BigInt(value.scale), scale: 0 };
    if (name === "sqrt") {
      if (value.digits < 0n) throw new BcFault("Square root of a negative number");
      const scale = Math.max(this.scale, value.scale);
      return { digits: root(rescale(value, 2 * scale)), scale };
    }
    const function_ = { s: Math.sin, c: Math.cos, a: Math.atan, l: Math.log, e: Math.exp }[name as "s"];
    if (!function_) throw new BcFault(`Function ${name} not defined.`);
    const shown = function_(Number(value.digits) / 10 ** value.scale);
    return {
      digits:
        BigInt(Math.trunc(shown * 10 ** Math.min(15, this.scale))) *
        10n ** BigInt(Math.max(0, this.scale - 15)),
      scale: this.scale,
    };
  }

  private load(name: string): Num {
    if (name === "scale" || name === "ibase" || name === "obase")
      return { digits: BigInt(this[name]), scale: 0 };
    return this.variables.get(name) ?? { digits: 0n, scale: 0 };
  }

  private store(name: string, value: Num, doing: boolean): Num {
    if (!doing) return value;
    if (name === "scale" || name === "ibase" || name === "obase")
      this[name as "scale"] = Number(rescale(value, 0));
    else this.variables.set(name, value);
    return value;
  }

  private shown({ digits, scale }: Num): string {
    const sign = digits < 0n ? "-" : "";
    const size = digits < 0n ? -digits : digits;
    if (this.obase !== 10) {
      const whole = size / 10n ** BigInt(scale);
      return sign + (this.obase <= 16 ? whole.toString(this.obase).toUpperCase() : whole.toString());
    }
    const text = size.toString().padStart(scale + 1, "0");
    if (!scale) return fold(sign + text);
    const whole = text.slice(0, -scale).replace(/^0+/, "");
    return size ? fold(`${sign}${whole}.${text.slice(-scale)}`) : "0";
  }
}

const ONE: Num = { digits: 1n, scale: 0 };

/** Long numbers are shown in lines of 69 characters. */
function fold(text: string): string {
  return text.length < 70 ? text : (text.match(/.{1,68}/g)?.join("\\\n") ?? "");
}

function truth(value: boolean): Num {
  return { digits: BigInt(value), scale: 0 };
}

function root(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}
