/** What is used of Emscripten's file system beyond its published types. */

export interface Node {
  name: string;
  mode: number;
  mtime: number;
  parent: Node;
  contents: Uint8Array | Record<string, Node>;
  usedBytes: number;
  link: string;
  node_ops: NodeOps;
  stream_ops: StreamOps;
}
export interface Directory extends Node {
  contents: Record<string, Node>;
}
export interface NodeOps {
  setattr(
    node: Node,
    attributes: Partial<Record<"mode" | "atime" | "mtime" | "ctime" | "size", number>>,
  ): void;
  mknod(parent: Node, name: string, mode: number, device: number): Node;
  rename(node: Node, parent: Node, name: string): void;
  unlink(parent: Node, name: string): void;
  rmdir(parent: Node, name: string): void;
  symlink(parent: Node, name: string, target: string): Node;
}
export interface Stream {
  node: Node;
}
export interface StreamOps {
  write(
    stream: Stream,
    ...rest: [buffer: Uint8Array, offset: number, length: number, ...more: unknown[]]
  ): number;
  msync(stream: Stream, ...rest: unknown[]): number;
}
export interface EmscriptenFS {
  filesystems: { MEMFS: object };
  ErrnoError: new (errno: number) => Error & { errno: number };
  mkdirTree(path: string): void;
  mount(type: object, options: object, path: string): Node;
  unmount(path: string): void;
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  isLink(mode: number): boolean;
  destroyNode(node: Node): void;
  rename(from: string, to: string): void;
}
