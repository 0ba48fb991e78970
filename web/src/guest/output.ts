/**
 * What a guest prints, on its way to the kernel: at once, or in larger pieces when it comes in a flood. A message each
 * for a million lines would keep the kernel busy.
 */

import type { Stream } from "./messages";

const WINDOW_MS = 10;
/** Pieces that go out at once within one window. */
const BURST = 16;
const FULL = 64 << 10;

/** Pyodide asks such an object now and then, while it runs Python, for the number of a signal. */
interface SignalBuffer {
  0: number;
}

export class Output {
  private waiting: { stream: Stream; bytes: Uint8Array }[] = [];
  private size = 0;
  private windowEnd = 0;
  private sent = 0;
  private closed = false;

  /** `watch` has Python ask an object for signals, or stops that. */
  constructor(
    private readonly post: (stream: Stream, bytes: Uint8Array) => void,
    private readonly watch: (buffer: SignalBuffer | undefined) => void,
  ) {}

  write(stream: Stream, bytes: Uint8Array): void {
    if (this.closed) return;
    const last = this.waiting.at(-1);
    if (last?.stream === stream && last.bytes.length + bytes.length < FULL)
      last.bytes = joined(last.bytes, bytes);
    else this.waiting.push({ stream, bytes: bytes.slice() });
    this.size += bytes.length;
    const now = performance.now();
    if (now > this.windowEnd) {
      this.windowEnd = now + WINDOW_MS;
      this.sent = 0;
    }
    this.sent += 1;
    if (this.sent <= BURST || this.size >= FULL) this.flush();
    else if (this.waiting.length === 1) this.flushLater();
  }

  /** Take no more; what is waiting can still be sent. */
  close(): void {
    this.closed = true;
  }

  /** Send what is waiting. */
  flush(): void {
    const { waiting } = this;
    if (!waiting.length) return;
    this.waiting = [];
    this.size = 0;
    this.watch(undefined);
    for (const { stream, bytes } of waiting) this.post(stream, bytes);
  }

  /** Python that computes without a pause gives timers no chance, but looks for signals. */
  private flushLater(): void {
    const flushWhenDue = () => {
      if (performance.now() > this.windowEnd) this.flush();
      return 0;
    };
    this.watch({
      get 0() {
        return flushWhenDue();
      },
      set 0(_) {},
    });
    setTimeout(() => this.flush(), WINDOW_MS);
  }
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const both = new Uint8Array(head.length + tail.length);
  both.set(head);
  both.set(tail, head.length);
  return both;
}
