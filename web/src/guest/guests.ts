/** The guests of one sandbox: starts them, and keeps one ready. */

import type { TrackedTree } from "../tracked-fs";
import {
  type ChildRunner,
  FAILED_TO_START,
  Guest,
  type GuestListener,
  type GuestSettings,
  type InstallListener,
  KILLED,
} from "./guest";
import type { FetchRequest, GuestCommand, ToHost } from "./messages";

/** When whoever opened the sandbox has had the time for its first work. */
const WARM_AFTER_MS = 500;
/** Most processes have ended by then; the next is made ready while whoever waited for them reads what they said. */
const SPARE_AFTER_MS = 100;
/** No guest of a sandbox that does nothing for so long is kept ready. */
const KEEP_SPARE_MS = 300_000;

export class Guests {
  private spare: Guest | undefined;
  private spareTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly running = new Set<Guest>();
  private readonly installing = new Set<Guest>();
  private packs: Uint8Array[] = [];
  private closed = false;

  constructor(
    private readonly trees: TrackedTree[],
    private readonly host: MessagePort,
    private readonly settings: GuestSettings,
    private readonly shells: ChildRunner,
  ) {
    const { isolation, network } = settings;
    const warm: ToHost = { isolation, network, message: { type: "warm" } };
    setTimeout(() => this.closed || host.postMessage(warm), WARM_AFTER_MS);
  }

  /** Have these packs in every guest from now on. */
  setPacks(packs: Uint8Array[]): void {
    this.packs = packs;
    this.dropSpare();
  }

  /** Run one process; returns the way to kill it with an exit code. */
  run(command: GuestCommand, listener: GuestListener): (code: number) => void {
    const { processes } = this.settings.limits;
    if (this.running.size >= processes) {
      listener.exit(FAILED_TO_START, `${processes} processes run already, which is the limit (processes)`);
      return () => {};
    }
    const guest = this.spare ?? this.start();
    this.spare = undefined;
    this.running.add(guest);
    void guest.run(command, {
      output: listener.output,
      downloading: listener.downloading,
      exit: (code, remark) => {
        this.running.delete(guest);
        listener.exit(code, remark);
      },
    });
    // Two that start at once would take each other's time.
    guest.ready.then(() => setTimeout(() => this.keepSpare(), SPARE_AFTER_MS));
    return (code) => guest.kill(code);
  }

  /** Run the installer, with what it is made of, where it may reach `network`; returns the way to stop it. */
  install(
    request: string,
    packs: Uint8Array[],
    files: Record<string, Uint8Array>,
    network: string[],
    listener: InstallListener,
  ): () => void {
    const guest = new Guest([], this.host, { ...this.settings, network }, this.shells);
    this.installing.add(guest);
    guest.onEnd = () => this.installing.delete(guest);
    guest.send({ type: "packs", packs });
    guest.install(request, files, listener);
    return () => guest.kill(KILLED);
  }

  /** Make a request where guests may make theirs; its answer goes to `port`. */
  fetch(request: FetchRequest, port: MessagePort): void {
    const { isolation, network } = this.settings;
    const message: ToHost = { isolation, network, message: { type: "fetch", network, request, port } };
    this.host.postMessage(message, [port]);
  }

  /** Have one guest ready, if none is. */
  keepSpare(): void {
    if (this.closed) return;
    clearTimeout(this.spareTimer);
    this.spareTimer = setTimeout(() => this.dropSpare(), KEEP_SPARE_MS);
    this.spare ??= this.start();
  }

  close(): void {
    this.closed = true;
    this.dropSpare();
    for (const guest of [...this.running, ...this.installing]) guest.kill(KILLED);
  }

  private dropSpare(): void {
    clearTimeout(this.spareTimer);
    this.spare?.kill(KILLED);
    this.spare = undefined;
  }

  private start(): Guest {
    const guest = new Guest(this.trees, this.host, this.settings, this.shells);
    guest.send({ type: "packs", packs: this.packs });
    guest.onEnd = () => {
      if (guest === this.spare) this.spare = undefined;
    };
    return guest;
  }
}
