/** Commands that are programs of their own: a shell hands them to whoever can run processes. */

import { type Bash, type Command, defineCommand } from "just-bash/browser";
import { bytesOf } from "./shell-text";

/** just-bash does not export these types. */
export type CurlFetch = NonNullable<NonNullable<ConstructorParameters<typeof Bash>[0]>["fetch"]>;

/** What a process begins with. */
export interface ProcessContext {
  cwd: string;
  /** Exported variables. */
  env: Record<string, string>;
  stdin: Uint8Array;
  /** Whether what the process puts out goes nowhere but to the run's own output, and may be shown as it comes. */
  live: boolean;
  /** Aborted when nobody waits for the process any more: its run is out of time. */
  signal: AbortSignal | undefined;
}

/** How a process ended. Each character of the two texts is one byte; what was shown already is not in them. */
export interface ProcessResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

export interface Processes {
  /** Makes the requests of curl. */
  fetch: CurlFetch;
  spawn(argv: string[], context: ProcessContext): Promise<ProcessResult>;
}

/** The commands that a shell has only if it was given processes. */
export const PROCESS_COMMANDS = ["python", "python3", "pip", "pip3", "pytest"];

/** `isLive` tells whether the command at hand stands where output is shown as it comes. */
export function processCommands(processes: Processes, isLive: () => boolean): Command[] {
  return PROCESS_COMMANDS.map((name) =>
    defineCommand(name, async (args, { cwd, exportedEnv, stdin, signal }) => {
      const context = {
        cwd,
        env: { ...exportedEnv },
        stdin: bytesOf(stdin as unknown as string),
        live: isLive(),
        signal,
      };
      const result = await processes.spawn([name, ...args], context);
      return { ...result, stdoutKind: "bytes" as const };
    }),
  );
}
