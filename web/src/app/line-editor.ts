/** One line of input, as a shell's prompt edits it: text, cursor, history. */

const HISTORY_KEPT = 500;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Keys of a terminal by the bytes they send. */
const KEYS: Record<string, (line: LineEditor) => void> = {
  "\x7f": (line) => line.eraseTo(line.left()),
  "\b": (line) => line.eraseTo(line.left()),
  "\x1b[3~": (line) => line.eraseTo(line.right()),
  "\x17": (line) => line.eraseTo(line.wordLeft()),
  "\x1b\x7f": (line) => line.eraseTo(line.wordLeft()),
  "\x1bd": (line) => line.eraseTo(line.wordRight()),
  "\x15": (line) => line.eraseTo(0),
  "\x0b": (line) => line.eraseTo(line.text.length),
  "\x1b[D": (line) => line.move(line.left()),
  "\x1b[C": (line) => line.move(line.right()),
  "\x02": (line) => line.move(line.left()),
  "\x06": (line) => line.move(line.right()),
  "\x1b[1;5D": (line) => line.move(line.wordLeft()),
  "\x1b[1;5C": (line) => line.move(line.wordRight()),
  "\x1bb": (line) => line.move(line.wordLeft()),
  "\x1bf": (line) => line.move(line.wordRight()),
  "\x1b[H": (line) => line.move(0),
  "\x1bOH": (line) => line.move(0),
  "\x01": (line) => line.move(0),
  "\x1b[F": (line) => line.move(line.text.length),
  "\x1bOF": (line) => line.move(line.text.length),
  "\x05": (line) => line.move(line.text.length),
  "\x1b[A": (line) => line.recall(-1),
  "\x10": (line) => line.recall(-1),
  "\x1b[B": (line) => line.recall(1),
  "\x0e": (line) => line.recall(1),
};

export class LineEditor {
  text = "";
  /** Position in `text`, always between two graphemes. */
  cursor = 0;
  #history: string[] = [];
  /** Position in the history; its length while the line is a new one. */
  #at = 0;
  /** The new line, while an older one is shown. */
  #draft = "";

  /** Take in printable text or one key's bytes. */
  type(input: string): void {
    const key = KEYS[input];
    if (key) key(this);
    else if (!/\p{Cc}/u.test(input)) this.insert(input);
  }

  insert(text: string): void {
    this.text = this.text.slice(0, this.cursor) + text + this.text.slice(this.cursor);
    this.cursor += text.length;
  }

  /** Return the line, remember it, and begin a new one. */
  accept(): string {
    const { text } = this;
    if (text.trim() && text !== this.#history.at(-1)) this.#history.push(text);
    this.#history.splice(0, this.#history.length - HISTORY_KEPT);
    this.clear();
    return text;
  }

  /** Begin a new line. */
  clear(): void {
    this.text = this.#draft = "";
    this.cursor = 0;
    this.#at = this.#history.length;
  }

  move(to: number): void {
    this.cursor = to;
  }

  /** Remove what is between the cursor and another position. */
  eraseTo(to: number): void {
    const [from, end] = to < this.cursor ? [to, this.cursor] : [this.cursor, to];
    this.text = this.text.slice(0, from) + this.text.slice(end);
    this.cursor = from;
  }

  /** Show the line before or after in the history. */
  recall(step: -1 | 1): void {
    const at = this.#at + step;
    if (at < 0 || at > this.#history.length) return;
    if (this.#at === this.#history.length) this.#draft = this.text;
    this.#at = at;
    this.text = this.#history[at] ?? this.#draft;
    this.cursor = this.text.length;
  }

  left(): number {
    return [...graphemes.segment(this.text.slice(0, this.cursor))].at(-1)?.index ?? 0;
  }

  right(): number {
    const next = graphemes.segment(this.text).containing(this.cursor);
    return next ? next.index + next.segment.length : this.text.length;
  }

  wordLeft(): number {
    return Math.max(this.text.slice(0, this.cursor).search(/\S+\s*$/), 0);
  }

  wordRight(): number {
    return this.cursor + (/^\s*\S*/.exec(this.text.slice(this.cursor))?.[0].length ?? 0);
  }
}
