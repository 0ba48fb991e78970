/** Commands of just-bash with options that it lacks, put in words that it knows. */

import type { Command } from "just-bash/browser";
import type { ShellFiles } from "../shell-files";
import { type Context, command, options, original, output, withArguments } from "./command";

export const mended: Command[] = [
  withArguments("cp", (args) =>
    args.flatMap((each) => (each === "-a" || each === "--archive" ? ["-r", "-p"] : [each])),
  ),
  withArguments("xargs", xargs),
  command("env", env),
  command("grep", grep),
  command("head", head),
  command("diff", async (args, context) => {
    const result = await original(args, context);
    return { ...result, stdout: result.stdout.replace(/^=+\n/, "") };
  }),
  command("rm", rm),
  command("sed", sed),
  command("sort", sort),
];

/** Options and their values apart: `-n1`, `-I{}`, `-L 1`, `-P4`. */
function xargs(args: string[]): string[] {
  const changed: string[] = [];
  let at = 0;
  for (; at < args.length && args[at]?.startsWith("-"); at += 1) {
    const each = args[at] as string;
    const [, letter, value] = /^-([InLPd])(.*)$/s.exec(each) ?? [];
    if (!letter) {
      const long = /^--(max-args|max-procs|delimiter|replace)=(.*)$/s.exec(each);
      if (long)
        changed.push(
          { "max-args": "-n", "max-procs": "-P", delimiter: "-d", replace: "-I" }[long[1] as string] ?? "",
          long[2] as string,
        );
      else changed.push({ "--null": "-0", "--no-run-if-empty": "-r" }[each] ?? each);
    } else changed.push(letter === "L" ? "-n" : `-${letter}`, value || (args[++at] ?? ""));
  }
  return [...changed, ...args.slice(at)];
}

/** just-bash adds what is not exported. */
async function env(args: string[], context: Context) {
  const result = await original(args, context);
  if (args.some((each) => !each.startsWith("-") && !each.includes("="))) return result;
  const own = args.filter((each) => each.includes("=")).map((each) => each.slice(0, each.indexOf("=")));
  const clean = args.includes("-i") || args.includes("-");
  const known = new Set([...own, ...(clean ? [] : Object.keys(context.exportedEnv ?? {}))]);
  let shown = false;
  const kept = result.stdout.split("\n").filter((line) => {
    const name = /^([A-Za-z_]\w*|\?)=/.exec(line)?.[1];
    if (name !== undefined) shown = known.has(name);
    return shown && line !== "";
  });
  return { ...result, stdout: kept.map((line) => `${line}\n`).join("") };
}

/** `rm -f` passes over what is not there; what it may not remove is still a failure. */
async function rm(args: string[], context: Context) {
  const files = context.fs as ShellFiles;
  const before = files.refusals;
  const result = await original(args, context);
  return files.refusals > before ? { ...result, exitCode: 1 } : result;
}

/** GNU's grep names files as it was asked for them: below `.` they begin with `./`. */
async function grep(args: string[], context: Context) {
  const result = await original(args, context);
  const { letters, long, rest } = options(args);
  const recursive = /[rR]/.test(letters) || long.some((each) => /^--(dereference-)?recursive$/.test(each));
  const named = rest.at(-1) ?? "";
  const bare = /h/.test(letters) || long.includes("--no-filename");
  if (!recursive || bare || rest.length < 2 || !(named === "." || named.startsWith("./"))) return result;
  const lines = result.stdout.split("\n");
  const prefixed = lines.map((line) =>
    line === "" || line === "--" || line.startsWith("./") ? line : `./${line}`,
  );
  return { ...result, stdout: prefixed.join("\n") };
}

/** `head -n -3`: all but the last lines. */
async function head(args: string[], context: Context) {
  const at = args.findIndex(
    (each, index) => /^-n-\d+$/.test(each) || (each === "-n" && /^-\d+$/.test(args[index + 1] ?? "")),
  );
  if (at < 0) return original(args, context);
  const apart = args[at] === "-n";
  const count = Number((apart ? args[at + 1] : args[at]?.slice(2))?.slice(1));
  const names = args.filter(
    (each, index) => index !== at && !(apart && index === at + 1) && !each.startsWith("-"),
  );
  const text = names[0]
    ? await context.fs.readFile(context.fs.resolvePath(context.cwd, names[0]), "latin1")
    : (context.stdin as unknown as string);
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return {
    ...output(lines.slice(0, Math.max(0, lines.length - count)).join("")),
    stdoutKind: "bytes" as const,
  };
}

/** `sed -i.bak`: keep the old file under another name. */
async function sed(args: string[], context: Context) {
  const at = args.findIndex(
    (each) => /^(-[Ern]*i|--in-place=).+$/.test(each) && !/^-[Ern]*i[Ern]*$/.test(each),
  );
  if (at < 0) return original(args, context);
  const option = args[at] as string;
  const suffix = option.replace(/^(-[Ern]*i|--in-place=)/, "");
  const flags = option.startsWith("--")
    ? []
    : [...(/^-([Ern]*)i/.exec(option)?.[1] ?? "")].map((each) => `-${each}`);
  const scripted = args.some((each) => /^(-e|-f|--expression|--file)/.test(each));
  const names = args.filter(
    (each, index) => index !== at && !each.startsWith("-") && !/^-[ef]$/.test(args[index - 1] ?? ""),
  );
  for (const name of scripted ? names : names.slice(1)) {
    const path = context.fs.resolvePath(context.cwd, name);
    if (await context.fs.exists(path)) await context.fs.cp(path, path + suffix);
  }
  return original([...flags, "-i", ...args.slice(0, at), ...args.slice(at + 1)], context);
}

/** `sort -z`: lines that end in a zero byte. */
async function sort(args: string[], context: Context) {
  const at = args.findIndex((each) => /^-[bdfghinrRsuV]*z/.test(each) || each === "--zero-terminated");
  if (at < 0) return original(args, context);
  const swapped = (text: string) => text.replace(/[\0\n]/g, (each) => (each === "\0" ? "\n" : "\0"));
  const option = (args[at] as string).replace("z", "");
  const changed = [
    ...args.slice(0, at),
    ...(/^-./.test(option) && !option.startsWith("--") ? [option] : []),
    ...args.slice(at + 1),
  ];
  const stdin = swapped(context.stdin as unknown as string);
  const result = await context.exec?.("sort", { cwd: context.cwd, args: changed, stdin, stdinKind: "bytes" });
  return result ? output(swapped(result.stdout), result.exitCode, result.stderr) : original(args, context);
}
