/** find: what is below a place and passes some tests. */

import { toBytes } from "../shell-text";
import type { Node } from "../tree-nodes";
import { type Context, command, Fault, type Result, reasonOf, resolve } from "./command";
import { strftime } from "./date";
import { parseDate } from "./date-text";
import { glob } from "./grep";
import { ground, pace } from "./ground";
import { translate } from "./pattern";
import { shellQuoted } from "./quote";

interface Found {
  /** As it is printed. */
  path: string;
  node: Node;
  depth: number;
  start: string;
}

type Test = (found: Found) => boolean | Promise<boolean>;

const SIZES: Record<string, number> = { c: 1, w: 2, b: 512, k: 1024, M: 1 << 20, G: 1 << 30 };
const KINDS: Record<string, Node["kind"]> = { f: "file", d: "directory", l: "link" };
/** Tests and their values that say something about the whole search. */
const GLOBAL = new Set([
  "-maxdepth",
  "-mindepth",
  "-regextype",
  "-follow",
  "-xdev",
  "-mount",
  "-depth",
  "-noleaf",
  "-warn",
  "-nowarn",
  "-daystart",
]);

export const find = command("find", async (args, context) => {
  const search = new Search(args, context);
  return await search.run();
});

class Search {
  private out = "";
  private errors = "";
  private failed = false;
  private at = 0;
  private lowest = 0;
  private deepest = Number.POSITIVE_INFINITY;
  private late = false;
  private extended = false;
  private acts = false;
  private follow = false;
  private pruned = false;
  private ended = false;
  private readonly pending: { words: string[]; paths: string[] }[] = [];

  constructor(
    private readonly args: string[],
    private readonly context: Context,
  ) {}

  async run(): Promise<Result> {
    while (/^-[HLP]$/.test(this.args[this.at] ?? "")) this.follow = this.args[this.at++] === "-L";
    const starts: string[] = [];
    while (this.at < this.args.length && !/^[-(!]/.test(this.args[this.at] as string))
      starts.push(this.args[this.at++] as string);
    const given = this.at < this.args.length ? await this.or() : () => true;
    if (this.at < this.args.length)
      throw new Fault(`paths must precede expression: \`${this.args[this.at]}'`);
    const test: Test = this.acts
      ? given
      : async (found) => (await given(found)) && this.print(found.path, "\n");
    for (const start of starts.length ? starts : ["."]) {
      let node: Node;
      try {
        node = ground.files.tree.find("stat", resolve(this.context, start), this.follow);
      } catch (error) {
        this.errors += `find: ‘${start}’: ${reasonOf(error)}\n`;
        this.failed = true;
        continue;
      }
      await this.walk({ path: start, node, depth: 0, start }, test);
    }
    for (const { words, paths } of this.pending) if (paths.length) await this.execute([...words, ...paths]);
    return { stdout: this.out, stderr: this.errors, exitCode: this.failed ? 1 : 0, stdoutKind: "bytes" };
  }

  private async walk(found: Found, test: Test): Promise<void> {
    if (this.ended) return;
    pace();
    const visit = async () => {
      if (found.depth >= this.lowest) await test(found);
    };
    this.pruned = false;
    if (!this.late) await visit();
    const { node, path, depth, start } = found;
    if (node.kind === "directory" && depth < this.deepest && !this.pruned) {
      const base = path.endsWith("/") ? path : `${path}/`;
      for (const child of [...node.children.values()]) {
        const real = this.follow && child.kind === "link" ? this.target(base + child.name, child) : child;
        await this.walk({ path: base + child.name, node: real, depth: depth + 1, start }, test);
      }
    }
    if (this.late) await visit();
  }

  private target(path: string, link: Node): Node {
    try {
      return ground.files.tree.find("stat", resolve(this.context, path));
    } catch {
      return link;
    }
  }

  private print(path: string, end: string): boolean {
    this.out += toBytes(path + end);
    return true;
  }

  private async or(): Promise<Test> {
    const tests = [await this.and()];
    while (/^(-o|-or)$/.test(this.args[this.at] ?? "")) {
      this.at += 1;
      tests.push(await this.and());
    }
    if (tests.length === 1) return tests[0] as Test;
    return async (found) => {
      for (const each of tests) if (await each(found)) return true;
      return false;
    };
  }

  private async and(): Promise<Test> {
    const tests: Test[] = [];
    while (this.at < this.args.length && !/^(-o|-or|\)|,)$/.test(this.args[this.at] as string)) {
      if (/^(-a|-and)$/.test(this.args[this.at] as string)) this.at += 1;
      else tests.push(await this.not());
    }
    return async (found) => {
      for (const each of tests) if (!(await each(found))) return false;
      return true;
    };
  }

