/** The command at a shell's prompt, of one line or several: text, and a cursor that keys move. */

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Keys of a terminal by the bytes they send. */
const KEYS: Record<string, (line: LineEditor) => void> = {
  "\x7f": (line) => line.eraseTo(line.left()),
  "\b": (line) => line.eraseTo(line.left()),
  "\x1b[3~": (line) => line.eraseTo(line.right()),
  "\x04": (line) => line.eraseTo(line.right()),
  "\x17": (line) => line.eraseTo(line.wordLeft()),
  "\x1b\x7f": (line) => line.eraseTo(line.wordLeft()),
  "\x1bd": (line) => line.eraseTo(line.wordRight()),
  "\x15": (line) => line.eraseTo(line.home()),
  "\x0b": (line) => line.eraseTo(line.end()),
  "\x1b[D": (line) => line.move(line.left()),
  "\x1b[C": (line) => line.move(line.right()),
  "\x02": (line) => line.move(line.left()),
  "\x06": (line) => line.move(line.right()),
  "\x1b[1;5D": (line) => line.move(line.wordLeft()),
  "\x1b[1;5C": (line) => line.move(line.wordRight()),
  "\x1b[1;3D": (line) => line.move(line.wordLeft()),
  "\x1b[1;3C": (line) => line.move(line.wordRight()),
  "\x1bb": (line) => line.move(line.wordLeft()),
  "\x1bf": (line) => line.move(line.wordRight()),
  "\x1b[H": (line) => line.move(line.home()),
  "\x1bOH": (line) => line.move(line.home()),
  "\x01": (line) => line.move(line.home()),
  "\x1b[F": (line) => line.move(line.end()),
  "\x1bOF": (line) => line.move(line.end()),
  "\x05": (line) => line.move(line.end()),
};

export class LineEditor {
  text = "";
  /** Position in `text`, always between two graphemes. */
  cursor = 0;

  /** Take in printable text or one key's bytes. */
  type(input: string): void {
    const key = KEYS[input];
    if (key) key(this);
    else if (!/\p{Cc}/u.test(input)) this.insert(input);
  }

  insert(text: string): void {
    this.replace(this.cursor, this.cursor, text);
  }

  /** Put other text in the place of a part; the cursor is behind it then. */
  replace(from: number, to: number, text: string): void {
    this.text = this.text.slice(0, from) + text + this.text.slice(to);
    this.cursor = from + text.length;
  }

  set(text: string, cursor = text.length): void {
    this.text = text;
    this.cursor = cursor;
  }

  /** Return the text, and begin anew. */
  take(): string {
    const { text } = this;
    this.set("");
    return text;
  }

  move(to: number): void {
    this.cursor = to;
  }

  /** Move to the line above or below; returns whether there is one. */
  moveLine(step: -1 | 1): boolean {
    const column = this.cursor - this.home();
    const edge = step < 0 ? this.home() - 1 : this.end() + 1;
    if (edge < 0 || edge > this.text.length) return false;
    this.cursor = edge;
    const at = Math.min(this.home() + column, this.end());
    this.cursor = graphemes.segment(this.text).containing(at)?.index ?? at;
    return true;
  }

  /** Remove what is between the cursor and another position. */
  eraseTo(to: number): void {
    this.replace(Math.min(to, this.cursor), Math.max(to, this.cursor), "");
  }

  left(): number {
    return [...graphemes.segment(this.text.slice(0, this.cursor))].at(-1)?.index ?? 0;
  }

  right(): number {
    const next = graphemes.segment(this.text).containing(this.cursor);
    return next ? next.index + next.segment.length : this.text.length;
  }

  home(): number {
    return this.text.slice(0, this.cursor).lastIndexOf("\n") + 1;
  }

  end(): number {
    const end = this.text.indexOf("\n", this.cursor);
    return end < 0 ? this.text.length : end;
  }

  wordLeft(): number {
    return Math.max(this.text.slice(0, this.cursor).search(/\S+\s*$/), 0);
  }

  wordRight(): number {
    return this.cursor + (/^\s*\S*/.exec(this.text.slice(this.cursor))?.[0].length ?? 0);
  }
}
