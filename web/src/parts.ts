/** Fetching what the kernel's interpreter is made of. */

import { assets, assetUrl } from "./assets";
import { DownloadError, download, Progress } from "./download";
import type { ModuleFactory, Parts } from "./interpreter";

/** Fetch and compile all parts side by side. */
export async function loadParts(progress: Progress): Promise<Parts> {
  const compile = async (asset: typeof assets.pyodideWasm, label: string) =>
    WebAssembly.compileStreaming(download(asset, label, progress));
  const bytes = async (asset: typeof assets.stdlib, label: string) =>
    (await download(asset, label, progress)).arrayBuffer();
  const [module, wasm, pydanticCore, stdlib, ...packs] = await Promise.all([
    importModule(assetUrl(assets.pyodideModule)),
    compile(assets.pyodideWasm, "Python"),
    compile(assets.pydanticCore, "pydantic"),
    bytes(assets.stdlib, "the standard library"),
    bytes(assets.packages, "Python packages"),
    bytes(assets.inbrowser, "inbrowser"),
  ]);
  return { factory: module.default, wasm, pydanticCore, stdlib, packs };
}

/** Return what a guest's interpreter is made of; it shares most with the kernel's. */
export async function guestParts({ factory, wasm, stdlib }: Parts): Promise<Parts> {
  const pack = await (await download(assets.guest, "guest", new Progress())).arrayBuffer();
  return { factory, wasm, stdlib, packs: [pack] };
}

async function importModule(url: string): Promise<{ default: ModuleFactory }> {
  try {
    return (await import(url)) as { default: ModuleFactory };
  } catch (error) {
    throw new DownloadError(`could not load ${url}: ${error instanceof Error ? error.message : error}`);
  }
}
