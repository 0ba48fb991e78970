/** Recordings of what is done to a sandbox, and their replays on another one. */

import type { Json, ReplayProgress, ReplayReport, Sandbox } from "./api";
import { call, callForHandle, PAGE } from "./remote";
import { handleOf } from "./sandbox";

export interface RecordOptions {
  /** Keep the digests of all files before the first call, for a replay to compare its start with; true when left out. */
  tree?: boolean;
  /** Called with each line of the log as it is written, its end included. */
  onLine?: (line: string) => void;
}

/** A recording under way, until `stop` or until its sandbox is destroyed. */
export interface Recording {
  /** The log so far: lines of JSON. */
  log(): Promise<string>;
  /** Add a line of the host's own; a replay passes over it. */
  note(name: string, data?: Json): Promise<void>;
  /** Record no more; resolves to the log. */
  stop(): Promise<string>;
}

export interface ReplayOptions {
  /** Make calls of these names only; `run` is a command that no tool ran. */
  tools?: string[];
  /** Make only calls that name or changed a path that matches one of these glob patterns, and compare no others. */
  paths?: string[];
  /** Do nothing: the report's steps say what would be done. */
  dryRun?: boolean;
  /** End at the first divergence; true when left out. */
  stopAtFirst?: boolean;
  /** Go on from here: the last progress of a replay of the same log. */
  resume?: ReplayProgress;
  /**
   * Called before and after each call, and awaited: keep the value, and a replay that ends in between makes no call
   * twice. After an abort it is called once more.
   */
  onProgress?: (progress: ReplayProgress) => unknown;
  signal?: AbortSignal;
}

/** Keep a log of every tool call and every command of `sandbox`, from the next one on. */
export function record(sandbox: Sandbox, { tree = true, onLine }: RecordOptions = {}): Recording {
  const lines = onLine && postedLines(onLine);
  const made = callForHandle(
    PAGE,
    "record",
    { sandbox: handleOf(sandbox), tree },
    "recording",
    lines && { port: lines.port },
  );
  // Whoever uses the recording meets the error.
  made.catch(() => {});
  return {
    log: async () => call<string>(await made, "log", {}),
    async note(name, data = null) {
      await call(await made, "note", { name, data });
    },
    async stop() {
      const log = await call<string>(await made, "stop", {});
      await lines?.ended;
      return log;
    },
  };
}

/**
 * Make the calls of a log on `sandbox` and compare what they give. The next call is made once `onProgress` has
 * settled.
 */
export async function replay(
  log: string,
  sandbox: Sandbox,
  { onProgress, signal, ...options }: ReplayOptions = {},
): Promise<ReplayReport> {
  const handle = await callForHandle(
    PAGE,
    "replay",
    { log, sandbox: handleOf(sandbox), ...options },
    "replay",
    { signal },
  );
  try {
    for (;;) {
      const progress = await call<ReplayProgress | null>(handle, "next", {}, { signal });
      if (!progress) return await call<ReplayReport>(handle, "report", {});
      await onProgress?.(progress);
    }
  } catch (error) {
    const last = await call<ReplayProgress>(handle, "end", {}).catch(() => undefined);
    // Only now it is certain whether the call that was next has been made.
    if (signal?.aborted && last) await onProgress?.(last);
    throw error;
  } finally {
    void handle.release();
  }
}

/** Compare `other`, a log of the same calls made elsewhere or later, with `log`; nothing is run. */
export function compareRecordings(log: string, other: string): Promise<ReplayReport> {
  return call<ReplayReport>(PAGE, "compareRecordings", { log, other });
}

function postedLines(onLine: (line: string) => void): { port: MessagePort; ended: Promise<void> } {
  const { port1, port2 } = new MessageChannel();
  const ended = new Promise<void>((resolve) => {
    port1.onmessage = (event) => {
      if (event.data !== "null") return onLine(event.data as string);
      port1.close();
      resolve();
    };
  });
  return { port: port2, ended };
}
