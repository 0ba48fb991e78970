/**
 * A sandbox's tree: Emscripten's MEMFS under a mount of its own whose operations note every mutation, whoever makes
 * it (Python's os and open, JavaScript, a worker's mirror), and refuse what is locked.
 */

import { beforeResize, beforeWrite, exchange } from "./contents";
import {
  type Attributes,
  type Directory,
  type EmscriptenFS,
  type FileNode,
  isDirectory,
  isFile,
  type Node,
  type NodeOps,
  type StreamOps,
} from "./emscripten";
import { type FileNote, FileNotes } from "./file-notes";
import { Guard, Refusal } from "./guard";
import { DirtyPaths } from "./mirror";
import { join } from "./paths";
import { isTooLong } from "./tree-nodes";
import { TreeWriter } from "./tree-writer";

export type { EmscriptenFS } from "./emscripten";

const O_ACCMODE = 3;
const O_RDONLY = 0;
const EACCES = 2;
const EROFS = 69;
const ENAMETOOLONG = 37;
/** Well within the time between two frames of a screen. */
const TELL_AFTER_MS = 8;

/** Mount a new, empty tree at `root`. */
export function mountTree(FS: EmscriptenFS, root: string): TrackedTree {
  FS.mkdirTree(root);
  return new TrackedTree(FS, root);
}

export class TrackedTree {
  /** Each is called once for any number of changes that come together. */
  readonly listeners = new Set<() => void>();
  /**
   * Called at once when something has become whole: the file that was written, because it is closed or synced, or a
   * path that was made, moved or removed.
   */
  settled: (written?: FileNode) => void = () => {};
  /** Says what may not be changed. */
  guard = new Guard({ locks: [] });
  readonly top: Directory;
  /** Makes changes that others made. */
  readonly writer = new TreeWriter(this);
  private readonly notes = new FileNotes();
  private readonly refusals = new Map<string, Refusal>();
  private readonly cursors = new Set<DirtyPaths>();
  /** The mirror whose own changes are being made: it knows them already. */
  private origin: DirtyPaths | undefined;
  private free = false;
  private telling = false;

  constructor(
    readonly FS: EmscriptenFS,
    readonly root: string,
  ) {
    this.top = FS.mount(FS.filesystems.MEMFS, {}, root);
    this.track(this.top);
  }

  unmount(): void {
    this.listeners.clear();
    this.FS.unmount(this.root);
  }

  /** Return what changed since the last call, in order, for events. */
  takeNotes(): FileNote[] {
    return this.notes.take();
  }

  /** Return what was refused since the last call, once a path. */
  takeRefusals(): { kind: string; message: string }[] {
    const taken = [...this.refusals.values()].map(({ kind, message }) => ({ kind, message }));
    this.refusals.clear();
    return taken;
  }

  /** Begin to collect changes for a reader, for which everything is new. */
  addCursor(): DirtyPaths {
    const cursor = new DirtyPaths();
    this.cursors.add(cursor);
    return cursor;
  }

  removeCursor(cursor: DirtyPaths): void {
    this.cursors.delete(cursor);
  }

  /** Call `work`, whose changes one reader knows already. */
  from(origin: DirtyPaths, work: () => void): void {
    this.origin = origin;
    try {
      work();
    } finally {
      this.origin = undefined;
    }
  }

  /** Call `work`, to which nothing is locked. */
  unguarded(work: () => void): void {
    this.free = true;
    try {
      work();
    } finally {
      this.free = false;
    }
  }

  /** Let two files change contents: one elsewhere in the file system, one in the tree. Nothing is copied. */
  exchange(outside: string, inside: string): void {
    const other = this.FS.lookupPath(inside).node as FileNode;
    const path = this.pathOf(other);
    this.check(path);
    exchange(this.FS.lookupPath(outside).node as FileNode, other);
    this.modified(path);
  }

  /** Return the node at a path. No link is followed: one could lead out of the tree. */
  find(path: string): Node | undefined {
    let node: Node | undefined = this.top;
    for (const name of path ? path.split("/") : [])
      node = node && isDirectory(node) ? node.contents[name] : undefined;
    return node;
  }

  directory(path: string): Directory | undefined {
    const node = this.find(path);
    return node && isDirectory(node) ? node : undefined;
  }

  /** Throw Refusal if a path, or with `below` anything under it, may not be changed. */
  check(path: string, below?: Node): void {
    if (this.free) return;
    this.guard.check(path);
    if (below && isDirectory(below) && this.guard.hasLocks)
      for (const [name, child] of Object.entries(below.contents)) this.check(join(path, name), child);
  }

  /** Like `check`, with the error that an operation of a file system throws. */
  private refuse(path: string, below?: Node): void {
    try {
      this.check(path, below);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refusals.set(error.path, error);
      this.tell();
      throw new this.FS.ErrnoError(error.kind === "locked" ? EACCES : EROFS);
    }
  }

