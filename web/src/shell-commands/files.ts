/** Commands about files as wholes: realpath, readlink, truncate, dd, install, shuf, split by content, and the like. */

import type { Command } from "just-bash/browser";
import { bytesOf, latin1 } from "../shell-text";
import {
  type Context,
  Fault,
  type Given,
  lines,
  type Output,
  read,
  reasonOf,
  resolve,
  stdin,
  tool,
  unlines,
} from "./command";
import { ground } from "./ground";
import { compile } from "./pattern";

export const files: Command[] = [
  tool(
    "realpath",
    "e m s z q L P relative-to=r: r: relative-base=b: b: canonicalize-missing=m canonicalize-existing=e no-symlinks=s strip=s",
    realpath,
  ),
  tool(
    "readlink",
    "f e m n q s v z canonicalize=f canonicalize-missing=m canonicalize-existing=e no-newline=n",
    readlink,
  ),
  tool("truncate", "s: c o r: size=s no-create=c reference=r", truncate),
  tool("fallocate", "l: n o: length=l", (given, context) => truncate(given, context, given.get("l"))),
  tool("dd", "", dd),
  tool(
    "install",
    "d D m: o: g: v p t: s T C c directory=d mode=m owner=o group=g verbose=v target-directory=t preserve-timestamps=p",
    install,
  ),
  tool(
    "shuf",
    "n: i: e r z o: head-count=n input-range=i echo=e repeat=r output=o random-source=R: R:",
    shuf,
  ),
  tool(
    "csplit",
    "f: b: n: k s z q prefix=f digits=n silent=s quiet=s suffix-format=b keep-files=k elide-empty-files=z",
    csplit,
  ),
  tool("fmt", "w: s u # p: t c width=w split-only=s uniform-spacing=u", fmt),
  tool("basename", "a s: z multiple=a suffix=s zero=z", (given) => {
    const [name, ...more] = given.rest;
    if (name === undefined) throw new Fault("missing operand");
    const all = given.has("a", "s") ? given.rest : [name];
    const suffix = given.get("s") ?? (given.has("a") ? "" : (more[0] ?? ""));
    const end = given.has("z") ? "\0" : "\n";
    return all
      .map((each) => {
        const base = each.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/s, "");
        return (
          (suffix && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base) + end
        );
      })
      .join("");
  }),
  tool("tsort", "", (given, context) => ({ out: tsort(read(context, given.rest[0] ?? "-")) })),
  tool("cmp", "s l b n: i: silent=s quiet=s verbose=l print-bytes=b bytes=n ignore-initial=i", cmp),
  tool("file", "b i L h z mime-type=m m brief=b mime=i", fileKind),
];

function realpath(given: Given, context: Context): Output {
  const from = given.get("r");
  const base = from === undefined ? undefined : real(resolve(context, from));
  const end = given.has("z") ? "\0" : "\n";
  const output: Output = { text: "", errors: "" };
  if (!given.rest.length) throw new Fault("missing operand");
  for (const name of given.rest) {
    const path = resolve(context, name);
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    const known = ground.files.has(path);
    if (!known && (given.has("e") || (!given.has("m") && !ground.files.has(parent))))
      output.errors += `realpath: ${name}: No such file or directory\n`;
    else output.text += relative(base, given.has("s") ? path : real(path)) + end;
  }
  return output;
}

/** A path without links, as far as it is there. */
function real(path: string): string {
  const { tree } = ground.files;
  if (path === "/" || ground.files.has(path)) {
    const node = tree.find("realpath", path);
    const names: string[] = [];
    for (let each = node; each !== each.parent; each = each.parent) names.unshift(each.name);
    return `/${names.join("/")}`;
  }
  const at = path.lastIndexOf("/");
  return `${real(path.slice(0, at) || "/").replace(/\/$/, "")}${path.slice(at)}`;
}

function relative(from: string | undefined, path: string): string {
  if (from === undefined) return path;
  const [a, b] = [from, path].map((each) => each.split("/").filter(Boolean)) as [string[], string[]];
  let common = 0;
  while (common < a.length && a[common] === b[common]) common += 1;
  return [...a.slice(common).map(() => ".."), ...b.slice(common)].join("/") || ".";
}

