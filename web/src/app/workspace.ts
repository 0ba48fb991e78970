/** The sandbox behind the page, from its start on, and whether it is kept. */

import type { BootProgress, OpenOptions, Sandbox } from "../api";
import { type KernelRestart, onKernelRestart, openSandbox } from "../index";
import { EventLog } from "./event-log";
import { Observable } from "./observable";

const OPTIONS = {
  id: "workbench",
  autoCheckpoints: { beforeTool: true, turns: true, keep: 100 },
} satisfies OpenOptions;

/** Errors that say that this browser keeps nothing now; work can begin all the same. */
const NO_STORAGE = new Set(["StorageUnavailableError", "StorageFullError"]);

/** Why there is no sandbox. */
export interface Failure {
  /** The error's class. */
  name: string;
  message: string;
}

/** Opens the sandbox, tells how far it is, collects its events, and knows what of it is saved. */
export class Workspace extends Observable {
  phase: "starting" | "ready" | "restarting" | "failed" = "starting";
  progress: BootProgress = { label: "", loadedBytes: 0, totalBytes: 0 };
  failure: Failure | undefined;
  sandbox: Sandbox | undefined;
  /** Where changes go: into this browser, nowhere but this page's memory, or they cannot be made. */
  keeping: "kept" | "memory" | "looking" = "kept";
  /** With `memory`: why. */
  notKeptBecause = "";
  saved = true;
  /** Why changes could not be saved. */
  problem: string | undefined;
  /** What the kernel died of before it was restarted, until the visitor has seen it. */
  restarted: string | undefined;
  readonly events = new EventLog();
  #waiting: ((sandbox: Sandbox) => void)[] = [];

  /** `beside` is awaited too: what the page needs before it is of use. */
  constructor(private readonly beside: () => Promise<unknown>) {
    super();
    onKernelRestart((restart) => this.#restart(restart));
  }

  /** Forget that the kernel was restarted. */
  dismissRestart(): void {
    this.restarted = undefined;
    this.changed();
  }

  /** Start, or start again after a failure; `read` looks at what is kept, which another tab may be changing. */
  async start(mode: "write" | "read" = "write"): Promise<void> {
    this.phase = "starting";
    this.failure = undefined;
    this.progress = { label: "", loadedBytes: 0, totalBytes: 0 };
    this.changed();
    try {
      const [sandbox] = await Promise.all([this.#open(mode), this.beside()]);
      this.#follow(sandbox);
      this.sandbox = sandbox;
      this.phase = "ready";
      for (const resolve of this.#waiting.splice(0)) resolve(sandbox);
    } catch (error) {
      this.failure = described(error);
      this.phase = "failed";
    }
    this.changed();
  }

  /** The sandbox, once a start has succeeded. */
  ready(): Promise<Sandbox> {
    if (this.sandbox) return Promise.resolve(this.sandbox);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #open(mode: "write" | "read"): Promise<Sandbox> {
    const onProgress = (progress: BootProgress) => {
      this.progress = progress;
      this.changed();
    };
    try {
      const sandbox = await openSandbox({ ...OPTIONS, storage: "indexeddb", mode, onProgress });
      this.keeping = mode === "read" ? "looking" : "kept";
      return sandbox;
    } catch (error) {
      const { name, message } = described(error);
      if (mode === "read" || !NO_STORAGE.has(name)) throw error;
      this.keeping = "memory";
      this.notKeptBecause = message;
      return openSandbox({ ...OPTIONS, onProgress });
    }
  }

  #follow(sandbox: Sandbox): void {
    sandbox.on((event) => {
      this.events.add(event);
      if (event.type === "storage") this.#turn(event.saved, event.problem ?? undefined);
    });
    if (this.keeping !== "kept") return;
    // What turned before anybody listened.
    sandbox.flush().catch((error: unknown) => this.#turn(false, described(error).message));
  }

  #restart({ phase, message, lost }: KernelRestart): void {
    if (!this.sandbox) return; // A start that is under way fails by itself.
    const gone = lost.find(({ id }) => id === this.sandbox?.id);
    if (phase === "restarting") this.phase = "restarting";
    else if (phase === "failed" || gone) {
      this.phase = "failed";
      this.failure = { name: "KernelCrashedError", message: gone?.message ?? message };
    } else {
      this.phase = "ready";
      this.restarted = message;
      this.saved = true;
      this.problem = undefined;
    }
    this.changed();
  }

  #turn(saved: boolean, problem: string | undefined): void {
    this.saved = saved;
    // Between one attempt and the next, changes only wait; the reason stays until it is gone.
    this.problem = saved ? undefined : (problem ?? this.problem);
    this.changed();
  }
}

export function described(error: unknown): Failure {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: "Error", message: String(error) };
}
