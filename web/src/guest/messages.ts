/**
 * What a guest (one process of isolated Python) and the kernel tell each other over the port they share. Code in a
 * guest can get hold of that port: the kernel takes nothing that comes over it at its word.
 */

import type { Rules } from "../guard";
import type { Batch } from "../mirror";
import type { WorkerRequest } from "../worker-host";

/** One process to run. */
export interface GuestCommand {
  /** The first is what it was called by, as in C. */
  argv: string[];
  /** Absolute. */
  cwd: string;
  /** All of its environment. */
  env: Record<string, string>;
  /** Undefined when nobody will ever give any. */
  stdin?: Uint8Array | undefined;
}

/** A command for the sandbox's shell: a line for it, or words to take as they are. */
export type ChildCommand = Omit<GuestCommand, "argv"> & { command: string | string[] };

export interface ChildOutcome {
  stdout: Uint8Array;
  stderr: Uint8Array;
  exitCode: number;
}

export type Stream = "stdout" | "stderr";

export type ToGuest =
  /** What is to be importable: see build/pack.py. */
  | { type: "packs"; packs: Uint8Array[] }
  /** What changed in one of the trees; answered by `seen`. */
  | { type: "tree"; mount: number; batch: Batch; rules?: Rules | undefined }
  | { type: "run"; command: GuestCommand }
  /** Run inbrowser_installer; answered by any number of `post` and one `installed`. */
  | { type: "install"; request: string; files: Record<string, Uint8Array> }
  /** The answer to `spawn`. */
  | { type: "child"; id: number; outcome: ChildOutcome };

export type FromGuest =
  | { type: "ready" }
  | { type: "seen" }
  | { type: "output"; stream: Stream; bytes: Uint8Array }
  | { type: "tree"; mount: number; batch: Batch }
  | { type: "spawn"; id: number; child: ChildCommand }
  | { type: "kill"; id: number }
  | { type: "post"; message: string; bytes?: Uint8Array | undefined }
  | { type: "installed"; reply: string }
  | { type: "exit"; code: number; hint?: string | undefined }
  /** It cannot go on; `reason` is one line. */
  | { type: "dead"; reason: string };

/** What a frame keeps for all guests it starts. */
export interface GuestParts {
  /** The text of guest/worker.ts, bundled. */
  worker: string;
  wasm: Blob;
  stdlib: Blob;
  pack: Blob;
  /** Memory of an interpreter that has started already; without it each guest starts by itself. */
  snapshot?: Blob | undefined;
}

export interface GuestLimits {
  /** Bytes of WebAssembly memory. */
  memory: number;
  /** Bytes of all its files. */
  files: number;
}

export interface GuestStart {
  limits: GuestLimits;
  /** Origins it may reach: expressions of a Content-Security-Policy. */
  network: string[];
}

/** From the page to whoever starts the workers: a frame, or the page itself. */
export type ToStarter =
  | { type: "start"; id: number; start: GuestStart; port: MessagePort }
  | { type: "end"; id: number };

/** A request that the shell's curl makes; no cookies go with it. */
export interface FetchRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: Uint8Array | undefined;
  redirect: "follow" | "manual";
  timeoutMs?: number | undefined;
}

export type FetchAnswer =
  | { status: number; statusText: string; headers: Record<string, string>; body: Uint8Array; url: string }
  | { failure: string };

/** The answer goes to `port`. */
export interface FetchMessage {
  type: "fetch";
  network: string[];
  request: FetchRequest;
  port: MessagePort;
}

/** `warm` only has everything ready for the first. */
export type ToFrame = ToStarter | FetchMessage | { type: "warm" };

/** Where guests run; a plain worker is isolated from nothing but the kernel's memory. */
export type Isolation = "frame" | "worker";

/** From the page to the kernel: all guests that ran are gone. */
export const LOST = "lost";

/** From the kernel to the page: a message for whoever starts guests of one policy, or a worker to start. */
export type ToHost = ForGuests | { worker: WorkerRequest };

export interface ForGuests {
  isolation: Isolation;
  network: string[];
  message: ToFrame;
}

/** What a worker is started with; the port is for the kernel. */
export interface GuestBoot extends GuestStart {
  port: MessagePort;
  /** Bytes where the engine does not let a compiled module into a worker of another origin. */
  wasm: WebAssembly.Module | ArrayBuffer;
  stdlib: ArrayBuffer;
  pack: ArrayBuffer;
  snapshot?: ArrayBuffer | undefined;
}
