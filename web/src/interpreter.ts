/**
 * Boots Pyodide quickly: bytecode instead of sources, everything fetched side by side, and pydantic's native
 * part in place before the runtime starts, so that a memory snapshot can hold it.
 */

import { loadPyodide, type PyodideAPI, version as pyodideVersion } from "pyodide";

export type Pyodide = PyodideAPI;

const PYTHON_ZIP = "python_stdlib.zip";
const WASM = "pyodide.asm.wasm";
export const SITE_PACKAGES = "/lib/python3.14/site-packages";
const PYDANTIC_CORE = `${SITE_PACKAGES}/pydantic_core/_pydantic_core.cpython-314-wasm32-emscripten.so`;
const LOCK = {
  info: {
    arch: "wasm32",
    abi_version: "2026_0",
    platform: "emscripten_5_0_3",
    version: pyodideVersion,
    python: "3.14.2",
  },
  packages: {},
};
const UMASK = 0o022;
const NOWHERE = "https://pyodide.invalid/";

/** What an interpreter is made of. */
export interface Parts {
  factory: ModuleFactory;
  wasm: WebAssembly.Module;
  stdlib: ArrayBuffer;
  /** For a pack that has pydantic. */
  pydanticCore?: WebAssembly.Module;
  /** Files for site-packages, in the format of build/pack.py. */
  packs: ArrayBuffer[];
}

export interface StartOptions {
  snapshot?: ArrayBuffer | undefined;
  forSnapshot?: boolean;
  /** Changes what the WebAssembly module imports from `env`. */
  adjust?: (env: Record<string, (...args: never[]) => unknown>) => void;
}

// What the boot touches of Emscripten's module and settings; Pyodide does not publish their types.
export type ModuleFactory = (settings: Settings) => Promise<EmscriptenModule>;
interface Settings {
  preRun: ((module: EmscriptenModule) => void)[];
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): object;
}
interface FileWriter {
  mkdirTree(path: string): void;
  writeFile(path: string, data: Uint8Array, options: { canOwn: boolean }): void;
}
interface Creating {
  open(path: string, flags: string | number, mode?: number): unknown;
  mkdir(path: string, mode?: number): unknown;
}
interface EmscriptenModule {
  FS: FileWriter;
  HEAP8: Int8Array;
  growMemory(totalBytes: number): void;
  addRunDependency(id: string): void;
  removeRunDependency(id: string): void;
  newDSO(
    name: string,
    handle: undefined,
    exports: string,
  ): { refcount: number; global: boolean; exports: object };
  loadWebAssemblyModule(
    module: WebAssembly.Module,
    flags: { global: boolean; nodelete: boolean; loadAsync: boolean },
    name: string,
    scope: object,
    handle: number,
  ): Promise<object>;
}

/**
 * Start an interpreter.
 *
 * With `snapshot` its memory is that of the interpreter that `takeSnapshot` saw, imported modules included; it
 * must have been taken with the same parts in the same browser. An interpreter of which a snapshot will be
 * taken is started with `forSnapshot`.
 */
export async function startInterpreter(parts: Parts, options: StartOptions = {}): Promise<Pyodide> {
  let fail: (error: unknown) => void;
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const createPyodideModule = async (settings: Settings): Promise<EmscriptenModule> => {
    settings.instantiateWasm = (imports, done) => {
      options.adjust?.(imports.env as Parameters<typeof options.adjust>[0]);
      instantiate(parts.wasm, imports).then((instance) => done(instance, parts.wasm), fail);
      return {};
    };
    settings.preRun.push((module) => {
      for (const pack of parts.packs) unpackFiles(module.FS, pack);
      if (!parts.pydanticCore) return;
      module.addRunDependency("pydantic-core");
      preloadNative(module, parts.pydanticCore).then(() => module.removeRunDependency("pydantic-core"), fail);
    });
    const module = await parts.factory(settings);
    if (options.snapshot) growTo(module, options.snapshot);
    return module;
  };
  const restoreFetch = answerFrom(parts);
  try {
    // The underscored options are Pyodide's own, not promised to stay: its version is pinned.
    const pyodide = await Promise.race([
      failure,
      loadPyodide({
        indexURL: NOWHERE,
        packageBaseUrl: NOWHERE,
        lockFileContents: JSON.stringify(LOCK),
        createPyodideModule: createPyodideModule as never,
        ...(options.snapshot && { _loadSnapshot: options.snapshot }),
        ...(options.forSnapshot && { _makeSnapshot: true }),
      }),
    ]);
    maskModes(pyodide.FS);
    return pyodide;
  } finally {
    restoreFetch();
  }
}

