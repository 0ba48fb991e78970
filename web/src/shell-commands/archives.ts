/** tar, zip and unzip. */

import { gunzipSync, gzipSync, unzipSync, type Zippable, zipSync } from "fflate";
import type { Command } from "just-bash/browser";
import { bytesOf, decodeBytes, encodeText, latin1 } from "../shell-text";
import type { Node } from "../tree-nodes";
import {
  type Context,
  command,
  Fault,
  finished,
  type Given,
  type Output,
  parse,
  read,
  resolve,
  tool,
} from "./command";
import { glob } from "./grep";
import { ground } from "./ground";

const BLOCK = 512;

interface Entry {
  name: string;
  kind: "file" | "directory" | "link";
  mode: number;
  mtime: number;
  data: Uint8Array;
  target: string;
}

const TAR_OPTIONS =
  "c x t r u f: z j J v C: O k p h a T: X: create=c append=r update=u extract=x get=x list=t file=f gzip=z verbose=v directory=C to-stdout=O keep-old-files=k exclude=E: E: strip-components=S: S: transform=F: F: files-from=T exclude-from=X auto-compress=a dereference=h owner=0: group=0: 0: mtime=0 sort=0 numeric-owner=1 1 no-same-owner=1 wildcards=1 xz=J bzip2=j totals=1 no-recursion=N N";

export const archives: Command[] = [
  command("tar", (args, context) => finished(tar(args, context))),
  tool(
    "zip",
    "r q j d u m 0 1 2 3 4 5 6 7 8 9 x: i: y recurse-paths=r quiet=q junk-paths=j exclude=x symlinks=y X",
    zip,
  ),
  tool("unzip", "l v o n q j p t d: x: Z 1 C u L a", unzip),
];

/** `tar xzf` is `tar -xzf`; each old-style letter that takes a value takes one of the words that follow. */
function tar(args: string[], context: Context): Output {
  const [first = "", ...rest] = args;
  const old = first && !first.startsWith("-") ? [...first] : [];
  const values = old.filter((each) => "fCTX".includes(each));
  const own = old.length
    ? [
        `-${old.filter((each) => !values.includes(each)).join("")}`,
        ...values.flatMap((each, at) => [`-${each}`, rest[at] ?? ""]),
        ...rest.slice(values.length),
      ]
    : args;
  const given = parse(own, TAR_OPTIONS);
  if (given.has("j", "J")) throw new Fault("only gzip (-z) is available for compression", 2);
  if (given.has("c", "r", "u")) return create(given, context, own);
  if (given.has("x", "t")) return extract(given, context);
  throw new Fault("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options", 2);
}

function matcher(patterns: string[]): (name: string) => boolean {
  const all = patterns.map((each) => glob(each.replace(/\/$/, "")));
  return (name) => {
    const parts = name.replace(/\/$/, "").split("/");
    return all.some((each) =>
      parts.some(
        (_, at) =>
          each.test(parts.slice(at).join("/")) ||
          each.test(parts.slice(0, at + 1).join("/")) ||
          each.test(parts[at] as string),
      ),
    );
  };
}

function create(given: Given, context: Context, args: string[]): Output {
  const excluded = matcher([
    ...given.all("E"),
    ...given.all("X").flatMap((each) => read(context, each).split("\n").filter(Boolean)),
  ]);
  const entries: Entry[] = [];
  let listed = "";
  let folder = context.cwd;
  const names = [
    ...given.rest,
    ...given.all("T").flatMap((each) => read(context, each).split("\n").filter(Boolean)),
  ];
  const file = given.get("f") ?? "-";
  const old = given.has("c") ? [] : present(file, given, context);
  if (!names.length && given.has("c")) throw new Fault("Cowardly refusing to create an empty archive", 2);
  // `-C` counts for the names after it.
  const folders = new Map<string, string>();
  args.forEach((each, at) => {
    const own = each === "-C" ? args[at + 1] : /^--directory=/.test(each) ? each.slice(12) : undefined;
    if (own !== undefined) folder = ground.files.resolvePath(folder, own);
    else if (names.includes(each)) folders.set(each, folder);
  });
  const errors: string[] = [];
  for (const name of names) {
    const path = ground.files.resolvePath(folders.get(name) ?? folder, name);
    if (!ground.files.has(path)) {
      errors.push(`tar: ${name}: Cannot stat: No such file or directory\n`);
      continue;
    }
    const node = ground.files.tree.find("stat", path, given.has("h"));
    collect(node, name.replace(/^\/+/, "").replace(/\/+$/, "") || ".", excluded, entries);
  }
  if (given.has("u")) {
    const times = new Map(old.map(({ name, mtime }) => [name.replace(/\/$/, ""), mtime]));
    const second = 1000;
    const newer = ({ name, mtime }: Entry) => Math.floor(mtime / second) * second > (times.get(name) ?? -1);
    entries.splice(0, entries.length, ...entries.filter(newer));
  }
  for (const each of entries) listed += `${each.name}${each.kind === "directory" ? "/" : ""}\n`;
  const packed = pack([...old, ...entries]);
  const data = given.has("z") || (given.has("a") && /\.t?gz$/.test(file)) ? gzipSync(packed) : packed;
  if (errors.length) errors.push("tar: Exiting with failure status due to previous errors\n");
  const code = errors.length ? 2 : 0;
  if (file === "-")
    return { out: latin1(data), errors: errors.join("") + (given.has("v") ? listed : ""), code };
  ground.files.tree.write(resolve(context, file), data);
  return { text: given.has("v") ? listed : "", errors: errors.join(""), code };
}

