/**
 * The page's part of shells: it starts their workers, and ends them. The kernel could start them itself, were it not
 * for Firefox, where a worker that starts another now and then waits for ever (seen in 153, once in about 15 times).
 */

/** What the kernel gives for a shell's worker: the worker's end of what they share, and the page's. */
export interface ShellPorts {
  worker: MessagePort;
  /** A message to the page ends the worker, and is answered then; another from there says why there is none. */
  control: MessagePort;
}

export class ShellHost {
  private readonly workers = new Set<Worker>();

  start({ worker: port, control }: ShellPorts): void {
    const worker = new Worker(new URL("./shell-worker.js", import.meta.url), {
      type: "module",
      name: "inbrowser shell",
    });
    this.workers.add(worker);
    worker.onerror = ({ message }) => control.postMessage(message || "its script did not load");
    worker.postMessage(port, [port]);
    control.onmessage = () => {
      worker.terminate();
      control.postMessage("ended");
      this.workers.delete(worker);
    };
  }

  close(): void {
    for (const worker of this.workers) worker.terminate();
  }
}