function readlink(given: Given, context: Context): Output {
  const end = given.has("n") ? "" : given.has("z") ? "\0" : "\n";
  let text = "";
  let code = 0;
  for (const name of given.rest) {
    const path = resolve(context, name);
    if (given.has("f", "e", "m")) {
      const parent = path.slice(0, path.lastIndexOf("/")) || "/";
      if ((given.has("e") && !ground.files.has(path)) || (given.has("f") && !ground.files.has(parent)))
        code = 1;
      else text += real(path) + end;
      continue;
    }
    try {
      const node = ground.files.tree.find("readlink", path, false);
      if (node.kind === "link") text += node.target + end;
      else code = 1;
    } catch {
      code = 1;
    }
  }
  return { text, code };
}

const UNITS: Record<string, number> = {
  "": 1,
  c: 1,
  w: 2,
  b: 512,
  k: 1024,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  kB: 1000,
  MB: 1e6,
  KiB: 1024,
  MiB: 1024 ** 2,
};

function bytesIn(text: string): number {
  const [, count, unit = ""] = /^(\d+)(\w*)$/.exec(text) ?? [];
  const size = UNITS[unit];
  if (count === undefined || size === undefined) throw new Fault(`invalid number: '${text}'`);
  return Number(count) * size;
}

function truncate(given: Given, context: Context, size = given.get("s")): Output {
  const reference = given.get("r");
  const text = reference === undefined ? size : String(read(context, reference).length);
  if (text === undefined) throw new Fault("you must specify either '--size' or '--reference'");
  const sign = /^[-+<>%/]/.test(text) ? (text[0] as string) : "";
  const count = bytesIn(text.slice(sign.length));
  for (const name of given.rest) {
    const path = resolve(context, name);
    const there = ground.files.has(path);
    if (!there && given.has("c")) continue;
    const old = there ? ground.files.tree.read(path) : new Uint8Array(0);
    const length =
      {
        "+": old.length + count,
        "-": Math.max(0, old.length - count),
        "<": Math.min(old.length, count),
        ">": Math.max(old.length, count),
        "%": Math.ceil(old.length / count) * count,
        "/": Math.floor(old.length / count) * count,
      }[sign as "+"] ?? count;
    if (length > 1 << 29) throw new Fault(`failed to truncate '${name}' at ${length} bytes: File too large`);
    const data = new Uint8Array(length);
    data.set(old.subarray(0, length));
    ground.files.tree.write(path, data);
  }
  return {};
}

function dd(given: Given, context: Context): Output {
  const values = Object.fromEntries(
    given.rest.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]),
  );
  const size = bytesIn(values.bs ?? values.ibs ?? "512");
  const skip = Number(values.skip ?? values.iseek ?? 0) * (/skip_bytes/.test(values.iflag ?? "") ? 1 : size);
  const count =
    values.count === undefined
      ? undefined
      : Number(values.count) * (/count_bytes/.test(values.iflag ?? "") ? 1 : size);
  let data =
    values.if === undefined
      ? stdin(context)
      : read(context, values.if, count === undefined ? undefined : count + skip);
  data = data.slice(skip, count === undefined ? undefined : skip + count);
  if (/ucase/.test(values.conv ?? "")) data = data.toUpperCase();
  if (/lcase/.test(values.conv ?? "")) data = data.toLowerCase();
  if (/sync/.test(values.conv ?? "") && !/fsync/.test(values.conv ?? ""))
    data = data.padEnd(Math.ceil(data.length / size) * size, "\0");
  const whole = Math.floor(data.length / size);
  const records = `${whole}+${data.length % size ? 1 : 0}`;
  const errors =
    values.status === "none"
      ? ""
      : `${records} records in\n${records} records out\n${values.status === "noxfer" ? "" : `${data.length} bytes copied, 0.001 s\n`}`;
  if (values.of === undefined) return { out: data, errors, code: 0 };
  const path = resolve(context, values.of);
  const seek = Number(values.seek ?? values.oseek ?? 0) * bytesIn(values.bs ?? values.obs ?? "512");
  const keep = /notrunc/.test(values.conv ?? "");
  const old = (keep || seek) && ground.files.has(path) ? latin1(ground.files.tree.read(path)) : "";
  const tail = keep ? old.slice(seek + data.length) : "";
  if (values.of !== "/dev/null")
    ground.files.tree.write(path, bytesOf(old.slice(0, seek).padEnd(seek, "\0") + data + tail));
  return { errors, code: 0 };
}

