/** The sandbox's checkpoints as the page shows them. */

import type { Checkpoint, CheckpointDiff, Sandbox } from "../api";
import { Observable } from "./observable";
import { described } from "./workspace";

export class CheckpointLog extends Observable {
  /** Newest first; undefined until they are known. */
  entries: Checkpoint[] | undefined;
  /** The one that the files were at last. */
  current: string | undefined;
  /** Why the last thing that was asked for was not done. */
  failure = "";
  /** Whether something that was asked for is under way. */
  busy = false;
  readonly #off: () => void;
  #reading = false;
  #stale = false;

  constructor(private readonly sandbox: Sandbox) {
    super();
    this.#off = sandbox.on(({ type }) => {
      if (type.startsWith("checkpoint:") || type === "kernel:restart") void this.refresh();
    });
    void this.refresh();
  }

  close(): void {
    this.#off();
  }

  create(label: string): Promise<boolean> {
    return this.#do(({ checkpoints }) => checkpoints.create(label ? { label } : {}));
  }

  undo(): Promise<boolean> {
    return this.#do(({ checkpoints }) => checkpoints.undo());
  }

  redo(): Promise<boolean> {
    return this.#do(({ checkpoints }) => checkpoints.redo());
  }

  restore(id: string): Promise<boolean> {
    return this.#do(({ checkpoints }) => checkpoints.restore(id));
  }

  prune(id: string): Promise<boolean> {
    return this.#do(({ checkpoints }) => checkpoints.prune({ ids: [id] }));
  }

  /** How the files as they are differ from a checkpoint. */
  async compare(id: string): Promise<CheckpointDiff | undefined> {
    let diff: CheckpointDiff | undefined;
    await this.#do(async ({ checkpoints }) => {
      diff = await checkpoints.diff(id);
    });
    return diff;
  }

  dismiss(): void {
    this.failure = "";
    this.changed();
  }

  /** Read the list; one reading at a time, and once more if something happened meanwhile. */
  async refresh(): Promise<void> {
    this.#stale = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#stale) {
      this.#stale = false;
      try {
        const { checkpoints } = this.sandbox;
        const [entries, history] = await Promise.all([checkpoints.list(), checkpoints.history()]);
        this.entries = entries.reverse();
        this.current = history[0]?.id;
      } catch (error) {
        this.entries ??= [];
        // After a crash the list is read again anyway.
        if (described(error).name !== "KernelCrashedError") this.#fail(error);
      }
      this.changed();
    }
    this.#reading = false;
  }

  async #do(work: (sandbox: Sandbox) => Promise<unknown>): Promise<boolean> {
    this.failure = "";
    this.busy = true;
    this.changed();
    try {
      await work(this.sandbox);
    } catch (error) {
      this.#fail(error);
    }
    this.busy = false;
    this.changed();
    return !this.failure;
  }

  #fail(error: unknown): void {
    const { name, message } = described(error);
    if (name !== "SandboxDestroyedError") this.failure = message;
  }
}

const REASONS: Record<Checkpoint["reason"], string> = {
  manual: "Checkpoint",
  "before-turn": "Before a turn",
  "before-tool": "Before a tool call",
  "after-turn": "After a turn",
  restore: "Before a restore",
};

/** What a checkpoint is called. */
export function nameOf({ label, summary, reason }: Checkpoint): string {
  const name = label || summary || REASONS[reason];
  return `${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`;
}