  private async not(): Promise<Test> {
    const word = this.args[this.at++] as string;
    if (word === "!" || word === "-not") {
      const test = await this.not();
      return async (found) => !(await test(found));
    }
    if (word === "(") {
      const test = await this.or();
      if (this.args[this.at++] !== ")")
        throw new Fault("invalid expression; I was expecting to find a ')' somewhere but did not see one.");
      return test;
    }
    return this.test(word);
  }

  private value(word: string): string {
    const value = this.args[this.at++];
    if (value === undefined) throw new Fault(`missing argument to \`${word}'`);
    return value;
  }

  private test(word: string): Test {
    if (GLOBAL.has(word)) return this.global(word);
    switch (word) {
      case "-name":
      case "-iname": {
        const pattern = matcher(this.value(word), word === "-iname");
        return ({ path, node, depth }) =>
          pattern.test(
            depth
              ? node.name && (path.split("/").pop() as string)
              : (path.replace(/\/+$/, "").split("/").pop() as string) || "/",
          );
      }
      case "-path":
      case "-wholename":
      case "-ipath": {
        const pattern = matcher(this.value(word), word === "-ipath");
        return ({ path }) => pattern.test(path);
      }
      case "-regex":
      case "-iregex": {
        const pattern = new RegExp(
          `^(?:${translate(this.value(word), this.extended)})$`,
          word === "-iregex" ? "iu" : "u",
        );
        return ({ path }) => pattern.test(path);
      }
      case "-type":
      case "-xtype": {
        const letters = this.value(word).split(",");
        const unknown = letters.find((each) => !KINDS[each] && !/^[bcpsD]$/.test(each));
        if (unknown !== undefined) throw new Fault(`Unknown argument to ${word}: ${unknown}`);
        const kinds = letters.map((each) => KINDS[each]);
        return ({ node }) => kinds.includes(node.kind);
      }
      case "-empty":
        return ({ node }) =>
          node.kind === "file" ? !node.size : node.kind === "directory" && !node.children.size;
      case "-size": {
        const value = this.value(word);
        const [, sign = "", count, unit = "b"] = /^([-+]?)(\d+)([cwbkMG]?)$/.exec(value) ?? [];
        if (!count) throw new Fault(`invalid -size type \`${value}'`);
        return ({ node }) =>
          compare(sign, Math.ceil(sizeOf(node) / (SIZES[unit || "b"] as number)), Number(count));
      }
      case "-perm": {
        const text = this.value(word);
        const sign = /^[-/]/.test(text) ? (text[0] as string) : "";
        const mode = modeOf(sign ? text.slice(1) : text);
        return ({ node }) =>
          sign === "-"
            ? (node.mode & mode) === mode
            : sign === "/"
              ? !mode || (node.mode & mode) !== 0
              : (node.mode & 0o7777) === mode;
      }
      case "-executable":
        return ({ node }) => (node.mode & 0o111) !== 0;
      case "-readable":
        return ({ node }) => (node.mode & 0o444) !== 0;
      case "-writable":
        return ({ node }) => (node.mode & 0o222) !== 0;
      case "-newer":
      case "-anewer":
      case "-cnewer": {
        const { mtime } = this.other(this.value(word));
        return ({ node }) => node.mtime > mtime;
      }
      case "-mtime":
      case "-mmin":
      case "-atime":
      case "-ctime":
      case "-amin":
      case "-cmin": {
        const value = this.value(word);
        const [, sign = "", count] = /^([-+]?)(\d+)$/.exec(value) ?? [];
        if (!count) throw new Fault(`invalid argument \`${value}' to \`${word}'`);
        const unit = word.endsWith("min") ? 60_000 : 86_400_000;
        const now = Date.now();
        return ({ node }) => compare(sign, Math.floor((now - node.mtime) / unit), Number(count));
      }
      case "-user":
      case "-group":
      case "-uid":
      case "-gid":
        this.value(word);
        return () => true;
      case "-samefile": {
        const { id } = this.other(this.value(word));
        return ({ node }) => node.id === id;
      }
      case "-lname":
      case "-ilname": {
        const pattern = matcher(this.value(word), word === "-ilname");
        return ({ node }) => node.kind === "link" && pattern.test(node.target);
      }
      case "-links":
        this.value(word);
        return () => true;
      case "-true":
        return () => true;
      case "-false":
        return () => false;
      default:
        return /^-newer[aBcm][aBcmt]$/.test(word) ? this.newer(word) : this.action(word);
    }
  }

