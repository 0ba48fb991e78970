/** The inside of just-bash: methods of its interpreter, changed where a script would otherwise not do what bash does. */

import {
  type ExecResult,
  Exit,
  type IFileSystem,
  Interpreter as Inner,
  replaceByteLength,
  replaceDecode,
  replaceDecodeAtEnd,
  replaceEncode,
  type Thrown,
} from "just-bash/browser";
import { absent } from "./shell-absent";
import { BUILTINS } from "./shell-builtins";
import { reasonOf } from "./shell-commands/command";
import type { ShellFiles } from "./shell-files";
import type { Jobs } from "./shell-jobs";
import { type Demand, type Sink, Stages } from "./shell-sinks";
import type { Script, SyntaxNode } from "./shell-syntax";
import { encodeText, toBytes, toText } from "./shell-text";
import { strike, Traps } from "./shell-traps";
import { toleratedIn } from "./shell-variables";
import { TreeError } from "./tree-nodes";

export type Result = Pick<ExecResult, "stdout" | "stderr" | "exitCode"> & Partial<ExecResult>;

export interface ShellArray {
  kind: "indexed" | "associative";
  elements: Map<string, string>;
}

/** What a script has made of its shell. */
export interface State {
  cwd: string;
  previousDir: string;
  env: Map<string, string>;
  arrays: Map<string, ShellArray>;
  functions: Map<string, SyntaxNode>;
  options: Record<string, boolean>;
  shoptOptions: Record<string, boolean>;
  exportedVars: Set<string>;
  associativeArrays?: Set<string>;
  readonlyVars?: Set<string>;
  namerefs?: Set<string>;
  integerVars?: Set<string>;
  lowercaseVars?: Set<string>;
  uppercaseVars?: Set<string>;
  declaredVars?: Set<string>;
  directoryStack?: string[];
  fileDescriptors?: Map<number, string>;
  localScopes: unknown[];
  localVarDepth?: Map<string, number>;
  funcNameStack?: string[];
  inCondition: boolean;
  errexitSafe?: boolean;
  lastExitCode: number;
  lastBackgroundPid: number;
  virtualPid: number;
  /** The one of the subshell at hand. */
  bashPid: number;
  currentLine?: number;
  startTime: number;
  signal?: AbortSignal | undefined;
  groupStdin?: string | undefined;
  /** Ours: what `trap` set, and the functions that `export -f` names. */
  traps?: Traps | undefined;
  exportedFunctions?: Set<string>;
  umask?: number;
  /** Whether earlier commands left jobs, which have workers of their own. */
  leftJobs?: boolean;
}

export interface InterpreterContext {
  fs: IFileSystem;
  state: State;
  limits: Record<string, number>;
  execFn(script: string, options?: object, inherited?: boolean): Promise<ExecResult>;
  /** Ours: variables that the command at hand may name although they are not set. */
  tolerated?: Set<string> | undefined;
  [other: string]: unknown;
}

/** The interpreter of one script. Only what is used here. */
export interface Interpreter {
  ctx: InterpreterContext;
  executeScript(script: Script): Promise<ExecResult>;
  executeStatement(statement: SyntaxNode): Promise<Result>;
  executePipeline(pipeline: SyntaxNode): Promise<Result>;
  executeCommand(node: SyntaxNode, stdin: string, more?: boolean): Promise<Result>;
  executeSubshell(node: SyntaxNode, ...rest: unknown[]): Promise<Result>;
  /** Runs a file: a script of the shell's own language. */
  executeUserScript(path: string, args: string[], stdin?: string): Promise<Result>;
  runCommand(
    name: string,
    args: string[],
    quoted: boolean[],
    stdin: string,
    ...more: unknown[]
  ): Promise<Result>;

  // Ours:
  shell: Shell;
  /** Where output goes at once, if it may go anywhere before its command has ended. */
  sink: Sink | undefined;
  /** The pipeline of several stages that runs now. */
  pipeline: Stages | undefined;
  /** The pipelines of the statement at hand that stand before `&&` or `||`. */
  lists: Set<SyntaxNode> | undefined;
  /** How many scripts run within each other. */
  depth: number;
  /** A signal that a subshell sent to the shell around it. */
  struck: string | undefined;
  invokedAs: string;
}

/** What the interpreters of one shell share. */
export interface Shell {
  files: ShellFiles;
  jobs: Jobs;
  /** Where the output of the run goes, as it comes. */
  output: Sink;
  /** The first interpreter of the run at hand. */
  first: Interpreter | undefined;
  /** The one whose command runs another script now, until that has begun. */
  parent: Interpreter | undefined;
  /** Whether the command at hand stands where its output is shown as it comes. */
  live: boolean;
  /** How many lines or bytes are wanted of the command at hand, if that is known. */
  demand: Demand | undefined;
  exec(script: string, options?: object): Promise<ExecResult>;
}

const shells = new WeakMap<object, Shell>();

export function join(shell: Shell): void {
  shells.set(shell.files, shell);
}

