/** Asks a worker whether it is alive, and tells when it has not answered for too long. */

/** How often a worker is asked. */
const INTERVAL_MS = 2000;
/** A turn that comes later than this was held up: the page was hidden, asleep, in a debugger or busy itself. */
const LATE_MS = 5000;

export class Heartbeat {
  /** For how long a worker may be silent; `Infinity` waits for ever. */
  static patienceMs = 20_000;

  readonly #timer: ReturnType<typeof setInterval>;
  #turn = performance.now();
  /** Whether it has been asked and has not answered since. */
  #silent = false;
  #silentMs = 0;
  /** When it answered last, or was first asked, on performance.now()'s clock. */
  heardAt = performance.now();

  /** `ask` resolves with the worker's answer; `stuck` is called once, with the seconds that it was waited for. */
  constructor(
    private readonly ask: () => Promise<unknown>,
    private readonly stuck: (seconds: number) => void,
  ) {
    this.#timer = setInterval(() => this.#next(), INTERVAL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Only turns that come in time count: while the page is held up the worker may be, too, and its answers cannot be
   * seen. So a laptop that wakes starts to wait anew, and a hidden tab, whose timers a browser slows down to one a
   * minute, does not judge at all.
   */
  #next(): void {
    const now = performance.now();
    const late = now - this.#turn > LATE_MS;
    this.#turn = now;
    if (late || !this.#silent) this.#silentMs = 0;
    else this.#silentMs += INTERVAL_MS;
    if (this.#silentMs >= Heartbeat.patienceMs) {
      this.stop();
      this.stuck(this.#silentMs / 1000);
      return;
    }
    this.#silent = true;
    this.ask().then(
      () => {
        this.#silent = false;
        this.heardAt = performance.now();
      },
      () => {}, // Then it has not answered.
    );
  }
}
