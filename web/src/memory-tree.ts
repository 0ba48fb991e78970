/**
 * A small POSIX tree in memory, for workers that hold a mirror without an Emscripten of their own. Paths are absolute.
 * Links are followed as an operating system follows them, and lead nowhere but into the tree.
 */

import type { Change } from "./mirror";
import {
  contents,
  type Directory,
  type File,
  isTooLong,
  type Link,
  type Node,
  newRoot,
  type Place,
  pathAt,
  pathOf,
  sizeOf,
  TreeError,
  within,
} from "./tree-nodes";

const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;
const LINK_MODE = 0o777;
const MOST_LINKS = 40;

export class MemoryTree {
  private readonly root = newRoot();
  private nodes = 0;
  private used = 0;

  /**
   * `changed` is told of every change but those that `apply` makes, with paths that have no slash at their start.
   * `mayChange` throws before one that is refused. All files together hold up to `capacity` bytes.
   */
  constructor(
    private readonly changed: (change: Change) => void,
    private readonly mayChange: (operation: string, path: string) => void,
    private readonly capacity: number,
  ) {}

  /** Return the node at a path; `operation` names it in an error. */
  find(operation: string, path: string, follow = true): Node {
    const { node } = this.place(operation, path, follow);
    if (!node) throw new TreeError("ENOENT", operation, path);
    return node;
  }

  /** Return a file's contents; they stay as they are, whatever happens to the file. */
  read(path: string): Uint8Array {
    const node = this.find("open", path);
    if (node.kind !== "file") throw new TreeError("EISDIR", "open", path);
    return contents(node);
  }

  /** Return what is in a directory. */
  list(path: string): Node[] {
    const node = this.find("scandir", path);
    if (node.kind !== "directory") throw new TreeError("ENOTDIR", "scandir", path);
    return [...node.children.values()];
  }

  /** Make a file, or replace the contents of one. The tree keeps `data`. */
  write(path: string, data: Uint8Array): void {
    const place = this.place("open", path);
    if (place.node?.kind === "directory") throw new TreeError("EISDIR", "open", path);
    this.put(place, data, path);
  }

  append(path: string, data: Uint8Array): void {
    const { node } = this.place("open", path);
    if (node?.kind !== "file") {
      this.write(path, data);
      return;
    }
    if (!data.length) return;
    this.mayChange("open", pathOf(node));
    this.charge(data.length, path);
    const size = node.size + data.length;
    if (size > node.room.length) {
      const room = new Uint8Array(Math.max(size, 2 * node.size));
      room.set(contents(node));
      node.room = room;
    }
    node.room.set(data, node.size);
    node.size = size;
    node.mtime = Date.now();
    this.changed({ op: "append", path: pathOf(node), data });
  }

  /** Make a directory; with `parents` those above it, too, and it may be there already. */
  makeDirectory(path: string, parents = false): void {
    const place = this.place("mkdir", path, true, parents);
    if (!place.node) {
      this.mayChange("mkdir", pathAt(place));
      this.tell(this.newDirectory(place));
    } else if (!parents || place.node.kind !== "directory") throw new TreeError("EEXIST", "mkdir", path);
  }

  makeLink(target: string, path: string): void {
    const place = this.place("symlink", path, false);
    if (place.node) throw new TreeError("EEXIST", "symlink", path);
    this.mayChange("symlink", pathAt(place));
    this.tell(this.newLink(place, target));
  }

  /** Remove a file, a link, or a directory: an empty one, or with `recursive` any. */
  remove(path: string, recursive = false): void {
    const node = this.find("rm", path, false);
    if (node.kind === "directory" && node.children.size && !recursive)
      throw new TreeError("ENOTEMPTY", "rm", path);
    this.mayChangeAll("rm", node);
    const gone = pathOf(node);
    this.detach(node);
    this.changed({ op: "gone", path: gone });
  }

