/** The page's view of a sandbox's checkpoints and locks. */

import type { Checkpoint, CheckpointDiff, Checkpoints, Lock, Locks, Restored } from "./api";
import type { Handle } from "./handle";
import { call } from "./remote";

export function checkpoints(handle: Handle): Checkpoints {
  return {
    create: (options = {}) => call<Checkpoint>(handle, "create", { ...options }),
    list: (filter = {}) => call<Checkpoint[]>(handle, "list", { ...filter }),
    latest: (filter = {}) => call<Checkpoint | null>(handle, "latest", { ...filter }),
    get: (id) => call<Checkpoint>(handle, "get", { id }),
    history: (id) => call<Checkpoint[]>(handle, "history", { id }),
    diff: (fromId, toId) => call<CheckpointDiff>(handle, "diff", { fromId, toId }),
    restore: (id, options = {}) => call<Restored>(handle, "restore", { id, ...options }),
    undo: () => call<Restored>(handle, "undo", {}),
    redo: () => call<Restored>(handle, "redo", {}),
    prune: (options = {}) => call<string[]>(handle, "prune", { ...options }),
  };
}

/** `onReadOnly` is told why every change is refused from now on, or with null that it is not. */
export function locks(handle: Handle, onReadOnly: (reason: string | null) => void): Locks {
  return {
    add: (pattern, options = {}) => call<Lock>(handle, "add", { pattern, ...options }),
    async remove(id) {
      await call(handle, "remove", { id });
    },
    list: () => call<Lock[]>(handle, "list", {}),
    async setReadOnly(reason) {
      await call(handle, "setReadOnly", { reason });
      onReadOnly(reason);
    },
  };
}
