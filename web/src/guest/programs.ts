/** The programs that a sandbox's shells hand over: Python's, each as a guest, and pip, which the package service is. */

import type { GuestListener } from "./guest";
import type { Guests } from "./guests";
import type { GuestCommand, Stream } from "./messages";

/**
 * pip, as the package service does it; resolves to the exit code. `words` is a JSON list, `pip` left out; `began` gets
 * the way to stop it, until it has ended.
 */
export type Pip = (
  words: string,
  cwd: string,
  write: (stream: Stream, text: string) => void,
  began: (stop: () => void) => void,
) => Promise<number>;

/**
 * Makes guests have what is installed; `words` is the JSON list of the command that is about to run. Resolves to what
 * there is to say of it.
 */
export type Prepare = (words: string) => Promise<string>;

export class Programs {
  private readonly encoder = new TextEncoder();

  constructor(
    private readonly guests: Guests,
    private readonly pip: Pip,
    private readonly prepare: Prepare,
  ) {}

  /** Run a program to its end; returns the way to kill it with an exit code. */
  run(command: GuestCommand, listener: GuestListener): (code: number) => void {
    const [path = "", ...args] = command.argv;
    const name = path.slice(path.lastIndexOf("/") + 1);
    if (name.startsWith("pip")) return this.runPip(args, command.cwd, listener);
    if (name === "pytest")
      return this.runPython({ ...command, argv: ["python", "-m", "pytest", ...args] }, listener);
    if (args[0] === "-m" && args[1] === "pip") return this.runPip(args.slice(2), command.cwd, listener);
    return this.runPython(command, listener);
  }

  private runPython(command: GuestCommand, listener: GuestListener): (code: number) => void {
    let kill: ((code: number) => void) | undefined;
    let over = false;
    const exit: GuestListener["exit"] = (code, remark) => {
      if (over) return;
      over = true;
      listener.downloading(false);
      listener.exit(code, remark);
    };
    const begin = (remark: string) => {
      if (over) return;
      listener.downloading(false);
      if (remark) listener.output("stderr", this.encoder.encode(remark));
      kill = this.guests.run(command, listener);
    };
    listener.downloading(true);
    this.prepare(JSON.stringify(command.argv)).then(begin, (error) => exit(1, lastLine(error)));
    return (code) => {
      if (kill) kill(code);
      else exit(code);
    };
  }

  private runPip(args: string[], cwd: string, listener: GuestListener): (code: number) => void {
    let over = false;
    let stop = () => {};
    const exit: GuestListener["exit"] = (code, remark) => {
      if (over) return;
      over = true;
      listener.downloading(false);
      listener.exit(code, remark);
    };
    const began = (way: () => void) => {
      stop = way;
    };
    const write = (stream: Stream, text: string) => {
      if (!over) listener.output(stream, this.encoder.encode(text));
    };
    listener.downloading(true);
    this.pip(JSON.stringify(args), cwd, write, began).then(
      (code) => exit(code),
      (error) => exit(1, lastLine(error)),
    );
    return (code) => {
      if (!over) stop();
      exit(code);
    };
  }
}

/** An error of Python's has its whole traceback for a message. */
function lastLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split("\n").at(-1) ?? "";
}
