/** A sandbox that is kept in this browser, open for writing in one place and for reading in any number. */

import type { TrackedTree } from "../tracked-fs";
import { below } from "../tree-writer";
import { Ledger } from "./batch";
import { channel, type Database, lock, openDatabase, type Saved, type Summary } from "./database";
import { StorageError } from "./errors";
import { Loader } from "./loader";
import { Saver, type Turned } from "./saver";

/** What stands behind a tree: `saver` is there for who writes. */
export interface Kept {
  readonly isNew: boolean;
  /** Paths whose records are damaged; they are left out. */
  readonly damaged: string[];
  readonly saver: Saver | undefined;
  readonly database: Database;
  /** Return the saved texts whose keys start with `prefix`. */
  texts(prefix: string): Promise<[key: string, text: string][]>;
  close(): Promise<void>;
}

/**
 * Open a sandbox for writing, and fill its tree. `turned` is told when changes begin to wait, when everything is saved,
 * and why it could not be.
 */
export async function openForWriting(
  tree: TrackedTree,
  id: string,
  create: boolean,
  turned: Turned,
): Promise<Kept> {
  const release = await lock(id);
  let database: Database | undefined;
  try {
    const opened = await openDatabase(id, create, () =>
      turned(
        false,
        new StorageError("StorageUnavailableError", "the browser took the storage away; export your files"),
      ),
    );
    database = opened;
    const summary = (await database.get("summary", "summary")) as Summary | undefined;
    const ledger = new Ledger(summary?.next ?? 1);
    await new Loader(tree, database).load();
    for (const { path, node } of below(tree.top, "")) ledger.put(path, node);
    const followers = channel(id);
    const saver = new Saver(tree, database, ledger, summary, turned, (what) => followers.postMessage(what));
    if (!summary) await saver.flush();
    return {
      isNew: !summary,
      damaged: [],
      saver,
      database,
      texts: (prefix) => texts(opened, prefix),
      async close() {
        try {
          await saver.close();
        } finally {
          followers.close();
          await release();
        }
      },
    };
  } catch (error) {
    database?.close();
    await release();
    throw error;
  }
}

/** Open a sandbox to look at it, while another page may write. */
export async function openForReading(tree: TrackedTree, id: string): Promise<Kept> {
  const database = await openDatabase(id, false);
  const damaged: string[] = [];
  const loader = new Loader(tree, database, damaged);
  const news = channel(id);
  const loaded = Promise.withResolvers<void>();
  // What is saved while the tree is loading is read after it.
  let turn: Promise<void> = loaded.promise;
  news.onmessage = ({ data }: MessageEvent<Saved>) => {
    turn = turn.then(() => loader.follow(data)).catch(() => news.close());
  };
  try {
    await loader.load();
  } catch (error) {
    news.close();
    database.close();
    throw error;
  }
  loaded.resolve();
  return {
    isNew: false,
    damaged,
    saver: undefined,
    database,
    texts: (prefix) => texts(database, prefix),
    async close() {
      news.close();
      database.close();
    },
  };
}

async function texts(database: Database, prefix: string): Promise<[string, string][]> {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
  const store = database.transaction("records").store;
  const [keys, values] = await Promise.all([store.getAllKeys(range), store.getAll(range)]);
  return keys.map((key, index) => [key, values[index] as string]);
}
