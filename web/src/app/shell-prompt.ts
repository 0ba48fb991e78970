/** A shell at a terminal: reads a command, runs it, shows what comes, and asks for the next. */

import type { Terminal } from "@xterm/xterm";
import type { RunResult, Sandbox, Shell } from "../api";
import { CommandHistory, HistorySearch } from "./command-history";
import { LineEditor } from "./line-editor";
import { PromptView } from "./prompt-view";
import { is, KEY, keysOf, PASTED } from "./terminal-keys";
import { TerminalOutput } from "./terminal-output";

/** Terminals say so to programs that could show colours. */
const COLOURS = { TERM: "xterm-256color", COLORTERM: "truecolor", FORCE_COLOR: "1", CLICOLOR_FORCE: "1" };
/** Characters of a stream that come while a command runs. */
const COMES_AT_ONCE = 5_000_000;
const END_SHOWN = 500_000;
const LEFT_OUT = "\x1b[m\x1b[90m[there was too much output; this is its end]\x1b[m";

export class ShellPrompt {
  readonly #line = new LineEditor();
  readonly #history = new CommandHistory();
  readonly #output: TerminalOutput;
  readonly #view: PromptView;
  #shell: Promise<Shell>;
  readonly #listeners;
  #search: HistorySearch | undefined;
  /** Whether the shell has been told of the terminal. */
  #told = false;
  #input: string[] = [];
  #taking = false;
  #running: AbortController | undefined;
  /** The last key was a Tab that left several candidates. */
  #ambiguous = false;

