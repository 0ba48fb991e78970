/** Variables of a shell as `declare -p` shows them. */

import { shellQuoted } from "./shell-commands/quote";
import type { State } from "./shell-inside";

const CONTROL = /[\0-\x1f\x7f\udc80-\udcff]/;
/** What has a meaning in a word where it is not quoted. */
const MEANING = /[ '"\\|&;()<>!{}*[?\]^$`]|^[~#]|[=:]~|^@$/;

/** The lines for some variables, or for all that have one of the attributes, and the names that there are not. */
export function declarations(
  state: State,
  names: string[],
  letters: string,
): { lines: string[]; missing: string[] } {
  const all = names.length ? names : known(state);
  const missing: string[] = [];
  const lines = all.flatMap((name) => {
    const line = declaration(state, name);
    if (line === undefined) missing.push(name);
    const wanted =
      names.length || !letters || [...letters].some((each) => attributes(state, name).includes(each));
    return line !== undefined && wanted ? [line] : [];
  });
  return { lines, missing };
}

function known({ env, arrays, ...state }: State): string[] {
  const declared = [state.declaredVars, state.exportedVars, state.readonlyVars, state.associativeArrays];
  const names = [...env.keys(), ...arrays.keys(), ...declared.flatMap((each) => [...(each ?? [])])];
  return [...new Set(names)].filter((each) => /^[A-Za-z_]\w*$/.test(each)).sort();
}

function attributes(state: State, name: string): string {
  const flags: [string, boolean | undefined][] = [
    ["a", state.arrays.get(name)?.kind === "indexed"],
    ["A", state.associativeArrays?.has(name)],
    ["i", state.integerVars?.has(name)],
    ["n", state.namerefs?.has(name)],
    ["r", state.readonlyVars?.has(name)],
    ["x", state.exportedVars.has(name)],
    ["l", state.lowercaseVars?.has(name)],
    ["u", state.uppercaseVars?.has(name)],
  ];
  return flags.flatMap(([letter, is]) => (is ? [letter] : [])).join("");
}

function declaration(state: State, name: string): string | undefined {
  const letters = attributes(state, name);
  const value = assigned(state, name);
  if (!letters && value === undefined && !state.declaredVars?.has(name) && !state.localVarDepth?.has(name))
    return undefined;
  return `declare -${letters || "-"} ${name}${value === undefined ? "" : `=${value}`}`;
}

function assigned({ env, arrays, associativeArrays }: State, name: string): string | undefined {
  const array = arrays.get(name);
  const value = env.get(name);
  if (!array) return value === undefined ? undefined : inQuotes(value);
  const elements = [...array.elements];
  if (associativeArrays?.has(name))
    return `(${elements.map(([key, each]) => `[${inBrackets(key)}]=${inQuotes(each)} `).join("")})`;
  elements.sort(([a], [b]) => Number(a) - Number(b));
  return `(${elements.map(([key, each]) => `[${key}]=${inQuotes(each)}`).join(" ")})`;
}

function inBrackets(key: string): string {
  return MEANING.test(key) || CONTROL.test(key) ? inQuotes(key) : key;
}

function inQuotes(text: string): string {
  return CONTROL.test(text) ? shellQuoted(text) : `"${text.replace(/[\\"$`]/g, "\\$&")}"`;
}
