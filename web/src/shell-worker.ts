/** One shell: just-bash over a mirror of the sandbox's tree. Runs one command at a time and may be ended at any moment. */

import { Bash, type Command, defineCommand } from "just-bash/browser";
import type { Change } from "./mirror";
import { PROJECT, ShellFiles } from "./shell-files";

/** What the kernel asks for. */
export interface RunMessage {
  /** What the tree has become since the last run. */
  changes: Change[];
  command: string;
  cwd: string;
  env: Record<string, string>;
  stdin: Uint8Array;
  timeoutMs: number;
  /** Characters of each stream that are kept: half at the head, half at the tail. */
  maxOutput: number;
}

/** What the kernel gets: once that the worker is there; then, a command, any number of changes and how it ended. */
export type ShellMessage =
  | { ready: true }
  | { changes: Change[] }
  | { result: ShellResult }
  | { failure: string };

export interface ShellResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  cwd: string;
  truncated: boolean;
  timedOut: boolean;
}

const TIMED_OUT = 124;
const LIMIT_REACHED = 126;
/** A loop stops at the timeout and its output is kept; whatever else runs is stopped a little later. */
const AFTER_LOOPS_MS = 50;
const AFTER_COMMANDS_MS = 100;

const ENDLESS = 1e9;
const LIMITS = {
  maxAwkIterations: ENDLESS,
  maxSedIterations: ENDLESS,
  maxJqIterations: ENDLESS,
  maxWorkUnits: 1e12,
  maxCallDepth: 500,
  maxOutputSize: 32 << 20,
};

/** Names that agents try and this shell does not have; the answer says so in words. */
const ABSENT = [
  "git",
  "node",
  "npm",
  "npx",
  "pip",
  "pip3",
  "pytest",
  "python",
  "python3",
  "vim",
  "nano",
  "less",
];

const files = new ShellFiles((changes) => post({ changes }));
let clock: Clock;
const bash = new Bash({
  fs: files,
  cwd: PROJECT,
  env: { HOME: PROJECT, USER: "user", LANG: "C.UTF-8", TERM: "dumb" },
  customCommands: ABSENT.map(absent),
  sleep: (ms) => clock.sleep(ms),
  executionLimits: LIMITS,
});
stopInTime();

self.onmessage = async ({ data }: MessageEvent<RunMessage>) => {
  try {
    await files.receive(data.changes);
    const result = await run(data);
    files.flush();
    post({ result });
  } catch (error) {
    post({ failure: String(error) });
  }
};

async function run(request: RunMessage): Promise<ShellResult> {
  const { command, cwd, env, stdin, timeoutMs, maxOutput } = request;
  clock = new Clock(timeoutMs);
  const done = await bash.exec(command, {
    cwd,
    env: { ...env, PWD: cwd },
    stdin: latin1(stdin),
    stdinKind: "bytes",
    rawScript: true,
  });
  const timedOut =
    clock.cutSleep || (clock.left() <= 0 && [TIMED_OUT, LIMIT_REACHED].includes(done.exitCode));
  const stdout = cut(decoded(done.stdout, done.stdoutKind ?? done.stdoutEncoding), maxOutput);
  const stderr = cut(
    done.exitCode === LIMIT_REACHED && timedOut ? withoutLastLine(done.stderr) : done.stderr,
    maxOutput,
  );
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    exitCode: timedOut ? TIMED_OUT : done.exitCode,
    cwd: done.env.PWD ?? cwd,
    truncated: stdout.cut || stderr.cut,
    timedOut,
  };
}

/**
 * just-bash drops all output when its time is up, but keeps it when a limit of loops or commands is reached. So the
 * time is made such a limit. The field is private; the version is pinned, and a test holds what comes of it.
 */
function stopInTime(): void {
  const { limits } = bash as unknown as { limits: Record<string, number> };
  const limit = (name: string, get: () => number) => Object.defineProperty(limits, name, { get });
  limit("maxLoopIterations", () => (clock.left() > 0 ? ENDLESS : 0));
  limit("maxCommandCount", () => (clock.left() + AFTER_LOOPS_MS > 0 ? ENDLESS : 0));
  limit("maxExecutionTimeMs", () => clock.total + AFTER_COMMANDS_MS);
}

/** The time that one command has. */
class Clock {
  /** Whether the end came in the middle of a `sleep`. */
  cutSleep = false;
  private readonly deadline: number;

  /** `total` is in milliseconds. */
  constructor(readonly total: number) {
    this.deadline = performance.now() + total;
  }

  /** Milliseconds; less than nothing when it is over. */
  left(): number {
    return this.cutSleep ? Number.NEGATIVE_INFINITY : this.deadline - performance.now();
  }

  async sleep(ms: number): Promise<void> {
    const cut = ms > this.left();
    await new Promise((resolve) => setTimeout(resolve, cut ? Math.max(0, this.left()) : ms));
    this.cutSleep ||= cut;
  }
}

/** The line in which just-bash says that a limit was reached. */
function withoutLastLine(text: string): string {
  return text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1);
}

function absent(name: string): Command {
  return defineCommand(name, async () => ({
    stdout: "",
    stderr: `${name}: not available in this sandbox\n`,
    exitCode: 127,
  }));
}

/** Bytes travel through just-bash as strings of one character a byte. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += 0x8000)
    text += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return text;
}

function decoded(text: string, kind: string | undefined): string {
  if (kind !== "bytes" && kind !== "binary") return text;
  return new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}

function cut(text: string, limit: number): { text: string; cut: boolean } {
  if (text.length <= limit) return { text, cut: false };
  const half = limit >> 1;
  const dropped = text.length - 2 * half;
  return {
    text: `${text.slice(0, half)}\n[... ${dropped} characters left out ...]\n${text.slice(-half)}`,
    cut: true,
  };
}

function post(message: ShellMessage): void {
  self.postMessage(message);
}

post({ ready: true });