/** Emscripten has no umask: without one, everybody might write what Python's open() makes. */
function maskModes(FS: Creating): void {
  const { open, mkdir } = FS;
  FS.open = (path, flags, mode = 0o666) => open(path, flags, mode & ~UMASK);
  FS.mkdir = (path, mode = 0o777) => mkdir(path, mode & ~UMASK);
}

/** Return the interpreter's memory; only modules without any JavaScript object alive may have been imported. */
export function takeSnapshot(pyodide: Pyodide): Uint8Array {
  // Package metadata in site-packages fills this register, which the snapshot refuses to hold.
  for (const name of Object.keys(pyodide.loadedPackages)) delete pyodide.loadedPackages[name];
  return (pyodide as unknown as { makeMemorySnapshot(): Uint8Array }).makeMemorySnapshot();
}

/** Pyodide asks for two files by URL; they are here already. */
function answerFrom(parts: Parts): () => void {
  const original = self.fetch;
  self.fetch = (input: RequestInfo | URL, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input);
    if (url === NOWHERE + PYTHON_ZIP) return Promise.resolve(new Response(parts.stdlib));
    // Its bytes are never read: instantiateWasm is replaced above.
    if (url === NOWHERE + WASM) return Promise.resolve(new Response());
    return original(input, init);
  };
  return () => {
    self.fetch = original;
  };
}

async function instantiate(
  wasm: WebAssembly.Module,
  imports: WebAssembly.Imports,
): Promise<WebAssembly.Instance> {
  // Pyodide's marker for "a JavaScript error was raised": any value that nothing else equals.
  const marker = Symbol("error");
  Object.assign(imports.env as object, {
    Jsv_GetError_import: () => marker,
    JsvError_Check: (value: unknown) => value === marker,
  });
  return WebAssembly.instantiate(wasm, imports);
}

/** What a pack says of itself; paths are relative to site-packages. */
export interface PackIndex {
  directories: string[];
  files: { path: string; offset: number; size: number }[];
  /** Native code, shared libraries first. */
  libraries?: string[];
}

/** Put the files of a pack into site-packages, where they share the pack's memory. */
export function unpackFiles(FS: FileWriter, pack: ArrayBuffer | Uint8Array): PackIndex {
  const { buffer, start } =
    pack instanceof Uint8Array ? { buffer: pack.buffer, start: pack.byteOffset } : { buffer: pack, start: 0 };
  const indexLength = new DataView(buffer, start).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, start + 4, indexLength));
  const index = JSON.parse(text) as PackIndex;
  for (const directory of index.directories) FS.mkdirTree(`${SITE_PACKAGES}/${directory}`);
  for (const { path, offset, size } of index.files)
    FS.writeFile(`${SITE_PACKAGES}/${path}`, new Uint8Array(buffer, start + 4 + indexLength + offset, size), {
      canOwn: true,
    });
  return index;
}

/** Link a native module before the runtime starts: only then does it get the same addresses at every boot. */
async function preloadNative(module: EmscriptenModule, native: WebAssembly.Module): Promise<void> {
  // Python's import looks for the file, then finds that a library of this name is loaded and reads no further.
  module.FS.writeFile(PYDANTIC_CORE, new Uint8Array(), { canOwn: true });
  const library = module.newDSO(PYDANTIC_CORE, undefined, "loading");
  library.refcount = Number.POSITIVE_INFINITY;
  library.global = false;
  library.exports = await module.loadWebAssemblyModule(
    native,
    { global: false, nodelete: true, loadAsync: true },
    PYDANTIC_CORE,
    {},
    0,
  );
}

/** A snapshot is as large as the memory it was taken of, after a header whose length is its second word. */
function growTo(module: EmscriptenModule, snapshot: ArrayBuffer): void {
  const headerLength = new Uint32Array(snapshot, 0, 2)[1] ?? 0;
  const needed = snapshot.byteLength - headerLength;
  if (needed > module.HEAP8.length) module.growMemory(needed);
}
