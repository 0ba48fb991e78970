/** awk programs, read into trees. */

import { Fault } from "./command";

export type Expression =
  | { kind: "number"; value: number }
  | { kind: "string"; value: string }
  | { kind: "regex"; source: string }
  | { kind: "variable"; name: string }
  | { kind: "field"; index: Expression }
  | { kind: "element"; name: string; keys: Expression[] }
  | { kind: "assign"; operator: string; target: Expression; value: Expression }
  | { kind: "step"; by: number; before: boolean; target: Expression }
  | { kind: "unary"; operator: string; value: Expression }
  | { kind: "binary"; operator: string; left: Expression; right: Expression }
  | { kind: "ternary"; condition: Expression; yes: Expression; no: Expression }
  | { kind: "in"; keys: Expression[]; name: string }
  | { kind: "call"; name: string; args: Expression[] }
  | { kind: "getline"; target: Expression | undefined; source: Expression | undefined; command: boolean }
  | { kind: "group"; list: Expression[] };

export type Statement =
  | { kind: "expression"; value: Expression }
  | {
      kind: "print";
      format: boolean;
      args: Expression[];
      to: { operator: string; target: Expression } | undefined;
    }
  | { kind: "block"; body: Statement[] }
  | { kind: "if"; condition: Expression; yes: Statement; no: Statement | undefined }
  | { kind: "while"; condition: Expression; body: Statement; first: boolean }
  | {
      kind: "for";
      begin: Statement | undefined;
      condition: Expression | undefined;
      update: Statement | undefined;
      body: Statement;
    }
  | { kind: "each"; variable: string; array: string; body: Statement }
  | { kind: "delete"; name: string; keys: Expression[] | undefined }
  | { kind: "exit" | "return"; value: Expression | undefined }
  | { kind: "next" | "nextfile" | "break" | "continue" };

export interface Rule {
  /** Nothing for every record; two for a range. */
  patterns: Expression[];
  body: Statement | undefined;
  open: boolean;
}

export interface Program {
  begin: Statement[];
  end: Statement[];
  rules: Rule[];
  functions: Map<string, { parameters: string[]; body: Statement }>;
}

interface Token {
  kind: "number" | "string" | "regex" | "name" | "call" | "keyword" | "operator" | "newline" | "end";
  text: string;
  /** Whether blanks stand before it. */
  apart: boolean;
}

const KEYWORDS = new Set(
  "BEGIN END function func if else while for do break continue next nextfile exit return delete in getline print printf".split(
    " ",
  ),
);
const BUILTINS = new Set(
  "length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper system close fflush systime strftime and or xor lshift rshift compl asort asorti".split(
    " ",
  ),
);
const LEXEME =
  /(\n)|(0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)(\()?|"((?:[^"\\\n]|\\[\s\S])*)"|(\*\*=|\*\*|&&|\|\||[-+*/%^!=<>]=|\+\+|--|>>|[{}()[\];,+\-*/%^!<>|?:~$=&])/y;
const ESCAPES: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  '"': '"',
  "/": "/",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
};

