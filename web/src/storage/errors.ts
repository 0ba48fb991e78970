/** What can go wrong when a sandbox is kept. Python has a class of each name (sandbox/storage.py). */

export type StorageErrorName =
  | "SandboxInUseError"
  | "SandboxNotFoundError"
  | "StorageCorruptError"
  | "StorageFullError"
  | "StorageUnavailableError"
  | "StorageVersionError";

export class StorageError extends Error {
  constructor(name: StorageErrorName, message: string) {
    super(message);
    this.name = name;
  }
}
