/** rm, touch and stat: what a name leads to, a link itself among it. */

import type { Command } from "just-bash/browser";
import type { ShellFiles } from "../shell-files";
import { type Node, TreeError } from "../tree-nodes";
import {
  type Context,
  Fault,
  type Given,
  lines,
  type Output,
  reasonOf,
  resolve,
  stdin,
  tool,
} from "./command";
import { strftime } from "./date";
import { parseDate } from "./date-text";
import { ground } from "./ground";

export const attributes: Command[] = [
  tool(
    "rm",
    "r R f i I d v recursive=r force=f dir=d verbose=v interactive=i? i? preserve-root=p p one-file-system=p",
    rm,
  ),
  tool("touch", "a m c d: r: t: h f no-create=c date=d reference=r no-dereference=h time=T: T:", touch),
  tool("stat", "c: L f t format=c printf=p: p: dereference=L file-system=f terse=t", stat),
];

async function rm(given: Given, context: Context): Promise<Output> {
  const files = context.fs as ShellFiles;
  const before = files.refusals;
  const deep = given.has("r", "R");
  let text = "";
  let errors = "";
  let said = "";
  const answers = lines(stdin(context));
  const declined = (name: string) => {
    if (given.has("f") || !given.has("i")) return false;
    said += `rm: remove '${name}'? `;
    return !/^[yY]/.test(answers.shift() ?? "");
  };
  const fault = (name: string, reason: string) => {
    errors += `rm: cannot remove '${name}': ${reason}\n`;
  };
  const remove = async (name: string, path: string): Promise<void> => {
    const node = nodeAt(path);
    const directory = node?.kind === "directory";
    if (node && !(directory && !deep) && declined(name)) return;
    if (directory && deep && given.has("v"))
      for (const child of [...node.children.keys()].sort())
        await remove(`${name}/${child}`, `${path}/${child}`);
    if (directory && !deep && !given.has("d")) return fault(name, "Is a directory");
    try {
      await files.rm(path, { recursive: deep, force: given.has("f") });
      if (given.has("v") && node) text += `removed ${directory ? "directory " : ""}'${name}'\n`;
    } catch (error) {
      fault(name, reasonOf(error));
    }
  };
  if (!given.rest.length && !given.has("f")) throw new Fault("missing operand");
  for (const name of given.rest) {
    if ((deep || given.has("d")) && /(^|\/)\.\.?\/*$/.test(name))
      errors += `rm: refusing to remove '.' or '..' directory: skipping '${name}'\n`;
    // A link with a slash at its end is what it leads to, which `rm` does not remove so.
    else if (name.endsWith("/") && nodeAt(resolve(context, name))?.kind === "link")
      fault(name, "Not a directory");
    else await remove(name, resolve(context, name));
  }
  return { text, errors: said + errors, code: errors || files.refusals > before ? 1 : 0 };
}

async function touch(given: Given, context: Context): Promise<Output> {
  const { tree } = ground.files;
  const now = new Date();
  const reference = given.get("r");
  let time = now;
  if (reference !== undefined) {
    const path = resolve(context, reference);
    if (!ground.files.has(path))
      throw new Fault(`failed to get attributes of '${reference}': No such file or directory`);
    time = new Date(tree.find("stat", path).mtime);
  }
  const stamp = given.get("t");
  const text = given.get("d") ?? (stamp === undefined ? undefined : stamped(stamp, now));
  if (text !== undefined) {
    const parsed = parseDate(text, time);
    if (!parsed) throw new Fault(`invalid date format '${stamp ?? text}'`);
    time = parsed;
  }
  let errors = "";
  if (!given.rest.length) throw new Fault("missing file operand");
  for (const name of given.rest) {
    const path = resolve(context, name);
    try {
      if (!ground.files.has(path)) {
        if (given.has("c")) continue;
        await context.fs.writeFile(path, "");
      }
      // There is one time, that of the last change.
      if (!given.has("a") || given.has("m")) tree.setAttributes("utimes", path, { mtime: time.getTime() });
    } catch (error) {
      errors += `touch: cannot touch '${name}': ${reasonOf(error)}\n`;
    }
  }
  return { errors };
}

/** `[[CC]YY]MMDDhhmm[.ss]` in words that `date -d` knows. */
function stamped(stamp: string, now: Date): string {
  const [, century, year, month, day, hour, minute, second = "00"] =
    /^(?:(\d\d)?(\d\d))?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(stamp) ?? [];
  if (!month) return stamp;
  const full = year ? `${century ?? (Number(year) < 69 ? 20 : 19)}${year}` : now.getUTCFullYear();
  return `${full}-${month}-${day} ${hour}:${minute}:${second}`;
}

const USUAL = `  File: %N
  Size: %s\tBlocks: %b\tIO Block: %o   %F
Access: (%a/%A)  Uid: ( %u/ %U)   Gid: ( %g/ %G)
Modify: %y
`;

function stat(given: Given, context: Context): Output {
  if (given.has("f")) throw new Fault("there is no file system to describe (-f); df tells of its size");
  const format =
    given.get("p") ?? given.get("c") ?? (given.has("t") ? "%n %s %b %f %u %g %X %Y %Z %o" : USUAL);
  const ending = given.has("p") || format === USUAL ? "" : "\n";
  let text = "";
  let errors = "";
  if (!given.rest.length) throw new Fault("missing operand");
  for (const name of given.rest) {
    try {
      const node = ground.files.tree.find("stat", resolve(context, name), given.has("L"));
      text += described(given.has("p") ? unescaped(format) : format, name, node) + ending;
    } catch (error) {
      errors += `stat: cannot statx '${name}': ${reasonOf(error)}\n`;
    }
  }
  return { text, errors };
}

const KINDS = {
  file: ["regular file", "-", 0o100000],
  directory: ["directory", "d", 0o040000],
  link: ["symbolic link", "l", 0o120000],
} as const;

function described(format: string, name: string, node: Node): string {
  const [kind, letter, bits] = KINDS[node.kind];
  const size = node.kind === "file" ? node.size : node.kind === "link" ? node.target.length : 4096;
  const mode = node.kind === "link" ? 0o777 : node.mode;
  const time = new Date(node.mtime);
  const seconds = String(Math.floor(node.mtime / 1000));
  const target = node.kind === "link" ? ` -> '${node.target}'` : "";
  const values: Record<string, string> = {
    n: name,
    N: `'${name}'${target}`,
    s: String(size),
    b: String(Math.ceil(size / 4096) * 8),
    B: "512",
    o: "4096",
    f: (mode | bits).toString(16),
    F: node.kind === "file" && !size ? "regular empty file" : kind,
    a: mode.toString(8),
    A: letter + [..."rwxrwxrwx"].map((each, bit) => (mode & (0o400 >> bit) ? each : "-")).join(""),
    u: "1000",
    g: "1000",
    U: "user",
    G: "user",
    i: String(node.id),
    h: node.kind === "directory" ? "2" : "1",
    d: "1",
    D: "1",
    m: "/",
    t: "0",
    T: "0",
    w: "-",
    W: "0",
    ...every("x y z", strftime("%F %T.%N +0000", time)),
    ...every("X Y Z", seconds),
    "%": "%",
  };
  return format.replace(/%([-0# +]*)(\d*)(?:\.(\d+))?([A-Za-z%])/g, (whole, flags, width, _, each) => {
    const value = values[each];
    if (value === undefined) return whole;
    if (!width) return flags.includes("#") && each === "a" ? `0${value}` : value;
    if (flags.includes("-")) return value.padEnd(Number(width));
    return value.padStart(Number(width), flags.includes("0") ? "0" : " ");
  });
}

function every(letters: string, value: string): Record<string, string> {
  return Object.fromEntries(letters.split(" ").map((each) => [each, value]));
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", "0": "\0", e: "\x1b", "\\": "\\", '"': '"' };

function unescaped(format: string): string {
  return format.replace(/\\(.)/g, (whole, each) => ESCAPES[each] ?? whole);
}

function nodeAt(path: string): Node | undefined {
  try {
    return ground.files.tree.find("stat", path, false);
  } catch (error) {
    if (error instanceof TreeError) return undefined;
    throw error;
  }
}
