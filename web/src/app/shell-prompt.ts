/** A prompt on a terminal: reads a line, runs it, shows what comes, and asks for the next. */

import type { Terminal } from "@xterm/xterm";
import type { Sandbox } from "../api";
import { LineEditor } from "./line-editor";

const INTERRUPT = "\x03";
const CLEAR = "\x0c";
const ENTER = "\r";
/** One key's bytes, or a stretch of printable text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what keys send.
const PIECES = /\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|\x1b[\x20-\x7f]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;

const FAINT = "\x1b[90m";
const RED = "\x1b[31m";
const GREEN = "\x1b[32m";
const BLUE = "\x1b[34m";
const PLAIN = "\x1b[0m";

export class ShellPrompt {
  readonly #line = new LineEditor();
  #cwd = "/project";
  #exitCode = 0;
  #input: string[] = [];
  #taking = false;
  #running: AbortController | undefined;
  /** Where the prompt begins. */
  #start: ReturnType<Terminal["registerMarker"]> | undefined;

  constructor(
    private readonly terminal: Terminal,
    private readonly sandbox: Sandbox,
  ) {
    terminal.onData((data) => this.#receive(data));
    terminal.write(`${FAINT}Ctrl-C stops a command.${PLAIN}\r\n`);
    this.#taking = true;
    void this.#ask().then(() => {
      this.#taking = false;
      void this.#take();
    });
  }

  #receive(data: string): void {
    for (const piece of data.replace(/\r?\n/g, ENTER).match(PIECES) ?? []) {
      if (piece === INTERRUPT && this.#running) {
        // What was typed ahead goes with the command that it was meant to follow.
        this.#input = [];
        this.#running.abort();
      } else this.#input.push(piece);
    }
    void this.#take();
  }

  /** Work off the input, one piece after the other. */
  async #take(): Promise<void> {
    if (this.#taking) return;
    this.#taking = true;
    for (let piece = this.#input.shift(); piece !== undefined; piece = this.#input.shift()) {
      if (piece === ENTER) await this.#enter();
      else if (piece === INTERRUPT) await this.#drop();
      else if (piece === CLEAR) await this.#wipe();
      else await this.#edit(piece);
    }
    this.#taking = false;
  }

  async #edit(piece: string): Promise<void> {
    const before = this.#line.text;
    const atEnd = this.#line.cursor === before.length;
    this.#line.type(piece);
    const { text } = this.#line;
    if (atEnd && text.length > before.length && text.startsWith(before))
      this.terminal.write(text.slice(before.length));
    else await this.#draw();
  }

  async #enter(): Promise<void> {
    this.terminal.write(`${this.#line.text.slice(this.#line.cursor)}\r\n`);
    const command = this.#line.accept();
    if (command.trim()) await this.#run(command);
    await this.#ask();
  }

  async #drop(): Promise<void> {
    this.terminal.write(`${this.#line.text.slice(this.#line.cursor)}^C\r\n`);
    this.#line.clear();
    await this.#ask();
  }

  async #wipe(): Promise<void> {
    this.terminal.write("\x1b[2J\x1b[3J\x1b[H");
    await this.#ask();
  }

  async #run(command: string): Promise<void> {
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      const result = await this.sandbox.runtime.run(command, {
        cwd: this.#cwd,
        origin: "terminal",
        signal,
        onOutput: (_stream, text) => this.terminal.write(text),
      });
      this.#cwd = result.cwd;
      this.#exitCode = result.exitCode;
    } catch (error) {
      this.#exitCode = signal.aborted ? 130 : 1;
      if (!signal.aborted)
        this.terminal.write(`${RED}${error instanceof Error ? error.message : error}${PLAIN}\r\n`);
    }
    if (signal.aborted) this.terminal.write("^C");
    this.#running = undefined;
  }

  /** Show the prompt on a line of its own. */
  async #ask(): Promise<void> {
    await this.#written();
    if (this.terminal.buffer.active.cursorX > 0) this.terminal.write("\r\n");
    await this.#written();
    this.#start?.dispose();
    this.#start = this.terminal.registerMarker(0);
    const { text, cursor } = this.#line;
    this.terminal.write(`${this.#prompt()}${text.slice(0, cursor)}\x1b7${text.slice(cursor)}\x1b8`);
  }

  /** Show the prompt and the line anew, over what is there: it may take several rows. */
  async #draw(): Promise<void> {
    await this.#written();
    const { baseY, cursorY } = this.terminal.buffer.active;
    const up = this.#start && !this.#start.isDisposed ? baseY + cursorY - this.#start.line : 0;
    const { text, cursor } = this.#line;
    this.terminal.write(
      `${up > 0 ? `\x1b[${up}A` : ""}\r\x1b[J${this.#prompt()}${text.slice(0, cursor)}\x1b7${text.slice(cursor)}\x1b8`,
    );
  }

  #prompt(): string {
    return `${BLUE}${this.#cwd}${PLAIN} ${this.#exitCode ? RED : GREEN}$${PLAIN} `;
  }

  /** Resolves when the terminal has taken in all that was written. */
  #written(): Promise<void> {
    return new Promise((resolve) => this.terminal.write("", resolve));
  }
}
