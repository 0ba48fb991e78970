/** Brings a tree to what its database holds. */

import { isFile } from "../emscripten";
import type { Change } from "../mirror";
import { dirname } from "../paths";
import type { TrackedTree } from "../tracked-fs";
import { piecesFrom } from "./batch";
import { type Database, type Entry, PIECE, type Saved } from "./database";
import { StorageError } from "./errors";

/** Records that come in one answer. */
const PAGE = 1000;

export class Loader {
  /** What is made in a directory changes its time, which is set again in the end. */
  private readonly times = new Map<string, number>();

  /** `damaged` takes the paths of records that are damaged and left out; without it the first of them is an error. */
  constructor(
    private readonly tree: TrackedTree,
    private readonly database: Database,
    private readonly damaged?: string[],
  ) {}

  /** Fill an empty tree. */
  async load(): Promise<void> {
    const transaction = this.database.transaction(["entries", "pieces"]);
    const entries = transaction.objectStore("entries");
    let after: IDBKeyRange | undefined;
    for (let full = true; full; ) {
      const page = await entries.getAll(after, PAGE);
      for (const entry of page)
        await this.take(entry, (range) => transaction.objectStore("pieces").getAll(range));
      full = page.length === PAGE;
      if (full) after = IDBKeyRange.lowerBound(page.at(-1)?.path, true);
    }
    this.setTimes();
  }

  /** Follow a batch that another page's writer saved. */
  async follow({ changed, gone }: Saved): Promise<void> {
    for (const path of gone) this.remove(path);
    const transaction = this.database.transaction(["entries", "pieces"]);
    const entries = transaction.objectStore("entries");
    // Sorted, a directory comes before what is in it.
    for (const path of [...changed].sort()) {
      const entry = await entries.get(path);
      if (entry) await this.take(entry, (range) => transaction.objectStore("pieces").getAll(range));
    }
    this.setTimes();
  }

  private async take(entry: Entry, pieces: (range: IDBKeyRange) => Promise<Uint8Array[]>): Promise<void> {
    try {
      check(entry);
      const { kind, path, mtime } = entry;
      if (kind === "link") this.make({ op: "link", path, mtime, target: entry.target });
      else if (kind === "directory") {
        this.make({ op: "directory", path, mtime, mode: entry.mode });
        this.times.set(path, mtime);
      } else {
        const { data, mode, size } = entry;
        const contents = typeof data === "number" ? join(await pieces(piecesFrom(data, 0)), entry) : data;
        if (contents.length !== size)
          throw corrupt(path, `${size} bytes were saved, ${contents.length} are there`);
        this.make({ op: "file", path, mtime, mode, data: contents });
        const node = this.tree.find(path);
        if (typeof data === "number" && node && isFile(node))
          node.saved = { id: data, from: Number.POSITIVE_INFINITY, to: 0 };
      }
    } catch (error) {
      if (!this.damaged || !(error instanceof StorageError)) throw error;
      this.damaged.push(String(entry?.path));
    }
  }

  private make(change: Change): void {
    const parent = dirname(change.path);
    if (!this.tree.directory(parent)) {
      if (!this.damaged) throw corrupt(change.path, `its directory ${parent} is missing`);
      this.make({ op: "directory", path: parent, mode: 0o755, mtime: Date.now() });
    }
    this.tree.unguarded(() => this.tree.writer.make(change));
  }

  private setTimes(): void {
    for (const [path, mtime] of this.times) {
      const node = this.tree.find(path);
      if (node) node.mtime = mtime;
    }
    this.times.clear();
  }

  private remove(path: string): void {
    if (this.tree.find(path)) this.tree.unguarded(() => this.tree.writer.make({ op: "gone", path }));
  }
}

function join(pieces: Uint8Array[], { path, size }: Entry & { kind: "file" }): Uint8Array {
  if (pieces.length !== Math.ceil(size / PIECE))
    throw corrupt(path, `${pieces.length} of its ${Math.ceil(size / PIECE)} pieces are there`);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const whole = new Uint8Array(length);
  let end = 0;
  for (const piece of pieces) {
    whole.set(piece, end);
    end += piece.length;
  }
  return whole;
}

/** Throw if a record is not what it should be: it may have been damaged, or written by somebody else. */
function check(entry: Entry): void {
  const path = typeof entry?.path === "string" ? entry.path : "";
  const names = path.split("/");
  if (names.some((name) => !name || name === "." || name === ".." || name.includes("\0")))
    throw corrupt(path, "that is no path");
  const { kind, mtime } = entry;
  const numbers =
    kind === "file" ? [mtime, entry.mode, entry.size] : kind === "link" ? [mtime] : [mtime, entry.mode];
  const fits =
    kind === "directory" ||
    (kind === "link" && typeof entry.target === "string") ||
    (kind === "file" && (entry.data instanceof Uint8Array || Number.isInteger(entry.data)));
  if (!fits || !numbers.every(Number.isFinite)) throw corrupt(path, "its record is damaged");
}

function corrupt(path: string, what: string): StorageError {
  return new StorageError(
    "StorageCorruptError",
    `what was saved of ${JSON.stringify(path)} cannot be read: ${what}; ` +
      'nothing was changed: open the sandbox with mode="read" to save the rest',
  );
}
