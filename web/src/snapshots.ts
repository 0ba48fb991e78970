/** Keeps one memory snapshot of the interpreter in IndexedDB, for the next visit of this browser. */

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { buildId } from "./assets";

interface Schema extends DBSchema {
  snapshots: { key: string; value: Blob };
}

// A snapshot fits the build and the engine that made it, and no other.
const KEY = `${buildId} ${navigator.userAgent}`;

export async function loadSnapshot(): Promise<ArrayBuffer | undefined> {
  try {
    const database = await open();
    const blob = await database.get("snapshots", KEY);
    database.close();
    return await blob?.arrayBuffer();
  } catch {
    return undefined; // Without IndexedDB (private windows, some embeds) every visit is a first one.
  }
}

export async function saveSnapshot(snapshot: Uint8Array): Promise<void> {
  const database = await open();
  const transaction = database.transaction("snapshots", "readwrite");
  await transaction.store.clear();
  await transaction.store.put(new Blob([snapshot as Uint8Array<ArrayBuffer>]), KEY);
  await transaction.done;
  database.close();
}

export async function dropSnapshot(): Promise<void> {
  const database = await open();
  await database.clear("snapshots");
  database.close();
}

function open(): Promise<IDBPDatabase<Schema>> {
  return openDB<Schema>("inbrowser-snapshots", 1, {
    upgrade: (database) => {
      database.createObjectStore("snapshots");
    },
  });
}
