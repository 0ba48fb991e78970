/** Bash's arithmetic: whole numbers of 64 bits, and variables by their names. */

export class ArithmeticFault extends Error {}

/** What an expression may read and set. A `key` is there for elements of arrays. */
export interface Variables {
  get(name: string, key?: string): string | undefined;
  set(name: string, key: string | undefined, value: string): void;
  /** Whether a name's keys are words, and not numbers. */
  isAssociative(name: string): boolean;
}

/** `<<` in a place where the parser would take it for a here-document. */
export const SHIFT = "\ue000\ue000";

const TOKEN =
  /\s*(?:(0[xX][0-9a-fA-F]+|\d+#[0-9a-zA-Z@_]+|\d+)|([A-Za-z_]\w*)|(<<=|>>=|\*\*|\+\+|--|&&|\|\||<<|>>|<=|>=|==|!=|[-+*/%&^|]=|[-+*/%<>=!~&^|?:,()[\]]))/y;
const BINARY: Record<string, number> = Object.fromEntries(
  ["||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %", "**"].flatMap((each, level) =>
    each.split(" ").map((operator) => [operator, level + 1]),
  ),
);
const POWER = BINARY["**"] as number;
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_";
const DEEPEST = 100;

interface Place {
  name: string;
  key: string | undefined;
}

export function evaluate(text: string, variables: Variables, depth = 0): bigint {
  if (depth > DEEPEST) throw new ArithmeticFault(`${text}: expression recursion level exceeded`);
  return new Expression(text.replaceAll(SHIFT, "<<"), variables, depth).whole();
}

class Expression {
  private at = 0;
  private kind: "number" | "name" | "operator" | "end" = "end";
  private token = "";
  /** Where the token at hand begins. */
  private start = 0;
  /** Above 0 in what is read but not evaluated. */
  private skipping = 0;

  constructor(
    private readonly text: string,
    private readonly variables: Variables,
    private readonly depth: number,
  ) {
    this.next();
  }

  whole(): bigint {
    if (this.ended) return 0n;
    const value = this.comma();
    if (!this.ended) this.fail("syntax error in expression");
    return value;
  }

  private get named(): boolean {
    return this.kind === "name";
  }

  private get ended(): boolean {
    return this.kind === "end";
  }

  private next(): void {
    TOKEN.lastIndex = this.at;
    const match = TOKEN.exec(this.text);
    if (!match) {
      this.start = this.at;
      this.kind = "end";
      this.token = "";
      if (this.text.slice(this.at).trim()) this.fail("syntax error: operand expected");
      return;
    }
    this.token = match[1] ?? match[2] ?? match[3] ?? "";
    this.kind = match[1] ? "number" : match[2] ? "name" : "operator";
    this.at = TOKEN.lastIndex;
    this.start = this.at - this.token.length;
  }

  private fail(what: string, from = this.start): never {
    throw new ArithmeticFault(
      `${this.text.trim()}: ${what} (error token is "${this.text.slice(from).trimEnd()}")`,
    );
  }

  private take(operator: string): boolean {
    if (this.kind !== "operator" || this.token !== operator) return false;
    this.next();
    return true;
  }

  private comma(): bigint {
    let value = this.assignment();
    while (this.take(",")) value = this.assignment();
    return value;
  }

  private assignment(): bigint {
    const { at, kind, token, start } = this;
    if (kind === "name") {
      const place = this.place();
      const operator =
        this.kind === "operator" && /^(<<|>>|[-+*/%&^|])?=$/.test(this.token) ? this.token : "";
      if (operator) {
        this.next();
        const value = this.assignment();
        return this.store(
          place,
          operator === "=" ? value : this.apply(operator.slice(0, -1), this.load(place), value),
        );
      }
      Object.assign(this, { at, kind, token, start });
    }
    return this.conditional();
  }

  private conditional(): bigint {
    const condition = this.binary(1);
    if (!this.take("?")) return condition;
    const first = this.unless(!condition, () => this.comma());
    if (!this.take(":")) this.fail("`:' expected for conditional expression");
    const second = this.unless(Boolean(condition), () => this.assignment());
    return condition ? first : second;
  }

  private unless(skip: boolean, read: () => bigint): bigint {
    this.skipping += Number(skip);
    const value = read();
    this.skipping -= Number(skip);
    return value;
  }

  private binary(level: number): bigint {
    let left = this.unary();
    for (;;) {
      const operator = this.token;
      const own = this.kind === "operator" ? BINARY[operator] : undefined;
      if (own === undefined || own < level) return left;
      this.next();
      const skip = operator === "&&" ? !left : operator === "||" ? Boolean(left) : false;
      const right = this.unless(skip, () => this.binary(own === POWER ? own : own + 1));
      left = this.apply(operator, left, right);
    }
  }

  private unary(): bigint {
    const { token } = this;
    if (this.kind === "operator" && "+-!~".includes(token)) {
      this.next();
      const value = this.unary();
      return wrap(token === "-" ? -value : token === "!" ? BigInt(!value) : token === "~" ? ~value : value);
    }
    if (this.kind === "operator" && (token === "++" || token === "--")) {
      this.next();
      if (!this.named) return this.unary();
      const place = this.place();
      return this.store(place, this.load(place) + (token === "++" ? 1n : -1n));
    }
    return this.operand();
  }

  private operand(): bigint {
    const { token } = this;
    if (this.kind === "number") {
      this.next();
      return this.number(token);
    }
    if (this.kind === "name") {
      const place = this.place();
      const value = this.load(place);
      if (this.take("++")) this.store(place, value + 1n);
      else if (this.take("--")) this.store(place, value - 1n);
      return value;
    }
    if (!this.take("(")) this.fail("syntax error: operand expected");
    const value = this.comma();
    if (!this.take(")")) this.fail("missing `)'");
    return value;
  }

  private place(): Place {
    const name = this.token;
    if (this.text[this.at] !== "[") {
      this.next();
      return { name, key: undefined };
    }
    let end = this.at;
    for (let open = 0; end < this.text.length; end++) {
      if (this.text[end] === "[") open += 1;
      else if (this.text[end] === "]" && --open === 0) break;
    }
    const subscript = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    this.next();
    if (this.variables.isAssociative(name)) return { name, key: subscript.replace(/^(["'])(.*)\1$/s, "$2") };
    return { name, key: this.skipping ? "0" : String(evaluate(subscript, this.variables, this.depth + 1)) };
  }

  private load({ name, key }: Place): bigint {
    if (this.skipping) return 0n;
    const value = this.variables.get(name, key);
    return value ? evaluate(value, this.variables, this.depth + 1) : 0n;
  }

  private store({ name, key }: Place, value: bigint): bigint {
    const wrapped = wrap(value);
    if (!this.skipping) this.variables.set(name, key, String(wrapped));
    return wrapped;
  }

  private number(text: string): bigint {
    if (/^0[xX]/.test(text)) return wrap(BigInt(text));
    const [base, digits] = text.includes("#")
      ? text.split("#")
      : text.startsWith("0")
        ? ["8", text]
        : ["10", text];
    if (base === "10") return wrap(BigInt(digits as string));
    let value = 0n;
    for (const each of digits as string) {
      const digit = DIGITS.indexOf(Number(base) <= 36 ? each.toLowerCase() : each);
      if (digit < 0 || digit >= Number(base))
        throw new ArithmeticFault(`${text}: value too great for base (error token is "${text}")`);
      value = value * BigInt(base as string) + BigInt(digit);
    }
    return wrap(value);
  }

  private apply(operator: string, a: bigint, b: bigint): bigint {
    if (this.skipping) return 0n;
    if ((operator === "/" || operator === "%") && !b) this.fail("division by 0");
    if (operator === "**" && b < 0) this.fail("exponent less than 0");
    return wrap((OPERATORS[operator] as (a: bigint, b: bigint) => bigint)(a, b));
  }
}

const OPERATORS: Record<string, (a: bigint, b: bigint) => bigint> = {
  "||": (a, b) => BigInt(Boolean(a || b)),
  "&&": (a, b) => BigInt(Boolean(a && b)),
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "&": (a, b) => a & b,
  "==": (a, b) => BigInt(a === b),
  "!=": (a, b) => BigInt(a !== b),
  "<": (a, b) => BigInt(a < b),
  ">": (a, b) => BigInt(a > b),
  "<=": (a, b) => BigInt(a <= b),
  ">=": (a, b) => BigInt(a >= b),
  "<<": (a, b) => a << (b & 63n),
  ">>": (a, b) => a >> (b & 63n),
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": power,
};

/** Wraps on the way, as a large power would take the tab's memory. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let left = exponent; left; left >>= 1n) {
    if (left & 1n) result = wrap(result * square);
    square = wrap(square * square);
  }
  return result;
}

function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}
