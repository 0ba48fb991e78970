/** The inside of just-bash: methods of its interpreter, changed where a script would otherwise not do what bash does. */

import { type ExecResult, type IFileSystem, Interpreter as Inner } from "just-bash/browser";

/** The interpreter of one script. Only what is used here. */
export interface Interpreter {
  ctx: { fs: IFileSystem; state: { cwd: string } };
  /** Runs a file: a script of the shell's own language. */
  executeUserScript(path: string, args: string[], stdin?: string): Promise<ExecResult>;
  runCommand(
    name: string,
    args: string[],
    quoted: boolean[],
    stdin: string,
    ...more: unknown[]
  ): Promise<ExecResult>;
  invokedAs?: string;
}

const { runCommand } = Inner.prototype;
const SHELLS = new Set(["bash", "sh", "dash", "ash"]);

/** Remembers under which name a file is run. */
Inner.prototype.runCommand = function (name, ...rest) {
  this.invokedAs = name;
  return runCommand.call(this, name, ...rest);
};

/** A file is run by the program that its first line names. */
Inner.prototype.executeUserScript = async function (path, args, stdin = "") {
  const name = this.invokedAs?.includes("/") ? this.invokedAs : path;
  const text = await this.ctx.fs.readFile(path, "latin1");
  const [, program = "bash", options = ""] = /^#! *(?:\/\S+\/env +(?:-S +)?)?(\S+) *(.*)/.exec(text) ?? [];
  const interpreter = program.slice(program.lastIndexOf("/") + 1);
  const all = [...options.split(/\s+/).filter(Boolean), name, ...args];
  const quoted = all.map(() => true);
  return await this.runCommand(SHELLS.has(interpreter) ? "bash" : interpreter, all, quoted, stdin);
};
