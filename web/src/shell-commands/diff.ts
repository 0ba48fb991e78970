/** diff: what makes two files, or two folders, different. */

import { structuredPatch } from "diff";
import type { Node } from "../tree-nodes";
import { type Context, Fault, type Given, read, resolve, tool } from "./command";
import { type Change, type Layout, sideBySide } from "./diff-columns";
import { ground } from "./ground";

const OPTIONS =
  "u U: c q r N a b w B i s y e x: L: E Z t recursive=r unified=V V? brief=q new-file=N text=a ignore-space-change=b ignore-all-space=w ignore-blank-lines=B ignore-case=i report-identical-files=s exclude=x label=L color=K K? strip-trailing-cr=R R no-dereference=P P minimal=d d ignore-trailing-space=Z side-by-side=y W: width=W: expand-tabs=t left-column=1 suppress-common-lines=2";

/** Files with more lines than this between their common head and tail are not compared line by line for ever. */
const MOST_CHANGES = 20_000;
/** How wide two files beside each other are. */
const WIDTH = 130;

export const diff = tool("diff", OPTIONS, (given, context) => {
  const [a, b, ...more] = given.rest;
  if (a === undefined || b === undefined || more.length)
    throw new Fault(
      `${a === undefined ? "missing operand after 'diff'" : b === undefined ? `missing operand after '${a}'` : `extra operand '${more[0]}'`}`,
      2,
    );
  const comparison = new Comparison(given, context);
  comparison.begin(a, b);
  return { out: comparison.out, errors: comparison.errors, code: comparison.code };
});

class Comparison {
  out = "";
  errors = "";
  code = 0;
  private readonly around: number | undefined;
  private readonly columns: Layout | undefined;

  constructor(
    private readonly given: Given,
    private readonly context: Context,
  ) {
    const lines = given.get("U") ?? given.get("V") ?? "";
    this.around = given.has("u", "U", "V") ? Number(lines || 3) : undefined;
    const width = given.get("W") ?? String(WIDTH);
    if (!/^\d*[1-9]\d*$/.test(width)) throw new Fault(`invalid width '${width}'`, 2);
    if (given.has("y"))
      this.columns = {
        width: Number(width),
        expandTabs: given.has("t"),
        leftColumn: given.has("1"),
        changesOnly: given.has("2"),
      };
  }

  begin(a: string, b: string): void {
    const [first, second] = [this.node(a), this.node(b)];
    for (const [name, node] of [
      [a, first],
      [b, second],
    ] as const)
      if (!node && !this.given.has("N")) {
        this.errors += `diff: ${name}: No such file or directory\n`;
        this.code = 2;
      }
    if (this.code) return;
    if (first?.kind === "directory" && second?.kind === "directory") this.folders(a, b);
    else if (first?.kind === "directory") this.files(`${a.replace(/\/$/, "")}/${b.split("/").pop()}`, b, "");
    else if (second?.kind === "directory") this.files(a, `${b.replace(/\/$/, "")}/${a.split("/").pop()}`, "");
    else this.files(a, b, "");
  }

  private node(name: string): Node | undefined {
    if (name === "-") return { kind: "file" } as Node;
    try {
      return ground.files.tree.find("stat", resolve(this.context, name));
    } catch {
      return undefined; // The caller says so.
    }
  }