  constructor(
    private readonly terminal: Terminal,
    private readonly sandbox: Sandbox,
  ) {
    this.#output = new TerminalOutput(terminal);
    this.#view = new PromptView(terminal, this.#output, this.#line);
    this.#shell = this.#open();
    this.#listeners = [
      terminal.onData((data) => this.#receive(data)),
      terminal.onResize(() => this.#receive("")),
    ];
    this.#output.write("\x1b[90mTab completes, Ctrl-R searches, Ctrl-C stops a command.\x1b[m\r\n");
    this.#taking = true;
    void this.#view.ask().then(() => {
      this.#taking = false;
      void this.#take();
    });
  }

  #open(): Promise<Shell> {
    this.#told = false;
    const shell = this.sandbox.runtime.openShell();
    // Whoever uses it is told.
    shell.catch(() => {});
    return shell;
  }

  /** End the shell, and what runs in it. */
  close(): void {
    for (const listener of this.#listeners) listener.dispose();
    this.#running?.abort();
    this.#shell.then((shell) => shell.close()).catch(() => {});
  }

  /** Whether Tab has something to complete; else it goes on to the next part of the page. */
  get takesTab(): boolean {
    return !this.#running && this.#line.text.trim() !== "";
  }

  #receive(data: string): void {
    if (!data) this.#input.push("");
    for (const key of keysOf(data)) {
      if (key === KEY.interrupt) this.#interrupt(this.#running);
      else this.#input.push(key);
    }
    void this.#take();
  }

  /** What was typed ahead goes with the command that it was meant to follow, be it running or about to run. */
  #interrupt(running: AbortController | undefined): void {
    if (!running) {
      this.#input = [KEY.interrupt];
      return;
    }
    this.#input = [];
    this.#output.drop();
    if (!running.signal.aborted) this.#output.write("^C");
    running.abort();
  }

  /** Work off the input, one key after the other. */
  async #take(): Promise<void> {
    if (this.#taking) return;
    this.#taking = true;
    for (let key = this.#input.shift(); key !== undefined; key = this.#input.shift()) await this.#press(key);
    this.#taking = false;
  }

  async #press(key: string): Promise<void> {
    const again = this.#ambiguous;
    this.#ambiguous = false;
    if (this.#search && (await this.#seek(this.#search, key))) return;
    if (key === KEY.enter) await this.#enter();
    else if (key === KEY.interrupt) await this.#drop();
    else if (key === KEY.clear) await this.#wipe();
    else if (key === KEY.complete) await this.#complete(again);
    else if (key === KEY.search) await this.#seek(this.#begin(), "");
    else if (is("up", key)) await this.#recall(-1);
    else if (is("down", key)) await this.#recall(1);
    else await this.#edit(key);
  }

  async #edit(key: string): Promise<void> {
    const pasted = PASTED.exec(key)?.[1];
    if (pasted !== undefined) this.#line.insert(pasted.replace(/\n$/, ""));
    else this.#line.type(key);
    await this.#view.update();
  }

  async #enter(): Promise<void> {
    const goesOn = await this.#goesOn(this.#line.text);
    if (this.#input[0] === KEY.interrupt) return;
    if (goesOn) {
      this.#line.set(`${this.#line.text}\n`);
      return this.#view.update();
    }
    this.#view.leave("\r\n");
    const command = this.#line.take();
    this.#history.add(command);
    if (command.trim()) await this.#run(command);
    await this.#view.ask();
  }

  async #goesOn(text: string): Promise<boolean> {
    if (!text.trim()) return false;
    // Running it will tell why not.
    return this.#shell.then((shell) => shell.needsMore(text)).catch(() => false);
  }

  async #drop(): Promise<void> {
    this.#view.leave("^C\r\n");
    this.#line.set("");
    this.#history.leave();
    await this.#view.ask();
  }

  async #wipe(): Promise<void> {
    this.#output.write("\x1b[2J\x1b[3J\x1b[H");
    await this.#view.ask();
  }

  async #recall(step: -1 | 1): Promise<void> {
    if (!this.#line.moveLine(step)) {
      const text = this.#history.recall(step, this.#line.text);
      if (text !== undefined) this.#line.set(text);
    }
    await this.#view.update();
  }

  async #complete(again: boolean): Promise<void> {
    const { text, cursor } = this.#line;
    const found = await this.#shell.then((shell) => shell.complete(text, cursor)).catch(() => undefined);
    if (!found?.candidates.length) return;
    this.#line.replace(found.start, found.end, found.common);
    this.#ambiguous = found.candidates.length > 1;
    if (again && this.#ambiguous && this.#line.text === text) await this.#view.list(found.candidates);
    else await this.#view.update();
  }

  #begin(): HistorySearch {
    this.#search = new HistorySearch(this.#history, this.#line.text);
    return this.#search;
  }

  /** Take a key that is about the search; returns false for one that ends it and is about the line found. */
  async #seek(search: HistorySearch, key: string): Promise<boolean> {
    if (key === KEY.search) search.older();
    else if (is("erase", key)) search.look(search.query.slice(0, -1));
    else if (!/\p{Cc}/u.test(key)) search.look(search.query + key);
    else this.#search = undefined;
    const cancelled = !this.#search && is("cancel", key);
    const text = cancelled ? search.before : search.found || search.before;
    const at = this.#search ? text.indexOf(search.query) : -1;
    this.#line.set(text, at < 0 ? text.length : at);
    this.#view.search = this.#search;
    await this.#view.update();
    return cancelled || this.#search !== undefined;
  }

  async #run(command: string): Promise<void> {
    const running = new AbortController();
    const { signal } = running;
    this.#running = running;
    const { cols, rows } = this.terminal;
    const env = { COLUMNS: String(cols), LINES: String(rows), ...(!this.#told && COLOURS) };
    try {
      const shell = await this.#shell;
      const result: RunResult = await shell.run(command, {
        origin: "terminal",
        env,
        signal,
        onOutput: (_stream, text) => signal.aborted || this.#output.write(text),
      });
      this.#told = true;
      this.#view.say(result.cwd, result.exitCode);
      if (result.truncated) this.#showEnd(result);
    } catch (error) {
      this.#view.say(undefined, signal.aborted ? 130 : 1);
      if (!signal.aborted) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#output.write(`\x1b[31m${reason}\x1b[m\r\n`);
        // The shell may be gone, as its sandbox's kernel may be; its errors other than this one are results.
        if (!(error instanceof Error && error.name === "RunFailedError")) {
          this.#shell = this.#open();
          this.#view.say("/project", 1);
        }
      }
    }
    await this.#output.written();
    this.#running = undefined;
  }

  /** Of very much output only the first part comes as it is put out. */
  #showEnd({ stdout, stderr }: RunResult): void {
    for (const text of [stdout, stderr])
      if (text.length > COMES_AT_ONCE) this.#output.write(`\r\n${LEFT_OUT}\r\n${text.slice(-END_SHOWN)}`);
  }
}
