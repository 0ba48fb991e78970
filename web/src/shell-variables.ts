/** Arithmetic over a shell's variables, in place of just-bash's own, which counts in 32 bits and in fractions. */

import {
  ArithmeticError,
  arithmetic,
  expandGlob,
  expandPart,
  expandVariable,
  expandWord,
  NounsetError,
  Parser,
  replaceArithmetic,
  replaceErrorIfUnset,
  replaceExpandGlob,
  replaceExpandPart,
  replaceExpandVariable,
  replaceQuote,
  replaceSubstitute,
  substitute,
} from "just-bash/browser";
import { ArithmeticFault, evaluate, type Variables } from "./shell-arithmetic";
import { shellQuoted } from "./shell-commands/quote";
import type { InterpreterContext } from "./shell-inside";
import { ARITHMETIC_TEXT, type SyntaxNode } from "./shell-syntax";

const SPECIAL = /\b(RANDOM|SECONDS|LINENO|EPOCHSECONDS|BASHPID|PPID|UID|EUID)\b/g;
const original = arithmetic;
const variable = expandVariable;
const globbed = expandGlob;
const partOf = expandPart;
const substituted = substitute;
const words = new WeakMap<object, SyntaxNode>();

replaceArithmetic(async (context, expression, more) => {
  if (expression.type !== ARITHMETIC_TEXT) return await original(context, expression, more);
  const text = await expanded(context, expression);
  const special = new Map<string, string>();
  for (const [name] of text.matchAll(SPECIAL)) special.set(name, await expandVariable(context, name));
  return calculate(context, text, special);
});

/** What bash says of its version: `BASH_VERSION`, and `BASH_VERSINFO` after it. */
export const VERSION = "5.2.15(1)-release";
export const MACHINE = "wasm32-unknown-linux-gnu";
export const VERSION_PARTS = ["5", "2", "15", "1", "release", MACHINE];

/** `${x:-y}` asks for no more than whether `x` is there, also under `set -u`. */
replaceExpandVariable(async (context, name, check = true, more) =>
  name === "BASH_VERSION"
    ? VERSION
    : await variable(context, name, check && !context.tolerated?.has(name), more),
);

/** Fails as an unset variable does under `set -u`. */
replaceErrorIfUnset(async (context, name, { word, checkEmpty }, found, expandParts) => {
  if (!found.isUnset && !(checkEmpty && found.isEmpty)) return found.effectiveValue;
  const said = word?.parts.length && (await expandParts(context, word.parts, found.inDoubleQuotes));
  const error = new NounsetError(name);
  error.stderr = `bash: ${name}: ${said || `parameter ${checkEmpty ? "null or " : ""}not set`}\n`;
  throw error;
});

/**
 * In what replaces a match, `&` stands for the match where it is not quoted. Such a text is handed on as just-bash wants
 * it for lists: `$0` is the match, and a backslash takes the meaning of what follows.
 */
replaceExpandPart((context, part, quoted) =>
  part.replacing ? replacing(context, part, quoted) : partOf(context, part, quoted),
);

async function replacing(context: InterpreterContext, part: SyntaxNode, quoted?: boolean): Promise<string> {
  const text = await partOf(context, part, quoted);
  const literal = QUOTED.has(part.type) || context.state.shoptOptions.patsub_replacement === false;
  const plain = (each: string) => each.replace(/[\\$\d]/g, "\\$&");
  return literal
    ? plain(text)
    : text.replace(/\\([\\&])|&|[\\$\d]/g, (each, escaped) => (each === "&" ? "$0" : plain(escaped ?? each)));
}

const QUOTED = new Set(["SingleQuoted", "DoubleQuoted", "Escaped"]);

replaceSubstitute((context, text, pattern, replacement, all) => {
  const fill = (found: string) => replacement.replace(/\\(.)|\$0/gs, (_, escaped) => escaped ?? found);
  if (!/(?:^|[^\\])(?:\\\\)*\$0/.test(replacement)) return substituted(context, text, pattern, fill(""), all);
  let result = "";
  let from = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = all ? pattern.exec(text) : null) {
    const [found] = match;
    if (all && !found && match.index === text.length) break;
    result += text.slice(from, match.index) + fill(found);
    from = match.index + found.length;
    if (!found) pattern.lastIndex += 1;
  }
  return result + text.slice(from);
});

