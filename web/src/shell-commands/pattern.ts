/** POSIX regular expressions, as JavaScript knows them. */

import { Fault } from "./command";

const CLASSES: Record<string, string> = {
  alnum: "\\p{L}\\p{N}",
  alpha: "\\p{L}",
  blank: " \\t",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "\\x21-\\x7e\\u{a1}-\\u{10ffff}",
  lower: "\\p{Ll}",
  print: "\\x20-\\x7e\\u{a0}-\\u{10ffff}",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\s",
  upper: "\\p{Lu}",
  xdigit: "0-9A-Fa-f",
};
const ESCAPES: Record<string, string> = {
  "<": "\\b(?=\\w)",
  ">": "\\b(?<=\\w)",
  "`": "^",
  "'": "$",
  w: "\\w",
  W: "\\W",
  s: "\\s",
  S: "\\S",
  b: "\\b",
  B: "\\B",
  n: "\\n",
  t: "\\t",
  r: "\\r",
  f: "\\f",
  v: "\\v",
  a: "\\x07",
};

export interface Kind {
  extended?: boolean;
  /** Flags of JavaScript beside `u`. */
  flags?: string;
}

const known = new Map<string, RegExp>();

/** Compile a basic or an extended expression. Throws a Fault for one that is none. */
export function compile(pattern: string, { extended = false, flags = "" }: Kind = {}): RegExp {
  const key = `${extended}/${flags}/${pattern}`;
  let found = known.get(key);
  if (!found) {
    try {
      found = new RegExp(translate(pattern, extended), `u${flags}`);
    } catch (error) {
      if (error instanceof Fault) throw error;
      throw new Fault(`invalid regular expression: ${pattern}`, 2);
    }
    if (known.size > 500) known.clear();
    known.set(key, found);
  }
  found.lastIndex = 0;
  return found;
}

export function translate(pattern: string, extended: boolean): string {
  let result = "";
  let open = 0;
  /** Whether something stands before that `*` and the like can repeat. */
  let repeatable = false;
  for (let at = 0; at < pattern.length; at++) {
    const each = pattern[at] as string;
    const next = pattern[at + 1];
    if (each === "[") {
      const [set, end] = bracket(pattern, at);
      result += set;
      at = end;
      repeatable = true;
    } else if (each === "\\" && next === undefined) throw new Fault("Trailing backslash", 2);
    else if (each === "\\" && /[1-9]/.test(next as string)) {
      result += `\\${next}(?:)`;
      at += 1;
      repeatable = true;
    } else if (isOperator(each, next, extended)) {
      const operator = each === "\\" ? (next as string) : each;
      if (each === "\\") at += 1;
      if (operator === "(") {
        open += 1;
        result += "(";
        repeatable = false;
      } else if (operator === ")") {
        if (!open && extended) result += "\\)";
        else if (!open) throw new Fault("Unmatched ) or \\)", 2);
        else result += ")";
        open = Math.max(0, open - 1);
        repeatable = true;
      } else if (operator === "|") {
        result += "|";
        repeatable = false;
      } else if (operator === "{") {
        const match = (extended ? /^(\d*)(,?)(\d*)\}/ : /^(\d*)(,?)(\d*)\\\}/).exec(pattern.slice(at + 1));
        if (match && (match[1] || match[2]) && repeatable) {
          result += `{${match[1] || 0}${match[2]}${match[3]}}`;
          at += match[0].length;
        } else if (extended) result += "\\{";
        else throw new Fault("Invalid preceding regular expression", 2);
      } else if (repeatable) {
        result += /[*+?}]$/.test(result) && !/\\[*+?}]$/.test(result) ? "" : operator;
      } else if (!extended || operator === "*") result += `\\${operator}`;
    } else if (each === "\\") {
      at += 1;
      const special = ESCAPES[next as string];
      result += special ?? quoted(next as string);
      repeatable = !special || !/^[<>bB`']$/.test(next as string);
    } else if (each === "^" && (extended || at === 0 || /(\\\(|\\\||\n)$/.test(pattern.slice(0, at)))) {
      result += "^";
      repeatable = false;
    } else if (
      each === "$" &&
      (extended || at === pattern.length - 1 || /^\$(\\\)|\\\||\n)/.test(pattern.slice(at)))
    ) {
      result += "$";
      repeatable = false;
    } else if (each === ".") {
      result += "[^]";
      repeatable = true;
    } else {
      const whole = String.fromCodePoint(pattern.codePointAt(at) as number);
      result += quoted(whole);
      at += whole.length - 1;
      repeatable = true;
    }
  }
  if (open) throw new Fault("Unmatched ( or \\(", 2);
  return result;
}

function isOperator(each: string, next: string | undefined, extended: boolean): boolean {
  if (extended) return "(){|*+?".includes(each);
  return each === "*" || (each === "\\" && "(){|+?".includes(next ?? " "));
}

export function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&");
}

function bracket(pattern: string, start: number): [string, number] {
  let at = start + 1;
  let set = "[";
  if (pattern[at] === "^") {
    set += "^";
    at += 1;
  }
  for (let first = true; first || pattern[at] !== "]"; first = false) {
    if (at >= pattern.length) throw new Fault("Unmatched [, [^, [:, [., or [=", 2);
    const named = /^\[([:.=])(.*?)\1\]/.exec(pattern.slice(at));
    if (named) {
      const [all, kind, name = ""] = named;
      if (kind === ":" && !CLASSES[name]) throw new Fault(`Invalid character class name`, 2);
      set += kind === ":" ? CLASSES[name] : quotedInSet(name);
      at += all.length;
    } else if (pattern[at] === "\\" && /[ntrfv\\\]]/.test(pattern[at + 1] ?? "") && pattern[at + 1] !== "]") {
      set += `\\${pattern[at + 1]}`;
      at += 2;
    } else {
      const whole = String.fromCodePoint(pattern.codePointAt(at) as number);
      const range = pattern[at] === "-" && !first && pattern[at + 1] !== "]" && !/\[\^?$/.test(set);
      set += range ? "-" : quotedInSet(whole);
      at += whole.length;
    }
  }
  // A range the wrong way round is none.
  return [`${set}]`, at];
}

function quotedInSet(text: string): string {
  return text.replace(/[\\^\]\-[&~|(){}/]/gu, (each) =>
    each === "~" || each === "&" || each === "|" ? each : `\\${each}`,
  );
}