  private folders(a: string, b: string): void {
    const excluded = this.given.all("x").map(
      (each) =>
        new RegExp(
          `^${each
            .replace(/[.+^${}()|[\]\\]/g, "\\$&")
            .replace(/\*/g, ".*")
            .replace(/\?/g, ".")}$`,
        ),
    );
    const names = (folder: string) =>
      ground.files.tree.list(resolve(this.context, folder)).map(({ name }) => name);
    const [left, right] = [new Set(names(a)), new Set(names(b))];
    const inside = (folder: string, name: string) => `${folder.replace(/\/$/, "")}/${name}`;
    for (const name of [...new Set([...left, ...right])].sort()) {
      if (excluded.some((each) => each.test(name))) continue;
      const [first, second] = [inside(a, name), inside(b, name)];
      const [x, y] = [this.node(first), this.node(second)];
      if (x?.kind === "directory" && y?.kind === "directory") {
        if (this.given.has("r")) this.folders(first, second);
        else this.out += `Common subdirectories: ${first} and ${second}\n`;
      } else if (x && y && x.kind !== y.kind) {
        const kind = (node: Node) => (node.kind === "directory" ? "directory" : "regular file");
        this.found(`File ${first} is a ${kind(x)} while file ${second} is a ${kind(y)}\n`);
      } else if ((x && y) || (this.given.has("N") && (x ?? y)?.kind === "file")) {
        const options = letters(this.given);
        this.files(first, second, `diff ${options}${first} ${second}\n`);
      } else this.found(`Only in ${x ? a : b}: ${name}\n`);
    }
  }

  private found(text: string): void {
    this.out += text;
    this.code ||= 1;
  }

  private files(a: string, b: string, head: string): void {
    const [left, right] = [a, b].map((name) => (this.node(name) ? read(this.context, name) : "")) as [
      string,
      string,
    ];
    const columns = (layout: Layout, changes: Change[]) =>
      head + sideBySide(linesWithEnd(left), linesWithEnd(right), changes, layout);
    const alike = () => {
      if (this.columns && !this.given.has("q")) this.out += columns(this.columns, []);
    };
    if (left === right) {
      alike();
      if (this.given.has("s")) this.out += `Files ${a} and ${b} are identical\n`;
      return;
    }
    if (!this.given.has("a") && (left.includes("\0") || right.includes("\0"))) {
      this.found(`Binary files ${a} and ${b} differ\n`);
      return;
    }
    const changes = this.changes(left, right);
    if (!changes.length) {
      alike();
      return;
    }
    if (this.given.has("q")) {
      this.found(`Files ${a} and ${b} differ\n`);
      return;
    }
    if (this.columns) this.found(columns(this.columns, changes));
    else this.found(head + (this.around === undefined ? normal(changes) : this.unified(a, b, left, changes)));
  }

  /** What is to be changed, in order; equal lines are those that are equal in the options' eyes. */
  private changes(left: string, right: string): Change[] {
    const key = this.key();
    const [a, b] = [linesWithEnd(left), linesWithEnd(right)];
    const [x, y] = [a.map(key), b.map(key)];
    let head = 0;
    while (head < x.length && head < y.length && x[head] === y[head]) head += 1;
    let tail = 0;
    while (tail < x.length - head && tail < y.length - head && x.at(-1 - tail) === y.at(-1 - tail)) tail += 1;
    const changes = middle(x.slice(head, x.length - tail), y.slice(head, y.length - tail)).map(
      ([oldAt, removed, newAt, added]) => ({
        oldStart: head + oldAt,
        newStart: head + newAt,
        removed: a.slice(head + oldAt, head + oldAt + removed),
        added: b.slice(head + newAt, head + newAt + added),
      }),
    );
    if (!this.given.has("B")) return changes;
    return changes.filter(({ removed, added }) => [...removed, ...added].some((each) => each.trim()));
  }

  private key(): (line: string) => string {
    const { given } = this;
    return (line) => {
      let text = given.has("w")
        ? line.replace(/[ \t\r]+/g, "")
        : given.has("b")
          ? line.replace(/[ \t]+(?=\n|$)/g, "").replace(/[ \t]+/g, " ")
          : line;
      if (given.has("R")) text = text.replace(/\r(?=\n|$)/, "");
      if (given.has("Z")) text = text.replace(/[ \t]+(?=\n|$)/, "");
      if (given.has("w", "b", "Z")) text = text.replace(/\n$/, "");
      return given.has("i") ? text.toLowerCase() : text;
    };
  }