/** Commands that run others and put out what those do, and nothing else. */
const PASSING = new Set([
  "bash",
  "sh",
  "env",
  "nice",
  "nohup",
  "time",
  "timeout",
  "xargs",
  "exec",
  "command",
]);
const UNBOUND = 127;
const NOT_FOUND = 127;
const SHELLS = new Set(["bash", "sh", "dash", "ash"]);

const { executeScript, executeStatement, executePipeline, executeCommand, executeSubshell, runCommand } =
  Inner.prototype;

Object.assign(Inner.prototype, {
  depth: 0,
  struck: undefined,
  sink: undefined,
  pipeline: undefined,
});

Inner.prototype.executeScript = async function (script) {
  if (!this.depth) begin(this);
  const { sink } = this;
  const { state } = this.ctx;
  const { traps } = state;
  if (script.captured) this.sink = undefined;
  const whole = !this.depth || script.captured;
  if (whole) state.traps = new Traps(traps);
  this.depth += 1;
  try {
    const run = () => executeScript.call(this, script);
    return (await (whole ? state.traps?.untilExit(this, run) : run())) as ExecResult;
  } finally {
    this.depth -= 1;
    this.sink = sink;
    if (script.captured) state.traps = traps;
  }
};

/** The bytes of what was put out, one character each. */
export function bytesIn(result: Result | Thrown): string {
  return isBytes(result) ? result.stdout : toBytes(result.stdout);
}

export function textIn(result: Result | Thrown): string {
  return isBytes(result) ? toText(result.stdout) : result.stdout;
}

/** Errors are text; where they may be put behind the output, as `2>&1` does it, that has to be text, too. */
function mixable(result: Result): Result {
  if (!isBytes(result) || /^[\0-\x7f]*$/.test(result.stderr)) return result;
  const { stdoutEncoding: _, ...rest } = result;
  return { ...rest, stdout: textIn(result), stdoutKind: "text" };
}

function isBytes(result: Result | Thrown): boolean {
  if (result instanceof Error) return false;
  return (result.stdoutKind ?? (result.stdoutEncoding === "binary" ? "bytes" : "text")) === "bytes";
}

/** Find out where an interpreter stands when its first script begins. */
function begin(self: Interpreter): void {
  const shell = shells.get(self.ctx.fs);
  if (!shell) throw new Error("no shell knows this interpreter");
  const { parent } = shell;
  shell.parent = undefined;
  if (!shell.first) {
    shell.first = self;
    self.sink = shell.output;
  } else if (parent) {
    self.sink = PASSING.has(parent.invokedAs) ? parent.sink : undefined;
    inherit(self.ctx.state, parent.ctx.state);
  }
  adopt(self, shell);
}

/** Make an interpreter one of a shell's. */
export function adopt(self: Interpreter, shell: Shell): void {
  self.shell = shell;
  const { execFn } = self.ctx;
  self.ctx.execFn = (...given) => {
    // The other script begins before anything else can run.
    shell.parent = self;
    return execFn(...given);
  };
}

function inherit(state: State, { functions, exportedFunctions }: State): void {
  if (!exportedFunctions) return;
  state.exportedFunctions = new Set(exportedFunctions);
  for (const name of exportedFunctions) {
    const known = functions.get(name);
    if (known) state.functions.set(name, known);
  }
}

Inner.prototype.executeStatement = async function (statement) {
  if (statement.background) return this.shell.jobs.start(this, statement);
  const pipelines = statement.pipelines as SyntaxNode[];
  const { lists } = this;
  const { state } = this.ctx;
  this.lists = pipelines.length > 1 ? new Set(pipelines.slice(0, -1)) : undefined;
  const run = async () => {
    try {
      const result = await executeStatement.call(this, statement);
      return this.struck && state.bashPid === state.virtualPid ? await struck(this, result) : result;
    } catch (error) {
      throw fatal(error, this.ctx.state);
    } finally {
      this.lists = lists;
    }
  };
  return await (state.traps?.watching ? state.traps.around(this, statement, run) : run());
};

/** Some faults end more than the command that they are in: the subshell, the script file or the whole run. */
function fatal(error: unknown, { bashPid, virtualPid, env }: State): unknown {
  const { name, stdout, stderr } = error as Thrown;
  if (name !== "ArithmeticError" && name !== "NounsetError") return error;
  const inside = bashPid !== virtualPid || (env.get("0") ?? "bash") !== "bash";
  return new Exit(name === "ArithmeticError" || inside ? 1 : UNBOUND, stdout, stderr);
}

/** A subshell has ended that sent its shell a signal. */
async function struck(self: Interpreter, result: Result): Promise<Result> {
  const name = self.struck as string;
  self.struck = undefined;
  try {
    const { stdout, stderr } = await strike(self, name);
    return { ...result, stdout: result.stdout + stdout, stderr: result.stderr + stderr };
  } catch (error) {
    const ended = error as Thrown;
    ended.stdout = result.stdout + ended.stdout;
    ended.stderr = result.stderr + ended.stderr;
    throw ended;
  }
}

