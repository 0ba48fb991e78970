/** Changes of a tree as values: telling a mirror of them, and making those that others made. */

import { append, contentsOf, fill } from "./contents";
import {
  type Directory,
  type FileNode,
  isDirectory,
  isFile,
  isLink,
  type Node,
  PERMISSIONS,
} from "./emscripten";
import type { Change, DirtyPaths } from "./mirror";
import { dirname, join } from "./paths";
import type { TrackedTree } from "./tracked-fs";

const ENOENT = 44;
const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;

export class TreeWriter {
  constructor(private readonly tree: TrackedTree) {}

  /** Return the present state of all that a reader has not been told of. Contents are views: copy them at once. */
  changesFor(cursor: DirtyPaths): Change[] {
    const changes: Change[] = [];
    for (const { path, node } of this.dirty(cursor.take()))
      changes.push(node ? describe(node, path) : { op: "gone", path });
    return changes;
  }

  /**
   * Yield what is at the paths that a cursor collected and, where it says so, below them; parents come first. A path
   * that is gone stands for all that was below it, and is left out when its parent is gone as well; a directory that
   * is told of as a whole is first told to be gone.
   */
  *dirty(paths: [path: string, deep: boolean][]): Generator<{ path: string; node: Node | undefined }> {
    let told: string | undefined;
    for (const [path, deep] of paths) {
      if (told !== undefined && path.startsWith(told)) continue;
      const node = this.tree.find(path);
      if (!node) {
        if (this.tree.directory(dirname(path))) yield { path, node };
      } else if (deep) {
        if (path && isDirectory(node)) yield { path, node: undefined };
        yield* below(node, path);
      } else if (path) yield { path, node };
      if (deep) told = path ? `${path}/` : "";
    }
  }

  /** Make the changes that a mirror's worker made. What no longer fits, such as a path that is gone, is passed over. */
  apply(changes: Change[], mirror: DirtyPaths): void {
    this.tree.from(mirror, () => {
      for (const change of changes) {
        try {
          this.make(change);
        } catch (error) {
          if (!(error instanceof this.tree.FS.ErrnoError)) throw error;
          // Somebody else changed the tree in between. The worker gets the truth with its next look.
          mirror.add(change.path, true);
          if (change.op === "rename") mirror.add(change.to, true);
        }
      }
    });
  }

  /** Make one change; with `shared` the data of a file is kept by others, too. Throws ErrnoError where it does not fit. */
  make(change: Change, shared = false): void {
    const { tree } = this;
    const { FS } = tree;
    const parent = tree.directory(dirname(change.path));
    if (!parent || !change.path) throw new FS.ErrnoError(ENOENT);
    const name = change.path.slice(change.path.lastIndexOf("/") + 1);
    const node = this.makeRoom(change, parent, parent.contents[name]);
    switch (change.op) {
      case "file": {
        const file = node ?? parent.node_ops.mknod(parent, name, S_IFREG | change.mode, 0);
        setAttributes(file, change);
        fill(file as FileNode, change.data, shared);
        break;
      }
      case "directory":
        setAttributes(node ?? parent.node_ops.mknod(parent, name, S_IFDIR | change.mode, 0), change);
        break;
      case "link":
        parent.node_ops.symlink(parent, name, change.target).mtime = change.mtime;
        break;
      case "append": {
        if (!node || !isFile(node)) throw new FS.ErrnoError(ENOENT);
        const now = Date.now();
        node.node_ops.setattr(node, { mtime: now, ctime: now });
        append(node, change.data);
        break;
      }
      case "attributes":
        if (!node) throw new FS.ErrnoError(ENOENT);
        setAttributes(node, change);
        break;
      case "rename":
        if (!tree.directory(dirname(change.to))) throw new FS.ErrnoError(ENOENT);
        // Neither path has a link on its way, which Emscripten would follow, even out of the tree.
        FS.rename(`${tree.root}/${change.path}`, `${tree.root}/${change.to}`);
    }
  }

  /** Remove what is at a path, and all that is below it. */
  remove(parent: Directory, node: Node): void {
    if (isDirectory(node)) {
      for (const child of Object.values(node.contents)) this.remove(node, child);
      parent.node_ops.rmdir(parent, node.name);
    } else parent.node_ops.unlink(parent, node.name);
    this.tree.FS.destroyNode(node);
  }

  /** Remove a node that is not of the kind that a change makes, and return one that is. */
  private makeRoom({ op }: Change, parent: Directory, node: Node | undefined): Node | undefined {
    if (!node) return undefined;
    const stays =
      op === "file" ? isFile(node) : op === "directory" ? isDirectory(node) : op !== "link" && op !== "gone";
    if (stays) return node;
    this.remove(parent, node);
    return undefined;
  }
}

/** Return the change that makes a node what it is. */
export function describe(node: Node, path: string): Change {
  const about = { path, mode: node.mode & PERMISSIONS, mtime: node.mtime };
  if (isFile(node)) return { op: "file", ...about, data: contentsOf(node) };
  if (isLink(node)) return { op: "link", path, mtime: node.mtime, target: node.link };
  return { op: "directory", ...about };
}

/** Yield a node and all that is below it, parents first; the root itself is left out. */
export function* below(node: Node, path: string): Generator<{ path: string; node: Node }> {
  if (path) yield { path, node };
  if (!isDirectory(node)) return;
  for (const [name, child] of Object.entries(node.contents)) yield* below(child, join(path, name));
}

function setAttributes(node: Node, { mode, mtime }: { mode: number; mtime: number }): void {
  const whole = (node.mode & ~PERMISSIONS) | mode;
  node.node_ops.setattr(node, { mode: whole, mtime, atime: mtime, ctime: Date.now() });
}
