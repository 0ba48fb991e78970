/**
 * A sandbox's tree: Emscripten's MEMFS under a mount of its own whose operations note every mutation, whoever makes
 * it: Python's os and open, JavaScript, or a worker's mirror.
 */

import type { Directory, EmscriptenFS, Node, NodeOps, StreamOps } from "./emscripten";
import { type FileNote, FileNotes } from "./file-notes";
import { type Change, DirtyPaths } from "./mirror";

export type { EmscriptenFS } from "./emscripten";

const ENOENT = 44;
const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
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
  private readonly top: Directory;
  private readonly notes = new FileNotes();
  private readonly mirrors = new Set<DirtyPaths>();
  /** The mirror whose own changes are being applied: it knows them already. */
  private applying: DirtyPaths | undefined;
  private telling = false;

  constructor(
    readonly FS: EmscriptenFS,
    readonly root: string,
  ) {
    this.top = FS.mount(FS.filesystems.MEMFS, {}, root) as Directory;
    this.track(this.top);
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

  /** Return the present state of all that a mirror has not been told of. Contents are views: copy them at once. */
  changesFor(mirror: DirtyPaths): Change[] {
    const changes: Change[] = [];
    let told: string | undefined;
    for (const [path, deep] of mirror.take()) {
      if (told !== undefined && path.startsWith(told)) continue;
      const node = this.find(path);
      if (node) this.describe(node, path, deep, changes);
      // With its parent a path is gone as well.
      else if (this.directory(dirname(path))) changes.push({ op: "gone", path });
      if (deep) told = path ? `${path}/` : "";
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
          if (!(error instanceof this.FS.ErrnoError)) throw error;
          // Somebody else changed the tree in between. The worker gets the truth with its next look.
          mirror.add(change.path, true);
          if (change.op === "rename") mirror.add(change.to, true);
        }
      }
    } finally {
      this.applying = undefined;
    }
  }

  private make(change: Change): void {
    const { FS } = this;
    const parent = this.directory(dirname(change.path));
    if (!parent || !change.path) throw new FS.ErrnoError(ENOENT);
    const name = change.path.slice(change.path.lastIndexOf("/") + 1);
    let node: Node | undefined = parent.contents[name];
    const kept = { file: FS.isFile, directory: FS.isDir, link: () => false, gone: () => false };
    if (node && change.op in kept && !kept[change.op as keyof typeof kept](node.mode)) {
      this.remove(parent, node);
      node = undefined;
    }
    switch (change.op) {
      case "file":
        node ??= parent.node_ops.mknod(parent, name, S_IFREG | change.mode, 0);
        node.contents = change.data;
        node.usedBytes = change.data.length;
        setAttributes(node, change);
        break;
      case "directory":
        setAttributes(node ?? parent.node_ops.mknod(parent, name, S_IFDIR | change.mode, 0), change);
        break;
      case "link":
        parent.node_ops.symlink(parent, name, change.target);
        break;
      case "append":
        if (!node || !FS.isFile(node.mode)) throw new FS.ErrnoError(ENOENT);
        append(node, change.data);
        break;
      case "attributes":
        if (!node) throw new FS.ErrnoError(ENOENT);
        setAttributes(node, change);
        break;
      case "rename":
        if (!this.directory(dirname(change.to))) throw new FS.ErrnoError(ENOENT);
        // Neither path has a link on its way, which Emscripten would follow, even out of the tree.
        FS.rename(`${this.root}/${change.path}`, `${this.root}/${change.to}`);
    }
  }

  private remove(parent: Directory, node: Node): void {
    if (this.isDirectory(node)) {
      for (const child of Object.values(node.contents)) this.remove(node, child);
      parent.node_ops.rmdir(parent, node.name);
    } else parent.node_ops.unlink(parent, node.name);
    this.FS.destroyNode(node);
  }

  private describe(node: Node, path: string, deep: boolean, changes: Change[]): void {
    const about = { path, mode: node.mode & PERMISSIONS, mtime: node.mtime };
    if (this.FS.isFile(node.mode)) changes.push({ op: "file", ...about, data: contentsOf(node) });
    else if (this.FS.isLink(node.mode)) changes.push({ op: "link", path, target: node.link });
    else if (this.isDirectory(node)) {
      if (path) changes.push({ op: "directory", ...about });
      if (!deep) return;
      for (const [name, child] of Object.entries(node.contents))
        this.describe(child, join(path, name), true, changes);
    }
  }

  /** Return the node at a path. No link is followed: one could lead out of the tree. */
  private find(path: string): Node | undefined {
    let node: Node | undefined = this.top;
    for (const name of path ? path.split("/") : [])
      node = node && this.isDirectory(node) ? node.contents[name] : undefined;
    return node;
  }

  private directory(path: string): Directory | undefined {
    const node = this.find(path);
    return node && this.isDirectory(node) ? node : undefined;
  }

  private isDirectory(node: Node): node is Directory {
    return this.FS.isDir(node.mode);
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
    // A plain object takes `__proto__` for its prototype, and has a `constructor` that is no file.
    if (this.isDirectory(node)) node.contents = Object.assign(Object.create(null), node.contents);
  }

  private readonly nodeOps = once(
    (plain: NodeOps): NodeOps => ({
      ...plain,
      setattr: (node, attributes) => {
        plain.setattr(node, attributes);
        this.changed(node);
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
          const to = join(this.pathOf(parent), name);
          const replaced = name in parent.contents;
          plain.rename(node, parent, name);
          this.notes.renamed(from, to, replaced, this.isDirectory(node));
          this.note(from);
          this.note(to, true);
        },
      }),
    }),
  );

  private readonly streamOps = once(
    (plain: StreamOps): StreamOps => ({
      ...plain,
      write: (stream, ...rest) => {
        const written = plain.write(stream, ...rest);
        this.changed(stream.node);
        return written;
      },
      msync: (stream, ...rest) => {
        const result = plain.msync(stream, ...rest);
        this.changed(stream.node);
        return result;
      },
    }),
  );

  private created(path: string): void {
    this.notes.created(path);
    this.note(path);
  }

  private changed(node: Node): void {
    // A file that was removed may still be open, and written to.
    const linked = node !== this.top && (node.parent as Directory).contents[node.name] === node;
    if (!linked) return;
    const path = this.pathOf(node);
    this.notes.modified(path);
    this.note(path);
  }

  private deleted(path: string): void {
    this.notes.deleted(path);
    this.note(path);
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

function dirname(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** What Python wrote is kept as an Int8Array, like the heap it was copied from. */
function contentsOf(file: Node): Uint8Array {
  const { buffer, byteOffset } = file.contents as Uint8Array;
  return new Uint8Array(buffer, byteOffset, file.usedBytes);
}

function append(file: Node, data: Uint8Array): void {
  const size = file.usedBytes + data.length;
  let room = file.contents as Uint8Array;
  if (size > room.length) {
    room = new Uint8Array(Math.max(size, 2 * file.usedBytes));
    room.set(contentsOf(file));
    file.contents = room;
  }
  room.set(data, file.usedBytes);
  file.usedBytes = size;
  const now = Date.now();
  file.node_ops.setattr(file, { mtime: now, ctime: now });
}

function setAttributes(node: Node, { mode, mtime }: { mode: number; mtime: number }): void {
  const whole = (node.mode & ~PERMISSIONS) | mode;
  node.node_ops.setattr(node, { mode: whole, mtime, atime: mtime, ctime: Date.now() });
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
