/** What one command leaves to the next in the same shell, as text that any worker can go on with. */

import type { ShellArray, State } from "./shell-inside";
import type { SyntaxNode } from "./shell-syntax";

const SETS = [
  "exportedVars",
  "readonlyVars",
  "associativeArrays",
  "namerefs",
  "integerVars",
  "lowercaseVars",
  "uppercaseVars",
  "declaredVars",
  "exportedFunctions",
] as const;
/** Options that last for one command only: with them, a slip would end every later command. */
const PASSING = ["errexit", "nounset", "xtrace", "verbose", "noexec"];

interface Saved {
  env: [string, string][];
  arrays: [string, ShellArray["kind"], [string, string][]][];
  functions: [string, SyntaxNode][];
  sets: Partial<Record<(typeof SETS)[number], string[]>>;
  options: Record<string, boolean>;
  shopt: Record<string, boolean>;
  directories: string[];
  exitCode: number;
  umask: number;
  leftJobs: boolean;
}

/** `fresh` is the state of a new shell. */
export function save(state: State, fresh: State): string {
  const sets: Saved["sets"] = {};
  for (const name of SETS) if (state[name]?.size) sets[name] = [...(state[name] as Set<string>)];
  const options = { ...state.options };
  for (const name of PASSING) options[name] = fresh.options[name] ?? false;
  const saved: Saved = {
    env: [...state.env],
    arrays: [...state.arrays]
      .filter(([name]) => name !== "PIPESTATUS")
      .map(([name, { kind, elements }]) => [name, kind, [...elements]]),
    functions: [...state.functions],
    sets,
    options,
    shopt: state.shoptOptions,
    directories: state.directoryStack ?? [],
    exitCode: state.lastExitCode,
    umask: state.umask ?? 0o022,
    leftJobs: state.leftJobs ?? false,
  };
  return JSON.stringify(saved);
}

/** Put what was saved into a fresh state; "" is a new shell's. */
export function restore(state: State, text: string): void {
  state.shoptOptions.expand_aliases = true;
  if (!text) return;
  const saved = JSON.parse(text) as Saved;
  state.env = new Map(saved.env);
  state.arrays = new Map(
    saved.arrays.map(([name, kind, elements]) => [name, { kind, elements: new Map(elements) }]),
  );
  state.functions = new Map(saved.functions);
  for (const name of SETS) {
    const names = saved.sets[name];
    if (names) state[name] = new Set(names);
  }
  state.options = saved.options;
  state.shoptOptions = saved.shopt;
  if (saved.directories.length) state.directoryStack = saved.directories;
  state.lastExitCode = saved.exitCode;
  state.previousDir = state.env.get("OLDPWD") ?? state.previousDir;
  state.umask = saved.umask;
  state.leftJobs = saved.leftJobs;
}
