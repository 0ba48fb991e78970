/**
 * The page's part of the kernel's workers: it starts and ends them. The kernel could start them itself, were it not for
 * Firefox, where a worker that starts another now and then waits for ever (seen in 153, once in about 15 times).
 */

/** What the kernel gives for a worker. */
export interface WorkerRequest {
  /** The URL of a classic script, which knows nothing of the port; left out, it is the shell's. */
  script?: string | undefined;
  /** For the worker: its end of what it shares with the kernel. */
  port: MessagePort;
  /** A message to the page ends the worker, and is answered then; another from there says why there is none. */
  control: MessagePort;
}

/** Has a script that speaks to whoever started its worker speak to the port in the first message. */
const ADAPTER = `
let port;
self.postMessage = (...message) => port.postMessage(...message);
addEventListener("message", (event) => {
  event.stopImmediatePropagation();
  port = event.data;
  port.onmessage = (event) => self.onmessage(event);
}, { once: true });
`;

export class WorkerHost {
  private readonly workers = new Set<Worker>();

  start({ script, port, control }: WorkerRequest): void {
    const worker =
      script === undefined
        ? new Worker(new URL("./shell-worker.js", import.meta.url), {
            type: "module",
            name: "inbrowser shell",
          })
        : new Worker(URL.createObjectURL(new Blob([ADAPTER, `importScripts(${JSON.stringify(script)});`])));
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