function install(given: Given, context: Context): Output {
  const { tree } = ground.files;
  const mode = Number.parseInt(given.get("m") ?? "755", 8);
  const names = [...given.rest];
  if (given.has("d")) {
    for (const name of names) {
      tree.makeDirectory(resolve(context, name), true);
      tree.setAttributes("chmod", resolve(context, name), { mode });
    }
    return {};
  }
  const target = given.get("t") ?? names.pop();
  if (target === undefined || !names.length) throw new Fault("missing file operand");
  const path = resolve(context, target);
  const folder = given.has("t") || (ground.files.has(path) && tree.find("stat", path).kind === "directory");
  for (const name of names) {
    const place = folder ? `${path}/${name.split("/").pop()}` : path;
    if (given.has("D")) tree.makeDirectory(place.slice(0, place.lastIndexOf("/")) || "/", true);
    try {
      tree.copy(resolve(context, name), place);
    } catch (error) {
      throw new Fault(`cannot stat '${name}': ${reasonOf(error)}`);
    }
    tree.setAttributes("chmod", place, { mode });
  }
  return {};
}

function shuf(given: Given, context: Context): Output {
  const range = given.get("i")?.split("-").map(Number);
  let all = range
    ? Array.from({ length: (range[1] ?? 0) - (range[0] ?? 0) + 1 }, (_, at) => String((range[0] ?? 0) + at))
    : given.has("e")
      ? given.rest
      : lines(read(context, given.rest[0] ?? "-"));
  const count = given.number("n", given.has("r") ? 1 : all.length);
  if (given.has("r"))
    all = Array.from({ length: count }, () => all[Math.floor(Math.random() * all.length)] as string);
  else
    for (let at = all.length - 1; at > 0; at--) {
      const other = Math.floor(Math.random() * (at + 1));
      [all[at], all[other]] = [all[other] as string, all[at] as string];
    }
  return { text: unlines(all.slice(0, count)) };
}

function csplit(given: Given, context: Context): Output {
  const [name = "-", ...patterns] = given.rest;
  const all = lines(read(context, name));
  const cuts: number[] = [];
  let from = 0;
  for (let index = 0; index < patterns.length; index++) {
    const each = patterns[index] as string;
    const repeat = /^\{(\d+|\*)\}$/.exec(patterns[index + 1] ?? "")?.[1];
    const times = repeat === undefined ? 1 : repeat === "*" ? Number.POSITIVE_INFINITY : Number(repeat) + 1;
    if (repeat !== undefined) index += 1;
    const [, pattern, offset = "0"] = /^\/(.*)\/([-+]?\d*)$/.exec(each) ?? [];
    for (let time = 0; time < times; time++) {
      const at =
        pattern === undefined
          ? Number(each) - 1 + time * Number(each)
          : all.findIndex((line, place) => place > (cuts.length ? from : -1) && compile(pattern).test(line));
      if (at < 0 || at > all.length) {
        if (times === Number.POSITIVE_INFINITY) break;
        throw new Fault(
          `'${each}': ${pattern === undefined ? "line number out of range" : "match not found"}`,
        );
      }
      from = at;
      cuts.push(at + Number(offset || 0));
    }
  }
  const digits = given.number("n", 2);
  let text = "";
  [0, ...cuts].forEach((start, index) => {
    const data = unlines(all.slice(start, cuts[index]));
    if (given.has("z") && !data) return;
    ground.files.tree.write(
      resolve(context, `${given.get("f") ?? "xx"}${String(index).padStart(digits, "0")}`),
      bytesOf(data),
    );
    text += `${data.length}\n`;
  });
  return { text: given.has("s", "q") ? "" : text };
}

