/** Keeps one kernel alive: starts it, notices its end, starts the next one, and says so. */

import type { BootProgress } from "./api";
import { InBrowserError } from "./error";
import { Heartbeat } from "./heartbeat";
import { Life } from "./life";

/** So many crashes, with less than this time of work between the first and the last of them, are a loop. */
const LOOP = { crashes: 3, ms: 30_000 };

type ProgressListener = (progress: BootProgress) => void;

/** What happens to the kernel: `restarting` comes at once, `ready` or `failed` after it. */
export interface KernelRestart {
  phase: "restarting" | "ready" | "failed";
  /** What the kernel died of, and with `failed` why there is no other: one line. */
  message: string;
  /** With `ready`: the ids of the sandboxes that are back, as they were last saved. */
  reopened: string[];
  /** With `ready`: those that are gone, and why. */
  lost: { id: string; message: string }[];
}

/** What is to be brought into the next life of the kernel. */
export interface Survivor {
  readonly id: string;
  /** Come to life in `life`, after the kernel died of `what`. Rejects with why it cannot. */
  revive(life: Life, what: string): Promise<void>;
}

const progressListeners = new Set<ProgressListener>();
const restartListeners = new Set<(restart: KernelRestart) => void>();
const survivors = new Set<Survivor>();
let current: Promise<Life> | undefined;
/** What the kernel died of last. */
let crash: string | undefined;
/** How long each life was that crashed. */
const crashedAfter: number[] = [];
let givenUp: InBrowserError | undefined;

/** Start the kernel, or wait for the one that is starting. A start that failed may be tried again. */
export async function startKernel(onProgress?: ProgressListener): Promise<Life> {
  if (givenUp) throw givenUp;
  if (onProgress) progressListeners.add(onProgress);
  current ??= begin();
  const waited = current;
  try {
    return await waited;
  } catch (error) {
    if (current === waited) current = undefined;
    throw error;
  } finally {
    if (onProgress) progressListeners.delete(onProgress);
  }
}

/** Return the kernel that runs or starts, if one does. */
export function runningKernel(): Promise<Life> | undefined {
  return current;
}

/** Have something brought into the next lives of the kernel; returns the way to take that back. */
export function survive(survivor: Survivor): () => void {
  survivors.add(survivor);
  return () => survivors.delete(survivor);
}

/**
 * Listen to restarts of the kernel; returns the way to stop.
 *
 * A sandbox that is back goes on as the same object, and its own listeners get an event `kernel:restart`. One that is
 * gone sends `destroyed`.
 */
export function onKernelRestart(listener: (restart: KernelRestart) => void): () => void {
  restartListeners.add(listener);
  return () => restartListeners.delete(listener);
}

/**
 * Say how long the kernel may give no answer before it is restarted: 20,000 ms unless set, and `Infinity` for ever,
 * for Python of the host's own that computes for longer without giving way, and for debuggers that stop the worker.
 */
export function superviseKernel({ patienceMs }: { patienceMs: number }): void {
  if (!(patienceMs > 0)) throw new TypeError(`patienceMs is ${patienceMs}: give milliseconds, or Infinity`);
  Heartbeat.patienceMs = patienceMs;
}

async function begin(): Promise<Life> {
  const progress = (told: BootProgress) => {
    for (const listener of progressListeners) listener(told);
  };
  try {
    const life = await Life.begin(progress, crashed);
    if (crash !== undefined) void revive(life, crash);
    return life;
  } catch (error) {
    if (crash !== undefined) tell("failed", `${crash}, and could not be restarted: ${messageOf(error)}`);
    throw error;
  }
}

function crashed(life: Life, what: string): void {
  if (life.ended) return;
  crash = `the kernel crashed: ${what}`;
  crashedAfter.push(life.lengthMs);
  const between = crashedAfter.slice(1 - LOOP.crashes).reduce((sum, each) => sum + each, 0);
  if (crashedAfter.length >= LOOP.crashes && between < LOOP.ms) {
    givenUp = crashError(
      `${crash}, for the ${LOOP.crashes}rd time within ${LOOP.ms / 1000} s, and is not restarted; reload the page`,
    );
    current = undefined;
    life.end(givenUp);
    tell("failed", givenUp.message);
    return;
  }
  tell("restarting", crash);
  life.end(
    crashError(
      `${crash}; it is restarted, kept sandboxes are reopened as last saved, and those in memory are gone`,
    ),
  );
  const next = begin();
  current = next;
  next.catch(() => {
    if (current === next) current = undefined;
  });
}

/** Bring what can be brought into a new life. */
async function revive(life: Life, what: string): Promise<void> {
  const reopened: string[] = [];
  const lost: KernelRestart["lost"] = [];
  await Promise.all(
    [...survivors].map(async (survivor) => {
      try {
        await survivor.revive(life, what);
        reopened.push(survivor.id);
      } catch (error) {
        lost.push({ id: survivor.id, message: messageOf(error) });
      }
    }),
  );
  if (!life.ended) tell("ready", what, reopened, lost);
}

function tell(
  phase: KernelRestart["phase"],
  message: string,
  reopened: string[] = [],
  lost: KernelRestart["lost"] = [],
): void {
  for (const listener of [...restartListeners]) {
    try {
      listener({ phase, message, reopened, lost });
    } catch (error) {
      reportError(error);
    }
  }
}

export function crashError(message: string): InBrowserError {
  return new InBrowserError("KernelCrashedError", message);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
