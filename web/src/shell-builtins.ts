/** Builtins of bash that just-bash lacks or gets wrong. */

import { reasonOf } from "./shell-commands/command";
import { declarations } from "./shell-declare";
import type { Interpreter, Result } from "./shell-inside";
import { parseScript } from "./shell-source";
import { toText } from "./shell-text";
import { SIGNALS, strike, Traps } from "./shell-traps";
import { calculate, MACHINE, VERSION } from "./shell-variables";

/** Returns undefined where just-bash does it well. */
type Builtin = (
  shell: Interpreter,
  args: string[],
  stdin: string,
) => Result | undefined | Promise<Result | undefined>;

const TITLE = `GNU bash, version ${VERSION} (${MACHINE})\n`;
const OK: Result = { stdout: "", stderr: "", exitCode: 0 };

export const BUILTINS = new Map<string, Builtin>([
  ["__run", run],
  [
    "__swapcase",
    (_, [twice, text = ""]) => ({
      ...OK,
      stdout: twice === "~~" ? swapped(text) : swapped(text[0] ?? "") + text.slice(1),
    }),
  ],
  ["bash", shellWithOptions],
  ["sh", shellWithOptions],
  ["wait", ({ shell }, args) => shell.jobs.wait(args)],
  ["jobs", ({ shell, ctx }, args) => shell.jobs.list(args, ctx.state.leftJobs)],
  ["fg", ({ shell }, args) => shell.jobs.wait(args.length ? args : ["%%"])],
  ["bg", () => OK],
  ["disown", () => OK],
  ["kill", kill],
  ["trap", trap],
  ["umask", umask],
  ["ulimit", (_, args) => ({ ...OK, stdout: args.some((each) => /^\d+$/.test(each)) ? "" : "unlimited\n" })],
  ["let", arithmeticLet],
  ["declare", (shell, args) => declare("declare", shell, args)],
  ["typeset", (shell, args) => declare("typeset", shell, args)],
  [
    "readonly",
    (shell, args, stdin) =>
      isListing(args) ? declare("readonly", shell, ["-pr"]) : withLists(shell, ["-gr", ...args], stdin),
  ],
  [
    "local",
    (shell, args, stdin) =>
      shell.ctx.state.funcNameStack?.length ? withLists(shell, args, stdin) : undefined,
  ],
  ["export", exportVariables],
  ["shopt", shopt],
  ["set", options],
  ["times", () => ({ ...OK, stdout: "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n" })],
  ["caller", caller],
  ["history", () => OK],
]);

/** What an expanded word names, be it a function, a builtin or a program. */
async function run(shell: Interpreter, [name, ...args]: string[], stdin: string): Promise<Result> {
  if (name === undefined) return { ...OK, exitCode: shell.ctx.state.lastExitCode };
  return await shell.runCommand(
    name,
    args,
    args.map(() => true),
    stdin,
  );
}

/** `bash -eu file` is `bash -c` with a `set` before the script; `-n` only reads it. */
async function shellWithOptions(
  shell: Interpreter,
  args: string[],
  stdin: string,
): Promise<Result | undefined> {
  if (args[0] === "--version") return { ...OK, stdout: TITLE };
  const settings: string[] = [];
  const rest = [...args];
  let isText = false;
  let onlyRead = false;
  while (/^[-+][a-zA-Z]|^--\w/.test(rest[0] ?? "")) {
    const word = rest.shift() as string;
    if (word.startsWith("--")) continue;
    const letters = word.slice(1);
    isText ||= letters.includes("c");
    onlyRead ||= letters.includes("n");
    const set = letters.replace(/[^aefuvxCETo]/g, "");
    if (set) settings.push(word[0] + set);
    if (set.includes("o")) settings.push(rest.shift() ?? "");
  }
  if (rest.length === args.length || (isText && args[0] === "-c")) return undefined;
  const [name = "bash", ...more] = isText ? rest.slice(1) : rest;
  let text = isText ? (rest[0] ?? "") : stdin;
  if (!isText && rest.length) {
    try {
      const { fs, state } = shell.ctx;
      text = toText(await fs.readFile(fs.resolvePath(state.cwd, name), "latin1"));
    } catch (error) {
      return { ...OK, stderr: `bash: ${name}: ${reasonOf(error)}\n`, exitCode: 127 };
    }
  }
  if (onlyRead) {
    try {
      parseScript(text);
      return OK;
    } catch (error) {
      return { ...OK, stderr: `${name}: ${(error as Error).message}\n`, exitCode: 2 };
    }
  }
  const script = settings.length ? `set ${settings.join(" ")}; ${text}` : text;
  return await run(shell, ["bash", "-c", script, name, ...more], stdin);
}

