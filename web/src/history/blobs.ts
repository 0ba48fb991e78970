/** Contents that checkpoints hold, each once, by the SHA-256 of its bytes: in memory, or in the sandbox's database. */

import type { Kept } from "../storage/kept";

export class Blobs {
  private readonly memory = new Map<string, Uint8Array>();

  constructor(private readonly kept?: Kept) {}

  /** Keep contents; the bytes may not change afterwards. */
  keep(digest: string, data: Uint8Array): void {
    if (this.kept) this.kept.saver?.stageBlob(digest, data);
    else this.memory.set(digest, data);
  }

  forget(digest: string): void {
    if (this.kept) this.kept.saver?.stageBlob(digest, undefined);
    else this.memory.delete(digest);
  }

  async get(digest: string): Promise<Uint8Array | undefined> {
    if (!this.kept) return this.memory.get(digest);
    return this.kept.saver?.staged(digest) ?? (await this.kept.database.get("blobs", digest));
  }
}

export async function digestOf(data: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data as Uint8Array<ArrayBuffer>));
  let text = "";
  for (const byte of digest) text += byte.toString(16).padStart(2, "0");
  return text;
}
