/**
 * Starts guests and ends them, in the frame whose origin and policy they get. It holds the bytes they are made of, so
 * that they cross from the page once.
 */

import type { GuestBoot, GuestParts, GuestStart, ToStarter } from "./messages";

interface Bytes {
  stdlib: ArrayBuffer;
  pack: ArrayBuffer;
  snapshot: ArrayBuffer | undefined;
}
interface Ready extends Bytes {
  wasm: WebAssembly.Module | ArrayBuffer;
}

/** When a guest that was started has begun to load, which a busy frame would delay. */
const COPY_AFTER_MS = 200;

export class Starter {
  private readonly workers = new Map<number, Worker>();
  private readonly ready: Promise<Ready>;
  private readonly url: string;
  /** For the next guest: copying and handing over takes a quarter of the time of having the browser copy. */
  private copy: Bytes | undefined;

  constructor(parts: GuestParts) {
    // A module worker of a blob does not start in a frame without an origin.
    this.url = `data:text/javascript;charset=utf-8,${encodeURIComponent(parts.worker)}`;
    this.ready = this.prepare(parts);
  }

  receive(message: ToStarter): void {
    if (message.type === "start") void this.start(message.id, message.start, message.port);
    else {
      this.workers.get(message.id)?.terminate();
      this.workers.delete(message.id);
    }
  }

  /** End all that run. */
  close(): void {
    for (const worker of this.workers.values()) worker.terminate();
    this.workers.clear();
  }

  private async start(id: number, start: GuestStart, port: MessagePort): Promise<void> {
    const ready = await this.ready;
    const worker = new Worker(this.url, { type: "module", name: "inbrowser guest" });
    this.workers.set(id, worker);
    worker.onerror = ({ message }) => {
      const reason = `Python did not start: ${message || "its worker did not load"}`;
      port.postMessage({ type: "dead", reason });
    };
    const own = this.copy ?? copied(ready);
    this.copy = undefined;
    const boot: GuestBoot = { ...start, port, wasm: ready.wasm, ...own };
    worker.postMessage(boot, [port, own.stdlib, own.pack, ...(own.snapshot ? [own.snapshot] : [])]);
    setTimeout(() => {
      this.copy ??= copied(ready);
    }, COPY_AFTER_MS);
  }

  private async prepare({ wasm, stdlib, pack, snapshot }: GuestParts): Promise<Ready> {
    const bytes = await wasm.arrayBuffer();
    const module = await WebAssembly.compile(bytes);
    const ready = {
      wasm: (await this.takesModules(module)) ? module : bytes,
      stdlib: await stdlib.arrayBuffer(),
      pack: await pack.arrayBuffer(),
      snapshot: await snapshot?.arrayBuffer(),
    };
    this.copy = copied(ready);
    return ready;
  }

  /** Tell whether the engine lets compiled code into a worker of another opaque origin. */
  private async takesModules(module: WebAssembly.Module): Promise<boolean> {
    const worker = new Worker(this.url, { type: "module" });
    const answer = await new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = () => resolve(undefined);
      worker.postMessage(module);
    });
    worker.terminate();
    return answer === "modules";
  }
}

function copied({ stdlib, pack, snapshot }: Bytes): Bytes {
  return { stdlib: stdlib.slice(0), pack: pack.slice(0), snapshot: snapshot?.slice(0) };
}
