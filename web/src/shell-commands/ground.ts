/** What commands stand on: the files of the shell that runs, and its time. Set at the beginning of each run. */

import type { ShellFiles } from "../shell-files";

export const ground: { files: ShellFiles; over(): boolean } = {
  files: undefined as unknown as ShellFiles,
  over: () => false,
};

let steps = 0;

/** Called in loops that may be long: ends the command when its run has no time left. */
export function pace(): void {
  steps += 1;
  if (steps % 1024 === 0 && ground.over()) throw new Error("no time left");
}
