/** The page's end of a sandbox's event stream, from one life of the kernel to the next. */

import type { SandboxEvent } from "./api";
import { InBrowserError, saysGone } from "./error";
import type { Handle } from "./handle";
import type { Life } from "./life";
import { call } from "./remote";

type Listener = (event: SandboxEvent) => void;

/** One port carries the events of all listeners, from the first of them to the sandbox's last event. */
export class EventStream {
  readonly #listeners = new Set<Listener>();
  #port: MessagePort | undefined;
  #ended = false;
  /** The number of the last event. */
  #seq = 0;

  /** `onEnd` is called once the sandbox has sent its last event. */
  constructor(
    private readonly sandboxId: string,
    private readonly handle: Handle,
    private readonly onEnd: () => void,
  ) {}

  on(listener: Listener): () => void {
    if (this.#ended)
      throw new InBrowserError("SandboxDestroyedError", "the sandbox was destroyed; open another one");
    if (!this.#port) this.#open();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Go on in a new life of the kernel, with an event that says what the last one died of. */
  revive(life: Life, what: string): void {
    if (!this.#port) return;
    this.#port.close();
    this.#open(life, what);
  }

  /** Send the last event, of a sandbox that is gone with its kernel. */
  end(why: string): void {
    if (this.#ended) return;
    this.#receive({
      type: "destroyed",
      sandboxId: this.sandboxId,
      seq: this.#seq + 1,
      timestamp: Date.now(),
      reason: why,
    });
  }

  #open(life?: Life, restarted?: string): void {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.onmessage = ({ data }) => this.#receive(JSON.parse(data as string) as SandboxEvent);
    // A sandbox that is gone has nothing to tell; one that the kernel was lost with goes on in the next.
    call(this.handle, "on", { restarted }, { port: port2, life }).catch((error: unknown) => {
      if (!saysGone(error)) reportError(error);
      else if ((error as Error).name === "SandboxDestroyedError") this.#ended = true;
    });
  }

  #receive(event: SandboxEvent): void {
    this.#seq = event.seq;
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        reportError(error);
      }
    }
    if (event.type !== "destroyed") return;
    this.#ended = true;
    this.#listeners.clear();
    this.#port?.close();
    this.onEnd();
  }
}