/** Paragraphs in lines of about the same length, as near to 93 % of the width as they come. */
function fmt(given: Given, context: Context): Output {
  const width = given.number("w", given.number("#", 75));
  const goal = Math.floor(width * 0.93);
  const rows: string[] = [];
  let words: string[] = [];
  let indent = "";
  const flush = () => {
    if (words.length)
      rows.push(...filled(words, width - indent.length, goal - indent.length).map((each) => indent + each));
    words = [];
  };
  for (const line of (given.rest.length ? given.rest : ["-"]).flatMap((name) => lines(read(context, name)))) {
    const own = /^\s*/.exec(line)?.[0] ?? "";
    if (!line.trim()) {
      flush();
      rows.push("");
      continue;
    }
    if (words.length && own !== indent) flush();
    indent = own;
    words.push(...line.trim().split(/\s+/));
  }
  flush();
  return { out: unlines(rows) };
}

function filled(words: string[], width: number, goal: number): string[] {
  // The cheapest way to break what follows each word: lines near the goal, and not much unlike the next one.
  const cost: number[] = Array(words.length + 1).fill(0);
  const lengths: number[] = Array(words.length + 1).fill(0);
  const next: number[] = [];
  for (let at = words.length - 1; at >= 0; at--) {
    cost[at] = Number.POSITIVE_INFINITY;
    let length = -1;
    for (let end = at + 1; end <= words.length; end++) {
      length += (words[end - 1] as string).length + 1;
      if (length > width && end > at + 1) break;
      const last = end === words.length;
      const ragged =
        end < words.length && (next[end] as number) < words.length
          ? (length - (lengths[end] as number)) ** 2 / 2
          : 0;
      const own = (last ? 0 : (goal - length) ** 2 + ragged) + (cost[end] as number);
      if (own < (cost[at] as number)) {
        cost[at] = own;
        next[at] = end;
        lengths[at] = length;
      }
    }
  }
  const rows: string[] = [];
  for (let at = 0; at < words.length; at = next[at] as number) rows.push(words.slice(at, next[at]).join(" "));
  return rows;
}

function tsort(text: string): string {
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length % 2) throw new Fault("input contains an odd number of tokens");
  const before = new Map<string, Set<string>>();
  for (const each of words) before.set(each, before.get(each) ?? new Set());
  for (let at = 0; at < words.length; at += 2)
    if (words[at] !== words[at + 1]) before.get(words[at + 1] as string)?.add(words[at] as string);
  const sorted: string[] = [];
  while (before.size) {
    const free = [...before].filter(([, all]) => !all.size).map(([each]) => each);
    if (!free.length) throw new Fault("input contains a loop");
    for (const each of free) {
      sorted.push(each);
      before.delete(each);
      for (const all of before.values()) all.delete(each);
    }
  }
  return unlines(sorted);
}

function cmp(given: Given, context: Context): Output {
  const [first = "-", second = "-"] = given.rest;
  let a = "";
  let b = "";
  try {
    [a, b] = [read(context, first), read(context, second)];
  } catch (error) {
    throw new Fault((error as Error).message, 2);
  }
  const skip = Number(given.get("i") ?? 0);
  const limit = given.has("n") ? Number(given.get("n")) + skip : undefined;
  [a, b] = [a.slice(skip, limit), b.slice(skip, limit)];
  if (a === b) return {};
  if (given.has("s")) return { code: 1 };
  const length = Math.min(a.length, b.length);
  const octal = (text: string, at: number) => text.charCodeAt(at).toString(8).padStart(3);
  if (given.has("l")) {
    let text = "";
    for (let at = 0; at < length; at++)
      if (a[at] !== b[at])
        text += `${String(at + 1).padStart(String(length).length)} ${octal(a, at)} ${octal(b, at)}\n`;
    return {
      text,
      errors:
        a.length === b.length
          ? ""
          : `cmp: EOF on ${a.length < b.length ? first : second} after byte ${length}\n`,
      code: 1,
    };
  }
  let at = 0;
  while (at < length && a[at] === b[at]) at += 1;
  const before = lines(a.slice(0, at)).length;
  if (at === length) {
    const line = a[at - 1] === "\n" || b[at - 1] === "\n" ? `line ${before}` : `in line ${before || 1}`;
    return {
      errors: `cmp: EOF on ${a.length < b.length ? first : second} ${length ? `after byte ${length}, ${line}` : "which is empty"}\n`,
      code: 1,
    };
  }
  return {
    text: `${first} ${second} differ: byte ${at + 1}, line ${a.slice(0, at).split("\n").length}\n`,
    code: 1,
  };
}

