/** Which files are locked, and whether anything may be changed at all. */

import type { Lock, Sandbox } from "../api";
import { Observable } from "./observable";
import { described } from "./workspace";

/** What is told whoever tries to change something while the switch is on. */
export const READ_ONLY = "the sandbox is read-only: the visitor of this page has switched changes off";

export class LockState extends Observable {
  locks: Lock[] = [];
  readOnly = false;
  /** Why the last attempt to lock or unlock failed. */
  failure = "";

  /** `looking`: nothing can be changed here, locks included. */
  constructor(
    private readonly sandbox: Sandbox,
    readonly looking: boolean,
  ) {
    super();
    this.readOnly = looking;
    sandbox.on(({ type }) => {
      if (type === "kernel:restart") void this.#attempt(async () => {});
    });
    void this.#attempt(async () => {});
  }

  /** Return the lock that holds a path, on itself or on a directory that it lies in. */
  of(path: string): Lock | undefined {
    return this.locks.find(({ pattern }) => {
      const locked = pathOf(pattern);
      return path === locked || path.startsWith(`${locked}/`);
    });
  }

  /** Lock a path that is not locked; unlock one that is. */
  async toggle(path: string): Promise<void> {
    const lock = this.of(path);
    await this.#attempt(async () => {
      if (lock) await this.sandbox.locks.remove(lock.id);
      else await this.sandbox.locks.add(patternOf(path), { by: "you" });
    });
  }

  async setReadOnly(on: boolean): Promise<void> {
    await this.#attempt(async () => {
      await this.sandbox.locks.setReadOnly(on ? READ_ONLY : null);
      this.readOnly = on;
    });
  }

  dismiss(): void {
    this.failure = "";
    this.changed();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    this.failure = "";
    try {
      await work();
      this.locks = await this.sandbox.locks.list();
    } catch (error) {
      this.failure = described(error).message;
    }
    this.changed();
  }
}

/** Return a lock's pattern that means this path alone, whatever signs are in it. */
export function patternOf(path: string): string {
  const escaped = path.replace(/[\\*?[\]]/g, "\\$&").replace(/ $/, "\\ ");
  return escaped === path ? path : `/${escaped}`;
}

function pathOf(pattern: string): string {
  return pattern.startsWith("/") ? pattern.slice(1).replace(/\\(.)/g, "$1") : pattern.replace(/\/+$/, "");
}