Inner.prototype.executePipeline = async function (pipeline) {
  const commands = pipeline.commands as SyntaxNode[];
  const before = this.pipeline;
  const { sink } = this;
  const { state } = this.ctx;
  const { inCondition } = state;
  // Whether it fails is looked at by what comes after `&&` and `||`.
  if (this.lists?.has(pipeline)) state.inCondition = true;
  this.pipeline = commands.length > 1 ? new Stages(this, commands) : undefined;
  try {
    const result = await executePipeline.call(this, pipeline);
    return sink ? await sink.take(result) : result;
  } finally {
    this.pipeline = before;
    state.inCondition = inCondition;
  }
};

Inner.prototype.executeCommand = async function (node, stdin, more) {
  const { sink, pipeline } = this;
  const stage = pipeline?.has(node) ? pipeline : undefined;
  const own = stage ? stage.sinkOf(node) : sink;
  this.pipeline = undefined;
  this.sink = diverted(node) ? undefined : own;
  if (this.ctx.state.options.nounset) this.ctx.tolerated = toleratedIn(node);
  try {
    const result = await executeCommand.call(this, resolved(node, this.ctx.state), stdin, more);
    const left = own ? await own.take(result) : result;
    return stage ? stage.ended(node, left) : left;
  } catch (error) {
    const failure = stage?.broken(node, error) ?? refused(error, this.ctx.state.cwd);
    if (failure) return failure;
    if (own === this.shell.output && own) own.take(error as Thrown);
    throw stage ? fatal(error, this.ctx.state) : error;
  } finally {
    this.sink = sink;
    this.pipeline = pipeline;
  }
};

/** Whether output of a command goes elsewhere; only its input may come from anywhere. */
function diverted({ type, redirections }: SyntaxNode): boolean {
  if (type === "FunctionDef") return false;
  return ((redirections as SyntaxNode[]) ?? []).some(
    ({ operator }) => !/^<(<|<-|<<)?$/.test(String(operator)),
  );
}

/** just-bash assigns lists to a reference and not to what it refers to. */
function resolved(node: SyntaxNode, { namerefs, env }: State): SyntaxNode {
  const assignments = node.assignments as SyntaxNode[] | undefined;
  if (!namerefs?.size || !assignments?.some(({ name }) => namerefs.has(String(name)))) return node;
  const changed = assignments.map((each) =>
    each.array && namerefs.has(String(each.name))
      ? { ...each, name: env.get(String(each.name)) ?? each.name }
      : each,
  );
  return { ...node, assignments: changed };
}

/** A file that cannot be opened fails its command alone. */
function refused(error: unknown, cwd: string): Result | undefined {
  if (!(error instanceof TreeError)) return undefined;
  const path = /'(.*)'$/s.exec(error.message)?.[1] ?? "";
  const name = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  return { stdout: "", stderr: `bash: ${name}: ${reasonOf(error)}\n`, exitCode: 1 };
}

Inner.prototype.executeSubshell = async function (node, ...rest) {
  const { state } = this.ctx;
  const { traps } = state;
  const own = new Traps(traps);
  state.traps = own;
  try {
    return await own.untilExit(this, () => executeSubshell.call(this, node, ...rest));
  } finally {
    state.traps = traps ?? new Traps();
  }
};

Inner.prototype.runCommand = async function (name, args, quoted, stdin, ...more) {
  const { state } = this.ctx;
  const known = state.functions.get(name);
  const { sink, invokedAs } = this;
  if (known && diverted({ ...known, type: "" })) this.sink = undefined;
  this.invokedAs = name;
  this.shell.live = this.sink === this.shell.output && !state.fileDescriptors?.has(1);
  const run = () => runCommand.call(this, name, args, quoted, stdin, ...more);
  try {
    if (known) return await (state.traps?.untilReturn(this, run) ?? run());
    const builtin = BUILTINS.get(name);
    const result = mixable((await builtin?.(this, args, stdin)) ?? (await run()));
    const said = result.exitCode === NOT_FOUND && result.stderr === `bash: ${name}: command not found\n`;
    return said ? { ...result, stderr: absent(name) ?? result.stderr } : result;
  } finally {
    this.sink = sink;
    this.invokedAs = invokedAs;
  }
};

/** A file is run by the program that its first line names. */
Inner.prototype.executeUserScript = async function (path, args, stdin = "") {
  const name = this.invokedAs.includes("/") ? this.invokedAs : path;
  const text = await this.ctx.fs.readFile(path, "latin1");
  const [, program = "bash", options = ""] = /^#! *(?:\/\S+\/env +(?:-S +)?)?(\S+) *(.*)/.exec(text) ?? [];
  const interpreter = program.slice(program.lastIndexOf("/") + 1);
  const all = [...options.split(/\s+/).filter(Boolean), name, ...args];
  const quoted = all.map(() => true);
  return await this.runCommand(SHELLS.has(interpreter) ? "bash" : interpreter, all, quoted, stdin);
};

replaceEncode(toBytes);
replaceDecode(toText);
// What comes at the end is text already.
replaceDecodeAtEnd((text) => text);
replaceByteLength((text) => (/^[\0-\x7f]*$/.test(text) ? text.length : encodeText(text).length));
