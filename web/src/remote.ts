/** The page's side of the kernel worker: it starts once a page, and answers calls to objects in Python. */

import * as Comlink from "comlink";
import type { BootProgress, Json } from "./api";
import { hostGuests } from "./guest/host";
import type { Extras, HostBytesPort, HostModelPort, HostToolsPort, KernelApi, Reply } from "./kernel";

/** An error that Python raised; `name` is its class there. `traceback` comes with errors of `runPython` alone. */
export class InBrowserError extends Error {
  constructor(
    name: string,
    message: string,
    readonly traceback?: string,
  ) {
    super(message);
    this.name = name;
  }
}

/** A handle to an object in Python. */
export type Handle = string;

export const PAGE: Handle = "page-1";

interface CallOptions extends Extras {
  signal?: AbortSignal | undefined;
  hostModel?: HostModelPort | undefined;
  hostTools?: HostToolsPort | undefined;
  /** What Python takes in piece by piece, as `source`. */
  source?: HostBytesPort | undefined;
}

type Params = Record<string, unknown>;
type ProgressListener = (progress: BootProgress) => void;

const progressListeners = new Set<ProgressListener>();
let starting: Promise<Comlink.Remote<KernelApi>> | undefined;
let calls = 0;

/** Start the kernel, or wait for the one that is starting. A start that failed may be tried again. */
export async function startKernel(onProgress?: ProgressListener): Promise<Comlink.Remote<KernelApi>> {
  if (onProgress) progressListeners.add(onProgress);
  starting ??= boot();
  try {
    return await starting;
  } catch (error) {
    starting = undefined;
    throw error;
  } finally {
    if (onProgress) progressListeners.delete(onProgress);
  }
}

/** Call a method in Python and return its value. */
export async function call<T = Json>(
  handle: Handle,
  method: string,
  params: Params,
  options: CallOptions = {},
): Promise<T> {
  return value<T>(await send(handle, method, params, options));
}

/** Call a method that returns bytes. */
export async function callForBytes(handle: Handle, method: string, params: Params): Promise<Uint8Array> {
  const reply = await send(handle, method, params, {});
  return reply instanceof Uint8Array ? reply : value<Uint8Array>(reply);
}

/**
 * Call a method and yield the messages it posts, until it posts `null`; leaving the loop early cancels the call.
 */
export async function* callForMessages<T>(
  handle: Handle,
  method: string,
  params: Params,
  signal?: AbortSignal,
): AsyncGenerator<T, void> {
  const { port1, port2 } = new MessageChannel();
  const left = new AbortController();
  const queue: T[] = [];
  let ended = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  port1.onmessage = (event) => {
    const message = JSON.parse(event.data as string) as T | null;
    if (message === null) return end();
    queue.push(message);
    wake();
  };
  const finished = call(handle, method, params, {
    signal: signal ? AbortSignal.any([signal, left.signal]) : left.signal,
    port: port2,
  });
  finished.catch(end);
  try {
    while (!ended || queue.length) {
      const message = queue.shift();
      if (message !== undefined) yield message;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    await finished;
  } finally {
    left.abort();
    port1.close();
  }
}

/** Run trusted Python of the host in the kernel; the value of the last expression comes back as plain data. */
export async function runPython<T = Json>(code: string, globals?: Record<string, unknown>): Promise<T> {
  const kernel = await startKernel();
  const reply = await kernel.runPython(code, globals);
  return reply instanceof Uint8Array ? (reply as T) : value<T>(reply);
}

/** Give an object of the page to Python; its methods take and return JSON text. */
export function asHost<T extends object>(methods: T): T & Comlink.ProxyMarked {
  return Comlink.proxy(methods);
}

const collected = new FinalizationRegistry<Handle>((handle) => {
  void starting?.then((kernel) => kernel.release(handle));
});

/** Release a handle now. */
export async function release(handle: Handle): Promise<void> {
  const kernel = await starting;
  await kernel?.release(handle);
}

/** Release the handle in Python once the object that stands for it here is gone. */
export function tie<T extends object>(object: T, handle: Handle): T {
  collected.register(object, handle);
  return object;
}

async function boot(): Promise<Comlink.Remote<KernelApi>> {
  const worker = kernelWorker();
  const failed = new Promise<never>((_, reject) => {
    worker.onerror = (event) =>
      reject(new InBrowserError("BootError", event.message || "the kernel did not load"));
  });
  const kernel = Comlink.wrap<KernelApi>(worker);
  try {
    const host = hostGuests();
    const start = kernel.boot(
      Comlink.proxy((progress: BootProgress) => {
        for (const listener of progressListeners) listener(progress);
      }),
      Comlink.transfer(host, [host]),
    );
    const how = await Promise.race([start, failed]);
    performance.mark("inbrowser kernel ready", { detail: how });
    if (how === "fresh") keepSnapshotsWhenIdle();
    return kernel;
  } catch (error) {
    worker.terminate();
    throw new InBrowserError("BootError", error instanceof Error ? error.message : String(error));
  }
}

function kernelWorker(): Worker {
  return new Worker(new URL("./kernel.js", import.meta.url), { type: "module", name: "inbrowser kernel" });
}

/** The next visit starts from snapshots, each made in a worker of its own, once the page has had time for its first work. */
function keepSnapshotsWhenIdle(): void {
  const make = async () => {
    for (const kind of ["guest", "kernel"] as const) {
      const worker = kernelWorker();
      try {
        await Comlink.wrap<KernelApi>(worker).keepSnapshot(kind);
      } catch (error) {
        console.warn(
          `inbrowser: no memory snapshot (${kind}) kept, the next start will not be faster.`,
          error,
        );
      }
      worker.terminate();
    }
  };
  setTimeout(make, 3000);
}

async function send(handle: Handle, method: string, params: Params, options: CallOptions): Promise<Reply> {
  const { signal, port, data, hostModel, hostTools, source } = options;
  const kernel = await (starting ?? startKernel());
  signal?.throwIfAborted();
  const number = ++calls;
  const cancel = () => void kernel.cancel(number);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const extras: Extras = { ...(data && { data }), ...(port && { port }) };
    return await kernel.call(
      { number, handle, method, params: JSON.stringify(params) },
      port ? Comlink.transfer(extras, [port]) : extras,
      hostModel as Comlink.Remote<HostModelPort> | undefined,
      hostTools as Comlink.Remote<HostToolsPort> | undefined,
      source as Comlink.Remote<HostBytesPort> | undefined,
    );
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

function value<T>(reply: Reply): T {
  if (typeof reply !== "string" && !(reply instanceof Uint8Array)) return reply as T;
  const answer = JSON.parse(typeof reply === "string" ? reply : new TextDecoder().decode(reply)) as
    | { value: T }
    | { error: { name: string; message: string; traceback?: string } };
  if ("error" in answer)
    throw new InBrowserError(answer.error.name, answer.error.message, answer.error.traceback);
  return answer.value;
}
