/** The project's files as a tree that unfolds on demand and follows the sandbox's file events. */

import type { FileStat, SandboxEvent, SandboxFiles } from "../api";
import { Observable } from "./observable";

type FileEvent = Extract<SandboxEvent, { type: "file" }>;

/** A file, a directory, or a link. */
export interface TreeNode {
  readonly name: string;
  readonly path: string;
  /** 0 for what lies in the root. */
  readonly depth: number;
  readonly parent: TreeNode | undefined;
  stat: FileStat | undefined;
  /** Of a directory whose content is known. */
  children: TreeNode[] | undefined;
  open: boolean;
  /** How often it changed since it is known, and when last, on performance.now()'s clock. */
  changes: number;
  changedAt: number;
}

/** Directories that do not unfold by themselves. */
const QUIET = /^(\.|node_modules$|__pycache__$|dist$)/;

/** A name that no file has. */
const NOWHERE = "\0";

/** Directories are listed when they are opened, and again when an event says that something in them changed. */
export class FileTree extends Observable {
  readonly root: TreeNode = leaf("", "", -1, undefined);
  /** Whether changed files are made visible by opening what they lie in. */
  unfolds = false;
  #touched = new Map<string, boolean>();
  #settling = false;

  constructor(private readonly fs: SandboxFiles) {
    super();
    this.root.open = true;
    void this.#settle();
  }

  /** All nodes in sight, top to bottom. */
  get rows(): TreeNode[] {
    const rows: TreeNode[] = [];
    const visit = (node: TreeNode) => {
      for (const child of node.children ?? []) {
        rows.push(child);
        if (child.open) visit(child);
      }
    };
    visit(this.root);
    return rows;
  }

  /** Open or close a directory. */
  async toggle(node: TreeNode, open = !node.open): Promise<void> {
    if (!isDirectory(node)) return;
    node.open = open;
    if (open && !node.children) await this.#list(node);
    this.changed();
  }

  /** Take in a file event. */
  apply(event: FileEvent): void {
    const unfold = this.unfolds && event.change !== "deleted";
    this.#touched.set(event.path, unfold || (this.#touched.get(event.path) ?? false));
    if (event.oldPath) this.#touched.set(event.oldPath, false);
    void this.#settle();
  }

  /** List all that is known again: the files may be other ones. */
  reload(): void {
    const visit = (node: TreeNode) => {
      if (!node.children) return;
      // A path in it that nobody knows has it listed.
      this.#touched.set(node === this.root ? NOWHERE : `${node.path}/${NOWHERE}`, false);
      for (const child of node.children) visit(child);
    };
    visit(this.root);
    void this.#settle();
  }

  /** List what must be listed, level by level, until every touched path is where it belongs. */
  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    await Promise.resolve(); // Events of one batch come together.
    if (!this.root.children) await this.#list(this.root);
    while (this.#touched.size) {
      const touched = [...this.#touched];
      this.#touched.clear();
      const listed = new Set<TreeNode>();
      for (let stale = new Set<TreeNode>(); ; stale = new Set()) {
        for (const [path, unfold] of touched) this.#walk(path, unfold, listed, stale);
        if (!stale.size) break;
        await Promise.all([...stale].map((node) => this.#list(node)));
        for (const node of stale) listed.add(node);
      }
      for (const [path] of touched) this.#mark(path);
      this.changed();
    }
    this.#settling = false;
    this.changed();
  }

  /** Add to `stale` the directory on the way to `path` that has to be listed next, if there is one. */
  #walk(path: string, unfold: boolean, listed: Set<TreeNode>, stale: Set<TreeNode>): void {
    let node = this.root;
    for (const name of path.split("/")) {
      if (node !== this.root && unfold && !QUIET.test(node.name) && isDirectory(node)) node.open = true;
      if (!node.children && !node.open) return;
      if (!listed.has(node) && (!node.children || node.path === parentOf(path))) return void stale.add(node);
      const next = node.children?.find((child) => child.name === name);
      if (!next) return void (listed.has(node) || stale.add(node));
      node = next;
    }
    // A directory that was renamed or replaced has another content.
    if (node.children && !listed.has(node)) stale.add(node);
  }

  /** Count a change of the path, or of the closed directory that hides it. */
  #mark(path: string): void {
    let node: TreeNode | undefined = this.root;
    for (const name of path.split("/")) {
      node = node?.children?.find((child) => child.name === name);
      if (!node) return;
      if (!node.open) break;
    }
    if (!node) return;
    node.changes++;
    node.changedAt = performance.now();
  }

  async #list(node: TreeNode): Promise<void> {
    let stats: FileStat[];
    try {
      stats = await this.fs.list(node.path || ".");
    } catch {
      node.children = []; // It is gone; the event that says so is on its way.
      return;
    }
    const known = new Map(node.children?.map((child) => [child.name, child]));
    node.children = stats
      .map((stat) => {
        const name = stat.path.slice(stat.path.lastIndexOf("/") + 1);
        const old = known.get(name);
        const child = old?.stat?.kind === stat.kind ? old : leaf(name, stat.path, node.depth + 1, node);
        child.stat = stat;
        return child;
      })
      .sort(
        (one, other) =>
          Number(isDirectory(other)) - Number(isDirectory(one)) || compare(one.name, other.name),
      );
  }
}

export function isDirectory(node: TreeNode): boolean {
  return node.stat?.kind === "directory";
}

function leaf(name: string, path: string, depth: number, parent: TreeNode | undefined): TreeNode {
  return {
    name,
    path,
    depth,
    parent,
    stat: undefined,
    children: undefined,
    open: false,
    changes: 0,
    changedAt: -Infinity,
  };
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

const { compare } = new Intl.Collator("en", { numeric: true });
