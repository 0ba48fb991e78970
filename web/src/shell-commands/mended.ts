/** Commands of just-bash with options that it lacks, put in words that it knows. */

import type { Command } from "just-bash/browser";
import { type Context, command, original, parse, type Result, resolve, stdin } from "./command";
import { ground } from "./ground";

export const mended: Command[] = [
  withArguments("cp", (args) =>
    args.flatMap((each) =>
      /^(-a|--archive|-[a-z]*a[a-z]*)$/.test(each)
        ? ["-r", "-p", ...rest(each)]
        : each === "-f" || each === "-T" || each === "-u"
          ? []
          : [each],
    ),
  ),
  command("mkdir", mkdir),
  command("du", du),
  command("cat", cat),
  command("tree", tree),
];

/** Letters that stand beside `a` in one word. */
function rest(option: string): string[] {
  const letters = option.startsWith("--") ? "" : option.slice(1).replace(/[afTu]/g, "");
  return letters ? [`-${letters}`] : [];
}

/** Change the arguments of a command that just-bash has, before it sees them. */
function withArguments(name: string, change: (args: string[]) => string[]): Command {
  return command(name, (args, context) => original(change(args), context));
}

async function mkdir(args: string[], context: Context): Promise<Result> {
  const given = parse(args, "m: p v mode=m parents=p verbose=v");
  const fresh = given.rest.filter((name) => !ground.files.has(resolve(context, name)));
  const letters = ["p", "v"].filter((each) => given.has(each)).map((each) => `-${each}`);
  const result = await original([...letters, "--", ...given.rest], context);
  const mode = given.get("m");
  if (mode !== undefined)
    for (const name of fresh)
      if (ground.files.has(resolve(context, name)))
        ground.files.tree.setAttributes("chmod", resolve(context, name), {
          mode: Number.parseInt(mode, 8) || 0o755,
        });
  return result;
}

/** `du -b`: sizes in bytes. */
async function du(args: string[], context: Context): Promise<Result> {
  if (!args.some((each) => /^-[a-z]*b|^--bytes$|^--apparent-size$/.test(each)))
    return await original(args, context);
  const given = parse(
    args,
    "a s c h b d: k m S x summarize=s all=a total=c human-readable=h bytes=b apparent-size=b max-depth=d",
  );
  const rows: string[] = [];
  const measure = (path: string, name: string, top: boolean): number => {
    const node = ground.files.tree.find("stat", path, false);
    if (node.kind !== "directory") {
      const size = node.kind === "file" ? node.size : node.target.length;
      if (top || given.has("a")) rows.push(`${size}\t${name}\n`);
      return size;
    }
    let total = 4096;
    for (const child of node.children.values())
      total += measure(`${path}/${child.name}`, `${name}/${child.name}`, false);
    if (top || !given.has("s")) rows.push(`${total}\t${name}\n`);
    return total;
  };
  let sum = 0;
  for (const name of given.rest.length ? given.rest : ["."])
    sum += measure(resolve(context, name), name, true);
  if (given.has("c")) rows.push(`${sum}\ttotal\n`);
  return { stdout: rows.join(""), stderr: "", exitCode: 0 };
}

async function cat(args: string[], context: Context): Promise<Result> {
  if (!args.includes("/dev/stdin")) return await original(args, context);
  if (args.length === 1) return { stdout: stdin(context), stderr: "", exitCode: 0, stdoutKind: "bytes" };
  return await original(
    args.map((each) => (each === "/dev/stdin" ? "-" : each)),
    context,
  );
}

/** Branches in the letters that a terminal of today draws them with. */
async function tree(args: string[], context: Context): Promise<Result> {
  const result = await original(args, context);
  const drawn = (branches: string) =>
    branches.replaceAll("|-- ", "├── ").replaceAll("`-- ", "└── ").replaceAll("|   ", "│\u00a0\u00a0 ");
  const stdout = result.stdout
    .replace(/^(?:\| {3}| {4})*(?:\|-- |`-- )/gm, drawn)
    // The folder that was asked for is one, too.
    .replace(
      /^(\d+) director(?:y|ies)(?=(?:, \d+ files?)?$)/m,
      (_, count) => `${Number(count) + 1} directories`,
    );
  return { ...result, stdout };
}
