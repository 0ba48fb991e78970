/** Running commands from the page, on their own or in a shell that lasts. */

import type { Completion, RunOptions, RunResult, Shell } from "./api";
import { Handle } from "./handle";
import { call, PAGE } from "./remote";
import { startKernel } from "./supervisor";

/** Run a command with one of the methods that do; `onOutput` has had all of the output when it has ended. */
export async function run(
  handle: Handle,
  method: "runtimeRun" | "run",
  command: string,
  options: RunOptions = {},
): Promise<RunResult> {
  const { onOutput, signal, ...params } = options;
  if (!onOutput) return call<RunResult>(handle, method, { command, ...params }, { signal });
  const { port1, port2 } = new MessageChannel();
  const output = new Promise<void>((resolve) => {
    port1.onmessage = (message) => {
      const piece = JSON.parse(message.data as string) as ["stdout" | "stderr", string] | null;
      if (piece) onOutput(...piece);
      else resolve();
    };
  });
  try {
    const result = await call<RunResult>(handle, method, { command, ...params }, { signal, port: port2 });
    await output;
    return result;
  } finally {
    port1.close();
  }
}

/** After a restart of the kernel it is a new shell. */
export async function openShell(sandbox: Handle): Promise<Shell> {
  const handle = new Handle((life) => call<string>(PAGE, "openShell", { sandbox }, { life }));
  await handle.in(await startKernel());
  return new RemoteShell(handle);
}

class RemoteShell implements Shell {
  readonly history: string[] = [];
  #cwd = "/project";
  #closed: Promise<void> | undefined;

  constructor(private readonly handle: Handle) {}

  get cwd(): string {
    return this.#cwd;
  }

  async run(command: string, options?: RunOptions): Promise<RunResult> {
    this.history.push(command);
    const result = await run(this.handle, "run", command, options);
    this.#cwd = result.cwd;
    return result;
  }

  complete(line: string, cursor?: number): Promise<Completion> {
    return call<Completion>(this.handle, "complete", { line, cursor });
  }

  needsMore(command: string): Promise<boolean> {
    return call<boolean>(this.handle, "needsMore", { command });
  }

  close(): Promise<void> {
    this.#closed ??= call(this.handle, "end", {}).then(() => this.handle.release());
    return this.#closed;
  }
}
