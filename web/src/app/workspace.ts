/** The sandbox behind the page, from its start on. */

import type { BootProgress, Sandbox } from "../api";
import { openSandbox } from "../index";
import { EventLog } from "./event-log";
import { Observable } from "./observable";

/** Opens the sandbox, tells how far it is, and collects its events. */
export class Workspace extends Observable {
  phase: "starting" | "ready" | "failed" = "starting";
  progress: BootProgress = { label: "", loadedBytes: 0, totalBytes: 0 };
  /** Why the start failed. */
  failure = "";
  sandbox: Sandbox | undefined;
  readonly events = new EventLog();
  #waiting: ((sandbox: Sandbox) => void)[] = [];

  /** `beside` is awaited too: what the page needs before it is of use. */
  constructor(private readonly beside: () => Promise<unknown>) {
    super();
  }

  /** Start, or start again after a failure. */
  async start(): Promise<void> {
    this.phase = "starting";
    this.progress = { label: "", loadedBytes: 0, totalBytes: 0 };
    this.changed();
    try {
      const opening = openSandbox({
        id: "workbench",
        onProgress: (progress) => {
          this.progress = progress;
          this.changed();
        },
      });
      const [sandbox] = await Promise.all([opening, this.beside()]);
      sandbox.on((event) => this.events.add(event));
      this.sandbox = sandbox;
      this.phase = "ready";
      for (const resolve of this.#waiting.splice(0)) resolve(sandbox);
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      this.phase = "failed";
    }
    this.changed();
  }

  /** The sandbox, once a start has succeeded. */
  ready(): Promise<Sandbox> {
    if (this.sandbox) return Promise.resolve(this.sandbox);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
