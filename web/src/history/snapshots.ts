/** What checkpoints need of a tree: what changed since the last look, held as it is, and the way back to a state. */

import { share } from "../contents";
import { isDirectory, isFile, isLink, type Node, PERMISSIONS } from "../emscripten";
import type { Change, DirtyPaths } from "../mirror";
import type { TrackedTree } from "../tracked-fs";
import { below, describe } from "../tree-writer";
import { type Blobs, digestOf } from "./blobs";

/** [path, kind, mode, mtime, size, target]; [path] alone is gone, with all that was below it. */
type Seen = [path: string, kind: string, mode: number, mtime: number, size: number, target: string];
/** [path, kind, mode, mtime, digest or target]; [path] alone is to be gone. */
type Wanted = [path: string, kind?: string, mode?: number, mtime?: number, content?: string];

export class Snapshots {
  private readonly cursor: DirtyPaths;
  private readonly digests = new WeakMap<Uint8Array, string>();
  private readonly loaded = new Map<string, Uint8Array>();

  constructor(
    private readonly tree: TrackedTree,
    private readonly blobs: Blobs,
  ) {
    this.cursor = tree.addCursor();
  }

  get isDirty(): boolean {
    return this.cursor.size > 0;
  }

  /** Let the next capture see paths again. */
  mark(paths: string[]): void {
    for (const path of paths) this.cursor.add(path);
  }

  /** Return what changed since the last call (at first, everything), held as it is at this moment. */
  capture(): Capture {
    const seen: (Seen | [path: string])[] = [];
    const contents = new Map<string, Uint8Array>();
    for (const { path, node } of this.tree.writer.dirty(this.cursor.take())) {
      seen.push(node ? see(path, node) : [path]);
      if (node && isFile(node)) contents.set(path, share(node));
    }
    return new Capture(JSON.stringify(seen), contents, this.digests, this.blobs);
  }

  /** Get contents ready for `restore`; returns the digests of those that are missing. */
  async load(digests: string[]): Promise<string[]> {
    const missing: string[] = [];
    for (const digest of digests) {
      const data = this.loaded.get(digest) ?? (await this.blobs.get(digest));
      if (data) this.loaded.set(digest, data);
      else missing.push(digest);
    }
    return missing;
  }

  unload(): void {
    this.loaded.clear();
  }

  /** Take over what another tree has loaded. */
  adopt(other: Snapshots): void {
    for (const [digest, data] of other.loaded) this.loaded.set(digest, data);
  }

  /** Make paths what is wanted, all of them or none, whatever is locked; their contents have been loaded. */
  restore(wanted: string): void {
    const changes = (JSON.parse(wanted) as Wanted[]).map((each) => this.changeFor(each));
    const before: Change[] = [];
    this.tree.from(this.cursor, () =>
      this.tree.unguarded(() => {
        try {
          for (const change of changes) {
            before.push(...this.stateOf(change.path));
            this.tree.writer.make(change, true);
          }
        } catch (error) {
          for (const change of before.reverse())
            if (change.op !== "gone" || this.tree.find(change.path)) this.tree.writer.make(change, true);
          // What Emscripten throws is no Error.
          throw error instanceof Error ? error : new Error("the tree does not fit what should be restored");
        }
      }),
    );
  }

  /** Return contents by digest, or undefined. */
  read(digest: string): Promise<Uint8Array | undefined> {
    return this.blobs.get(digest);
  }

  forget(digests: string[]): void {
    for (const digest of digests) this.blobs.forget(digest);
  }

  close(): void {
    this.tree.removeCursor(this.cursor);
  }

  private changeFor(wanted: Wanted): Change {
    const [path, kind, mode = 0, mtime = 0, content = ""] = wanted;
    if (kind === undefined) return { op: "gone", path };
    if (kind === "directory") {
      const node = this.tree.find(path);
      return { op: "directory", path, mode, mtime: node && isDirectory(node) ? node.mtime : Date.now() };
    }
    if (kind === "symlink") return { op: "link", path, mtime, target: content };
    const data = this.loaded.get(content);
    if (!data) throw new Error(`the contents of ${path} were not loaded`);
    this.digests.set(data, content);
    return { op: "file", path, mode, mtime, data };
  }

  /** Return what brings a path back to what it is, the last first. */
  private stateOf(path: string): Change[] {
    const node = this.tree.find(path);
    if (!node) return [{ op: "gone", path }];
    return [...below(node, path)].map((each) => held(each.node, each.path)).reverse();
  }
}

/** One look at a tree. Contents stay as they were at that moment. */
export class Capture {
  private readonly named = new Map<string, Uint8Array>();

  constructor(
    /** JSON: a list of Seen, or of one path that is gone. */
    readonly seen: string,
    private readonly contents: Map<string, Uint8Array>,
    private readonly digests: WeakMap<Uint8Array, string>,
    private readonly blobs: Blobs,
  ) {}

  /** Return the digests of files, in the order of the paths. */
  digest(paths: string[]): Promise<string[]> {
    return Promise.all(paths.map((path) => this.digestOne(this.contents.get(path) as Uint8Array)));
  }

  /** Keep contents of which `digest` told. */
  keep(digests: string[]): void {
    for (const digest of digests) this.blobs.keep(digest, this.named.get(digest) as Uint8Array);
  }

  /** Return contents of which `digest` told. */
  read(digest: string): Uint8Array | undefined {
    return this.named.get(digest);
  }

  private async digestOne(data: Uint8Array): Promise<string> {
    const digest = this.digests.get(data) ?? (await digestOf(data));
    this.digests.set(data, digest);
    this.named.set(digest, data);
    return digest;
  }
}

function see(path: string, node: Node): Seen {
  const { mtime } = node;
  if (isLink(node)) return [path, "symlink", 0o777, mtime, 0, node.link];
  const mode = node.mode & PERMISSIONS;
  return isFile(node) ? [path, "file", mode, mtime, node.usedBytes, ""] : [path, "directory", mode, 0, 0, ""];
}

/** Describe a node whose contents will stay as they are. */
function held(node: Node, path: string): Change {
  if (isFile(node)) share(node);
  return describe(node, path);
}
