/** The kernel worker: Pyodide with inbrowser, the sandboxes' files, and nothing that loops at a user's will. */

import * as Comlink from "comlink";
import type { BootProgress } from "./api";
import { createCompiler } from "./compiler";
import { Progress } from "./download";
import { Guard, type Rules } from "./guard";
import { loseGuests } from "./guest/guest";
import { Blobs } from "./history/blobs";
import { Snapshots } from "./history/snapshots";
import { type Parts, type Pyodide, startInterpreter, takeSnapshot } from "./interpreter";
import { bundledIndex, bundledPack, installerPack, keepPack, keptPack } from "./packages";
import { PageWorker } from "./page-worker";
import { guestParts, loadParts } from "./parts";
import { compilePattern } from "./regex";
import { type Callbacks, createShells } from "./shell";
import { dropSnapshot, loadSnapshot, type SnapshotKind, saveSnapshot } from "./snapshots";
import { deleteDatabase, estimateStorage, listDatabases } from "./storage/database";
import { type Kept, openForReading, openForWriting } from "./storage/kept";
import { type EmscriptenFS, mountTree, type TrackedTree } from "./tracked-fs";

/** Runs before a snapshot is taken; what it imports may not hold any JavaScript object yet. */
const PREPARE = "import inbrowser.kernel, inbrowser.kernel.agents, inbrowser.sandbox.preview";
const PREPARE_GUEST = "import inbrowser_guest.preloaded, inbrowser_guest.process";

/** A method of an object that lives in Python. */
export interface Call {
  number: number;
  handle: string;
  method: string;
  /** A JSON object. */
  params: string;
}

/** What a call takes beside JSON. */
export interface Extras {
  data?: Uint8Array;
  /** Where the call posts its stream of messages. */
  port?: MessagePort;
}

/** Bytes that the page has, in pieces; nothing comes after the last. */
export interface HostBytesPort {
  next(): Promise<Uint8Array | undefined>;
}

/** A model of the page's own; requests and events are JSON text. */
export interface HostModelPort {
  open(request: string): HostStreamPort;
}

export interface HostStreamPort {
  next(): Promise<string | undefined>;
  close(): void;
}

/** Tools of the page's own; calls, contexts and outputs are JSON text. */
export interface HostToolsPort {
  execute(call: string, context: string): Promise<string>;
}

interface PythonKernel {
  call(number: number, handle: string, method: string, params: string, extras: object): Promise<Reply>;
  cancel(number: number): void;
  release(handle: string): void;
  plain(value: unknown): Reply;
}

/** JSON text, long JSON as UTF-8, or the bytes or object that the method returns. */
export type Reply = string | Uint8Array | object;

// The downloads begin with the worker, not with the first message to it.
const progress = new Progress();
const loading = loadParts(progress);
loading.catch(() => {}); // Whoever awaits it is told.

let pyodide: Pyodide;
/** Where guests are asked for; see guest/host.ts. */
let guestHost: MessagePort;
let python: PythonKernel;

const kernel = {
  /**
   * Start Python; resolves to how it started. `onFatal` is told, once, what Python died of later on; guests are asked
   * for on the port `host`.
   */
  async boot(
    onProgress: (progress: BootProgress) => void,
    onFatal: (what: string) => void,
    host: MessagePort,
  ): Promise<"snapshot" | "fresh"> {
    progress.report = onProgress;
    guestHost = host;
    // esbuild starts a worker by itself.
    globalThis.Worker = PageWorker.of(host);
    host.onmessage = loseGuests;
    const [parts, snapshot] = await Promise.all([loading, loadSnapshot("kernel")]);
    const restored = snapshot && (await restore(parts, snapshot));
    pyodide = restored ?? (await startInterpreter(parts));
    tellFatal(pyodide, onFatal);
    connect();
    return restored ? "snapshot" : "fresh";
  },

  /** Tell that the worker is alive. */
  ping(): void {},

  /** Keep a memory snapshot for the next visit; meant for a worker of its own, which is useless afterwards. */
  async keepSnapshot(kind: SnapshotKind): Promise<void> {
    const parts = await loading;
    const guest = kind === "guest";
    const interpreter = await startInterpreter(guest ? await guestParts(parts) : parts, {
      forSnapshot: true,
    });
    interpreter.runPython(guest ? PREPARE_GUEST : PREPARE);
    await saveSnapshot(kind, takeSnapshot(interpreter));
  },

  call(
    call: Call,
    extras: Extras,
    model?: Comlink.Remote<HostModelPort>,
    tools?: Comlink.Remote<HostToolsPort>,
    bytes?: Comlink.Remote<HostBytesPort>,
  ): Promise<Reply> {
    const { data, port } = extras;
    return python.call(call.number, call.handle, call.method, call.params, {
      ...(data && { data }),
      ...(port && { post: (message: string) => port.postMessage(message) }),
      ...(model && { host_model: modelForPython(model) }),
      ...(tools && { host_tools: toolsForPython(tools) }),
      ...(bytes && { source: { next: () => bytes.next() } }),
    });
  },

  cancel(number: number): void {
    python.cancel(number);
  },

  release(handle: string): void {
    python.release(handle);
  },

  /** Run trusted Python of the host; the last expression's value comes back as JSON or bytes. */
  async runPython(code: string, globals: object | undefined): Promise<Reply> {
    const scope = globals && pyodide.toPy({ __name__: "__main__", ...globals });
    try {
      return python.plain(await pyodide.runPythonAsync(code, scope ? { globals: scope } : {}));
    } catch (error) {
      if (!(error instanceof pyodide.ffi.PythonError)) throw error;
      return JSON.stringify({ error: described(error.type, error.message) });
    }
  },
};

