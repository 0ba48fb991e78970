/** Small commands that just-bash lacks, and clear words for large ones. */

import type { Command } from "just-bash/browser";
import { type Context, command, fail, options, output } from "./command";

/** Names that people try and that cannot be had here. */
const ABSENT =
  "git node npm npx pip pip3 pytest python python3 perl make curl wget tar zip unzip vim vi nano less more";

/** Enough to be cut where it is shown, and quickly made. */
const FLOOD = 6_000_000;
const BROKEN_PIPE = 141;
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

export const missing: Command[] = [
  ...ABSENT.split(" ").map((name) =>
    command(name, async () => fail(name, "not available in this sandbox", 127)),
  ),
  command("cmp", cmp),
  command("id", async (args) => output(args.some((each) => /^-[ug]/.test(each)) ? ID : IDS)),
  command("mktemp", mktemp),
  command("nproc", async () => output("1\n")),
  command("realpath", realpath),
  command("truncate", truncate),
  command("uname", async (args) => output(uname(options(args).letters))),
  command("yes", async (args) => {
    const line = `${args.join(" ") || "y"}\n`;
    return output(line.repeat(Math.ceil(FLOOD / line.length)), BROKEN_PIPE);
  }),
];

const ID = "1000\n";
const IDS = "uid=1000(user) gid=1000(user) groups=1000(user)\n";

function uname(letters: string): string {
  const all = letters.includes("a");
  const parts = { s: "Linux", n: "localhost", r: "6.0.0", v: "#1 SMP", m: "wasm32", o: "GNU/Linux" };
  const wanted = Object.entries(parts).filter(([letter]) => all || (letters || "s").includes(letter));
  return `${wanted.map(([, text]) => text).join(" ")}\n`;
}

async function cmp(args: string[], context: Context) {
  const { letters, rest } = options(args);
  const [first = "", second = ""] = rest;
  const data: Uint8Array[] = [];
  for (const name of [first, second]) {
    try {
      data.push(await context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, name)));
    } catch {
      return fail("cmp", `${name}: No such file or directory`, 2);
    }
  }
  const [a, b] = data as [Uint8Array, Uint8Array];
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at += 1;
  if (at === a.length && at === b.length) return output("");
  if (letters.includes("s")) return output("", 1);
  if (at === length) return fail("cmp", `EOF on ${a.length < b.length ? first : second} after byte ${at}`);
  const line = a.subarray(0, at).filter((byte) => byte === 10).length + 1;
  return output(`${first} ${second} differ: byte ${at + 1}, line ${line}\n`, 1);
}

async function mktemp(args: string[], context: Context) {
  const { letters, long, rest } = options(args);
  const folder = letters.includes("d") || long.includes("--directory");
  const given = rest.at(-1) ?? "tmp.XXXXXXXXXX";
  const template = rest.length && !/[tp]/.test(letters) ? given : `/tmp/${given}`;
  if (!/X{3,}/.test(template)) return fail("mktemp", `too few X's in template '${given}'`);
  const random = () => LETTERS[Math.floor(Math.random() * LETTERS.length)];
  const name = template.replace(/X{3,}(?!.*X{3,})/, (places) => Array.from(places, random).join(""));
  const path = context.fs.resolvePath(context.cwd, name);
  try {
    await (folder ? context.fs.mkdir(path) : context.fs.writeFile(path, ""));
  } catch {
    return fail("mktemp", `failed to create '${name}': No such file or directory`);
  }
  return output(`${name}\n`);
}

async function realpath(args: string[], context: Context) {
  const { letters, long, rest } = options(args);
  const base = long.find((each) => each.startsWith("--relative-to="))?.slice("--relative-to=".length);
  const from = base === undefined ? undefined : context.fs.resolvePath(context.cwd, base);
  const lenient = letters.includes("m") || long.includes("--canonicalize-missing");
  let stdout = "";
  let stderr = "";
  for (const name of rest) {
    const path = context.fs.resolvePath(context.cwd, name);
    const parent = context.fs.resolvePath(path, "..");
    if (await context.fs.exists(path)) stdout += `${relative(from, await context.fs.realpath(path))}\n`;
    else if (lenient || (await context.fs.exists(parent))) stdout += `${relative(from, path)}\n`;
    else stderr += `realpath: ${name}: No such file or directory\n`;
  }
  return output(stdout, stderr ? 1 : 0, stderr);
}

function relative(from: string | undefined, path: string): string {
  if (from === undefined) return path;
  const [a, b] = [from, path].map((each) => each.split("/").filter(Boolean)) as [string[], string[]];
  let common = 0;
  while (common < a.length && a[common] === b[common]) common += 1;
  return [...a.slice(common).map(() => ".."), ...b.slice(common)].join("/") || ".";
}

async function truncate(args: string[], context: Context) {
  const size = args.join(" ").match(/(?:-s ?|--size[= ])(\d+)([KMG]?)/);
  if (!size) return fail("truncate", "only --size=NUMBER is available");
  const length = Number(size[1]) * 1024 ** " KMG".indexOf(size[2] || " ");
  for (const name of args.filter((each, index) => !each.startsWith("-") && args[index - 1] !== "-s")) {
    const path = context.fs.resolvePath(context.cwd, name);
    const data = new Uint8Array(length);
    if (await context.fs.exists(path)) data.set((await context.fs.readFileBuffer(path)).subarray(0, length));
    await context.fs.writeFile(path, data);
  }
  return output("");
}
