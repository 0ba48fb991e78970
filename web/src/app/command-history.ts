/** The lines that were entered at a prompt. */

const KEPT = 500;

export class CommandHistory {
  #lines: string[] = [];
  /** Position in the lines; their number while the line is a new one. */
  #at = 0;
  /** The new line, while an older one is shown. */
  #draft = "";

  /** Remember a line, and be at a new one. */
  add(text: string): void {
    if (text.trim() && text !== this.#lines.at(-1)) this.#lines.push(text);
    this.#lines.splice(0, this.#lines.length - KEPT);
    this.leave();
  }

  /** Be at a new line. */
  leave(): void {
    this.#at = this.#lines.length;
    this.#draft = "";
  }

  /** Return the line before or after, if there is one; `text` is what is shown now. */
  recall(step: -1 | 1, text: string): string | undefined {
    const at = this.#at + step;
    if (at < 0 || at > this.#lines.length) return undefined;
    if (this.#at === this.#lines.length) this.#draft = text;
    this.#at = at;
    return this.#lines[at] ?? this.#draft;
  }

  /** Find the latest line that holds `query`, among those before `before`. */
  find(query: string, before = this.#lines.length): { at: number; text: string } | undefined {
    for (let at = before - 1; at >= 0; at--) {
      const text = this.#lines[at] as string;
      if (text.includes(query)) return { at, text };
    }
    return undefined;
  }
}

/** Looking for an older line, letter by letter. */
export class HistorySearch {
  query = "";
  /** The line that was found last. */
  found = "";
  failed = false;
  #at: number | undefined;

  constructor(
    private readonly history: CommandHistory,
    /** What to go back to. */
    readonly before: string,
  ) {}

  /** Look for another text. */
  look(query: string): void {
    this.query = query;
    this.#at = undefined;
    this.older();
  }

  /** Look for an older line with the same text. */
  older(): void {
    const match = this.query ? this.history.find(this.query, this.#at) : undefined;
    this.failed = Boolean(this.query) && !match;
    if (!match) return;
    this.#at = match.at;
    this.found = match.text;
  }
}
