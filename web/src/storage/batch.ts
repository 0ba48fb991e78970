/** One batch of a saver: what changed in a tree, as records of its database. */

import { contentsOf } from "../contents";
import { type FileNode, isDirectory, isFile, isLink, type Node, PERMISSIONS } from "../emscripten";
import { belowPath, type Entry, PIECE } from "./database";

const DIRECTORY = -1;

/** What a database holds of a tree. */
export class Ledger {
  /** By path, the size of each file, 0 for a link, and -1 for a directory. */
  readonly sizes = new Map<string, number>();
  /** By path, the number under which the pieces of a large file lie. */
  readonly large = new Map<string, number>();
  files = 0;
  bytes = 0;

  constructor(private next: number) {}

  /** Return a number for the pieces of another large file. */
  number(): number {
    this.next += 1;
    return this.next - 1;
  }

  get nextNumber(): number {
    return this.next;
  }

  put(path: string, node: Node): void {
    this.delete(path);
    const size = sizeOf(node);
    this.sizes.set(path, size);
    if (isFile(node) && node.saved) this.large.set(path, node.saved.id);
    this.count(size, 1);
  }

  delete(path: string): void {
    const size = this.sizes.get(path);
    if (size === undefined) return;
    this.sizes.delete(path);
    this.large.delete(path);
    this.count(size, -1);
  }

  /** Return the paths at or below one. */
  *under(path: string): Generator<string> {
    if (this.sizes.has(path)) yield path;
    if (this.sizes.get(path) !== DIRECTORY) return;
    for (const each of this.sizes.keys()) if (each.startsWith(`${path}/`)) yield each;
  }

  isDirectory(path: string): boolean {
    return this.sizes.get(path) === DIRECTORY;
  }

  private count(size: number, sign: 1 | -1): void {
    if (size === DIRECTORY) return;
    this.files += sign;
    this.bytes += sign * size;
  }
}

export class Batch {
  readonly entries: Entry[] = [];
  /** Paths at which something else was, with all that was below it. */
  readonly gone: string[] = [];
  /** The keys of what was there. */
  readonly goneKeys: (string | IDBKeyRange)[] = [];
  readonly pieces: [key: [number, number], data: Uint8Array][] = [];
  readonly emptied: IDBKeyRange[] = [];
  private readonly nodes = new Map<string, Node>();
  private readonly removed = new Set<string>();

  constructor(private readonly ledger: Ledger) {}

  /** Add a path with what is there now. */
  add(path: string, node: Node | undefined): void {
    if (!node || this.ledger.isDirectory(path) !== isDirectory(node)) this.remove(path);
    if (!node) return;
    this.nodes.set(path, node);
    this.entries.push(this.entry(path, node));
  }

  /** Add the deletion of pieces that nothing refers to any more. Call it once, after everything was added. */
  finish(): void {
    const used = new Set<number>();
    for (const node of this.nodes.values()) if (isFile(node) && node.saved) used.add(node.saved.id);
    for (const path of this.touched()) {
      const id = this.ledger.large.get(path);
      if (id !== undefined && !used.has(id)) this.emptied.push(piecesFrom(id, 0));
    }
  }

  /** Return how many files and bytes the database will hold. */
  totals(): { files: number; bytes: number } {
    const total = { files: this.ledger.files, bytes: this.ledger.bytes };
    const count = (size = DIRECTORY, sign: 1 | -1 = 1) => {
      if (size === DIRECTORY) return;
      total.files += sign;
      total.bytes += sign * size;
    };
    for (const path of this.touched()) count(this.ledger.sizes.get(path), -1);
    for (const node of this.nodes.values()) count(sizeOf(node));
    return total;
  }

  /** The batch has landed. */
  done(): void {
    for (const path of this.removed) this.ledger.delete(path);
    for (const [path, node] of this.nodes) this.ledger.put(path, node);
  }

  /** The batch has not landed. */
  failed(): void {
    for (const node of this.nodes.values())
      if (isFile(node) && node.saved) Object.assign(node.saved, { from: 0, to: Number.POSITIVE_INFINITY });
  }

  private remove(path: string): void {
    const under = [...this.ledger.under(path)];
    if (!under.length) return;
    for (const each of under) this.removed.add(each);
    this.gone.push(path);
    this.goneKeys.push(path);
    if (under.length > 1) this.goneKeys.push(belowPath(path));
  }

  private touched(): Set<string> {
    return new Set([...this.removed, ...this.nodes.keys()]);
  }

  private entry(path: string, node: Node): Entry {
    const { mtime } = node;
    if (isLink(node)) return { path, kind: "link", mtime, target: node.link };
    const mode = node.mode & PERMISSIONS;
    if (!isFile(node)) return { path, kind: "directory", mode, mtime };
    return { path, kind: "file", mode, mtime, size: node.usedBytes, data: this.data(node) };
  }

  private data(file: FileNode): Uint8Array | number {
    const contents = contentsOf(file);
    if (contents.length <= PIECE) {
      file.saved = undefined;
      return exact(contents);
    }
    file.saved ??= { id: this.ledger.number(), from: 0, to: Number.POSITIVE_INFINITY };
    const { id, from, to } = file.saved;
    const end = Math.ceil(contents.length / PIECE);
    for (let index = Math.floor(from / PIECE); index < end && index * PIECE < to; index += 1)
      this.pieces.push([[id, index], exact(contents.subarray(index * PIECE, (index + 1) * PIECE))]);
    if (to > contents.length) this.emptied.push(piecesFrom(id, end));
    Object.assign(file.saved, { from: Number.POSITIVE_INFINITY, to: 0 });
    return id;
  }
}

function sizeOf(node: Node): number {
  return isFile(node) ? node.usedBytes : isLink(node) ? 0 : DIRECTORY;
}

/** A copy of a view carries the whole buffer along: return bytes that have none of others'. */
export function exact(data: Uint8Array): Uint8Array {
  return data.length === data.buffer.byteLength ? data : data.slice();
}

export function piecesFrom(id: number, index: number): IDBKeyRange {
  return IDBKeyRange.bound([id, index], [id, Number.POSITIVE_INFINITY]);
}
