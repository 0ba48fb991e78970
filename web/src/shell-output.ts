/** The output of a run: shown as it comes up to a limit, and kept with its head and its tail. */

import type { Thrown } from "just-bash/browser";
import { REASONS } from "./shell-commands/command";
import { type Result, textIn } from "./shell-inside";
import type { Sink } from "./shell-sinks";
import { encodeText, toText } from "./shell-text";

export type Stream = "stdout" | "stderr";
export type Piece = [Stream, string];

/** What of a stream was not sent as it came. */
export interface Rest {
  /** How many characters the stream has. */
  length: number;
  /** Its last characters, as far as they were not sent. */
  tail: string;
}

/** Pieces that come close to each other are sent together: a flood of messages would keep the kernel busy. */
const APART_MS = 10;

/** On the side of the worker: takes output and sends it on. */
export class Output implements Sink {
  private pieces: Piece[] = [];
  private sentAt = Number.NEGATIVE_INFINITY;
  private readonly streams = { stdout: { length: 0, tail: "" }, stderr: { length: 0, tail: "" } };
  private timer: ReturnType<typeof setTimeout> | undefined;
  private closed = false;
  private said = "";

  /** Up to `limit` characters of each stream are sent as they come. */
  constructor(
    private readonly limit: number,
    private readonly send: (pieces: Piece[]) => void,
  ) {}

  take<R extends Result | Thrown>(result: R): R {
    const { stdout, stderr } = result;
    if (!stdout && !stderr) return result;
    // Mostly what comes to standard error was said before the rest was put out.
    if (stderr) this.write("stderr", plainErrors(toText(stderr)));
    if (stdout) this.write("stdout", textIn(result));
    const empty = { stdout: "", stderr: "", internalOutputAccounting: { stdout: 0, stderr: 0 } };
    return result instanceof Error ? Object.assign(result, empty) : { ...result, ...empty };
  }

  write(name: Stream, text: string): void {
    if (this.closed) return;
    const stream = this.streams[name];
    const room = Math.max(0, this.limit - stream.length);
    stream.length += text.length;
    if (name === "stderr" && this.said.length < this.limit) this.said += text;
    const later = text.slice(room);
    if (later)
      stream.tail =
        stream.tail.length + later.length > 2 * this.limit
          ? (stream.tail + later).slice(-this.limit)
          : stream.tail + later;
    if (room && text) this.put([name, text.slice(0, room)]);
  }

  /** Put a line at the end of what went wrong, if it is not there. */
  say(message: string): void {
    if (!this.said.includes(message)) this.write("stderr", `${message}\n`);
  }

  /** Send what waits, and take no more. Returns what was never sent. */
  close(): Record<Stream, Rest> {
    this.flush();
    this.closed = true;
    return this.streams;
  }

  private put(piece: Piece): void {
    const last = this.pieces.at(-1);
    if (last?.[0] === piece[0]) last[1] += piece[1];
    else this.pieces.push(piece);
    const wait = this.sentAt + APART_MS - performance.now();
    if (wait <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), wait);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.pieces.length) return;
    this.sentAt = performance.now();
    const { pieces } = this;
    this.pieces = [];
    this.send(pieces);
  }
}

/** On the side of the kernel: what came of a run. */
export class Collected {
  private readonly parts: Record<Stream, string[]> = { stdout: [], stderr: [] };

  add(pieces: Piece[]): void {
    for (const [stream, text] of pieces) this.parts[stream].push(text);
  }

  /** Return a stream with at most `limit` characters: half at its head, half at its tail. */
  whole(name: Stream, limit: number, rest: Rest | undefined): { text: string; cut: boolean } {
    const sent = this.parts[name].join("");
    const length = rest?.length ?? sent.length;
    if (length <= limit) return { text: clean(sent), cut: false };
    const half = limit >> 1;
    const left = `[... ${length - 2 * half} characters left out ...]`;
    const tail = (sent.slice(-half) + (rest?.tail ?? "")).slice(-half);
    return { text: clean(`${sent.slice(0, half)}\n${left}\n${tail}`), cut: true };
  }
}

/** Text that may go anywhere: a character whose bytes came in two pieces is whole again, other bytes are replaced. */
export function clean(text: string): string {
  return text.isWellFormed() ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(encodeText(text));
}

/** Limits stand for the time here, and what they say would puzzle. */
const LIMIT_MESSAGES =
  /^(.*, increase executionLimits\.\w+.*|bash: .*execution deadline.*|(bash: .*)?(execution|operation) aborted)\n/gm;

/** Errors of the file system as just-bash's own commands tell of them. */
const NODE_MESSAGES = /\b(E[A-Z]{4,}): [a-z ]+, [a-z]+ '[^'\n]*'/g;

function plainErrors(text: string): string {
  return text
    .replaceAll(": cannot open redirect target\n", ": No such file or directory\n")
    .replace(NODE_MESSAGES, (whole, code) => REASONS[code] ?? whole)
    .replace(LIMIT_MESSAGES, "");
}
