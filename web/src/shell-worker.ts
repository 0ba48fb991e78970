/** One shell: just-bash over a mirror of the sandbox's tree. It may be ended at any moment. */

import { Guard, type Rules } from "./guard";
import type { FetchAnswer, FetchRequest, GuestCommand } from "./guest/messages";
import { type Batch, pack, unpack } from "./mirror";
import { type RunOutcome, type RunRequest, ShellBash } from "./shell-bash";
import { ShellFiles } from "./shell-files";
import type { Piece, Stream } from "./shell-output";
import type { CurlFetch, ProcessContext, ProcessResult } from "./shell-processes";
import { encodeText, latin1 } from "./shell-text";

/** What the kernel sends: what the tree has become since the last message, and mostly a command to run then. */
export interface ShellRequest {
  /** One for each tree, in the order of MOUNTS. */
  batches: Batch[];
  /** What may not be changed from now on. */
  rules?: Rules | undefined;
  run?: RunRequest | undefined;
  /** A program put something out. */
  output?: { id: number; stream: Stream; bytes: Uint8Array } | undefined;
  /** A program begins to wait for downloads, or does so no more: that takes nothing of the command's time. */
  downloading?: { id: number; is: boolean } | undefined;
  /** A program has ended. */
  ended?: { id: number; exitCode: number } | undefined;
}

/** A program that somebody else runs for the shell. */
export interface ProgramRequest extends GuestCommand {
  id: number;
}

/**
 * What the kernel gets: once, that the worker is there; then, a command, any number of changes, its output as it comes
 * and how it ended; and when it left jobs in the background, that they ended.
 */
export type ShellMessage =
  | { ready: true }
  | { mount: number; batch: Batch }
  | { program: ProgramRequest }
  | { kill: number }
  | { fetch: FetchRequest; port: MessagePort }
  | { pieces: Piece[] }
  | { outcome: RunOutcome; background: boolean }
  | { idle: true }
  | { failure: string };

const files = new ShellFiles((mount, changes) => {
  const batch = pack(changes);
  post({ mount, batch }, [batch.bytes.buffer]);
});
const programs = new Map<number, Program>();
let started = 0;
const bash = new ShellBash(files, { spawn, fetch: (...request) => fetchOutside(...request) });

/** The kernel's. */
let kernel: MessagePort;

self.onmessage = ({ data }: MessageEvent<MessagePort>) => {
  kernel = data;
  kernel.onmessage = receive;
  post({ ready: true });
};

async function receive({ data }: MessageEvent<ShellRequest>): Promise<void> {
  try {
    for (const [mount, batch] of data.batches.entries()) files.receive(mount, unpack(batch));
    if (data.rules) files.guard = new Guard(data.rules);
    if (data.output) programs.get(data.output.id)?.put(data.output.stream, data.output.bytes);
    if (data.downloading) programs.get(data.downloading.id)?.download(data.downloading.is);
    if (data.ended) programs.get(data.ended.id)?.exit(data.ended.exitCode);
    if (data.run) await run(data.run);
  } catch (error) {
    post({ failure: String(error) });
  }
}

async function run(request: RunRequest): Promise<void> {
  const outcome = await bash.run(request, (pieces) => post({ pieces }));
  files.flush();
  const end = bash.backgroundEnd;
  post({ outcome, background: end !== undefined });
  if (!end) return;
  await end;
  files.flush();
  post({ idle: true });
}

interface Program {
  put(stream: Stream, bytes: Uint8Array): void;
  download(is: boolean): void;
  exit(code: number): void;
}

/** Have a program run over the files as the shell has left them. */
async function spawn(argv: string[], context: ProcessContext): Promise<ProcessResult> {
  const { cwd, env, stdin, live, signal } = context;
  const output = { stdout: "", stderr: "" };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  files.flush();
  started += 1;
  const id = started;
  const { time } = bash;
  const ended = new Promise<number>((exit) => {
    const put = (stream: Stream, bytes: Uint8Array) => {
      if (live) bash.show(stream, decoders[stream].decode(bytes, { stream: true }));
      else output[stream] += latin1(bytes);
    };
    const download = (is: boolean) => (is ? time.hold() : time.release());
    programs.set(id, { put, download, exit });
  });
  post({ program: { id, argv, cwd, env, stdin: stdin.length ? stdin : undefined } });
  const kill = () => post({ kill: id });
  // In time for what it has put out to be in the run's outcome.
  const callOff = time.whenOver(kill);
  signal?.addEventListener("abort", kill);
  const exitCode = await ended;
  callOff();
  signal?.removeEventListener("abort", kill);
  programs.delete(id);
  return { ...output, exitCode };
}

/** Make a request where the network policy holds; this worker has the page's own origin. */
const fetchOutside: CurlFetch = async (url, options = {}) => {
  const { method = "GET", headers = {}, body, followRedirects = true, timeoutMs } = options;
  const request: FetchRequest = {
    url,
    method,
    headers: Object.fromEntries(headers instanceof Headers ? headers : Object.entries(headers)),
    body: body === undefined ? undefined : encodeText(body),
    redirect: followRedirects ? "follow" : "manual",
    timeoutMs: Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, bash.time.left),
  };
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise<FetchAnswer>((resolve) => {
    port1.onmessage = ({ data }) => resolve(data as FetchAnswer);
  });
  post({ fetch: request, port: port2 }, [port2]);
  const result = await answer;
  port1.close();
  if ("failure" in result) throw new Error(result.failure);
  return result;
};

function post(message: ShellMessage, transfer: Transferable[] = []): void {
  kernel.postMessage(message, transfer);
}