  /** Copy a file, or with `recursive` anything, links as links; what is there already is written over. */
  copy(source: string, target: string, recursive = false): void {
    const node = this.find("cp", source, !recursive);
    if (node.kind === "directory" && !recursive) throw new TreeError("EISDIR", "cp", source);
    const place = this.place("cp", target, node.kind !== "link");
    if (within(place.parent, node)) throw new TreeError("EINVAL", "cp", target);
    this.copyTo(node, place, target);
  }

  /** Rename; what is there already is replaced, unless it is a directory that is not empty. */
  move(source: string, target: string): void {
    const node = this.find("mv", source, false);
    const { parent, name, node: old } = this.place("mv", target, false);
    if (old === node) return;
    if (within(parent, node)) throw new TreeError("EINVAL", "mv", target);
    if (old && node.kind === "directory" && old.kind !== "directory")
      throw new TreeError("ENOTDIR", "mv", target);
    if (old?.kind === "directory") {
      if (node.kind !== "directory") throw new TreeError("EISDIR", "mv", target);
      if (old.children.size) throw new TreeError("ENOTEMPTY", "mv", target);
    }
    this.mayChangeAll("mv", node);
    this.mayChange("mv", pathAt({ parent, name }));
    const from = pathOf(node);
    if (old) this.detach(old);
    this.unhook(node);
    node.name = name;
    this.hook(node, parent);
    this.changed({ op: "rename", path: from, to: pathOf(node) });
  }

  /** Set permissions or a time, in milliseconds. */
  setAttributes(operation: string, path: string, attributes: { mode?: number; mtime?: number }): void {
    const node = this.find(operation, path);
    this.mayChange(operation, pathOf(node));
    Object.assign(node, attributes);
    this.changed({ op: "attributes", path: pathOf(node), mode: node.mode, mtime: node.mtime });
  }

  /** Return what makes a node anew, and all that is below it. */
  describe(node: Node): Change[] {
    const { mode, mtime } = node;
    const path = pathOf(node);
    if (node.kind === "file") return [{ op: "file", path, mode, mtime, data: contents(node) }];
    if (node.kind === "link") return [{ op: "link", path, mtime, target: node.target }];
    const below = [...node.children.values()].flatMap((child) => this.describe(child));
    return [{ op: "directory", path, mode, mtime }, ...below];
  }

  /** Make a change that the kernel made. Its path is taken as it is: no link is followed. */
  apply(change: Change): void {
    const place = this.exactPlace(change.path);
    const known = place.node?.kind === change.op ? place.node : undefined;
    if (place.node && !known) this.detach(place.node);
    if (change.op === "file") {
      const { data, mode, mtime } = change;
      const file = (known as File | undefined) ?? this.newFile(place);
      this.used += data.length - file.size;
      Object.assign(file, { room: data, size: data.length, mode, mtime });
    } else if (change.op === "directory") {
      Object.assign(known ?? this.newDirectory(place), { mode: change.mode, mtime: change.mtime });
    } else if (change.op === "link")
      Object.assign(known ?? this.newLink(place, ""), { target: change.target, mtime: change.mtime });
    else if (change.op !== "gone")
      throw new Error(`a kernel does not tell of changes of the kind ${change.op}`);
  }

