/**
 * The mirror protocol: how a worker holds a copy of a sandbox's tree. The kernel's tree is the truth. A worker gets
 * what changed since it last looked and hands its own changes back as it makes them, each of them whole.
 */

/** One change, complete in itself. Paths are relative to the root; times are milliseconds since the epoch. */
export type Change = Told<Uint8Array>;

type Told<Data> =
  | { op: "file"; path: string; mode: number; mtime: number; data: Data }
  | { op: "append"; path: string; data: Data }
  | { op: "directory"; path: string; mode: number; mtime: number }
  | { op: "link"; path: string; mtime: number; target: string }
  | { op: "attributes"; path: string; mode: number; mtime: number }
  | { op: "rename"; path: string; to: string }
  | { op: "gone"; path: string };

/** Changes on their way: contents lie one after the other in `bytes`, as ten thousand small buffers cross slowly. */
export interface Batch {
  changes: Told<number>[];
  bytes: Uint8Array<ArrayBuffer>;
}

/** Copy changes into a message, which may be transferred. */
export function pack(changes: Change[]): Batch {
  const bytes = new Uint8Array(
    changes.reduce((size, each) => size + ("data" in each ? each.data.length : 0), 0),
  );
  let end = 0;
  const told = changes.map((change) => {
    if (!("data" in change)) return change;
    bytes.set(change.data, end);
    end += change.data.length;
    return { ...change, data: change.data.length };
  });
  return { changes: told, bytes };
}

/** Return the changes of a message, each with a buffer of its own. */
export function unpack({ changes, bytes }: Batch): Change[] {
  let start = 0;
  return changes.map((change) => {
    if (!("data" in change)) return change;
    const end = start + change.data;
    const data = change.data === bytes.length ? bytes : bytes.slice(start, end);
    start = end;
    return { ...change, data };
  });
}

/** Paths that a mirror has not been told of, each with all that is below it where `deep` says so. */
export class DirtyPaths {
  private readonly paths = new Map<string, boolean>();

  /** A new mirror knows nothing: the root is dirty, and deep. */
  constructor() {
    this.paths.set("", true);
  }

  get size(): number {
    return this.paths.size;
  }

  add(path: string, deep = false): void {
    this.paths.set(path, deep || (this.paths.get(path) ?? false));
  }

  /** Return what was added, parents first, and forget it. */
  take(): [path: string, deep: boolean][] {
    const taken = [...this.paths].sort(([a], [b]) => (a < b ? -1 : 1));
    this.paths.clear();
    return taken;
  }
}