const MAGIC: [RegExp, string, string][] = [
  [/^\x89PNG\r\n\x1a\n[\s\S]{8}/, "PNG image data", "image/png"],
  [/^\xff\xd8\xff/, "JPEG image data", "image/jpeg"],
  [/^GIF8[79]a/, "GIF image data", "image/gif"],
  [/^%PDF-(\d\.\d)/, "PDF document, version $1", "application/pdf"],
  [
    /^PK\x03\x04/,
    "Zip archive data, at least v2.0 to extract, compression method=deflate",
    "application/zip",
  ],
  [/^\x1f\x8b/, "gzip compressed data", "application/gzip"],
  [/^\x7fELF/, "ELF", "application/x-executable"],
  [/^\0asm/, "WebAssembly (wasm) binary module version 0x1 (MVP)", "application/wasm"],
  [/^SQLite format 3\0/, "SQLite 3.x database", "application/vnd.sqlite3"],
  [/^[\s\S]{257}ustar/, "POSIX tar archive", "application/x-tar"],
  [/^<\?xml/, "XML 1.0 document, ASCII text", "text/xml"],
  [/^\s*<(!doctype html|html)/i, "HTML document, ASCII text", "text/html"],
  [
    /^#! ?\/(usr\/)?bin\/(env )?(ba)?sh\b/,
    "Bourne-Again shell script, ASCII text executable",
    "text/x-shellscript",
  ],
  [/^#! ?\/(usr\/)?bin\/(env )?python/, "Python script, ASCII text executable", "text/x-script.python"],
  [
    /^(import \w+|from [\w.]+ import )[\s\S]*\n(def|class|import|from) /,
    "Python script, ASCII text executable",
    "text/x-script.python",
  ],
];

function fileKind(given: Given, context: Context): Output {
  const mime = given.has("m", "i");
  const width = Math.max(...given.rest.map((each) => each.length));
  const rows = given.rest.map(
    (name) => `${given.has("b") ? "" : `${`${name}:`.padEnd(width + 1)} `}${kindOf(name, context, mime)}\n`,
  );
  return { text: rows.join("") };
}

function kindOf(name: string, context: Context, mime: boolean): string {
  const path = resolve(context, name);
  if (!ground.files.has(path)) return `cannot open \`${name}' (No such file or directory)`;
  const node = ground.files.tree.find("stat", path, false);
  if (node.kind === "directory") return mime ? "inode/directory" : "directory";
  if (node.kind === "link") return mime ? "inode/symlink" : `symbolic link to ${node.target}`;
  const data = read(context, name);
  if (!data) return mime ? "inode/x-empty" : "empty";
  for (const [pattern, kind, type] of MAGIC) {
    const match = pattern.exec(data);
    if (match) return mime ? type : kind.replace("$1", match[1] ?? "");
  }
  if (/^\s*[[{]/.test(data) && isJson(data)) return mime ? "application/json" : "JSON text data";
  if (data.includes("\0")) return mime ? "application/octet-stream" : "data";
  const text = /[\x80-\xff]/.test(data)
    ? isUtf8(data)
      ? "Unicode text, UTF-8 text"
      : "ISO-8859 text"
    : "ASCII text";
  if (text.startsWith("ISO") && /[\x00-\x08\x0e-\x1a]/.test(data))
    return mime ? "application/octet-stream" : "data";
  const ends = /\r\n/.test(data)
    ? ", with CRLF line terminators"
    : data.includes("\n")
      ? ""
      : ", with no line terminators";
  return mime ? "text/plain" : text + ends;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isUtf8(data: string): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(data));
    return true;
  } catch {
    return false;
  }
}
