/** ls: lists as GNU's does into a pipe, one name a line. */

import { type Context, tool } from "./command";
import { strftime } from "./date";
import { bytewise, versions } from "./sort";

interface Entry {
  name: string;
  path: string;
  status: Awaited<ReturnType<Context["fs"]["lstat"]>>;
  target: string | undefined;
}

interface Wishes {
  has(letter: string): boolean;
  /** How times are shown. */
  style: string;
}

const OPTIONS =
  "a A l g o n h s d F p R t S r U X v i 1 C x m k N Q b B c u L H all=a almost-all=A classify=F directory=d human-readable=h inode=i recursive=R reverse=r color=0? 0? group-directories-first=2 2 size=s sort=3: 3: time-style=4: 4: full-time=7 7 hide=5: 5: quote-name=Q literal=N no-group=o numeric-uid-gid=n dereference=L indicator-style=6: 6: file-type=p";
const HALF_A_YEAR_MS = 182 * 86_400_000;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export const ls = tool("ls", OPTIONS, async (given, context) => {
  const { rest } = given;
  const sorting = { size: "S", time: "t", none: "U", extension: "X", version: "v" }[given.get("3") ?? ""];
  const wishes: Wishes = {
    has: (letter) => given.has(letter) || letter === sorting || (letter === "l" && given.has("7")),
    style: given.has("7") ? "full-iso" : (given.get("4") ?? context.env.get("TIME_STYLE") ?? "locale"),
  };
  const files: Entry[] = [];
  const folders: Entry[] = [];
  let stderr = "";
  for (const name of rest.length ? rest : ["."]) {
    const entry = await look(context, name, context.fs.resolvePath(context.cwd, name), !wishes.has("l"));
    if (!entry) stderr += `ls: cannot access '${name}': No such file or directory\n`;
    else if (entry.status.isDirectory && !wishes.has("d")) folders.push(entry);
    else files.push(entry);
  }
  const blocks = files.length ? [lines(sorted(files, wishes), wishes)] : [];
  const headed = rest.length > 1 || wishes.has("R");
  for (const folder of sorted(folders, wishes))
    blocks.push(...(await listing(context, folder, wishes, headed)));
  return { text: blocks.join("\n"), errors: stderr, code: stderr ? 2 : 0 };
});

async function listing(context: Context, folder: Entry, wishes: Wishes, headed: boolean): Promise<string[]> {
  const entries = sorted(await inside(context, folder, wishes), wishes);
  const total = entries.reduce((sum, { status }) => sum + blocksOf(status), 0);
  const head = `${headed ? `${folder.name}:\n` : ""}${wishes.has("l") || wishes.has("s") ? `total ${total}\n` : ""}`;
  const blocks = [head + lines(entries, wishes)];
  if (!wishes.has("R")) return blocks;
  for (const entry of entries) {
    if (!entry.status.isDirectory || entry.name === "." || entry.name === "..") continue;
    const name = `${folder.name.replace(/\/$/, "")}/${entry.name}`;
    blocks.push(...(await listing(context, { ...entry, name }, wishes, true)));
  }
  return blocks;
}

async function inside(context: Context, folder: Entry, wishes: Wishes): Promise<Entry[]> {
  const names = await context.fs.readdir(folder.path);
  const shown = names.filter((name) => wishes.has("a") || wishes.has("A") || !name.startsWith("."));
  const all = wishes.has("a") ? [".", "..", ...shown] : shown;
  const entries = all.map((name) => look(context, name, context.fs.resolvePath(folder.path, name), false));
  return (await Promise.all(entries)).filter((entry) => entry !== undefined);
}

async function look(
  context: Context,
  name: string,
  path: string,
  follow: boolean,
): Promise<Entry | undefined> {
  try {
    const own = await context.fs.lstat(path);
    const target = own.isSymbolicLink ? await context.fs.readlink(path) : undefined;
    const status = follow && target !== undefined ? await context.fs.stat(path).catch(() => own) : own;
    return { name, path, status, target };
  } catch {
    return undefined; // The caller says so.
  }
}

function sorted(entries: Entry[], wishes: Wishes): Entry[] {
  if (wishes.has("U")) return entries;
  const extension = ({ name }: Entry) => name.slice(name.lastIndexOf(".") + 1 || name.length);
  const result = [...entries].sort((a, b) => bytewise(a.name, b.name));
  if (wishes.has("X")) result.sort((a, b) => bytewise(extension(a), extension(b)));
  if (wishes.has("v")) result.sort((a, b) => versions(a.name, b.name));
  if (wishes.has("t")) result.sort((a, b) => b.status.mtime.getTime() - a.status.mtime.getTime());
  if (wishes.has("S")) result.sort((a, b) => b.status.size - a.status.size);
  if (wishes.has("r")) result.reverse();
  return wishes.has("2")
    ? result.sort((a, b) => Number(b.status.isDirectory) - Number(a.status.isDirectory))
    : result;
}

function lines(entries: Entry[], wishes: Wishes): string {
  const sizes = entries.map(({ status }) => (wishes.has("h") ? human(status.size) : String(status.size)));
  const width = Math.max(0, ...sizes.map((size) => size.length));
  return entries
    .map((entry, index) => {
      const inode = wishes.has("i") ? `${entry.status.ino ?? 0} ` : "";
      const blocks = wishes.has("s") ? `${blocksOf(entry.status)} ` : "";
      return `${inode}${blocks}${wishes.has("l") ? details(entry, sizes[index] ?? "", width, wishes.style) : ""}${label(entry, wishes)}\n`;
    })
    .join("");
}

function details({ status }: Entry, size: string, width: number, style: string): string {
  const kind = status.isDirectory ? "d" : status.isSymbolicLink ? "l" : "-";
  const allowed = [..."rwxrwxrwx"]
    .map((letter, bit) => (status.mode & (0o400 >> bit) ? letter : "-"))
    .join("");
  const links = status.isDirectory ? 2 : 1;
  return `${kind}${allowed} ${links} user user ${size.padStart(width)} ${when(status.mtime, style)} `;
}

function label({ name, status, target }: Entry, wishes: Wishes): string {
  if (status.isSymbolicLink)
    return wishes.has("l") ? `${name} -> ${target}` : `${name}${wishes.has("F") ? "@" : ""}`;
  if (status.isDirectory) return wishes.has("F") || wishes.has("p") ? `${name}/` : name;
  return wishes.has("F") && status.mode & 0o111 ? `${name}*` : name;
}

const STYLES: Record<string, string> = { "long-iso": "%F %H:%M", "full-iso": "%F %T.%N +0000" };

function when(time: Date, style: string): string {
  const age = Date.now() - time.getTime();
  const recent = age < HALF_A_YEAR_MS && age > -3_600_000;
  if (style.startsWith("+")) return strftime(style.slice(1), time);
  if (style === "iso") return strftime(recent ? "%m-%d %H:%M" : "%F ", time);
  const format = STYLES[style];
  if (format) return strftime(format, time);
  const clock = `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}`;
  const end = recent ? clock : String(time.getUTCFullYear()).padStart(5);
  return `${MONTHS[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2)} ${end}`;
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

function human(size: number): string {
  let value = size;
  let unit = 0;
  for (; value >= 1024; unit++) value /= 1024;
  if (unit === 0) return String(size);
  return (value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : String(Math.ceil(value))) + "KMGT"[unit - 1];
}

/** In units of 1 kB, as files on a disk take whole blocks of 4 kB. */
function blocksOf({ isSymbolicLink, size }: Entry["status"]): number {
  return isSymbolicLink ? 0 : Math.ceil(size / 4096) * 4;
}
