/** The one class of errors that leave the embedding API. */

/** An error that Python raised, or that the kernel died of; `name` is its class in Python. */
export class InBrowserError extends Error {
  constructor(
    name: string,
    message: string,
    /** Comes with errors of `runPython` alone. */
    readonly traceback?: string,
  ) {
    super(message);
    this.name = name;
  }
}

/** Whether it says that the object it came from is gone, by the host's own will or with the kernel. */
export function saysGone(error: unknown): boolean {
  return (
    error instanceof InBrowserError &&
    (error.name === "SandboxDestroyedError" || error.name === "KernelCrashedError")
  );
}