function unescaped(text: string): string {
  return text.replace(/\\(\n|[0-7]{1,3}|x[0-9a-fA-F]{1,2}|[\s\S])/g, (whole, each: string) => {
    if (each === "\n") return "";
    if (/^[0-7]/.test(each)) return String.fromCharCode(Number.parseInt(each, 8));
    if (/^x./.test(each)) return String.fromCharCode(Number.parseInt(each.slice(1), 16));
    return ESCAPES[each] ?? whole;
  });
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    const blank = /(?:[ \t\r]|\\\r?\n|#[^\n]*)*/y;
    blank.lastIndex = at;
    const [skipped = ""] = blank.exec(source) ?? [];
    at += skipped.length;
    const apart = skipped !== "";
    if (at >= source.length) break;
    const last = tokens.at(-1);
    // A slash after something that has a value divides.
    const value =
      last &&
      (/^(number|string|regex|name)$/.test(last.kind) || [")", "]", "$", "++", "--"].includes(last.text));
    if (source[at] === "/" && !value) {
      const regex = /\/((?:[^/\\\n[]|\\.|\[\^?\]?(?:[^\]\n\\]|\\.|\[:\w+:\])*\])*)\//y;
      regex.lastIndex = at;
      const match = regex.exec(source);
      if (!match) throw new Fault(`unterminated regex at source line 1`, 2);
      tokens.push({ kind: "regex", text: (match[1] as string).replace(/\\\//g, "/"), apart });
      at += match[0].length;
      continue;
    }
    LEXEME.lastIndex = at;
    const match = LEXEME.exec(source);
    if (!match)
      throw new Fault(
        `syntax error at source line ${source.slice(0, at).split("\n").length}: unexpected character '${source[at]}'`,
        2,
      );
    const [whole, newline, number, name, open, string, operator] = match;
    at += whole.length;
    if (newline) tokens.push({ kind: "newline", text: "\n", apart });
    else if (number) tokens.push({ kind: "number", text: number, apart });
    else if (name) {
      if (open) at -= 1;
      const kind = KEYWORDS.has(name) ? "keyword" : open || BUILTINS.has(name) ? "call" : "name";
      tokens.push({ kind, text: name, apart });
    } else if (string !== undefined) tokens.push({ kind: "string", text: unescaped(string), apart });
    else tokens.push({ kind: "operator", text: operator as string, apart });
  }
  tokens.push({ kind: "end", text: "", apart: true });
  return tokens;
}

export function parseAwk(source: string): Program {
  return new Parser(tokensOf(source)).program();
}

/** Binary operators from the loosest to the tightest; comparison and joining are between them. */
class Parser {
  private at = 0;
  /** Above 0 where `>` sends output to a file, and `in` belongs to a loop. */
  private noGreater = 0;
  private noIn = 0;

  constructor(private readonly tokens: Token[]) {}

  program(): Program {
    const program: Program = { begin: [], end: [], rules: [], functions: new Map() };
    for (;;) {
      this.skip();
      const token = this.peek();
      if (token.kind === "end") return program;
      if (this.take("BEGIN")) program.begin.push(this.block());
      else if (this.take("END")) program.end.push(this.block());
      else if (this.take("function") || this.take("func")) {
        const name = this.next().text;
        this.expect("(");
        const parameters: string[] = [];
        while (!this.take(")")) {
          parameters.push(this.next().text);
          this.take(",");
        }
        this.lines();
        program.functions.set(name, { parameters, body: this.block() });
      } else {
        const patterns: Expression[] = [];
        if (!this.is("{")) {
          patterns.push(this.expression());
          if (this.take(",")) {
            this.lines();
            patterns.push(this.expression());
          }
        }
        program.rules.push({ patterns, body: this.is("{") ? this.block() : undefined, open: false });
      }
    }
  }

  private peek(ahead = 0): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)] as Token;
  }

  private next(): Token {
    const token = this.peek();
    this.at += 1;
    return token;
  }

  private is(text: string): boolean {
    const token = this.peek();
    return token.text === text && token.kind !== "string" && token.kind !== "regex";
  }

  private take(text: string): boolean {
    if (!this.is(text)) return false;
    this.at += 1;
    return true;
  }

  private expect(text: string): void {
    if (!this.take(text))
      throw new Fault(
        `syntax error at or near ${this.peek().kind === "end" ? "end of program" : this.peek().text.trim() || "newline"}: expected ${text}`,
        2,
      );
  }

  private lines(): void {
    while (this.peek().kind === "newline") this.at += 1;
  }

  private skip(): void {
    while (this.peek().kind === "newline" || this.is(";")) this.at += 1;
  }

  private block(): Statement {
    this.lines();
    this.expect("{");
    const body: Statement[] = [];
    for (this.skip(); !this.take("}"); this.skip()) {
      if (this.peek().kind === "end") this.expect("}");
      body.push(this.statement());
    }
    return { kind: "block", body };
  }

  private body(): Statement {
    this.lines();
    if (this.take(";")) return { kind: "block", body: [] };
    return this.statement();
  }

  private statement(): Statement {
    if (this.is("{")) return this.block();
    if (this.take("if")) {
      this.expect("(");
      const condition = this.expression();
      this.expect(")");
      const yes = this.body();
      const before = this.at;
      this.skip();
      if (this.take("else")) return { kind: "if", condition, yes, no: this.body() };
      this.at = before;
      return { kind: "if", condition, yes, no: undefined };
    }
    if (this.take("while")) {
      this.expect("(");
      const condition = this.expression();
      this.expect(")");
      return { kind: "while", condition, body: this.body(), first: false };
    }
    if (this.take("do")) {
      const body = this.body();
      this.skip();
      this.expect("while");
      this.expect("(");
      const condition = this.expression();
      this.expect(")");
      this.end();
      return { kind: "while", condition, body, first: true };
    }
    if (this.take("for")) return this.loop();
    const statement = this.simple();
    this.end();
    return statement;
  }

  private end(): void {
    if (this.take(";") || this.is("}") || this.peek().kind === "end") return;
    if (this.peek().kind !== "newline") throw new Fault(`syntax error at or near ${this.peek().text}`, 2);
    this.at += 1;
  }

  private loop(): Statement {
    this.expect("(");
    if (
      this.peek().kind === "name" &&
      this.peek(1).text === "in" &&
      this.peek(3).text === ")" &&
      this.peek(1).kind === "keyword"
    ) {
      const variable = this.next().text;
      this.at += 1;
      const array = this.next().text;
      this.expect(")");
      return { kind: "each", variable, array, body: this.body() };
    }
    const begin = this.is(";") ? undefined : this.simple();
    this.expect(";");
    this.lines();
    const condition = this.is(";") ? undefined : this.expression();
    this.expect(";");
    this.lines();
    const update = this.is(")") ? undefined : this.simple();
    this.expect(")");
    return { kind: "for", begin, condition, update, body: this.body() };
  }

  private simple(): Statement {
    const { kind, text } = this.peek();
    if (kind === "keyword") {
      if (text === "print" || text === "printf") return this.print(text === "printf");
      if (text === "next" || text === "nextfile" || text === "break" || text === "continue") {
        this.at += 1;
        return { kind: text };
      }
      if (text === "exit" || text === "return") {
        this.at += 1;
        const bare = /^[;}\n]?$/.test(this.peek().text) && this.peek().kind !== "string";
        return { kind: text, value: bare ? undefined : this.expression() };
      }
      if (text === "delete") {
        this.at += 1;
        const name = this.next().text;
        if (!this.take("[")) return { kind: "delete", name, keys: undefined };
        return { kind: "delete", name, keys: this.list("]") };
      }
    }
    return { kind: "expression", value: this.expression() };
  }

  private print(format: boolean): Statement {
    this.at += 1;
    this.noGreater += 1;
    let args: Expression[] = [];
    if (
      (!/^[;}\n>|]?$/.test(this.peek().text) && !this.is(">>")) ||
      this.peek().kind === "string" ||
      this.peek().kind === "regex"
    ) {
      args = [this.expression()];
      while (this.take(",")) {
        this.lines();
        args.push(this.expression());
      }
      const [only] = args;
      if (args.length === 1 && only?.kind === "group") args = only.list;
    }
    this.noGreater -= 1;
    const operator = [">", ">>", "|"].find((each) => this.is(each));
    if (!operator) return { kind: "print", format, args, to: undefined };
    this.at += 1;
    this.noGreater += 1;
    const target = this.joined();
    this.noGreater -= 1;
    return { kind: "print", format, args, to: { operator, target } };
  }

  private list(end: string): Expression[] {
    const all: Expression[] = [];
    this.lines();
    while (!this.take(end)) {
      all.push(this.free());
      this.lines();
      if (!this.is(end)) this.expect(",");
      this.lines();
    }
    return all;
  }

  /** An expression in brackets, where nothing has another meaning. */
  private free(): Expression {
    const { noGreater, noIn } = this;
    this.noGreater = 0;
    this.noIn = 0;
    const value = this.expression();
    Object.assign(this, { noGreater, noIn });
    return value;
  }

  private expression(): Expression {
    const condition = this.or();
    if (this.take("?")) {
      this.lines();
      const yes = this.expression();
      this.lines();
      this.expect(":");
      this.lines();
      return { kind: "ternary", condition, yes, no: this.expression() };
    }
    const { text, kind } = this.peek();
    if (
      kind === "operator" &&
      /^(\*\*|[-+*/%^])?=$/.test(text) &&
      /^(variable|field|element)$/.test(condition.kind)
    ) {
      this.at += 1;
      this.lines();
      return {
        kind: "assign",
        operator: text.slice(0, -1).replace("**", "^"),
        target: condition,
        value: this.expression(),
      };
    }
    return condition;
  }

  private or(): Expression {
    let left = this.and();
    while (this.take("||")) {
      this.lines();
      left = { kind: "binary", operator: "||", left, right: this.and() };
    }
    return left;
  }

  private and(): Expression {
    let left = this.membership();
    while (this.take("&&")) {
      this.lines();
      left = { kind: "binary", operator: "&&", left, right: this.membership() };
    }
    return left;
  }

  private membership(): Expression {
    let left = this.match();
    while (!this.noIn && this.is("in") && this.peek().kind === "keyword") {
      this.at += 1;
      left = { kind: "in", keys: left.kind === "group" ? left.list : [left], name: this.next().text };
    }
    return left;
  }

  private match(): Expression {
    let left = this.comparison();
    for (
      let operator = this.peek().text;
      this.peek().kind === "operator" &&
      (operator === "~" || operator === "!~" || (operator === "!" && this.peek(1).text === "~"));
      operator = this.peek().text
    ) {
      this.at += operator === "!" ? 2 : 1;
      left = { kind: "binary", operator: operator === "~" ? "~" : "!~", left, right: this.comparison() };
    }
    return left;
  }

  private comparison(): Expression {
    const left = this.joined();
    const { text, kind } = this.peek();
    if (kind !== "operator" || !/^(<|<=|==|!=|>|>=)$/.test(text) || (text === ">" && this.noGreater))
      return left;
    this.at += 1;
    return { kind: "binary", operator: text, left, right: this.joined() };
  }

  private joined(): Expression {
    let left = this.sum();
    for (;;) {
      const { kind, text } = this.peek();
      if (kind === "operator" && text === "|" && this.peek(1).text === "getline") {
        this.at += 2;
        left = { kind: "getline", target: this.lvalue(), source: left, command: true };
        continue;
      }
      const starts =
        /^(number|string|name|call|regex)$/.test(kind) ||
        (kind === "operator" && ["$", "!", "(", "-", "+", "++", "--"].includes(text));
      if (!starts || (text === "in" && kind === "keyword")) return left;
      if (kind === "operator" && text === "!" && this.peek(1).text === "~") return left;
      left = { kind: "binary", operator: " ", left, right: this.sum() };
    }
  }

  private sum(): Expression {
    let left = this.product();
    while (this.is("+") || this.is("-")) {
      const operator = this.next().text;
      left = { kind: "binary", operator, left, right: this.product() };
    }
    return left;
  }

  private product(): Expression {
    let left = this.unary();
    while (this.is("*") || this.is("/") || this.is("%")) {
      const operator = this.next().text;
      left = { kind: "binary", operator, left, right: this.unary() };
    }
    return left;
  }

  private unary(): Expression {
    const { kind, text } = this.peek();
    if (kind === "operator" && (text === "!" || text === "-" || text === "+")) {
      this.at += 1;
      return { kind: "unary", operator: text, value: this.unary() };
    }
    return this.power();
  }

  private power(): Expression {
    const base = this.postfix();
    if (!this.take("^") && !this.take("**")) return base;
    return { kind: "binary", operator: "^", left: base, right: this.unary() };
  }

  private postfix(): Expression {
    const { kind, text } = this.peek();
    if (kind === "operator" && (text === "++" || text === "--")) {
      this.at += 1;
      return { kind: "step", by: text === "++" ? 1 : -1, before: true, target: this.postfix() };
    }
    const value = this.primary();
    const after = this.peek();
    if (
      after.kind === "operator" &&
      (after.text === "++" || after.text === "--") &&
      /^(variable|field|element)$/.test(value.kind)
    ) {
      this.at += 1;
      return { kind: "step", by: after.text === "++" ? 1 : -1, before: false, target: value };
    }
    return value;
  }

  private lvalue(): Expression | undefined {
    const { kind, text } = this.peek();
    return kind === "name" || (kind === "operator" && text === "$") ? this.primary() : undefined;
  }

  private primary(): Expression {
    const { kind, text } = this.next();
    if (kind === "number") return { kind: "number", value: Number(text) };
    if (kind === "string") return { kind: "string", value: text };
    if (kind === "regex") return { kind: "regex", source: text };
    if (kind === "name")
      return this.take("[")
        ? { kind: "element", name: text, keys: this.list("]") }
        : { kind: "variable", name: text };
    if (kind === "call") return { kind: "call", name: text, args: this.take("(") ? this.list(")") : [] };
    if (text === "getline") {
      const target = this.lvalue();
      return { kind: "getline", target, source: this.take("<") ? this.postfix() : undefined, command: false };
    }
    if (text === "$") return { kind: "field", index: this.postfixOfField() };
    if (text === "(") {
      const list = this.list(")");
      return list.length === 1 && !this.is("in")
        ? list[0]?.kind === "group"
          ? list[0]
          : { kind: "group", list }
        : { kind: "group", list };
    }
    throw new Fault(
      `syntax error at or near ${kind === "end" ? "end of program" : text.trim() || "newline"}`,
      2,
    );
  }

  /** `$i++` steps the field, `$++i` the index. */
  private postfixOfField(): Expression {
    const { kind, text } = this.peek();
    if (kind === "operator" && (text === "++" || text === "--")) return this.postfix();
    if (kind === "operator" && text === "-") {
      this.at += 1;
      return { kind: "unary", operator: "-", value: this.primary() };
    }
    return this.primary();
  }
}
