/** One life of the kernel: a worker with Python in it, from its start until it ends or crashes. */

import * as Comlink from "comlink";
import type { BootProgress } from "./api";
import { InBrowserError } from "./error";
import { hostProcesses } from "./guest/host";
import { Heartbeat } from "./heartbeat";
import type { KernelApi } from "./kernel";

export class Life {
  readonly kernel: Comlink.Remote<KernelApi>;
  /** What the worker died of. */
  ended: InBrowserError | undefined;
  readonly #worker = kernelWorker("inbrowser kernel");
  readonly #underWay = new Set<(error: InBrowserError) => void>();
  readonly #atEnd = new Set<() => void>();
  #heartbeat: Heartbeat | undefined;
  #began = performance.now();

  private constructor() {
    this.kernel = Comlink.wrap<KernelApi>(this.#worker);
  }

  /** Start a worker and wait for its Python. `crashed` is told, in words, what ended it later on. */
  static async begin(
    onProgress: (progress: BootProgress) => void,
    crashed: (life: Life, what: string) => void,
  ): Promise<Life> {
    const life = new Life();
    const { kernel } = life;
    const failed = new Promise<never>((_, reject) => {
      life.#worker.onerror = ({ message }) =>
        reject(new InBrowserError("BootError", message || "the kernel did not load"));
    });
    const fatal = (what: string) => {
      const text = `Python failed fatally: ${what}`;
      if (life.#heartbeat) crashed(life, text);
      else life.end(new InBrowserError("BootError", text));
    };
    try {
      const host = hostProcesses();
      life.atEnd(host.close);
      const port = Comlink.transfer(host.port, [host.port]);
      const start = kernel.boot(Comlink.proxy(onProgress), Comlink.proxy(fatal), port);
      const how = await Promise.race([life.during(start), failed]);
      performance.mark("inbrowser kernel ready", { detail: how });
      if (how === "fresh") keepSnapshotsWhenIdle();
    } catch (error) {
      life.#worker.terminate();
      throw new InBrowserError("BootError", error instanceof Error ? error.message : String(error));
    }
    // An error that nobody caught in it ends no worker; one that is dead is found by its silence.
    life.#worker.onerror = null;
    life.#began = performance.now();
    life.#heartbeat = new Heartbeat(
      () => kernel.ping(),
      (seconds) => crashed(life, `it gave no answer for ${seconds} s`),
    );
    return life;
  }

  /** Milliseconds for which it was of use. */
  get lengthMs(): number {
    return (this.#heartbeat?.heardAt ?? this.#began) - this.#began;
  }

  /** Return what comes of `work`, or fail as soon as the worker is dead: its promises never settle then. */
  during<W extends PromiseLike<unknown>>(work: W): Promise<Awaited<W>> {
    if (this.ended) return Promise.reject(this.ended);
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<W>>();
    this.#underWay.add(reject);
    work.then((value) => resolve(value as Awaited<W>), reject);
    return promise.finally(() => this.#underWay.delete(reject));
  }

  /** Have `act` called at the worker's end; returns the way to take that back. */
  atEnd(act: () => void): () => void {
    this.#atEnd.add(act);
    return () => this.#atEnd.delete(act);
  }

  /** End the worker, whatever it does; what is under way fails with `error`. */
  end(error: InBrowserError): void {
    this.ended = error;
    this.#worker.terminate();
    this.#heartbeat?.stop();
    for (const fail of this.#underWay) fail(error);
    for (const act of this.#atEnd) act();
  }
}

function kernelWorker(name: string): Worker {
  return new Worker(new URL("./kernel.js", import.meta.url), { type: "module", name });
}

/** The next start is from snapshots, each made in a worker of its own, once the page has had time for its first work. */
function keepSnapshotsWhenIdle(): void {
  const make = async () => {
    for (const kind of ["guest", "kernel"] as const) {
      const worker = kernelWorker("inbrowser snapshot");
      try {
        await Comlink.wrap<KernelApi>(worker).keepSnapshot(kind);
      } catch (error) {
        console.warn(`inbrowser: no memory snapshot (${kind}) kept: the next start will be slower.`, error);
      }
      worker.terminate();
    }
  };
  setTimeout(make, 3000);
}
