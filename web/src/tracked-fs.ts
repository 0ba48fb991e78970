/**
 * A sandbox's tree: Emscripten's MEMFS under a mount of its own whose operations note every mutation, whoever makes
 * it: Python's os and open, JavaScript, or a worker's mirror.
 */

import { type FileNote, FileNotes } from "./file-notes";
import { type Change, DirtyPaths } from "./mirror";

// What is used of Emscripten's FS beyond its published types.
interface Node {
  name: string;
  mode: number;
  mtime: number;
  parent: Node;
  mount: { mountpoint: string };
  contents: Uint8Array | Record<string, Node>;
  usedBytes: number;
  link: string;
  node_ops: NodeOps;
  stream_ops: StreamOps;
}
interface NodeOps {
  setattr(node: Node, attributes: { size?: number; [name: string]: unknown }): void;
  mknod(parent: Node, name: string, mode: number, device: number): Node;
  rename(node: Node, parent: Node, name: string): void;
  unlink(parent: Node, name: string): void;
  rmdir(parent: Node, name: string): void;
  symlink(parent: Node, name: string, target: string): Node;
}
interface Stream {
  node: Node;
}
interface StreamOps {
  write(
    stream: Stream,
    ...rest: [buffer: Uint8Array, offset: number, length: number, ...more: unknown[]]
  ): number;
  msync(stream: Stream, ...rest: unknown[]): number;
}
export interface EmscriptenFS {
  filesystems: { MEMFS: object };
  mkdirTree(path: string): void;
  mount(type: object, options: object, path: string): Node;
  unmount(path: string): void;
  lookupPath(path: string, options: { follow?: boolean }): { node: Node };
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  isLink(mode: number): boolean;
  writeFile(path: string, data: Uint8Array, options?: { flags?: string; canOwn?: boolean }): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  rmdir(path: string): void;
  symlink(target: string, path: string): void;
  chmod(path: string, mode: number): void;
  utime(path: string, atime: number, mtime: number): void;
}

const PERMISSIONS = 0o7777;
/** Well within the time between two frames of a screen. */
const TELL_AFTER_MS = 8;

/** Mount a new, empty tree at `root`. */
export function mountTree(FS: EmscriptenFS, root: string): TrackedTree {
  FS.mkdirTree(root);
  return new TrackedTree(FS, root);
}

export class TrackedTree {
  /** Called once for any number of changes that come together. */
  onChange: (() => void) | undefined;
  private readonly notes = new FileNotes();
  private readonly mirrors = new Set<DirtyPaths>();
  /** The mirror whose own changes are being applied: it knows them already. */
  private applying: DirtyPaths | undefined;
  private telling = false;

  constructor(
    readonly FS: EmscriptenFS,
    readonly root: string,
  ) {
    this.track(FS.mount(FS.filesystems.MEMFS, {}, root));
  }

  unmount(): void {
    this.onChange = undefined;
    this.FS.unmount(this.root);
  }

  /** Return what changed since the last call, in order, for events. */
  takeNotes(): FileNote[] {
    return this.notes.take();
  }

  /** Begin to note changes for a mirror, which starts empty. */
  addMirror(): DirtyPaths {
    const mirror = new DirtyPaths();
    this.mirrors.add(mirror);
    return mirror;
  }

  removeMirror(mirror: DirtyPaths): void {
    this.mirrors.delete(mirror);
  }

  /** Return the present state of all that a mirror has not been told of. */
  changesFor(mirror: DirtyPaths): Change[] {
    const changes: Change[] = [];
    let told = "";
    for (const [path, deep] of mirror.take()) {
      if (told && path.startsWith(told)) continue;
      this.describe(path, deep, changes);
      if (deep) told = path ? `${path}/` : "/";
      if (deep && !path) break;
    }
    return changes;
  }

  /** Make the changes that a mirror's worker made. What no longer fits, such as a path that is gone, is passed over. */
  apply(changes: Change[], mirror: DirtyPaths): void {
    this.applying = mirror;
    try {
      for (const change of changes) {
        try {
          this.make(change);
        } catch (error) {
          if (!isErrno(error)) throw error;
          // Somebody else changed the tree in between. The worker gets the truth with its next look.
          mirror.add(change.path, true);
        }
      }
    } finally {
      this.applying = undefined;
    }
  }

  private make(change: Change): void {
    const { FS } = this;
    const path = this.absolute(change.path);
    switch (change.op) {
      case "file":
        if (this.find(change.path) && !this.isFile(change.path)) this.remove(change.path);
        FS.writeFile(path, change.data, { canOwn: true });
        FS.chmod(path, change.mode);
        FS.utime(path, change.mtime, change.mtime);
        break;
      case "append":
        FS.writeFile(path, change.data, { flags: "a" });
        break;
      case "directory":
        if (!this.find(change.path)) FS.mkdirTree(path);
        FS.chmod(path, change.mode);
        break;
      case "link":
        this.remove(change.path);
        FS.symlink(change.target, path);
        break;
      case "attributes":
        FS.chmod(path, change.mode);
        FS.utime(path, change.mtime, change.mtime);
        break;
      case "rename":
        FS.rename(path, this.absolute(change.to));
        break;
      case "gone":
        this.remove(change.path);
    }
  }

