/** Fetching what a boot needs, with progress, and with errors that name the file. */

import type { BootProgress } from "./api";
import { type Asset, assetUrl } from "./assets";

export class DownloadError extends Error {
  override readonly name = "DownloadError";
}

/** Adds up the bytes of all downloads of one boot. */
export class Progress {
  /** Who is told; set it when somebody wants to know. */
  report: (progress: BootProgress) => void = () => {};
  private loaded = 0;
  private total = 0;

  expect(bytes: number): void {
    this.total += bytes;
  }

  add(label: string, bytes: number): void {
    this.loaded = Math.min(this.loaded + bytes, this.total);
    this.report({ label, loadedBytes: this.loaded, totalBytes: this.total });
  }
}

/** Fetch one asset; `label` tells people what is loading. */
export async function download(asset: Asset, label: string, progress: Progress): Promise<Response> {
  const url = assetUrl(asset);
  progress.expect(asset.bytes);
  let response: Response;
  try {
    response = await fetch(url);
  } catch {
    throw new DownloadError(`could not load ${url}: no connection, and no copy is kept offline`);
  }
  if (!response.ok) throw new DownloadError(`could not load ${url}: the server answered ${response.status}`);
  count(response.clone(), label, progress);
  return response;
}

async function count(copy: Response, label: string, progress: Progress): Promise<void> {
  const reader = copy.body?.getReader();
  try {
    for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read())
      progress.add(label, chunk.value.byteLength);
  } catch {
    // The original response meets the same failure, and its reader reports it.
  }
}
