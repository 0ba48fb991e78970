/** What comes from a guest may come from any code that runs in it: it is used only after it was looked at. */

import type { Batch } from "../mirror";
import type { ChildCommand } from "./messages";

const DEEPEST = 100;
const LONGEST_NAME = 255;
/** The end of the year 9999: what is later cannot be told in nanoseconds, nor by Python. */
const LAST_TIME = 253_402_300_799_999;
/** The last is none for what keeps a directory's nodes: an object. */
const NO_NAMES = ["", ".", "..", "__proto__"];

/** Return a batch of changes that a guest may make, or undefined. */
export function checkedBatch(batch: unknown): Batch | undefined {
  const { changes, bytes } = (batch ?? {}) as Partial<Batch>;
  if (!Array.isArray(changes) || !(bytes instanceof Uint8Array)) return undefined;
  let size = 0;
  for (const change of changes) {
    if (typeof change !== "object" || change === null || !isPath(change.path)) return undefined;
    switch (change.op) {
      case "file":
        if (!isLength(change.data) || !isMode(change.mode) || !isTime(change.mtime)) return undefined;
        size += change.data;
        break;
      case "append":
        if (!isLength(change.data)) return undefined;
        size += change.data;
        break;
      case "directory":
      case "attributes":
        if (!isMode(change.mode) || !isTime(change.mtime)) return undefined;
        break;
      case "link":
        if (typeof change.target !== "string" || !isTime(change.mtime)) return undefined;
        break;
      case "gone":
        break;
      default:
        return undefined;
    }
  }
  return size === bytes.length ? { changes, bytes: bytes as Batch["bytes"] } : undefined;
}

/** Return a command for the shell that a guest may run, or undefined. */
export function checkedChild(child: unknown): ChildCommand | undefined {
  const { command, cwd, env, stdin } = (child ?? {}) as Partial<ChildCommand>;
  const words =
    Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string");
  if (typeof command !== "string" && !words) return undefined;
  if (typeof cwd !== "string" || typeof env !== "object" || env === null) return undefined;
  if (!Object.values(env).every((value) => typeof value === "string")) return undefined;
  if (stdin !== undefined && !(stdin instanceof Uint8Array)) return undefined;
  return { command: command as string | string[], cwd, env, stdin };
}

function isPath(path: unknown): path is string {
  if (typeof path !== "string" || path.includes("\0")) return false;
  const names = path.split("/");
  return (
    names.length <= DEEPEST && names.every((name) => !NO_NAMES.includes(name) && name.length <= LONGEST_NAME)
  );
}

function isLength(length: unknown): boolean {
  return Number.isSafeInteger(length) && (length as number) >= 0;
}

function isMode(mode: unknown): boolean {
  return Number.isInteger(mode) && (mode as number) >= 0 && (mode as number) <= 0o7777;
}

function isTime(time: unknown): boolean {
  return Number.isFinite(time) && Math.abs(time as number) <= LAST_TIME;
}
