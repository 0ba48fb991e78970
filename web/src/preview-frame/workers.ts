/** Workers of the previewed page: their scripts are files of the build, their console and errors are reported. */

import type { Trusting } from "./frames";
import type { Failure, Level } from "./messages";
import type { Reports } from "./reports";

const OUTPUT_URL = "inbrowser-file:";

type FromWorker = { level: Level; values: unknown[] } | { failure: Failure };

/** Replace `Worker`; `files` are those of the build, `names` gets the names of the URLs made here. */
export function installWorkers(
  files: Record<string, Uint8Array>,
  names: Map<string, string>,
  reports: Reports,
): void {
  const Original = window.Worker;
  window.Worker = class extends Original {
    constructor(script: string | URL, options?: WorkerOptions) {
      const url = String(script);
      const name = url.startsWith(OUTPUT_URL) ? decodeURI(url.slice(OUTPUT_URL.length)) : undefined;
      const code = name === undefined ? undefined : files[name];
      if (name === undefined || code === undefined) {
        if (!/^(blob|data):/.test(url))
          throw new TypeError(
            `no worker ${url} in a preview; start it with new Worker(new URL("./file", import.meta.url))`,
          );
        super(url.startsWith("blob:") ? trusting(url) : url, options);
        return;
      }
      // On the first line, so that the lines of what follows stay right.
      const prelude = `(${trustStrings})();(${inWorker})();`;
      const blob = URL.createObjectURL(new Blob([prelude, code as BlobPart], { type: "text/javascript" }));
      names.set(blob, name);
      reports.expectFrom(blob);
      super(blob, { ...(options?.name && { name: options.name }) });
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if ("failure" in data) reports.error(data.failure);
        else reports.console(data.level, data.values);
      };
      this.postMessage("inbrowser-reports", [port2]);
    }
  };
}

/** Return a copy of a worker's script in which strings can be run, as they can in workers elsewhere. */
function trusting(url: string): string {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  request.send();
  return URL.createObjectURL(
    new Blob([`(${trustStrings})();`, request.responseText], { type: "text/javascript" }),
  );
}

/** Runs in the worker, as text, where the policy of the page holds too and there is no document to protect. */
function trustStrings(): void {
  (globalThis as Trusting).trustedTypes?.createPolicy("default", {
    createScript: (script) => script,
    createScriptURL: (url) => url,
  });
}

/** Runs in the worker, as text: it may use nothing of this module. */
function inWorker(): void {
  const scope = self as unknown as {
    addEventListener: typeof addEventListener;
    removeEventListener: typeof removeEventListener;
    console: Record<string, (...values: unknown[]) => void>;
  };
  let port: MessagePort | undefined;
  const early: unknown[] = [];
  const send = (message: unknown) => {
    if (port) port.postMessage(message);
    else early.push(message);
  };
  scope.addEventListener("message", function first(event) {
    if (event.data !== "inbrowser-reports") return;
    event.stopImmediatePropagation();
    scope.removeEventListener("message", first);
    port = event.ports[0];
    for (const message of early) send(message);
  });
  for (const level of ["debug", "log", "info", "warn", "error"]) {
    const original = scope.console[level];
    scope.console[level] = (...values) => {
      original?.(...values);
      try {
        send({ level, values });
      } catch {
        send({ level, values: values.map(String) });
      }
    };
  }
  scope.addEventListener("error", ({ message, filename, lineno, colno, error }) => {
    send({ failure: { message, file: filename, line: lineno, column: colno, stack: error?.stack } });
  });
  scope.addEventListener("unhandledrejection", ({ reason }) => {
    send({ failure: { message: `Unhandled rejection: ${String(reason)}`, stack: reason?.stack } });
  });
}
