/** Where the output of a command may go before the command around it has ended. */

import { Exit, type Thrown } from "just-bash/browser";
import { bytesIn, type Interpreter, type Result } from "./shell-inside";
import { literalWords, type SyntaxNode } from "./shell-syntax";

export interface Sink {
  /** Take the output out of a result, and return the rest. */
  take<R extends Result | Thrown>(result: R): R | Promise<R>;
}

/** What is wanted of a command's output; all of it where neither is there. */
export interface Demand {
  lines?: number;
  bytes?: number;
}

const BROKEN_PIPE = 141;
/** Commands that pass on what comes, line by line. */
const FILTERS = new Set(["awk", "cat", "cut", "egrep", "fgrep", "grep", "nl", "rev", "sed", "tr"]);
/** Characters after which it is tried for the first time whether the later stages have had enough. */
const FIRST_TRY = 1024;

/** A pipeline of several commands, of which each gets all that the one before it puts out. */
export class Stages {
  private readonly last: SyntaxNode;
  private readonly outer: Sink | undefined;
  private readonly pipe: Pipe | undefined;

  constructor(
    interpreter: Interpreter,
    private readonly commands: SyntaxNode[],
  ) {
    this.last = commands.at(-1) as SyntaxNode;
    this.outer = interpreter.sink;
    const reader = commands.findIndex((each, index) => index > 0 && !isFilter(each));
    const demand = reader > 0 ? demandOf(commands[reader] as SyntaxNode) : undefined;
    if (demand) this.pipe = new Pipe(interpreter, commands.slice(1, reader), demand);
  }

  has(node: SyntaxNode): boolean {
    return this.commands.includes(node);
  }

  sinkOf(node: SyntaxNode): Sink | undefined {
    return node === this.last ? this.outer : node === this.commands[0] ? this.pipe : undefined;
  }

  /** The result of a stage, with what went into the pipe before it ended. */
  ended(node: SyntaxNode, result: Result): Result {
    if (node !== this.commands[0] || !this.pipe?.text) return result;
    return { ...result, stdout: this.pipe.text, stdoutKind: "bytes" };
  }

  /** The result of a stage that ended because nobody read what it wrote, if that is what happened. */
  broken(node: SyntaxNode, error: unknown): Result | undefined {
    const closed = this.pipe?.closed;
    if (!closed || node !== this.commands[0] || error !== closed) return undefined;
    return this.ended(node, { stdout: "", stderr: closed.stderr, exitCode: BROKEN_PIPE });
  }
}

/** Collects what the first stage puts out, and ends that stage once the later ones have had enough. */
class Pipe implements Sink {
  /** One character a byte. */
  text = "";
  closed: Thrown | undefined;
  private nextTry = FIRST_TRY;

  constructor(
    private readonly interpreter: Interpreter,
    private readonly filters: SyntaxNode[],
    private readonly demand: Demand,
  ) {}

  async take<R extends Result | Thrown>(result: R): Promise<R> {
    if (!result.stdout) return result;
    this.text += bytesIn(result);
    if (await this.enough()) {
      this.closed = new Exit(BROKEN_PIPE);
      throw this.closed;
    }
    return { ...result, stdout: "", internalOutputAccounting: { stdout: 0, stderr: 0 } };
  }

  private async enough(): Promise<boolean> {
    if (!this.filters.length) return meets(this.text, this.demand);
    if (this.text.length < this.nextTry) return false;
    this.nextTry *= 2;
    return meets(await this.tried(), this.demand);
  }

  /** What the filters make of the whole lines until now. */
  private async tried(): Promise<string> {
    const { interpreter } = this;
    const { sink } = interpreter;
    let text = this.text.slice(0, this.text.lastIndexOf("\n") + 1);
    interpreter.sink = undefined;
    try {
      for (const filter of this.filters) {
        text = bytesIn(await interpreter.executeCommand(filter, text));
      }
    } finally {
      interpreter.sink = sink;
    }
    return text;
  }
}

function meets(text: string, { lines, bytes }: Demand): boolean {
  if (bytes !== undefined) return text.length >= bytes;
  let at = -1;
  for (let count = 0; count < (lines as number); count++) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) return false;
  }
  return true;
}

function isFilter(node: SyntaxNode): boolean {
  return FILTERS.has(literalWords(node)[0] ?? "");
}

/** How much `head` wants. */
export function demandOf(node: SyntaxNode): Demand | undefined {
  const [name, ...args] = literalWords(node);
  if (name !== "head" || args.some((each) => each === undefined)) return undefined;
  const match = /^(?:|-n? ?(\d+)|-c ?(\d+)|--lines=(\d+)|--bytes=(\d+))$/.exec(args.join(" "));
  if (!match) return undefined;
  const bytes = match[2] ?? match[4];
  return bytes ? { bytes: Number(bytes) } : { lines: Number(match[1] ?? match[3] ?? 10) };
}
