/** What one sandbox is in each life of the kernel. */

import type { OpenOptions, ToolDescription } from "./api";
import { InBrowserError } from "./error";
import { Handle } from "./handle";
import type { Life } from "./life";
import { call, PAGE } from "./remote";
import { EventStream } from "./sandbox-events";
import { type Survivor, survive } from "./supervisor";

/** A browser lets a worker that loops live for some seconds more, with the locks that it holds. */
const RELEASE_MS = 10_000;

/** What the kernel says of a sandbox that it has opened. */
export interface Opened {
  handle: string;
  checkpoints: string;
  locks: string;
  id: string;
  tools: ToolDescription[];
  isNew: boolean;
  kept: boolean;
  damaged: string[];
}

export class Lives implements Survivor {
  readonly id: string;
  readonly handle = new Handle(async (life) => (await this.#in(life)).handle);
  readonly checkpoints = new Handle(async (life) => (await this.#in(life)).checkpoints);
  readonly locks = new Handle(async (life) => (await this.#in(life)).locks);
  readonly events: EventStream;
  readonly tools: ToolDescription[];
  /** Why every change is refused, as the host has said. */
  readOnly: string | null = null;
  readonly #kept: boolean;
  readonly #leave: () => void;
  #opened: Promise<Opened>;
  /** Why it is not opened again. */
  #over: InBrowserError | undefined;

  /** The sandbox was `opened` in `life`; `options` open it again. */
  constructor(
    opened: Opened,
    private readonly options: OpenOptions,
    private life: Life,
  ) {
    this.id = opened.id;
    this.tools = opened.tools;
    this.#kept = opened.kept;
    this.#opened = Promise.resolve(opened);
    this.events = new EventStream(this.id, this.handle, () => this.end("was destroyed"));
    this.#leave = survive(this);
  }

  async revive(life: Life, what: string): Promise<void> {
    await this.#in(life);
    this.events.revive(life, what);
  }

  /** Open it no more; whoever uses it is told why. */
  end(why: string): InBrowserError {
    this.#over ??= new InBrowserError(
      "SandboxDestroyedError",
      `the sandbox '${this.id}' ${why}; open another one`,
    );
    this.#leave();
    return this.#over;
  }

  #in(life: Life): Promise<Opened> {
    if (life !== this.life) {
      this.life = life;
      this.#opened = this.#open(life);
    }
    return this.#opened;
  }

  async #open(life: Life): Promise<Opened> {
    if (this.#over) throw this.#over;
    if (!this.#kept) throw this.#lose("was in memory, which went with the kernel that crashed");
    try {
      const opened = await reopened({ ...this.options, id: this.id }, life);
      // This alone is saved nowhere, and must hold before anybody can change anything.
      if (this.readOnly !== null)
        await call(opened.locks, "setReadOnly", { reason: this.readOnly }, { life });
      return opened;
    } catch (error) {
      // What the kernel died of once more says nothing of the sandbox.
      if (life.ended) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw this.#lose(`could not be opened again after the kernel crashed: ${reason}`);
    }
  }

  #lose(why: string): InBrowserError {
    const error = this.end(why);
    this.events.end(error.message);
    return error;
  }
}

async function reopened(options: OpenOptions, life: Life): Promise<Opened> {
  const began = performance.now();
  for (;;) {
    try {
      return await call<Opened>(PAGE, "openSandbox", { ...options }, { life });
    } catch (error) {
      // Each attempt waits for the lock a while.
      const waits = error instanceof InBrowserError && error.name === "SandboxInUseError";
      if (!waits || performance.now() - began > RELEASE_MS) throw error;
    }
  }
}
