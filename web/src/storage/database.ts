/** The database of one sandbox: its schema, the steps that led to it, and the ways to open, list and delete it. */

import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from "idb";
import { StorageError } from "./errors";

/** One path of the tree. Times are milliseconds since the epoch. */
export type Entry =
  | { path: string; kind: "directory"; mode: number; mtime: number }
  | { path: string; kind: "link"; mtime: number; target: string }
  /** A small file holds its contents; those of a large one are `pieces`, under its number. */
  | { path: string; kind: "file"; mode: number; mtime: number; size: number; data: Uint8Array | number };

export interface Summary {
  created: number;
  modified: number;
  files: number;
  bytes: number;
  /** The number of the next large file. */
  next: number;
}

export interface Schema extends DBSchema {
  entries: { key: string; value: Entry };
  /** By a file's number and the position of the piece. */
  pieces: { key: [number, number]; value: Uint8Array };
  summary: { key: "summary"; value: Summary };
  /** JSON texts of Python's, such as checkpoints and locks. */
  records: { key: string; value: string };
  /** Contents that checkpoints hold, by their digests. */
  blobs: { key: string; value: Uint8Array };
}

export type Database = IDBPDatabase<Schema>;

/** Bytes of a large file that are written together; a file up to this size is one record. */
export const PIECE = 256 << 10;

/** Each step makes the schema of the next version; none is ever changed. */
const STEPS: ((database: Database) => void)[] = [
  (database) => {
    database.createObjectStore("entries", { keyPath: "path" });
    database.createObjectStore("pieces");
    database.createObjectStore("summary");
  },
  (database) => {
    database.createObjectStore("records");
    database.createObjectStore("blobs");
  },
];

const PREFIX = "inbrowser sandbox ";
/** A browser that does not answer, as some do in private windows, is not waited for longer. */
const OPEN_MS = 5000;
/** A page that was closed or reloaded a moment ago may still have its sandbox. */
const LOCK_MS = 1000;

/** Open a sandbox's database; `create` makes one that is not there. */
export async function openDatabase(
  id: string,
  create: boolean,
  onClosed: () => void = () => {},
): Promise<Database> {
  let isNew = false;
  const opening = attempt(() =>
    openDB<Schema>(PREFIX + id, STEPS.length, {
      upgrade(database, version, _new, transaction) {
        isNew = version === 0;
        if (!isNew || create) {
          for (const step of STEPS.slice(version)) step(database);
          return;
        }
        // The opening fails with it.
        transaction.done.catch(() => {});
        transaction.abort();
      },
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      terminated: onClosed,
    }),
  );
  try {
    return await within(OPEN_MS, opening);
  } catch (error) {
    // An open that comes later must not stand in anybody's way.
    opening.then((late) => late.close()).catch(() => {});
    if (isNew && !create) throw notFound(id);
    throw described(error, id);
  }
}

export interface Listed extends Omit<Summary, "next"> {
  id: string;
  /** Whether a page has it open for writing. */
  open: boolean;
}

/** Describe all sandboxes that are kept here, by id. */
export async function listDatabases(): Promise<Listed[]> {
  const databases = await within(
    OPEN_MS,
    attempt(() => indexedDB.databases()),
  ).catch((error) => {
    throw described(error);
  });
  const held = new Set((await navigator.locks?.query())?.held?.map(({ name }) => name));
  const listed: Listed[] = [];
  for (const { name } of databases) {
    if (!name?.startsWith(PREFIX)) continue;
    const id = name.slice(PREFIX.length);
    try {
      const database = await openDatabase(id, false);
      const summary = await database.get("summary", "summary");
      database.close();
      if (!summary) continue;
      const { next: _, ...told } = summary;
      listed.push({ id, open: held.has(name), ...told });
    } catch (error) {
      // Deleted meanwhile, or written by a later version, of which nothing can be said.
      if (!(error instanceof StorageError)) throw error;
    }
  }
  return listed.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Tell how much room there is for all that this page keeps, in bytes; WebKitGTK does not say, so 0. */
export async function estimateStorage() {
  const { storage } = navigator as { storage?: StorageManager };
  if (!storage) return { usage: 0, quota: 0, persisted: false };
  const { usage = 0, quota = 0 } = await attempt(() => storage.estimate()).catch((error) => {
    throw described(error);
  });
  return { usage, quota, persisted: await storage.persisted() };
}

/** Delete a sandbox that no page has open. */
export async function deleteDatabase(id: string): Promise<void> {
  const release = await lock(id);
  try {
    (await openDatabase(id, false)).close();
    await within(OPEN_MS, deleteDB(PREFIX + id)).catch((error) => {
      throw described(error, id);
    });
  } finally {
    await release();
  }
}

/** Become the only writer of a sandbox; returns the way to end that. A page that is closed or crashes ends it, too. */
export async function lock(id: string): Promise<() => Promise<void>> {
  if (!navigator.locks)
    throw new StorageError(
      "StorageUnavailableError",
      "this page is not secure, so two tabs could write over each other; serve it over https or from localhost",
    );
  const { promise: taken, resolve: take, reject: fail } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const ended = navigator.locks.request(PREFIX + id, { signal: AbortSignal.timeout(LOCK_MS) }, () => {
    take();
    return released;
  });
  ended.catch(fail);
  try {
    await taken;
    return async () => {
      release();
      await ended;
    };
  } catch (error) {
    if ((error as Error).name !== "TimeoutError") throw described(error, id);
  }
  throw new StorageError(
    "SandboxInUseError",
    `the sandbox '${id}' is open in another tab; close it there, or open it here with mode="read"`,
  );
}

/** What a writer tells those who look on after each batch: paths that are new or changed, and paths that are gone. */
export interface Saved {
  changed: string[];
  gone: string[];
}

/** The channel between a sandbox's writer and those who look on. */
export function channel(id: string): BroadcastChannel {
  return new BroadcastChannel(PREFIX + id);
}

/** Return what lies below a path. */
export function belowPath(path: string): IDBKeyRange {
  // "0" comes right after "/".
  return IDBKeyRange.bound(`${path}/`, `${path}0`, false, true);
}

/** Return the error that says what a browser's own means here. */
export function described(error: unknown, id?: string): Error {
  if (error instanceof StorageError) return error;
  const { name, message } = error as Error;
  const which = id === undefined ? "" : `the sandbox '${id}' `;
  switch (name) {
    case "QuotaExceededError":
      return new StorageError(
        "StorageFullError",
        "the browser's storage for this page is full; nothing is lost while the page stays open: export the files, then " +
          "make room by deleting sandboxes or checkpoints; saving is tried again by itself",
      );
    case "VersionError":
      return new StorageError(
        "StorageVersionError",
        `${which}was saved by a later version of inbrowser; reload the page to get that version`,
      );
    default:
      return new StorageError(
        "StorageUnavailableError",
        `${which}cannot be kept: this browser's IndexedDB says ${message || name}`,
      );
  }
}

function notFound(id: string): StorageError {
  return new StorageError(
    "SandboxNotFoundError",
    `no sandbox '${id}' is kept here; the browser may have cleared its storage`,
  );
}

/** Where storage is blocked some browsers throw at once. */
async function attempt<T>(work: () => Promise<T>): Promise<T> {
  return work();
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing after ${ms / 1000} s`)), ms);
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
