/** The static files the kernel loads, by the content-hashed names that the build gives them. */

export interface Asset {
  /** Relative to the folder of `inbrowser.js`. */
  path: string;
  bytes: number;
}

interface Assets {
  pyodideModule: Asset;
  pyodideWasm: Asset;
  stdlib: Asset;
  packages: Asset;
  inbrowser: Asset;
  /** Python that every guest has. */
  guest: Asset;
  guestFrame: Asset;
  guestWorker: Asset;
  pydanticCore: Asset;
  esbuildWasm: Asset;
  /** Runs GGUF files. */
  wllama: Asset;
  jqModule: Asset;
  jqWasm: Asset;
  /** What makes an interpreter an installer of packages. */
  installer: Asset;
  /** JSON: what can be installed without a network, each with its pack. */
  bundled: Asset;
}

/** Put in place by the bundler. */
declare const __ASSETS__: Assets;
declare const __BUILD_ID__: string;

export const assets: Assets = __ASSETS__;

/** Changes whenever the interpreter or any Python package does; a memory snapshot belongs to one of them. */
export const buildId: string = __BUILD_ID__;

export function assetUrl(asset: Asset): string {
  return new URL(asset.path, import.meta.url).href;
}
