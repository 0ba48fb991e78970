/** Saves a tree as it changes: what is new since the last time, in one transaction that lands whole or not at all. */

import { unwrap } from "idb";
import type { DirtyPaths } from "../mirror";
import { dirname } from "../paths";
import type { TrackedTree } from "../tracked-fs";
import { Batch, exact, type Ledger } from "./batch";
import { type Database, described, type Saved, type Summary } from "./database";

/** Changes wait no longer than this until they are saved. */
const SAVE_AFTER_MS = 100;
const RETRY_MS = 2000;
const MOST_RETRY_MS = 30_000;

/** What is to be done with a record: undefined deletes it. */
type Staged<Value> = Map<string, Value | undefined>;

/** Told when changes begin to wait, when all of them are saved, and why they could not be. */
export type Turned = (saved: boolean, problem?: Error) => void;

export class Saver {
  private readonly cursor: DirtyPaths;
  private records: Staged<string> = new Map();
  private blobs: Staged<Uint8Array> = new Map();
  private current: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private retryMs = RETRY_MS;
  private strict = false;
  /** Whether a batch has landed that a loss of power could still undo. */
  private unsynced = false;
  private told = true;
  /** Whether the database says already that the sandbox exists. */
  private exists: boolean;
  private readonly created: number;
  private closed = false;

  /** The tree is as the database and the ledger have it. */
  constructor(
    private readonly tree: TrackedTree,
    private readonly database: Database,
    private readonly ledger: Ledger,
    summary: Summary | undefined,
    private readonly turned: Turned,
    private readonly landed: (what: Saved) => void,
  ) {
    this.exists = summary !== undefined;
    this.created = summary?.created ?? Date.now();
    this.cursor = tree.addCursor();
    this.cursor.take();
    tree.listeners.add(this.schedule);
  }

  get isSaved(): boolean {
    return !this.current && !this.hasWork;
  }

  /** Keep a text with the next batch. */
  stageRecord(key: string, value: string | undefined): void {
    this.records.set(key, value);
    this.schedule();
  }

  /** Keep contents under their digest with the next batch. */
  stageBlob(digest: string, data: Uint8Array | undefined): void {
    this.blobs.set(digest, data);
    this.schedule();
  }

  /** Return contents that wait to be saved. */
  staged(digest: string): Uint8Array | undefined {
    return this.blobs.get(digest);
  }

  /** Save all that has changed so far; with `strict` it has reached the disk and outlives a loss of power. */
  flush(strict = false): Promise<void> {
    this.strict ||= strict;
    this.next ??= this.saveNext();
    return this.next;
  }

  /** Save what is left, and end. */
  async close(): Promise<void> {
    this.tree.listeners.delete(this.schedule);
    try {
      await this.flush();
    } finally {
      this.closed = true;
      clearTimeout(this.timer);
      this.tree.removeCursor(this.cursor);
      this.database.close();
    }
  }

  private turn(saved: boolean, problem?: Error): void {
    if (saved === this.told && !problem) return;
    this.told = saved;
    this.turned(saved, problem);
  }

  private readonly schedule = (delay = SAVE_AFTER_MS): void => {
    if (this.closed) return;
    this.turn(false);
    this.timer ??= setTimeout(() => this.flush().catch(() => {}), delay);
  };

  private get hasWork(): boolean {
    return !this.exists || this.cursor.size > 0 || this.records.size > 0 || this.blobs.size > 0;
  }

  /** Every flush that comes before the batch begins is served by it. */
  private async saveNext(): Promise<void> {
    await this.current?.catch(() => {});
    this.next = undefined;
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.hasWork && !(this.strict && this.unsynced)) return;
    this.current = this.save();
    try {
      await this.current;
      this.retryMs = RETRY_MS;
      if (!this.hasWork) this.turn(true);
    } catch (error) {
      this.turn(false, error as Error);
      this.schedule(this.retryMs);
      this.retryMs = Math.min(2 * this.retryMs, MOST_RETRY_MS);
      throw error;
    } finally {
      this.current = undefined;
    }
  }

  private async save(): Promise<void> {
    const { records, blobs, strict } = this;
    this.strict = false;
    this.records = new Map();
    this.blobs = new Map();
    const taken = this.cursor.take();
    const batch = this.collect(taken);
    try {
      await this.write(batch, records, blobs, strict);
    } catch (error) {
      batch.failed();
      for (const [path, deep] of taken) this.cursor.add(path, deep);
      this.records = new Map([...records, ...this.records]);
      this.blobs = new Map([...blobs, ...this.blobs]);
      throw described(error);
    }
    batch.done();
    this.exists = true;
    this.unsynced = !strict;
    this.landed({ changed: batch.entries.map(({ path }) => path), gone: batch.gone });
  }

  private collect(taken: [path: string, deep: boolean][]): Batch {
    const batch = new Batch(this.ledger);
    const changed = new Set<string>();
    for (const { path, node } of this.tree.writer.dirty(taken)) {
      changed.add(path);
      batch.add(path, node);
    }
    // With what is in it, the time of a directory has changed.
    const parents = new Set([...changed].map(dirname));
    for (const path of parents) if (path && !changed.has(path)) batch.add(path, this.tree.find(path));
    batch.finish();
    return batch;
  }

  private async write(
    batch: Batch,
    records: Staged<string>,
    blobs: Staged<Uint8Array>,
    strict: boolean,
  ): Promise<void> {
    const transaction = this.database.transaction(
      ["entries", "pieces", "summary", "records", "blobs"],
      "readwrite",
      { durability: strict ? "strict" : "relaxed" },
    );
    // A request that fails ends the transaction, whose end says why: nobody has to wait for each.
    const store = (name: (typeof transaction.objectStoreNames)[number]) =>
      unwrap(transaction.objectStore(name)) as IDBObjectStore;
    const [entries, pieces] = [store("entries"), store("pieces")];
    try {
      for (const key of batch.goneKeys) entries.delete(key);
      for (const entry of batch.entries) entries.put(entry);
      for (const range of batch.emptied) pieces.delete(range);
      for (const [key, data] of batch.pieces) pieces.put(data, key);
      putAll(store("records"), records, (text) => text);
      putAll(store("blobs"), blobs, exact);
      const { files, bytes } = batch.totals();
      const next = this.ledger.nextNumber;
      store("summary").put({ created: this.created, modified: Date.now(), files, bytes, next }, "summary");
      transaction.commit();
    } catch (error) {
      transaction.done.catch(() => {});
      transaction.abort();
      throw error;
    }
    await transaction.done;
  }
}

function putAll<Value>(store: IDBObjectStore, staged: Staged<Value>, form: (value: Value) => Value): void {
  for (const [key, value] of staged) {
    if (value === undefined) store.delete(key);
    else store.put(form(value), key);
  }
}