  private remove(path: string): void {
    const node = this.find(path);
    if (!node) return;
    if (this.FS.isDir(node.mode)) {
      for (const name of Object.keys(node.contents)) this.remove(join(path, name));
      this.FS.rmdir(this.absolute(path));
    } else this.FS.unlink(this.absolute(path));
  }

  private describe(path: string, deep: boolean, changes: Change[]): void {
    const node = this.find(path);
    if (!node) {
      changes.push({ op: "gone", path });
      return;
    }
    const { FS } = this;
    const about = { path, mode: node.mode & PERMISSIONS, mtime: node.mtime };
    if (FS.isFile(node.mode)) changes.push({ op: "file", ...about, data: copyOf(node) });
    else if (FS.isLink(node.mode)) changes.push({ op: "link", path, target: node.link });
    else if (FS.isDir(node.mode)) {
      if (path) changes.push({ op: "directory", ...about });
      if (deep) for (const name of Object.keys(node.contents)) this.describe(join(path, name), true, changes);
    }
  }

  private find(path: string): Node | undefined {
    try {
      return this.FS.lookupPath(this.absolute(path), { follow: false }).node;
    } catch (error) {
      if (isErrno(error)) return undefined;
      throw error;
    }
  }

  private isFile(path: string): boolean {
    const node = this.find(path);
    return node !== undefined && this.FS.isFile(node.mode);
  }

  private absolute(path: string): string {
    return path ? `${this.root}/${path}` : this.root;
  }

  private pathOf(node: Node): string {
    const names: string[] = [];
    for (let each = node; each !== each.parent; each = each.parent) names.push(each.name);
    return names.reverse().join("/");
  }

  /** Give a node operations that note what they do; nodes made by them get the same. */
  private track(node: Node): void {
    node.node_ops = this.nodeOps(node.node_ops);
    if (this.FS.isFile(node.mode)) node.stream_ops = this.streamOps(node.stream_ops);
  }

  private readonly nodeOps = once(
    (plain: NodeOps): NodeOps => ({
      ...plain,
      setattr: (node, attributes) => {
        plain.setattr(node, attributes);
        this.changed(this.pathOf(node));
      },
      ...(plain.mknod && {
        mknod: (parent, name, mode, device) => {
          const node = plain.mknod(parent, name, mode, device);
          this.track(node);
          this.created(this.pathOf(node));
          return node;
        },
        symlink: (parent, name, target) => {
          const node = plain.symlink(parent, name, target);
          this.track(node);
          this.created(this.pathOf(node));
          return node;
        },
        unlink: (parent, name) => {
          plain.unlink(parent, name);
          this.deleted(join(this.pathOf(parent), name));
        },
        rmdir: (parent, name) => {
          plain.rmdir(parent, name);
          this.deleted(join(this.pathOf(parent), name));
        },
        rename: (node, parent, name) => {
          const from = this.pathOf(node);
          const replaced = name in parent.contents;
          plain.rename(node, parent, name);
          this.renamed(from, join(this.pathOf(parent), name), replaced);
        },
      }),
    }),
  );

  private readonly streamOps = once(
    (plain: StreamOps): StreamOps => ({
      ...plain,
      write: (stream, ...rest) => {
        const written = plain.write(stream, ...rest);
        this.changed(this.pathOf(stream.node));
        return written;
      },
      msync: (stream, ...rest) => {
        const result = plain.msync(stream, ...rest);
        this.changed(this.pathOf(stream.node));
        return result;
      },
    }),
  );

  private created(path: string): void {
    this.notes.created(path);
    this.note(path);
  }

  private changed(path: string): void {
    this.notes.modified(path);
    this.note(path);
  }

  private deleted(path: string): void {
    this.notes.deleted(path);
    this.note(path);
  }

  private renamed(from: string, to: string, replaced: boolean): void {
    this.notes.renamed(from, to, replaced);
    this.note(from);
    this.note(to, true);
  }

  private note(path: string, deep = false): void {
    for (const mirror of this.mirrors) if (mirror !== this.applying) mirror.add(path, deep);
    if (this.telling || !this.onChange) return;
    this.telling = true;
    setTimeout(() => {
      this.telling = false;
      this.onChange?.();
    }, TELL_AFTER_MS);
  }
}

function join(parent: string, name: string): string {
  return parent ? `${parent}/${name}` : name;
}

/** What Python wrote is kept as an Int8Array, like the heap it was copied from. */
function copyOf(file: Node): Uint8Array {
  const { buffer, byteOffset } = file.contents as Uint8Array;
  return new Uint8Array(buffer, byteOffset, file.usedBytes).slice();
}

function isErrno(error: unknown): boolean {
  return typeof (error as { errno?: unknown } | null)?.errno === "number";
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
