/** The prompt and the command behind it, as a terminal shows them. */

import type { IMarker, Terminal } from "@xterm/xterm";
import type { HistorySearch } from "./command-history";
import type { LineEditor } from "./line-editor";
import type { TerminalOutput } from "./terminal-output";

const FAINT = "\x1b[90m";
const RED = "\x1b[31m";
const GREEN = "\x1b[32m";
const BLUE = "\x1b[34m";
const PLAIN = "\x1b[m";
const MORE = `${FAINT}>${PLAIN} `;
/** A program may have said otherwise. */
const MARK_PASTES = "\x1b[?2004h";
/** Candidates that are listed at the most. */
const LISTED = 200;

export class PromptView {
  /** What is looked for, while something is. */
  search: HistorySearch | undefined;
  #cwd = "/project";
  #exitCode = 0;
  /** Where the prompt begins. */
  #start: IMarker | undefined;
  /** What is on the terminal. */
  #shown = { prompt: "", text: "", cursor: 0, columns: 0 };

  constructor(
    private readonly terminal: Terminal,
    private readonly output: TerminalOutput,
    private readonly line: LineEditor,
  ) {}

  /** How the last command ended. */
  say(cwd: string | undefined, exitCode: number): void {
    this.#cwd = cwd ?? this.#cwd;
    this.#exitCode = exitCode;
  }

  /** Show the prompt and the command on a line of their own. */
  async ask(): Promise<void> {
    await this.output.written();
    if (this.terminal.buffer.active.cursorX > 0) this.output.write("\r\n");
    this.output.write(MARK_PASTES);
    await this.#draw();
  }

  /** Show what has become of the command. */
  async update(): Promise<void> {
    const { text, cursor } = this.line;
    const { prompt, columns, ...before } = this.#shown;
    if (prompt === this.#prompt() && columns === this.terminal.cols) {
      if (text === before.text && cursor === before.cursor) return;
      const added = text.slice(before.text.length);
      const appended = text.startsWith(before.text) && before.cursor === before.text.length;
      if (appended && cursor === text.length && !added.includes("\n")) {
        Object.assign(this.#shown, { text, cursor });
        this.output.write(added);
        return;
      }
    }
    await this.output.written();
    this.output.write(`${this.#toStart()}\x1b[J`);
    await this.#draw();
  }

  /** Go behind the command, and write something there. */
  leave(text: string): void {
    this.output.write(`${multiline(this.line.text.slice(this.line.cursor))}${text}`);
  }

  /** Show candidates below the command, and the prompt again. */
  async list(candidates: string[]): Promise<void> {
    this.leave("\r\n");
    const names = candidates.slice(0, LISTED).map((name) => name.replace(/\p{Cc}/gu, "?"));
    const width = Math.max(...names.map((name) => name.length)) + 2;
    const columns = Math.max(1, Math.floor(this.terminal.cols / width));
    const rows = Math.ceil(names.length / columns);
    for (let row = 0; row < rows; row++) {
      const cells = names.filter((_, index) => index % rows === row);
      this.output.write(
        `${cells
          .map((name) => name.padEnd(width))
          .join("")
          .trimEnd()}\r\n`,
      );
    }
    if (candidates.length > LISTED)
      this.output.write(`${FAINT}and ${candidates.length - LISTED} more${PLAIN}\r\n`);
    await this.ask();
  }

  /** Draw from where the terminal's cursor is. */
  async #draw(): Promise<void> {
    await this.output.written();
    this.#start?.dispose();
    this.#start = this.terminal.registerMarker(0);
    const { text, cursor } = this.line;
    const prompt = this.#prompt();
    this.#shown = { prompt, text, cursor, columns: this.terminal.cols };
    this.output.write(prompt + multiline(text));
    if (cursor === text.length) return;
    // What is written again stands where it stood, so that the terminal itself finds the place of the cursor.
    await this.output.written();
    this.output.write(this.#toStart() + prompt + multiline(text.slice(0, cursor)));
  }

  #toStart(): string {
    const { baseY, cursorY } = this.terminal.buffer.active;
    const up = this.#start && !this.#start.isDisposed ? baseY + cursorY - this.#start.line : 0;
    return `${up > 0 ? `\x1b[${up}A` : ""}\r`;
  }

  #prompt(): string {
    if (this.search) {
      const { query, failed } = this.search;
      return `${FAINT}search${PLAIN} ${failed ? RED : ""}${query}${PLAIN}${FAINT}:${PLAIN} `;
    }
    const failure = this.#exitCode ? `${RED}${this.#exitCode}${PLAIN} ` : "";
    return `${BLUE}${this.#directory()}${PLAIN} ${failure}${this.#exitCode ? RED : GREEN}$${PLAIN} `;
  }

  /** The end of a long path says more than its beginning. */
  #directory(): string {
    const room = Math.max(12, Math.floor(this.terminal.cols / 2));
    const cwd = this.#cwd;
    return cwd.length > room ? `…${cwd.slice(1 - room)}` : cwd;
  }
}

function multiline(text: string): string {
  return text.replaceAll("\n", `\r\n${MORE}`);
}
