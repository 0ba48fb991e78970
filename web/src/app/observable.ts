/** State that views follow. */

import type { ReactiveController, ReactiveControllerHost } from "lit";

/** Tells its listeners that something in it changed; they read what they need. */
export class Observable {
  #listeners = new Set<() => void>();

  /** Call `listener` after each change; returns the way to stop. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For subclasses and for whoever changed a field from outside. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Renders its host anew when the observable that `pick` returns changes. */
export class Follow implements ReactiveController {
  #source: Observable | undefined;
  #stop = () => {};

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly pick: () => Observable | undefined,
  ) {
    host.addController(this);
  }

  hostUpdate(): void {
    const source = this.pick();
    if (source === this.#source) return;
    this.#stop();
    this.#source = source;
    this.#stop = source?.subscribe(() => this.host.requestUpdate()) ?? (() => {});
  }

  hostDisconnected(): void {
    this.#stop();
    this.#source = undefined;
  }

  hostConnected(): void {
    this.host.requestUpdate();
  }
}
