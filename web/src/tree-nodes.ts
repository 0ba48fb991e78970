/** What a tree in memory is made of. */

export type Node = File | Directory | Link;

interface Common {
  name: string;
  /** The root is its own parent. */
  parent: Directory;
  mode: number;
  /** Milliseconds since the epoch. */
  mtime: number;
  readonly id: number;
}
export interface File extends Common {
  kind: "file";
  /** The contents and room to grow; what lies within `size` is never overwritten in place. */
  room: Uint8Array;
  size: number;
}
export interface Directory extends Common {
  kind: "directory";
  children: Map<string, Node>;
}
export interface Link extends Common {
  kind: "link";
  target: string;
}

/** Where a path leads: to a node, or to a free name in a directory. */
export interface Place {
  parent: Directory;
  name: string;
  node?: Node | undefined;
}

const REASONS = {
  EACCES: "permission denied",
  EBUSY: "resource busy or locked",
  EEXIST: "file already exists",
  EINVAL: "invalid argument",
  EISDIR: "illegal operation on a directory",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "name too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EROFS: "read-only file system",
};

/** An operation that failed as it would on a disk, in Node's words. */
export class TreeError extends Error {
  constructor(
    readonly code: keyof typeof REASONS,
    operation: string,
    path: string,
    reason: string = REASONS[code],
  ) {
    super(`${code}: ${reason}, ${operation} '${path}'`);
  }
}

export function newRoot(): Directory {
  const root = { kind: "directory", name: "", mode: 0o755, mtime: Date.now(), id: 0, children: new Map() };
  return Object.assign(root, { parent: root }) as unknown as Directory;
}

const LONGEST_NAME = 255;

/** Tell whether a name has more bytes than any file's may have. */
export function isTooLong(name: string): boolean {
  return name.length * 3 > LONGEST_NAME && new TextEncoder().encode(name).length > LONGEST_NAME;
}

/** Return a node's path without a slash at its start; the root's is empty. */
export function pathOf(node: Node): string {
  const names: string[] = [];
  for (let each = node; each !== each.parent; each = each.parent) names.push(each.name);
  return names.reverse().join("/");
}

export function pathAt({ parent, name }: Place): string {
  return parent === parent.parent ? name : `${pathOf(parent)}/${name}`;
}

export function contents(file: File): Uint8Array {
  return file.size === file.room.length ? file.room : file.room.subarray(0, file.size);
}

/** Tell whether a directory is a node, or lies below it. */
export function within(directory: Directory, node: Node): boolean {
  let each = directory;
  while (each !== node && each !== each.parent) each = each.parent;
  return each === node;
}

/** Return how many bytes the files of a node hold. */
export function sizeOf(node: Node): number {
  if (node.kind === "file") return node.size;
  let size = 0;
  if (node.kind === "directory") for (const child of node.children.values()) size += sizeOf(child);
  return size;
}
