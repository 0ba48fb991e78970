/** Keeps memory snapshots of interpreters in IndexedDB, for the next visit of this browser. */

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { buildId } from "./assets";

interface Schema extends DBSchema {
  snapshots: { key: string; value: Blob };
}

/** Whose memory it is: the kernel's, or that of the processes of Python. */
export type SnapshotKind = "kernel" | "guest";

// A snapshot fits the build and the engine that made it, and no other.
const KEY = `${buildId} ${navigator.userAgent}`;

export async function loadSnapshot(kind: SnapshotKind): Promise<ArrayBuffer | undefined> {
  try {
    const database = await open();
    const blob = await database.get("snapshots", keyOf(kind));
    database.close();
    return await blob?.arrayBuffer();
  } catch {
    // Without IndexedDB (private windows, some embeds), or with one that lost it, every visit is a first one.
    return undefined;
  }
}

export async function saveSnapshot(kind: SnapshotKind, snapshot: Uint8Array): Promise<void> {
  const database = await open();
  const transaction = database.transaction("snapshots", "readwrite");
  // Those of other builds are of no more use.
  for (const key of await transaction.store.getAllKeys())
    if (!key.endsWith(KEY)) await transaction.store.delete(key);
  await transaction.store.put(new Blob([snapshot as Uint8Array<ArrayBuffer>]), keyOf(kind));
  await transaction.done;
  database.close();
}

export async function dropSnapshot(kind: SnapshotKind): Promise<void> {
  const database = await open();
  await database.delete("snapshots", keyOf(kind));
  database.close();
}

function keyOf(kind: SnapshotKind): string {
  return `${kind} ${KEY}`;
}

function open(): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>("inbrowser-snapshots", 1, {
    upgrade: (database) => {
      database.createObjectStore("snapshots");
    },
  });
}