  /** A file that others are compared with. */
  private other(name: string): Node {
    try {
      return ground.files.tree.find("stat", resolve(this.context, name), this.follow);
    } catch (error) {
      throw new Fault(`‘${name}’: ${reasonOf(error)}`);
    }
  }

  /** `-newerXY`: all times of a file are one. */
  private newer(word: string): Test {
    const value = this.value(word);
    const time = word.endsWith("t") ? parseDate(value, new Date())?.getTime() : this.other(value).mtime;
    if (time === undefined)
      throw new Fault(`I cannot figure out how to interpret ‘${value}’ as a date or time`);
    return ({ node }) => node.mtime > time;
  }

  private global(word: string): Test {
    if (/^-(max|min)depth$/.test(word)) {
      const value = this.value(word);
      if (!/^\d+$/.test(value))
        throw new Fault(`Expected a positive decimal integer argument to ${word}, but got ‘${value}’`);
      const depth = Number(value);
      if (word === "-maxdepth") this.deepest = depth;
      else this.lowest = depth;
    } else if (word === "-regextype") this.extended = /extended|egrep|awk/.test(this.value(word));
    else if (word === "-depth") this.late = true;
    else if (word === "-follow") this.follow = true;
    return () => true;
  }

  private action(word: string): Test {
    if (word === "-prune") {
      return () => {
        this.pruned = true;
        return true;
      };
    }
    this.acts = true;
    switch (word) {
      case "-print":
        return ({ path }) => this.print(path, "\n");
      case "-print0":
        return ({ path }) => this.print(path, "\0");
      case "-printf": {
        const format = this.value(word);
        return (found) => this.print(formatted(format, found), "");
      }
      case "-ls":
        return ({ path, node }) =>
          this.print(`${node.id} 4 -rw-r--r-- 1 user user ${sizeOf(node)} ${path}`, "\n");
      case "-quit":
        return () => {
          this.ended = true;
          return true;
        };
      case "-delete":
        this.late = true;
        return ({ path }) => {
          try {
            ground.files.tree.remove(resolve(this.context, path));
            return true;
          } catch {
            this.errors += `find: cannot delete ‘${path}’: Directory not empty\n`;
            this.failed = true;
            return false;
          }
        };
      case "-exec":
      case "-execdir":
      case "-ok":
        return this.running();
      default:
        throw new Fault(
          word.startsWith("-")
            ? `${word.startsWith("-newer") ? "invalid" : "unknown"} predicate \`${word}'`
            : `paths must precede expression: \`${word}'`,
        );
    }
  }

