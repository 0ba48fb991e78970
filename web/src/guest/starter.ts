/**
 * Starts guests and ends them, in the frame whose origin and policy they get. It holds the bytes they are made of, so
 * that they cross from the page once.
 */

import type { GuestBoot, GuestParts, GuestStart, ToStarter } from "./messages";

interface Ready {
  wasm: WebAssembly.Module;
  wasmBytes: ArrayBuffer;
  stdlib: ArrayBuffer;
  pack: ArrayBuffer;
  snapshot: ArrayBuffer | undefined;
}

export class Starter {
  private readonly workers = new Map<number, Worker>();
  private readonly ready: Promise<Ready>;
  private readonly url: string;

  constructor(private readonly parts: GuestParts) {
    this.ready = prepare(parts);
    // A module worker of a blob does not start in a frame without an origin.
    this.url = `data:text/javascript;charset=utf-8,${encodeURIComponent(parts.worker)}`;
  }

  receive(message: ToStarter): void {
    if (message.type === "start") void this.start(message.id, message.start, message.port);
    else {
      this.workers.get(message.id)?.terminate();
      this.workers.delete(message.id);
    }
  }

  private async start(id: number, start: GuestStart, port: MessagePort): Promise<void> {
    const worker = new Worker(this.url, { type: "module", name: "inbrowser guest" });
    this.workers.set(id, worker);
    const fail = (reason: string) => port.postMessage({ type: "dead", reason });
    worker.onerror = ({ message }) => fail(`Python did not start: ${message || "its worker did not load"}`);
    const { wasm, wasmBytes, ...bytes } = await this.ready;
    const boot = (code: WebAssembly.Module | ArrayBuffer) => {
      // Copying and handing over takes a quarter of the time of having the browser copy.
      const copy = (buffer: ArrayBuffer) => buffer.slice(0);
      const stdlib = copy(bytes.stdlib);
      const pack = copy(bytes.pack);
      const snapshot = bytes.snapshot && copy(bytes.snapshot);
      const message: GuestBoot = { ...start, port, factory: this.parts.factory, wasm: code, stdlib, pack, snapshot };
      worker.postMessage(message, [port, stdlib, pack, ...(snapshot ? [snapshot] : [])]);
    };
    worker.onmessage = ({ data }) => {
      if (data === "modules") boot(wasm);
      else if (data === "no modules") boot(wasmBytes);
    };
    worker.postMessage(wasm);
  }
}

async function prepare({ wasm, stdlib, pack, snapshot }: GuestParts): Promise<Ready> {
  const wasmBytes = await wasm.arrayBuffer();
  return {
    wasm: await WebAssembly.compile(wasmBytes),
    wasmBytes,
    stdlib: await stdlib.arrayBuffer(),
    pack: await pack.arrayBuffer(),
    snapshot: await snapshot?.arrayBuffer(),
  };
}
