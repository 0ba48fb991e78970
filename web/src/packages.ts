/** Packs of packages: those that come with the page, and a cache of those that were installed. */

import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { type Asset, assets, assetUrl } from "./assets";
import { DownloadError } from "./download";

interface Schema extends DBSchema {
  packs: { key: string; value: Uint8Array };
}

/** Return the list of packages that come with the page, as JSON; each has the asset that is its `pack`. */
export async function bundledIndex(): Promise<string> {
  return (await fetchAsset(assets.bundled)).text();
}

/** Return the pack at a path of that list. */
export async function bundledPack(path: string): Promise<Uint8Array> {
  return bytesOf({ path, bytes: 0 });
}

/** Return what makes an interpreter an installer. */
export async function installerPack(): Promise<Uint8Array> {
  return bytesOf(assets.installer);
}

/** Return a pack that was kept, or undefined. */
export async function keptPack(key: string): Promise<Uint8Array | undefined> {
  return using((database) => database.get("packs", key));
}

/** Keep a pack, for all sandboxes of this origin; without IndexedDB, or room in it, nothing is kept. */
export async function keepPack(key: string, pack: Uint8Array): Promise<void> {
  await using((database) => database.put("packs", pack, key));
}

async function using<T>(work: (database: IDBPDatabase<Schema>) => Promise<T>): Promise<T | undefined> {
  let database: IDBPDatabase<Schema> | undefined;
  try {
    database = await openDB<Schema>("inbrowser-packages", 1, {
      upgrade: (made) => {
        made.createObjectStore("packs");
      },
    });
    return await work(database);
  } catch (error) {
    console.warn("inbrowser: packages are not kept for the next visit.", error);
    return undefined;
  } finally {
    database?.close();
  }
}

async function bytesOf(asset: Asset): Promise<Uint8Array> {
  return new Uint8Array(await (await fetchAsset(asset)).arrayBuffer());
}

async function fetchAsset(asset: Asset): Promise<Response> {
  const url = assetUrl(asset);
  const response = await fetch(url).catch(() => {
    throw new DownloadError(`could not load ${url}: no connection, and no copy is kept offline`);
  });
  if (!response.ok) throw new DownloadError(`could not load ${url}: the server answered ${response.status}`);
  return response;
}