  private place(operation: string, path: string, follow = true, makeParents = false): Place {
    if (path.includes("\0")) throw new TreeError("ENOENT", operation, path);
    const names = path.split("/").filter(Boolean).reverse();
    let node: Node = this.root;
    let links = 0;
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      if (name === ".") continue;
      if (node.kind !== "directory") throw new TreeError("ENOTDIR", operation, path);
      if (name === "..") {
        node = node.parent;
        continue;
      }
      const parent: Directory = node;
      if (isTooLong(name)) throw new TreeError("ENAMETOOLONG", operation, path);
      const last = names.length === 0;
      const child = parent.children.get(name);
      if (child?.kind === "link" && (follow || !last)) {
        links += 1;
        if (links > MOST_LINKS) throw new TreeError("ELOOP", operation, path);
        names.push(...child.target.split("/").filter(Boolean).reverse());
        if (child.target.startsWith("/")) node = this.root;
      } else if (child) node = child;
      else if (last) return { parent, name };
      else if (makeParents) {
        this.mayChange(operation, pathAt({ parent, name }));
        node = this.newDirectory({ parent, name });
        this.tell(node);
      } else throw new TreeError("ENOENT", operation, path);
    }
    return { parent: node.parent, name: node.name, node };
  }

  private exactPlace(path: string): Place {
    const names = path.split("/");
    const name = names.pop() as string;
    let parent: Directory = this.root;
    for (const each of names) {
      const next = parent.children.get(each);
      if (next && next.kind !== "directory") this.detach(next);
      parent = next?.kind === "directory" ? next : this.newDirectory({ parent, name: each });
    }
    return { parent, name, node: parent.children.get(name) };
  }

  private copyTo(source: Node, place: Place, path: string): void {
    let { node } = place;
    if (source.kind === "directory") {
      if (node && node.kind !== "directory") throw new TreeError("ENOTDIR", "cp", path);
      if (!node) this.mayChange("cp", pathAt(place));
      const directory = node ?? this.newDirectory(place, source.mode);
      if (!node) this.tell(directory);
      for (const child of [...source.children.values()]) {
        const { name } = child;
        const there = { parent: directory, name, node: directory.children.get(name) };
        this.copyTo(child, there, `${path}/${name}`);
      }
      return;
    }
    if (node?.kind === "directory") throw new TreeError("EISDIR", "cp", path);
    this.mayChange("cp", pathAt(place));
    if (node && (node.kind === "link" || source.kind === "link")) {
      this.detach(node);
      node = undefined;
    }
    if (source.kind === "link") this.tell(this.newLink(place, source.target));
    else this.put({ ...place, node }, contents(source).slice(), path, source.mode);
  }

  /** Fill the file at a place, which is made if the place is free. */
  private put(place: Place, data: Uint8Array, path: string, mode = FILE_MODE): void {
    const old = place.node as File | undefined;
    this.mayChange("open", old ? pathOf(old) : pathAt(place));
    this.charge(data.length - (old?.size ?? 0), path);
    const file = old ?? this.newFile(place, mode);
    this.tell(Object.assign(file, { room: data, size: data.length, mtime: Date.now() }));
  }

  private mayChangeAll(operation: string, node: Node): void {
    this.mayChange(operation, pathOf(node));
    if (node.kind === "directory")
      for (const child of node.children.values()) this.mayChangeAll(operation, child);
  }

  private charge(bytes: number, path: string): void {
    if (bytes > 0 && this.used + bytes > this.capacity) throw new TreeError("ENOSPC", "write", path);
    this.used += bytes;
  }

  private newFile(place: Place, mode = FILE_MODE): File {
    return this.add({ ...this.born(place, mode), kind: "file", room: new Uint8Array(0), size: 0 });
  }

  private newDirectory(place: Place, mode = DIRECTORY_MODE): Directory {
    return this.add({ ...this.born(place, mode), kind: "directory", children: new Map() });
  }

  private newLink(place: Place, target: string): Link {
    return this.add({ ...this.born(place, LINK_MODE), kind: "link", target });
  }

  private born({ parent, name }: Place, mode: number) {
    this.nodes += 1;
    return { name, parent, mode, mtime: Date.now(), id: this.nodes };
  }

  private add<N extends Node>(node: N): N {
    this.hook(node, node.parent);
    return node;
  }

  private hook(node: Node, parent: Directory): void {
    node.parent = parent;
    parent.children.set(node.name, node);
    parent.mtime = Date.now();
  }

  private unhook(node: Node): void {
    node.parent.children.delete(node.name);
    node.parent.mtime = Date.now();
  }

  private detach(node: Node): void {
    this.unhook(node);
    this.used -= sizeOf(node);
  }

  /** Tell of one node. */
  private tell(node: Node): void {
    if (node.kind === "directory")
      this.changed({ op: "directory", path: pathOf(node), mode: node.mode, mtime: node.mtime });
    else for (const change of this.describe(node)) this.changed(change);
  }
}
