/** What a terminal is given to show, no faster than it takes it in. */

import type { Terminal } from "@xterm/xterm";

/** Characters that the terminal has at a time. */
const PIECE = 8192;
/** Characters that may wait; of more, only the last are shown, which is about what can be scrolled back to. */
const MOST = 1 << 20;
const KEPT = MOST / 2;

export class TerminalOutput {
  #waiting: string[] = [];
  #size = 0;
  #left = 0;
  #work: Promise<void> | undefined;

  constructor(private readonly terminal: Terminal) {}

  write(text: string): void {
    this.#waiting.push(text);
    this.#size += text.length;
    if (this.#size > MOST) this.#shorten();
    this.#work ??= this.#feed();
  }

  /** Resolves when the terminal has taken in all that was written. */
  async written(): Promise<void> {
    await this.#work;
  }

  /** Forget what waits. */
  drop(): void {
    this.#waiting = [];
    this.#size = this.#left = 0;
  }

  async #feed(): Promise<void> {
    while (this.#size) {
      const all = this.#waiting.join("");
      const piece = all.slice(0, PIECE);
      this.#waiting = all.length > PIECE ? [all.slice(PIECE)] : [];
      this.#size = all.length - piece.length;
      await new Promise<void>((resolve) => this.terminal.write(piece, resolve));
    }
    this.#work = undefined;
  }

  #shorten(): void {
    const tail = this.#waiting.join("").slice(-KEPT);
    const kept = tail.slice(tail.indexOf("\n") + 1);
    this.#left += this.#size - kept.length;
    const note = `\x1b[m\x1b[90m[${this.#left.toLocaleString("en")} characters are not shown]\x1b[m\r\n`;
    this.#waiting = [note, kept];
    this.#size = note.length + kept.length;
  }
}