function swapped(text: string): string {
  return [...text]
    .map((each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase()))
    .join("");
}

function trap({ ctx }: Interpreter, args: string[]): Result {
  ctx.state.traps ??= new Traps();
  const { traps } = ctx.state;
  const given = args[0] === "--" ? args.slice(1) : args;
  if (given[0] === "-l")
    return {
      ...OK,
      stdout: `${SIGNALS.slice(1)
        .map((name, at) => `${at + 1}) SIG${name}`)
        .join("\n")}\n`,
    };
  if (!given.length || given[0] === "-p") return { ...OK, stdout: traps.list(given.slice(1).map(signal)) };
  const [action = "-", ...names] = given.length > 1 ? given : ["-", ...given];
  const unknown = names.find((each) => ![...SIGNALS, "ERR", "DEBUG", "RETURN"].includes(signal(each)));
  if (unknown)
    return { ...OK, stderr: `bash: trap: ${unknown}: invalid signal specification\n`, exitCode: 1 };
  traps.set(names.map(signal), action);
  return OK;
}

function signal(name: string): string {
  return SIGNALS[Number(name)] ?? name.toUpperCase().replace(/^SIG/, "");
}

async function kill(shell: Interpreter, args: string[]): Promise<Result> {
  const { jobs } = shell.shell;
  if (args[0] === "-l") {
    const numbers = args
      .slice(1)
      .map((each) => (/^\d+$/.test(each) ? SIGNALS[Number(each) % 128] : SIGNALS.indexOf(signal(each))));
    return { ...OK, stdout: `${(args.length > 1 ? numbers : SIGNALS.slice(1)).join("\n")}\n` };
  }
  let name = "TERM";
  const targets = [...args];
  if (/^-(s|n)$/.test(targets[0] ?? "")) name = signal(targets.splice(0, 2)[1] ?? "");
  else if (/^-[\dA-Za-z]/.test(targets[0] ?? ""))
    name = targets[0] === "-0" ? "" : signal((targets.shift() as string).slice(1));
  if (name === "") targets.shift();
  let stderr = "";
  const result = { ...OK };
  const { bashPid, virtualPid } = shell.ctx.state;
  if (name && !SIGNALS.includes(name))
    return { ...OK, stderr: `bash: kill: ${name}: invalid signal specification\n`, exitCode: 1 };
  for (const each of targets) {
    if (each === String(bashPid) || each === String(virtualPid)) {
      if (each !== String(bashPid)) shell.struck = name || undefined;
      else if (name) Object.assign(result, await strike(shell, name));
    } else if (!(name ? jobs.kill(each, 128 + SIGNALS.indexOf(name)) : jobs.find(each)))
      stderr += `bash: kill: ${each.startsWith("%") ? `${each}: no such job` : `(${each}) - No such process`}${jobs.hint}\n`;
  }
  return { ...result, stderr: result.stderr + stderr, exitCode: stderr ? 1 : 0 };
}

function umask({ shell, ctx }: Interpreter, args: string[]): Result {
  const value = args.find((each) => !each.startsWith("-"));
  if (value === undefined) {
    const octal = shell.files.umask.toString(8).padStart(4, "0");
    const allowed = ["u", "g", "o"].map((who, at) => {
      const bits = ~shell.files.umask >> (6 - 3 * at);
      return `${who}=${[..."rwx"].filter((_, bit) => bits & (4 >> bit)).join("")}`;
    });
    return { ...OK, stdout: `${args.includes("-S") ? allowed.join(",") : octal}\n` };
  }
  if (!/^[0-7]{1,4}$/.test(value))
    return { ...OK, stderr: `bash: umask: ${value}: octal number out of range\n`, exitCode: 1 };
  shell.files.umask = Number.parseInt(value, 8) & 0o777;
  ctx.state.umask = shell.files.umask;
  return OK;
}