  private pathOf(node: Node): string {
    const names: string[] = [];
    for (let each = node; each !== each.parent; each = each.parent) names.push(each.name);
    return names.reverse().join("/");
  }

  /** A file that was removed may still be open, and written to. */
  private isLinked(node: Node): boolean {
    return node === this.top || node.parent.contents[node.name] === node;
  }

  /** Give a node operations that note what they do; nodes made by them get the same. */
  private track(node: Node): void {
    node.node_ops = this.nodeOps(node.node_ops);
    if (isFile(node)) node.stream_ops = this.streamOps(node.stream_ops);
    // A plain object takes `__proto__` for its prototype, and has a `constructor` that is no file.
    if (isDirectory(node)) node.contents = Object.assign(Object.create(null), node.contents);
  }

  private readonly nodeOps = once(
    (plain: NodeOps): NodeOps => ({
      ...plain,
      setattr: (node, attributes) => this.setAttributes(plain, node, attributes),
      ...(plain.mknod && {
        mknod: (parent, name, mode, device) =>
          this.create(parent, name, () => plain.mknod(parent, name, mode, device)),
        symlink: (parent, name, target) =>
          this.create(parent, name, () => plain.symlink(parent, name, target)),
        unlink: (parent, name) => this.remove(parent, name, plain.unlink),
        rmdir: (parent, name) => this.remove(parent, name, plain.rmdir),
        rename: (node, parent, name) => this.rename(plain, node, parent, name),
      }),
    }),
  );

  private readonly streamOps = once((plain: StreamOps): StreamOps => {
    const write: StreamOps["write"] = (stream, buffer, offset, length, position, canOwn) => {
      const { node } = stream;
      const path = this.isLinked(node) ? this.pathOf(node) : undefined;
      if (path !== undefined) this.refuse(path);
      beforeWrite(node, position, position + length);
      const written = plain.write(stream, buffer, offset, length, position, canOwn);
      if (path !== undefined) this.modified(path);
      return written;
    };
    return {
      ...plain,
      write,
      close: (stream) => {
        plain.close?.(stream);
        this.settled((stream.flags & O_ACCMODE) === O_RDONLY ? undefined : stream.node);
      },
      fsync: (stream) => {
        this.settled(stream.node);
        return 0;
      },
      msync(stream, buffer, offset, length) {
        write(stream, buffer, 0, length, offset);
        return 0;
      },
    };
  });

  private setAttributes(plain: NodeOps, node: Node, attributes: Attributes): void {
    const path = this.isLinked(node) ? this.pathOf(node) : undefined;
    if (path !== undefined) this.refuse(path);
    if (attributes.size !== undefined && isFile(node)) beforeResize(node, attributes.size);
    plain.setattr(node, attributes);
    if (path) this.modified(path);
    if (attributes.size === undefined) this.settled();
  }

  private create(parent: Directory, name: string, make: () => Node): Node {
    const path = join(this.pathOf(parent), name);
    if (isTooLong(name)) throw new this.FS.ErrnoError(ENAMETOOLONG);
    this.refuse(path);
    const node = make();
    this.track(node);
    this.notes.created(path);
    this.note(path);
    // A file is whole when it is closed.
    if (!isFile(node)) this.settled();
    return node;
  }

  private remove(parent: Directory, name: string, remove: NodeOps["unlink"]): void {
    const path = join(this.pathOf(parent), name);
    this.refuse(path);
    remove(parent, name);
    this.notes.deleted(path);
    this.note(path);
    this.settled();
  }

  private rename(plain: NodeOps, node: Node, parent: Directory, name: string): void {
    const from = this.pathOf(node);
    const to = join(this.pathOf(parent), name);
    if (isTooLong(name)) throw new this.FS.ErrnoError(ENAMETOOLONG);
    this.refuse(from, node);
    this.refuse(to);
    const replaced = name in parent.contents;
    plain.rename(node, parent, name);
    this.notes.renamed(from, to, replaced, isDirectory(node));
    // Of what moves along nothing is noted; another directory may soon be where this one was.
    this.note(from, true);
    this.note(to, true);
    this.settled();
  }

  private modified(path: string): void {
    this.notes.modified(path);
    this.note(path);
  }

  private note(path: string, deep = false): void {
    for (const cursor of this.cursors) if (cursor !== this.origin) cursor.add(path, deep);
    this.tell();
  }

  private tell(): void {
    if (this.telling || !this.listeners.size) return;
    this.telling = true;
    setTimeout(() => {
      this.telling = false;
      for (const listener of this.listeners) listener();
    }, TELL_AFTER_MS);
  }
}

/** MEMFS shares one table of operations among all nodes of a kind, so one wrapped table serves them too. */
function once<T extends object>(wrap: (plain: T) => T): (plain: T) => T {
  const wrapped = new Map<T, T>();
  return (plain) => {
    const known = wrapped.get(plain);
    if (known) return known;
    const made = wrap(plain);
    wrapped.set(plain, made);
    return made;
  };
}
