/** The time that one command has. It stands while the command waits for what has limits of its own. */

export class Clock {
  private stopped = false;
  private holds = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly waiting = new Set<() => void>();
  /** What is left when the clock stands, and till when it runs when it does. */
  private rest: number;
  private deadline: number;

  constructor(ms: number) {
    this.rest = ms;
    this.deadline = performance.now() + ms;
  }

  /** Milliseconds. */
  get left(): number {
    return this.holds ? this.rest : Math.max(0, this.deadline - performance.now());
  }

  /** Tell whether the time was over `later` milliseconds ago; once that was so, it is over for everything. */
  over(later = 0): boolean {
    this.stopped ||= !this.holds && performance.now() - later >= this.deadline;
    return this.stopped;
  }

  /** Have it stand until `release` was called as often. */
  hold(): void {
    this.rest = this.left;
    this.holds += 1;
    clearTimeout(this.timer);
  }

  release(): void {
    this.holds -= 1;
    if (this.holds) return;
    this.deadline = performance.now() + this.rest;
    this.arm();
  }

  /** Call nobody any more. */
  end(): void {
    clearTimeout(this.timer);
    this.waiting.clear();
  }

  /** Call `end` when the time is over; returns the way to call it off. */
  whenOver(end: () => void): () => void {
    this.waiting.add(end);
    this.arm();
    return () => {
      this.waiting.delete(end);
      if (!this.waiting.size) clearTimeout(this.timer);
    };
  }

  /** Resolves after a while, or when the time is over. */
  async sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const awake = () => {
        clearTimeout(timer);
        callOff();
        resolve();
      };
      const timer = setTimeout(awake, ms);
      const callOff = this.whenOver(awake);
    });
  }

  private arm(): void {
    clearTimeout(this.timer);
    if (this.holds || !this.waiting.size) return;
    this.timer = setTimeout(() => {
      this.stopped = true;
      for (const end of [...this.waiting]) end();
    }, this.left);
  }
}
