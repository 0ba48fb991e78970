/** What is used of Emscripten's file system beyond its published types, and what we add to its nodes. */

interface Common {
  name: string;
  mode: number;
  /** Milliseconds since the epoch. */
  mtime: number;
  parent: Directory;
  node_ops: NodeOps;
  stream_ops: StreamOps;
}
export interface FileNode extends Common {
  contents: Uint8Array;
  usedBytes: number;
  /** The contents, or their beginning, that somebody keeps: see contents.ts. */
  shared?: Uint8Array | undefined;
  /** How a large file is saved: see saver.ts. */
  saved?: SavedFile | undefined;
}
export interface Directory extends Common {
  contents: Record<string, Node>;
  /** What is mounted here. */
  mounted?: { root: Directory };
}
export interface LinkNode extends Common {
  link: string;
}
export type Node = FileNode | Directory | LinkNode;

export interface SavedFile {
  /** Names its pieces. */
  readonly id: number;
  /** What changed since they were saved: bytes from `from` up to `to`. */
  from: number;
  to: number;
}

export interface Attributes {
  mode?: number;
  atime?: number;
  mtime?: number;
  ctime?: number;
  size?: number;
}
export interface NodeOps {
  setattr(node: Node, attributes: Attributes): void;
  mknod(parent: Directory, name: string, mode: number, device: number): Node;
  rename(node: Node, parent: Directory, name: string): void;
  unlink(parent: Directory, name: string): void;
  rmdir(parent: Directory, name: string): void;
  symlink(parent: Directory, name: string, target: string): Node;
}
export interface Stream {
  node: FileNode;
  flags: number;
}
export interface StreamOps {
  close?(stream: Stream): void;
  fsync?(stream: Stream): number;
  write(
    stream: Stream,
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
    canOwn?: boolean,
  ): number;
  msync(stream: Stream, buffer: Uint8Array, offset: number, length: number, flags: number): number;
}
export interface EmscriptenFS {
  filesystems: { MEMFS: { ops_table: { file: { node: NodeOps; stream: StreamOps } } } };
  streams: (Stream | null | undefined)[];
  ErrnoError: new (errno: number) => Error & { errno: number };
  mkdirTree(path: string): void;
  mount(type: object, options: object, path: string): Directory;
  unmount(path: string): void;
  lookupPath(path: string): { node: Node };
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  isLink(mode: number): boolean;
  destroyNode(node: Node): void;
  rename(from: string, to: string): void;
}

const FORMAT = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const LINK = 0o120000;
export const PERMISSIONS = 0o7777;

export function isFile(node: Node): node is FileNode {
  return (node.mode & FORMAT) === REGULAR;
}

export function isDirectory(node: Node): node is Directory {
  return (node.mode & FORMAT) === DIRECTORY;
}

export function isLink(node: Node): node is LinkNode {
  return (node.mode & FORMAT) === LINK;
}
