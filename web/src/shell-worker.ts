/** One shell: just-bash over a mirror of the sandbox's tree. It may be ended at any moment. */

import { Guard, type Rules } from "./guard";
import { type Batch, pack, unpack } from "./mirror";
import { type RunOutcome, type RunRequest, ShellBash } from "./shell-bash";
import { ShellFiles } from "./shell-files";
import type { Piece } from "./shell-output";

/** What the kernel sends: what the tree has become since the last message, and mostly a command to run then. */
export interface ShellRequest {
  batch?: Batch | undefined;
  /** What may not be changed from now on. */
  rules?: Rules | undefined;
  run?: RunRequest | undefined;
}

/**
 * What the kernel gets: once, that the worker is there; then, a command, any number of changes, its output as it comes
 * and how it ended; and when it left jobs in the background, that they ended.
 */
export type ShellMessage =
  | { ready: true }
  | { batch: Batch }
  | { pieces: Piece[] }
  | { outcome: RunOutcome; background: boolean }
  | { idle: true }
  | { failure: string };

const files = new ShellFiles((changes) => {
  const batch = pack(changes);
  self.postMessage({ batch } satisfies ShellMessage, [batch.bytes.buffer]);
});
const bash = new ShellBash(files);

self.onmessage = async ({ data }: MessageEvent<ShellRequest>) => {
  try {
    if (data.batch) files.receive(unpack(data.batch));
    if (data.rules) files.guard = new Guard(data.rules);
    if (data.run) await run(data.run);
  } catch (error) {
    post({ failure: String(error) });
  }
};

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

function post(message: ShellMessage): void {
  self.postMessage(message);
}

post({ ready: true });
