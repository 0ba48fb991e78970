/** A worker that the page starts for the kernel, used like one of the kernel's own; worker-host.ts says why. */

import type { ToHost } from "./guest/messages";

export class PageWorker {
  private readonly port: MessagePort;
  private readonly control: MessagePort;

  /** `script` is the URL of a classic script; without one it is the shell's worker. */
  constructor(host: MessagePort, script?: string) {
    const [messages, control] = [new MessageChannel(), new MessageChannel()];
    this.port = messages.port1;
    this.control = control.port1;
    const worker = { script, port: messages.port2, control: control.port2 };
    host.postMessage({ worker } satisfies ToHost, [worker.port, worker.control]);
  }

  /** Return what code that starts workers takes for the browser's own way. */
  static of(host: MessagePort): typeof Worker {
    const make = class extends PageWorker {
      constructor(script: string) {
        super(host, script);
      }
    };
    return make as unknown as typeof Worker;
  }

  set onmessage(act: (event: MessageEvent) => void) {
    this.port.onmessage = act;
  }

  /** Told in words what keeps it from working. */
  set onfailure(act: (reason: string) => void) {
    this.control.onmessage = ({ data }) => act(data);
  }

  postMessage(message: unknown, transfer: Transferable[] = []): void {
    this.port.postMessage(message, transfer);
  }

  /** End it, whatever it does; resolves when it is gone. What it had sent may still be on its way. */
  async end(): Promise<void> {
    const gone = new Promise<unknown>((resolve) => {
      this.control.onmessage = resolve;
    });
    this.control.postMessage("end");
    await gone;
  }

  /** End it, and take nothing more of it. */
  terminate(): void {
    this.control.onmessage = null;
    this.control.postMessage("end");
    this.port.close();
  }
}