export type KernelApi = typeof kernel;

Comlink.expose(kernel);

/** A traceback ends with `package.Name: message`, where the message may run over several lines. */
function described(type: string, traceback: string) {
  const start = traceback.lastIndexOf(`${type}:`);
  const message = start < 0 ? "" : traceback.slice(start + type.length + 1).trim();
  return { name: type, message, traceback };
}

// Comlink's proxies answer to any name, `then` included, which makes Python take them for promises.
function modelForPython(model: Comlink.Remote<HostModelPort>) {
  return {
    async open(request: string) {
      const stream = (await model.open(request)) as unknown as Comlink.Remote<HostStreamPort>;
      return {
        next: () => stream.next(),
        close: () => stream.close().finally(() => stream[Comlink.releaseProxy]()),
      };
    },
    // The page can drop a model of gigabytes when Python does, and not when this worker collects its garbage.
    release: () => model[Comlink.releaseProxy](),
  };
}

function toolsForPython(tools: Comlink.Remote<HostToolsPort>) {
  return { execute: (call: string, context: string) => tools.execute(call, context) };
}

/** A fatal error leaves promises that never settle; Pyodide calls this hook, which it does not publish, before it throws. */
function tellFatal(interpreter: Pyodide, onFatal: (what: string) => void): void {
  const api = (interpreter as unknown as { _api: { on_fatal?: (error: unknown) => void } })._api;
  api.on_fatal = (error) => {
    onFatal(String(error));
    // Whatever calls the dead interpreter until the worker is ended fails too, and nobody waits for it.
    for (const kind of ["error", "unhandledrejection"])
      self.addEventListener(kind, (event) => event.preventDefault());
  };
}

async function restore(parts: Parts, snapshot: ArrayBuffer): Promise<Pyodide | undefined> {
  try {
    return await startInterpreter(parts, { snapshot });
  } catch (error) {
    console.warn("inbrowser: the kept memory snapshot does not fit this browser; starting afresh.", error);
    await dropSnapshot("kernel");
    return undefined;
  }
}

function connect(): void {
  pyodide.registerJsModule("inbrowser_bridge", {
    compilePattern,
    bundledIndex,
    bundledPack,
    createCompiler,
    createShells: (trees: TrackedTree[], settings: string, ...callbacks: Callbacks) =>
      createShells(trees, guestHost, settings, ...callbacks),
    createSnapshots: (tree: TrackedTree, kept?: Kept) => new Snapshots(tree, new Blobs(kept)),
    deleteDatabase,
    installerPack,
    keepPack,
    keptPack,
    estimateStorage: async () => JSON.stringify(await estimateStorage()),
    listDatabases: async () => JSON.stringify(await listDatabases()),
    mountTree: (root: string) => mountTree(pyodide.FS as unknown as EmscriptenFS, root),
    openForReading,
    openForWriting,
    setRules: (tree: TrackedTree, rules: string) => {
      tree.guard = new Guard(JSON.parse(rules) as Rules);
    },
  });
  python = pyodide.runPython("from inbrowser.kernel import start; start()") as PythonKernel;
}