/** What is in an archive that gets more. */
function present(file: string, given: Given, context: Context): Entry[] {
  if (given.has("z")) throw new Fault("Cannot update compressed archives", 2);
  if (file !== "-" && !ground.files.has(resolve(context, file))) return [];
  const data = bytesOf(read(context, file));
  if (data[0] === 0x1f && data[1] === 0x8b) throw new Fault("Cannot update compressed archives", 2);
  return unpack(data).map((each) => ({ ...each, name: each.name.replace(/\/$/, "") }));
}

function collect(node: Node, name: string, excluded: (name: string) => boolean, into: Entry[]): void {
  if (excluded(name)) return;
  const { mode, mtime } = node;
  const common = { name, mode, mtime, data: new Uint8Array(0), target: "" };
  if (node.kind === "link") into.push({ ...common, kind: "link", target: node.target });
  else if (node.kind === "file")
    into.push({ ...common, kind: "file", data: node.room.subarray(0, node.size) });
  else {
    into.push({ ...common, kind: "directory" });
    for (const child of [...node.children.values()].sort((a, b) => (a.name < b.name ? -1 : 1)))
      collect(child, `${name}/${child.name}`, excluded, into);
  }
}

function pack(entries: Entry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const each of entries) {
    const name = encodeText(each.kind === "directory" ? `${each.name}/` : each.name);
    if (name.length > 100)
      parts.push(
        header("././@LongLink", "L", name.length + 1, 0o644, 0, ""),
        padded(new Uint8Array([...name, 0])),
      );
    const type = { file: "0", directory: "5", link: "2" }[each.kind];
    parts.push(
      header(latin1(name.subarray(0, 100)), type, each.data.length, each.mode, each.mtime, each.target),
      padded(each.data),
    );
  }
  parts.push(new Uint8Array(2 * BLOCK));
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const whole = new Uint8Array(Math.ceil(size / (20 * BLOCK)) * 20 * BLOCK);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function padded(data: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(data.length / BLOCK) * BLOCK);
  whole.set(data);
  return whole;
}