  private unified(a: string, b: string, left: string, changes: Change[]): string {
    const context = this.around as number;
    const all = linesWithEnd(left);
    const labels = this.given.all("L");
    let out = `--- ${labels[0] ?? this.title(a)}\n+++ ${labels[1] ?? this.title(b)}\n`;
    for (const group of groups(changes, context)) {
      const [first, last] = [group[0] as Change, group.at(-1) as Change];
      const start = Math.max(0, first.oldStart - context);
      const end = Math.min(all.length, last.oldStart + last.removed.length + context);
      let body = "";
      let at = start;
      let grown = 0;
      for (const { oldStart, removed, added } of group) {
        body += all
          .slice(at, oldStart)
          .map((each) => ended(` ${each}`))
          .join("");
        body +=
          removed.map((each) => ended(`-${each}`)).join("") + added.map((each) => ended(`+${each}`)).join("");
        at = oldStart + removed.length;
        grown += added.length - removed.length;
      }
      body += all
        .slice(at, end)
        .map((each) => ended(` ${each}`))
        .join("");
      const newStart = first.newStart - (first.oldStart - start);
      out += `@@ -${range(start, end - start)} +${range(newStart, end - start + grown)} @@\n${body}`;
    }
    return out;
  }

  private title(name: string): string {
    const node = this.node(name);
    const time = new Date(node?.mtime ?? 0).toISOString();
    return `${name}\t${time.slice(0, 10)} ${time.slice(11, 23)}000000 +0000`;
  }
}

function letters(given: Given): string {
  const own = [..."rquNabwBiyt"].filter((each) => given.has(each)).join("");
  const number = given.get("U");
  const width = given.get("W");
  return `${own ? `-${own} ` : ""}${number ? `-U${number} ` : ""}${width ? `-W ${width} ` : ""}`;
}

/** Changes between two lists as [old place, lines removed, new place, lines added]. */
function middle(a: string[], b: string[]): [number, number, number, number][] {
  if (!a.length || !b.length) return a.length || b.length ? [[0, a.length, 0, b.length]] : [];
  // Lines become characters of a private alphabet, so that the comparison need not look into them.
  const numbers = new Map<string, number>();
  const coded = (all: string[]) =>
    all.map((each) => `${numbers.get(each) ?? numbers.set(each, numbers.size).size - 1}\n`).join("");
  const patch = structuredPatch("", "", coded(a), coded(b), "", "", {
    context: 0,
    maxEditLength: MOST_CHANGES,
  });
  if (!patch) return [[0, a.length, 0, b.length]];
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines }) => [
    oldStart - 1,
    oldLines,
    newStart - 1,
    newLines,
  ]);
}

/** Changes that stand so close that they are shown together. */
function groups(changes: Change[], context: number): Change[][] {
  const all: Change[][] = [];
  for (const change of changes) {
    const last = all.at(-1)?.at(-1);
    if (last && change.oldStart - (last.oldStart + last.removed.length) <= 2 * context)
      all.at(-1)?.push(change);
    else all.push([change]);
  }
  return all;
}

function normal(changes: Change[]): string {
  const span = (start: number, count: number) =>
    count > 1 ? `${start + 1},${start + count}` : `${start + 1}`;
  return changes
    .map(({ oldStart, newStart, removed, added }) => {
      const kind = removed.length ? (added.length ? "c" : "d") : "a";
      const left = removed.length ? span(oldStart, removed.length) : String(oldStart);
      const right = added.length ? span(newStart, added.length) : String(newStart);
      const gone = removed.map((each) => ended(`< ${each}`)).join("");
      const come = added.map((each) => ended(`> ${each}`)).join("");
      return `${left}${kind}${right}\n${gone}${kind === "c" ? "---\n" : ""}${come}`;
    })
    .join("");
}

function range(start: number, count: number): string {
  return count === 1 ? `${start + 1}` : `${count ? start + 1 : start},${count}`;
}

function linesWithEnd(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function ended(line: string): string {
  return line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`;
}
