/** The page's calls to objects in Python. */

import * as Comlink from "comlink";
import type { Json } from "./api";
import { InBrowserError } from "./error";
import { Handle } from "./handle";
import type { Extras, HostBytesPort, HostModelPort, HostToolsPort, Reply } from "./kernel";
import type { Life } from "./life";
import { startKernel } from "./supervisor";

/** What the first calls go to, in every life of the kernel. */
export const PAGE = "page-1";

interface CallOptions extends Extras {
  signal?: AbortSignal | undefined;
  hostModel?: HostModelPort | undefined;
  hostTools?: HostToolsPort | undefined;
  /** What Python takes in piece by piece, as `source`. */
  source?: HostBytesPort | undefined;
  /** The life of the kernel to call in: the present one when left out, after a wait for it. */
  life?: Life | undefined;
}

/** A `Handle` among the values is replaced by the name of its object. */
type Params = Record<string, unknown>;

let calls = 0;
/** What calls under way name: Python must not be told to release it before it has answered. */
const inUse = new Set<Params>();

/** Call a method in Python and return its value. */
export async function call<T = Json>(
  handle: Handle | string,
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

/** Call a method that returns the name of what it has made, which cannot be made again; `kind` says what it is. */
export async function callForHandle(
  handle: Handle | string,
  method: string,
  params: Params,
  kind: string,
  options: CallOptions = {},
): Promise<Handle> {
  const life = await startKernel();
  return Handle.once(life, await call<string>(handle, method, params, { ...options, life }), kind);
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
  const life = await startKernel();
  const reply = await life.during(life.kernel.runPython(code, globals));
  return reply instanceof Uint8Array ? (reply as T) : value<T>(reply);
}

/** Give an object of the page to Python; its methods take and return JSON text. */
export function asHost<T extends object>(methods: T): T & Comlink.ProxyMarked {
  return Comlink.proxy(methods);
}

async function send(
  handle: Handle | string,
  method: string,
  params: Params,
  options: CallOptions,
): Promise<Reply> {
  const { signal, port, data, hostModel, hostTools, source } = options;
  const life = options.life ?? (await startKernel());
  const { kernel } = life;
  const named = { ...params, "": handle };
  inUse.add(named);
  let cancel = () => {};
  try {
    const { "": name, ...plain } = await life.during(names(life, named));
    signal?.throwIfAborted();
    // In the order in which they are sent.
    const number = ++calls;
    cancel = () => void kernel.cancel(number);
    signal?.addEventListener("abort", cancel, { once: true });
    const extras: Extras = { ...(data && { data }), ...(port && { port }) };
    return await life.during(
      kernel.call(
        { number, handle: name as string, method, params: JSON.stringify(plain) },
        port ? Comlink.transfer(extras, [port]) : extras,
        hostModel as Comlink.Remote<HostModelPort> | undefined,
        hostTools as Comlink.Remote<HostToolsPort> | undefined,
        source as Comlink.Remote<HostBytesPort> | undefined,
      ),
    );
  } finally {
    signal?.removeEventListener("abort", cancel);
    inUse.delete(named);
  }
}

/** Return the values with names of objects in place of the handles. */
async function names(life: Life, values: Params): Promise<Params> {
  const entries = Object.entries(values).map(async ([key, value]) => [
    key,
    value instanceof Handle ? await value.in(life) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries)) as Params;
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