function header(
  name: string,
  type: string,
  size: number,
  mode: number,
  mtime: number,
  target: string,
): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(bytesOf(text), at);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, "0")}\0`;
  put(0, name);
  put(100, octal(mode & 0o7777, 8));
  put(108, octal(1000, 8));
  put(116, octal(1000, 8));
  put(124, octal(size, 12));
  put(136, octal(Math.floor(mtime / 1000), 12));
  put(148, "        ");
  put(156, type);
  put(157, latin1(encodeText(target).subarray(0, 100)));
  put(257, "ustar\x0000user");
  put(297, "user");
  const sum = block.reduce((total, each) => total + each, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

function unpack(data: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  let long: { name?: string; target?: string } = {};
  for (let at = 0; at + BLOCK <= data.length && data[at]; ) {
    const block = data.subarray(at, at + BLOCK);
    const text = (from: number, length: number) =>
      decodeBytes(block.subarray(from, from + length)).replace(/\0[\s\S]*$/, "");
    const octal = (from: number, length: number) => Number.parseInt(text(from, length).trim() || "0", 8);
    if (text(257, 5) !== "ustar" && Number.isNaN(octal(148, 8)))
      throw new Fault("This does not look like a tar archive", 2);
    const size = octal(124, 12);
    const content = data.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(block[156] ?? 0);
    if (type === "L" || type === "K")
      long = { ...long, [type === "L" ? "name" : "target"]: decodeBytes(content).replace(/\0[\s\S]*$/, "") };
    else if (type === "x") {
      for (const [, key, value] of decodeBytes(content).matchAll(/\d+ (path|linkpath)=([^\n]*)\n/g))
        long[key === "path" ? "name" : "target"] = value as string;
    } else if (type !== "g") {
      const prefix = text(257, 5) === "ustar" && text(263, 2) === "00" ? text(345, 155) : "";
      const name = long.name ?? (prefix ? `${prefix}/${text(0, 100)}` : text(0, 100));
      const kind = type === "5" || name.endsWith("/") ? "directory" : type === "2" ? "link" : "file";
      entries.push({
        name,
        kind,
        mode: octal(100, 8),
        mtime: octal(136, 12) * 1000,
        data: content,
        target: long.target ?? text(157, 100),
      });
      long = {};
    }
  }
  return entries;
}

function extract(given: Given, context: Context): Output {
  const file = given.get("f") ?? "-";
  let data: Uint8Array = bytesOf(read(context, file));
  if (data[0] === 0x1f && data[1] === 0x8b) data = gunzipSync(data);
  else if (given.has("z")) throw new Fault("gzip: stdin: not in gzip format", 2);
  const wanted = given.rest.map((each) => each.replace(/\/$/, ""));
  const excluded = matcher(given.all("E"));
  const base = given.has("C") ? resolve(context, given.get("C") as string) : context.cwd;
  let listed = "";
  let out = "";
  const found = new Set<string>();
  for (const each of unpack(data)) {
    const plain = each.name.replace(/\/$/, "");
    const match = wanted.find(
      (name) => plain === name || plain.startsWith(`${name}/`) || glob(name).test(plain),
    );
    if ((wanted.length && !match) || excluded(plain)) continue;
    if (match) found.add(match);
    listed += given.has("t") && given.has("v") ? long(each) : `${each.name}\n`;
    if (given.has("t")) continue;
    if (given.has("O")) out += latin1(each.data);
    else put(each, plain.split("/").slice(given.number("S", 0)).join("/"), base, given);
  }
  const missing = wanted
    .filter((each) => !found.has(each))
    .map((each) => `tar: ${each}: Not found in archive\n`);
  if (missing.length) missing.push("tar: Exiting with failure status due to previous errors\n");
  const said = given.has("t") || given.has("v") ? latin1(encodeText(listed)) : "";
  return { out: said + out, errors: missing.join(""), code: missing.length ? 2 : 0 };
}

function long({ name, kind, mode, mtime, data, target }: Entry): string {
  const letters = [..."rwxrwxrwx"].map((each, bit) => (mode & (0o400 >> bit) ? each : "-")).join("");
  const time = new Date(mtime).toISOString();
  return `${{ file: "-", directory: "d", link: "l" }[kind]}${letters} user/user ${String(data.length).padStart(9)} ${time.slice(0, 10)} ${time.slice(11, 16)} ${name}${kind === "link" ? ` -> ${target}` : ""}\n`;
}

function put({ kind, mode, mtime, data, target }: Entry, name: string, base: string, given: Given): void {
  if (!name || name === ".") return;
  if (name.split("/").includes("..")) throw new Fault(`${name}: Member name contains '..'`, 2);
  const { tree } = ground.files;
  const path = ground.files.resolvePath(base, name);
  if (kind === "directory") {
    tree.makeDirectory(path, true);
    return;
  }
  tree.makeDirectory(path.slice(0, path.lastIndexOf("/")) || "/", true);
  if (ground.files.has(path) && given.has("k")) return;
  if (kind === "link") {
    if (ground.files.has(path)) tree.remove(path);
    tree.makeLink(target, path);
    return;
  }
  tree.write(path, data.slice());
  tree.setAttributes("utimes", path, { mtime, mode: mode & 0o7777 });
}

function zip(given: Given, context: Context): Output {
  const [first, ...names] = given.rest;
  if (!first) throw new Fault("error: nothing to do");
  const file = /\.\w+$/.test(first) || first === "-" ? first : `${first}.zip`;
  const path = resolve(context, file);
  const content: Zippable = {};
  const old = file !== "-" && ground.files.has(path) ? unzipSync(ground.files.tree.read(path)) : {};
  for (const [name, data] of Object.entries(old)) content[name] = data;
  let text = "";
  const excluded = matcher(given.all("x"));
  const say = (line: string) => {
    if (!given.has("q")) text += line;
  };
  if (given.has("d")) for (const name of names) delete content[name];
  else {
    const entries: Entry[] = [];
    for (const name of names) {
      if (!ground.files.has(resolve(context, name))) {
        say(`\tzip warning: name not matched: ${name}\n`);
        continue;
      }
      const node = ground.files.tree.find("stat", resolve(context, name));
      const own: Entry[] = [];
      collect(node, name.replace(/^(\.?\/)+/, "").replace(/\/+$/, "") || ".", excluded, own);
      entries.push(...(given.has("r") ? own : own.slice(0, 1)));
    }
    for (const each of entries) {
      if (each.kind === "directory" && (given.has("j") || each.name === ".")) continue;
      const plain = each.name.replace(/^\.\//, "");
      const name = given.has("j")
        ? (plain.split("/").pop() as string)
        : each.kind === "directory"
          ? `${plain}/`
          : plain;
      say(
        `${name in old ? "updating" : "  adding"}: ${name} (${each.data.length ? "deflated" : "stored 0%"})\n`,
      );
      content[name] = [
        each.data,
        {
          mtime: Math.max(each.mtime, Date.UTC(1980, 0, 2)),
          os: 3,
          attrs: ((each.mode & 0o7777) | (each.kind === "directory" ? 0o40000 : 0o100000)) << 16,
        },
      ];
    }
  }
  if (!Object.keys(content).length)
    return { text: `${text}\nzip error: Nothing to do! (${file})\n`, code: 12 };
  const data = zipSync(content);
  if (file === "-") return { out: latin1(data) };
  ground.files.tree.write(path, data);
  return { text };
}

function unzip(given: Given, context: Context): Output {
  const [first, ...wanted] = given.rest;
  if (!first) throw new Fault("usage: unzip [-lpqod] FILE", 10);
  const name = ground.files.has(resolve(context, first)) ? first : `${first}.zip`;
  if (!ground.files.has(resolve(context, name)))
    return { errors: `unzip:  cannot find or open ${first}, ${first}.zip or ${first}.ZIP.\n`, code: 9 };
  let content: Record<string, Uint8Array>;
  try {
    content = unzipSync(bytesOf(read(context, name)));
  } catch {
    return { errors: `unzip:  cannot find zipfile directory in ${name}\n`, code: 9 };
  }
  const [include, exclude] = [matcher(wanted), matcher(given.all("x"))];
  const chosen = Object.entries(content).filter(
    ([each]) => (!wanted.length || include(each)) && !exclude(each),
  );
  if (given.has("Z") || given.has("1")) return { text: chosen.map(([each]) => `${each}\n`).join("") };
  if (given.has("p")) return { out: chosen.map(([, data]) => latin1(data)).join("") };
  if (given.has("l", "v")) {
    const total = chosen.reduce((sum, [, data]) => sum + data.length, 0);
    const rows = chosen
      .map(([each, data]) => `${String(data.length).padStart(9)}  1980-01-02 00:00   ${each}\n`)
      .join("");
    return {
      text: `Archive:  ${name}\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n${rows}---------                     -------\n${String(total).padStart(9)}                     ${chosen.length} file${chosen.length === 1 ? "" : "s"}\n`,
    };
  }
  let text = `Archive:  ${name}\n`;
  const base = given.has("d") ? resolve(context, given.get("d") as string) : context.cwd;
  for (const [each, data] of chosen) {
    const inner = given.has("j") ? (each.split("/").pop() as string) : each;
    const kind = each.endsWith("/") ? "directory" : "file";
    const path = ground.files.resolvePath(base, inner);
    if (kind === "file" && ground.files.has(path) && !given.has("o")) {
      if (!given.has("n"))
        return {
          errors: `unzip: ${inner} is there already; use -o to replace it, or -n to keep it\n`,
          code: 1,
        };
      continue;
    }
    text += kind === "directory" ? `   creating: ${inner}\n` : `  inflating: ${inner}\n`;
    if (!given.has("t"))
      put({ name: each, kind, mode: 0o644, mtime: Date.now(), data, target: "" }, inner, base, given);
  }
  return { text: given.has("q") ? "" : text };
}