  private running(): Test {
    const words: string[] = [];
    for (;;) {
      const each = this.args[this.at++];
      if (each === undefined) throw new Fault("missing argument to `-exec'");
      if (each === ";") break;
      if (each === "+" && words.at(-1) === "{}") {
        const pending = { words: words.slice(0, -1), paths: [] as string[] };
        this.pending.push(pending);
        return ({ path }) => pending.paths.push(path) > 0;
      }
      words.push(each);
    }
    return async ({ path }) => (await this.execute(words.map((each) => each.replaceAll("{}", path)))) === 0;
  }

  private async execute(words: string[]): Promise<number> {
    const done = await this.context.exec?.(words.map(shellQuoted).join(" "), {
      cwd: this.context.cwd,
      env: { ...this.context.exportedEnv },
    });
    if (!done) throw new Fault("cannot run commands here");
    this.out += done.stdoutKind === "bytes" ? done.stdout : toBytes(done.stdout);
    this.errors += done.stderr;
    return done.exitCode;
  }
}

function matcher(pattern: string, fold: boolean): RegExp {
  const { source } = glob(pattern);
  return new RegExp(source, fold ? "iu" : "u");
}

function sizeOf(node: Node): number {
  return node.kind === "file" ? node.size : node.kind === "link" ? node.target.length : 4096;
}

function compare(sign: string, value: number, wanted: number): boolean {
  return sign === "+" ? value > wanted : sign === "-" ? value < wanted : value === wanted;
}

/** Permissions in digits or in letters. */
function modeOf(text: string): number {
  if (/^[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  let mode = 0;
  for (const part of text.split(",")) {
    const [, who = "", letters] = /^([ugoa]*)[+=]([rwxXst]*)$/.exec(part) ?? [];
    if (letters === undefined) throw new Fault(`invalid mode ‘${text}’`);
    const bits = [...letters].reduce((sum, each) => sum | ({ r: 4, w: 2, x: 1 }[each] ?? 0), 0);
    for (const each of who && !who.includes("a") ? who : "ugo")
      mode |= bits << { u: 6, g: 3, o: 0 }[each as "u"];
  }
  return mode;
}

function formatted(format: string, { path, node, depth, start }: Found): string {
  const letters: Record<string, () => string> = {
    p: () => path,
    f: () => path.replace(/\/+$/, "").split("/").pop() ?? "",
    h: () => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "."),
    P: () => path.slice(start.length).replace(/^\//, ""),
    H: () => start,
    s: () => String(sizeOf(node)),
    d: () => String(depth),
    m: () => (node.mode & 0o7777).toString(8),
    M: () =>
      `${{ file: "-", directory: "d", link: "l" }[node.kind]}${[..."rwxrwxrwx"].map((each, bit) => (node.mode & (0o400 >> bit) ? each : "-")).join("")}`,
    y: () => ({ file: "f", directory: "d", link: "l" })[node.kind],
    l: () => (node.kind === "link" ? node.target : ""),
    u: () => "user",
    g: () => "user",
    i: () => String(node.id),
    n: () => "1",
    k: () => String(Math.ceil(sizeOf(node) / 4096) * 4),
    t: () => strftime("%a %b %e %H:%M:%S.0000000000 %Y", new Date(node.mtime)),
    "%": () => "%",
  };
  const escapes: Record<string, string> = { n: "\n", t: "\t", "0": "\0", "\\": "\\" };
  return format.replace(
    /\\(.)|%([-0]?\d*)(?:([TAC])(.)|(.))/g,
    (whole, escaped, width: string, clock, kind, letter) => {
      if (escaped) return escapes[escaped] ?? whole;
      const text = clock
        ? kind === "@"
          ? `${node.mtime / 1000}`
          : strftime(`%${kind}`, new Date(node.mtime))
        : (letters[letter]?.() ?? whole);
      return width.startsWith("-") ? text.padEnd(Number(width.slice(1))) : text.padStart(Number(width || 0));
    },
  );
}
