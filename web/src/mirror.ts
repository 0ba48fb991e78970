/**
 * The mirror protocol: how a worker holds a copy of a sandbox's tree. The kernel's tree is the truth. A worker gets
 * what changed since it last looked and hands its own changes back as it makes them, each of them whole.
 */

/** One change, complete in itself. Paths are relative to the root; times are milliseconds since the epoch. */
export type Change =
  | { op: "file"; path: string; mode: number; mtime: number; data: Uint8Array }
  | { op: "append"; path: string; data: Uint8Array }
  | { op: "directory"; path: string; mode: number; mtime: number }
  | { op: "link"; path: string; target: string }
  | { op: "attributes"; path: string; mode: number; mtime: number }
  | { op: "rename"; path: string; to: string }
  | { op: "gone"; path: string };

/** Paths that a mirror has not been told of, each with all that is below it where `deep` says so. */
export class DirtyPaths {
  private readonly paths = new Map<string, boolean>();

  /** A new mirror knows nothing: the root is dirty, and deep. */
  constructor() {
    this.paths.set("", true);
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