const DEFAULTS = new Set(["DefaultValue", "AssignDefault", "UseAlternative", "ErrorIfUnset"]);
const tolerated = new WeakMap<object, Set<string>>();

/** The variables that a command may name although they are not set. */
export function toleratedIn(node: SyntaxNode): Set<string> {
  let names = tolerated.get(node);
  if (!names) {
    names = new Set();
    const { body: _, clauses: __, items: ___, ...own } = node;
    collect(own, names);
    tolerated.set(node, names);
  }
  return names;
}

function collect(part: unknown, names: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  const { type, parameter, operation } = part as SyntaxNode;
  if (type === "ParameterExpansion" && DEFAULTS.has((operation as SyntaxNode | null)?.type ?? ""))
    names.add(String(parameter));
  for (const value of Object.values(part)) collect(value, names);
}

/** A pattern that ends with a slash stands for directories alone. */
replaceExpandGlob(async (context, pattern) => {
  if (!/[^/]\/+$/.test(pattern)) return await globbed(context, pattern);
  const found = await globbed(context, pattern.replace(/\/+$/, ""));
  const { fs, state } = context;
  const folders: string[] = [];
  for (const each of found) {
    const status = await fs.stat(fs.resolvePath(state.cwd, each)).catch(() => undefined);
    if (status?.isDirectory) folders.push(`${each}/`);
  }
  return folders.length || state.shoptOptions.nullglob ? folders : [pattern];
});

replaceQuote((text) =>
  /[\0-\x1f\x7f]/.test(text) ? shellQuoted(text) : `'${text.replaceAll("'", "'\\''")}'`,
);

/** Evaluate a text in which nothing is left to expand. Throws just-bash's errors. */
export function calculate(
  context: InterpreterContext,
  text: string,
  special = new Map<string, string>(),
): number {
  try {
    const value = evaluate(text, variablesOf(context, special));
    // Callers want a number; but what no number holds exactly they turn into text, and compare with 0.
    return Number.isSafeInteger(Number(value)) ? Number(value) : (value as unknown as number);
  } catch (error) {
    if (error instanceof ArithmeticFault) throw new ArithmeticError(error.message);
    throw error;
  }
}

async function expanded(context: InterpreterContext, expression: SyntaxNode): Promise<string> {
  const text = String(expression.text);
  if (!/[$`\\"]/.test(text)) return text;
  let word = words.get(expression);
  if (!word) {
    word = new Parser().parseWordFromString(text.replace(/(?<!\\)"/g, ""), true);
    words.set(expression, word);
  }
  return await expandWord(context, word);
}

function variablesOf({ state }: InterpreterContext, special: Map<string, string>): Variables {
  const { env, namerefs } = state;
  const target = (name: string) => (namerefs?.has(name) ? (env.get(name) ?? name) : name);
  const variables: Variables = {
    get(given, key) {
      const name = target(given);
      const array = state.arrays?.get(name);
      if (key !== undefined && array) return array.elements.get(index(array.elements, key));
      const value = special.get(name) ?? env.get(name) ?? array?.elements.get("0");
      if (value === undefined && state.options.nounset) throw new NounsetError(name);
      return value;
    },
    set(given, key, value) {
      const name = target(given);
      if (state.readonlyVars?.has(name)) throw new ArithmeticFault(`${name}: readonly variable`);
      const array = state.arrays?.get(name);
      if (key === undefined && !array) env.set(name, value);
      else if (array) array.elements.set(index(array.elements, key ?? "0"), value);
      else state.arrays.set(name, { kind: "indexed", elements: new Map([[key as string, value]]) });
    },
    isAssociative: (name) => Boolean(state.associativeArrays?.has(target(name))),
  };
  return variables;
}

/** An index below 0 counts from the end. */
function index(elements: Map<string, string>, key: string): string {
  if (!/^-\d+$/.test(key)) return key;
  return String(Math.max(-1, ...[...elements.keys()].map(Number)) + 1 + Number(key));
}