function arithmeticLet({ ctx }: Interpreter, args: string[]): Result {
  let value = 0;
  for (const each of args) value = calculate(ctx, each);
  return { ...OK, exitCode: value === 0 ? 1 : 0 };
}

function isListing(args: string[]): boolean {
  return !args.length || (args.length === 1 && args[0] === "-p");
}

/** Of the builtins that set variables, `declare` alone knows lists with keys. */
async function withLists(shell: Interpreter, args: string[], stdin: string): Promise<Result | undefined> {
  if (!args.some((each) => /^\w+=\(\[/.test(each))) return undefined;
  return await run(shell, ["declare", ...args], stdin);
}

/** `declare -p`: variables as they would have to be declared. */
function declare(command: string, { ctx }: Interpreter, args: string[]): Result | undefined {
  const letters = args
    .filter((each) => /^-[a-zA-Z]/.test(each))
    .join("")
    .replaceAll("-", "");
  if (!letters.includes("p") || /[fF]/.test(letters)) return undefined;
  const names = args.filter((each) => !/^[-+]/.test(each));
  const { lines, missing } = declarations(ctx.state, names, letters.replaceAll("p", ""));
  return {
    stdout: lines.map((each) => `${each}\n`).join(""),
    stderr: missing.map((each) => `bash: ${command}: ${each}: not found\n`).join(""),
    exitCode: missing.length ? 1 : 0,
  };
}

/** `patsub_replacement` is unknown to just-bash. */
async function shopt(shell: Interpreter, args: string[], stdin: string): Promise<Result | undefined> {
  const name = "patsub_replacement";
  if (!args.includes(name)) return undefined;
  const { shoptOptions } = shell.ctx.state;
  const letters = args.filter((each) => /^-[suqp]+$/.test(each)).join("");
  if (/[su]/.test(letters)) {
    shoptOptions[name] = letters.includes("s");
    const others = args.filter((each) => each !== name);
    if (others.every((each) => each.startsWith("-"))) return OK;
    return await run(shell, ["shopt", ...others], stdin);
  }
  const on = shoptOptions[name] !== false;
  const stdout = letters.includes("p")
    ? `shopt ${on ? "-s" : "-u"} ${name}\n`
    : `${name}\t${on ? "on" : "off"}\n`;
  return { ...OK, stdout: letters.includes("q") ? "" : stdout, exitCode: on ? 0 : 1 };
}

function exportVariables(shell: Interpreter, args: string[]): Result | undefined {
  if (isListing(args)) return declare("export", shell, ["-px"]);
  if (args[0] !== "-f") return undefined;
  const { state } = shell.ctx;
  const unknown = args.slice(1).find((each) => !state.functions.has(each));
  if (unknown) return { ...OK, stderr: `bash: export: ${unknown}: not a function\n`, exitCode: 1 };
  state.exportedFunctions = new Set([...(state.exportedFunctions ?? []), ...args.slice(1)]);
  return OK;
}

/** `set -E` is unknown to just-bash: ERR in functions, too. */
async function options(shell: Interpreter, args: string[], stdin: string): Promise<Result | undefined> {
  const changed = args.flatMap((each, at) => {
    const letters = args.slice(0, at).includes("--")
      ? each
      : each.replace(/^([-+][a-zA-Z]*?)[ET]([a-zA-Z]*)$/, "$1$2");
    return letters === "-" && each !== "-" ? [] : [letters];
  });
  const named = changed.findIndex(
    (each, at) => /^(errtrace|functrace)$/.test(each) && /^[-+][a-z]*o$/.test(changed[at - 1] ?? ""),
  );
  if (named > 0) changed.splice(named - 1, 2);
  if (changed.join("\0") === args.join("\0")) return undefined;
  const { state } = shell.ctx;
  state.traps ??= new Traps();
  state.traps.everywhere = args.some((each) => /^-[a-zA-Z]*E|^errtrace$/.test(each));
  return changed.length ? await run(shell, ["set", ...changed], stdin) : OK;
}

function caller({ ctx }: Interpreter): Result {
  const { funcNameStack } = ctx.state;
  return funcNameStack?.length
    ? { ...OK, stdout: `${ctx.state.currentLine ?? 1} ${funcNameStack[1] ?? "main"}\n` }
    : { ...OK, exitCode: 1 };
}
