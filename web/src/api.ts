/** The embedding API's types: the Python one, name for name, in camelCase. Durations carry an Ms suffix. */

import type {
  Checkpoint,
  CheckpointDiff,
  ConnectionCheck,
  KeptSandbox,
  Lock,
  ModelOptions as MadeOptions,
  ModelInfo,
  Provider,
  ReplayProgress,
  ReplayReport,
  Restored,
  SandboxEvent,
  SessionEvent,
  StorageEstimate,
} from "./generated/contracts";

export type {
  Checkpoint,
  CheckpointDiff,
  ConnectionCheck,
  KeptSandbox,
  Lock,
  ModelInfo,
  Provider,
  ReplayProgress,
  ReplayReport,
  Restored,
  SandboxEvent,
  SessionEvent,
  StorageEstimate,
};

/** Anything that survives JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What is loading while the kernel starts. `total` is 0 while it is unknown. */
export interface BootProgress {
  label: string;
  loadedBytes: number;
  totalBytes: number;
}

export interface OpenOptions {
  /** Names the sandbox; one that is kept is found again under it. */
  id?: string;
  /** `indexeddb` keeps the sandbox in this browser; `memory`, the default, does not. */
  storage?: "memory" | "indexeddb";
  /** `read` looks at a sandbox that is kept, live, while another page may write to it. */
  mode?: "write" | "read";
  /** Whether to make a sandbox that is not kept yet: true by default. */
  create?: boolean;
  /** Which checkpoints are made without being asked for; none by default. */
  autoCheckpoints?: { beforeTool?: boolean; turns?: boolean; keep?: number };
  /** What processes of Python may take. */
  processes?: Partial<ProcessLimits>;
  /** Which hosts processes and the shell's curl may reach: none by default. */
  network?: NetworkPolicy;
  /** Where packages come from. */
  packages?: PackageOptions;
  onProgress?: (progress: BootProgress) => void;
}

/** Each message of what a limit ends names the limit. */
export interface ProcessLimits {
  /** Processes that run at the same time: 8. */
  processes: number;
  /** Bytes of WebAssembly memory of one: 1 GiB. */
  memory: number;
  /** Bytes of all files that one holds: 512 MiB. */
  files: number;
  /** Bytes that one may put out: 64 MiB. */
  output: number;
  /**
   * `frame`, the default: in a frame of an opaque origin. `worker`, for apps without a page: in a plain worker, which
   * has the app's origin, storage and network.
   */
  isolation: "frame" | "worker";
}

export interface NetworkPolicy {
  /** Origins such as `https://api.example.com` or `https://*.example.com`; `*` allows all. */
  allow: string[];
}

export interface PackageOptions {
  /** Package indexes (PEP 503 or 691), which must let any origin read (CORS): PyPI. */
  indexUrls?: string[];
  /** The folder with the files of Pyodide's distribution: Pyodide's own. */
  distributionUrl?: string;
  /** Milliseconds without a byte after which a download is given up: 60,000. */
  patienceMs?: number;
}

export interface ToolDescription {
  name: string;
  description: string;
  parameters: Record<string, Json>;
  /** A pure tool changes nothing and may run beside others. */
  pure: boolean;
}

export interface ToolResult {
  ok: boolean;
  /** One line. */
  summary: string;
  data: Record<string, Json>;
}

export interface FileStat {
  path: string;
  kind: "file" | "directory" | "symlink";
  /** Bytes. */
  size: number;
  /** Seconds since the epoch. */
  mtime: number;
  mode: number;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
  onOutput?: (stream: "stdout" | "stderr", text: string) => void;
  /** Who runs it, in events; `host` when left out. */
  origin?: string;
}

export interface RunResult {
  stdout: string;
  stderr: string;
  exitCode: number;
  cwd: string;
  durationMs: number;
  truncated: boolean;
  stopped: "timeout" | "stop" | null;
}

/** What could stand at the cursor of a command line. */
export interface Completion {
  /** What is replaced, from `start` to `end`, the cursor. */
  start: number;
  end: number;
  /** Names, sorted; those of directories end with `/`. */
  candidates: string[];
  /**
   * What to put there: as much as the candidates have in common, quoted as it must be. A single one is whole, with a
   * blank after it unless it is a directory. Empty without candidates.
   */
  common: string;
}

/** A shell whose directory, variables, functions and aliases last from command to command. */
export interface Shell {
  /** Where the next command starts. */
  readonly cwd: string;
  /** The commands so far, oldest first. */
  readonly history: readonly string[];
  /** Run a command where the last one ended; commands take turns. One that is stopped leaves nothing behind. */
  run(command: string, options?: RunOptions): Promise<RunResult>;
  /** Complete the word before the cursor, by default the end of the line. */
  complete(line: string, cursor?: number): Promise<Completion>;
  /** Tell whether a command is not whole yet: a quote, a here-document or an `if` is open, for instance. */
  needsMore(command: string): Promise<boolean>;
  /** End it, and the command that runs in it. */
  close(): Promise<void>;
}

export interface SandboxFiles {
  readText(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
  write(path: string, data: string | Uint8Array): Promise<void>;
  list(path?: string): Promise<FileStat[]>;
  stat(path: string): Promise<FileStat>;
  mkdir(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string, options?: { recursive?: boolean }): Promise<void>;
  exists(path: string): Promise<boolean>;
}

/** The files of a preview's last good build; `html` is the page, `files` what it loads, by name. */
export interface PreviewOutput {
  buildId: number;
  html: string;
  files: Record<string, Uint8Array>;
}

export interface CompileResult {
  ok: boolean;
  buildId: number;
  entry: string;
  diagnostics: Json[];
}

export interface SandboxPreview {
  compile(options?: { entry?: string }): Promise<CompileResult>;
  output(): Promise<PreviewOutput | null>;
  /** Show the last good build in `container` and keep it fresh; console and errors become sandbox events. */
  mount(container: HTMLElement): { reload(): Promise<void>; unmount(): void };
}

export type CheckpointReason = Checkpoint["reason"];

export interface CheckpointOptions {
  label?: string;
  reason?: CheckpointReason;
  turnId?: string;
  messageId?: string;
  toolCallId?: string;
  summary?: string;
  metadata?: Record<string, Json>;
}

export interface CheckpointFilter {
  label?: string;
  reason?: CheckpointReason;
  turnId?: string;
  messageId?: string;
  toolCallId?: string;
  summary?: string;
  parent?: string;
}

/** States of the tree that can be gone back to. */
export interface Checkpoints {
  create(options?: CheckpointOptions): Promise<Checkpoint>;
  /** Oldest first. */
  list(filter?: CheckpointFilter): Promise<Checkpoint[]>;
  latest(filter?: CheckpointFilter): Promise<Checkpoint | null>;
  get(id: string): Promise<Checkpoint>;
  /** A checkpoint, by default the one that the tree was at last, and those it came from, newest first. */
  history(id?: string): Promise<Checkpoint[]>;
  diff(fromId: string, toId?: string): Promise<CheckpointDiff>;
  restore(id: string, options?: { recordEvent?: boolean }): Promise<Restored>;
  undo(): Promise<Restored>;
  redo(): Promise<Restored>;
  /** Forget checkpoints; returns their ids. */
  prune(options?: {
    ids?: string[];
    reason?: CheckpointReason | CheckpointReason[];
    keepLatest?: number;
  }): Promise<string[]>;
}

/** What may not be changed, whoever tries. */
export interface Locks {
  /** Lock a path, with all that is below it, or a pattern as in .gitignore. */
  add(pattern: string, options?: { by?: string; reason?: string }): Promise<Lock>;
  remove(id: string): Promise<void>;
  list(): Promise<Lock[]>;
  /** Refuse every change for a reason, or with null allow changes again. */
  setReadOnly(reason: string | null): Promise<void>;
}

export interface ExportOptions {
  /** `zip` when left out. */
  format?: "zip" | "tar.gz";
  /** The directory or file to export; the whole project when left out. */
  path?: string;
}

export interface ImportOptions {
  /** The directory to unpack into, which is made if need be; the project's own when left out. */
  path?: string;
  /** Told from the bytes when left out. */
  format?: "zip" | "tar.gz" | "tar";
  /** What to do about files that exist: fail, which is the default, or replace them. */
  onConflict?: "error" | "overwrite";
  /** The most bytes that may come out of the archive; 2 GB when left out. */
  maxBytes?: number;
  /** The most entries; 200,000 when left out. */
  maxEntries?: number;
  signal?: AbortSignal;
}

/** What an import has put into the tree. */
export interface ImportReport {
  format: "zip" | "tar.gz" | "tar";
  files: number;
  /** Those that were not there before. */
  directories: number;
  links: number;
  /** Of the files' contents. */
  bytes: number;
  /** Files and links that were there before. */
  replaced: number;
  /** Entries that stand for nothing: the archive's top, and what a later entry of the same path replaces. */
  skipped: number;
}

export interface Sandbox {
  readonly id: string;
  /** Whether it was made when it was opened. */
  readonly isNew: boolean;
  /** With `mode: "read"`: paths whose records are damaged, which are left out. */
  readonly damaged: string[];
  readonly fs: SandboxFiles;
  readonly tools: {
    list(): ToolDescription[];
    run(
      name: string,
      args?: Record<string, unknown>,
      options?: { origin?: string; signal?: AbortSignal },
    ): Promise<ToolResult>;
  };
  readonly runtime: {
    /** Run a command on its own, in a fresh shell. */
    run(command: string, options?: RunOptions): Promise<RunResult>;
    /** Open a shell that lasts. */
    openShell(): Promise<Shell>;
  };
  readonly checkpoints: Checkpoints;
  readonly locks: Locks;
  readonly services: { preview: SandboxPreview };
  /** Pack a directory or file; the stream's pieces are made as they are read. */
  exportArchive(options?: ExportOptions): Promise<ReadableStream<Uint8Array>>;
  /** Unpack an archive: all of it, or nothing. */
  importArchive(
    data: Blob | Uint8Array | ReadableStream<Uint8Array>,
    options?: ImportOptions,
  ): Promise<ImportReport>;
  /** Listen to the event stream; returns the way to stop. */
  on(listener: (event: SandboxEvent) => void): () => void;
  /** Resolves when all changes so far are saved so that they outlive a crash. */
  flush(): Promise<void>;
  /** Open another sandbox whose tree is that of a checkpoint. */
  fork(checkpointId: string, options?: { id?: string; storage?: "memory" | "indexeddb" }): Promise<Sandbox>;
  /** End it; what is kept stays. Changes that cannot be saved are an error, unless they are to be discarded. */
  destroy(options?: { discard?: boolean }): Promise<void>;
}

/** One tool call as the model made it. */
export interface ToolCall {
  id: string;
  name: string;
  arguments: Record<string, Json>;
}

export interface ToolOutput {
  text: string;
  isError?: boolean;
}

/** The tools a session may use: described to the model by `list`, run by `execute`. */
export interface AgentTools {
  list(): ToolDescription[];
  execute(call: ToolCall, context: { sessionId: string }): Promise<ToolOutput>;
}

/** A tool of the host's own. What `execute` returns is told to the model: text as it is, anything else as JSON. */
export interface HostTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Record<string, Json>;
  /** Whether it changes nothing and may run beside others. */
  pure?: boolean;
  execute(
    args: Record<string, Json>,
    context: { sessionId: string; callId: string },
  ): Promise<ToolOutput | Json | undefined> | ToolOutput | Json | undefined;
}

/** A GGUF file as a model in the page, by llama.cpp in WebAssembly. It is loaded when it is first asked. */
export type GgufOptions = Extract<MadeOptions, { api: "gguf" }> & {
  /** The file, or the URL of it. */
  file: Blob | string;
  /** A Jinja template for chats instead of the file's own, for instance one that makes tools work. */
  chatTemplate?: string;
  /** Tokens of context to make room for; 8192 when left out. */
  context?: number;
  /** Half the processor's when left out; one alone on a page without COOP and COEP headers. */
  threads?: number;
};

/** What `createModel` makes a model of. */
export type ModelOptions = Exclude<MadeOptions, { api: "gguf" }> | GgufOptions;

/** Where to look for models: what a model is made with, but for its name. */
export type ServerOptions = {
  api: Exclude<ModelOptions["api"], "gguf" | "language-model" | "replay" | "scripted">;
  baseUrl?: string;
  apiKey?: string;
};

/** A model of the host's own: `chat` yields model events, shaped as in Python, in camelCase. */
export interface HostModel {
  id: string;
  chat(request: Json, signal: AbortSignal): AsyncIterable<Json>;
}

export interface Strategy {
  readonly name: "react-loop";
  readonly maxTurns: number;
}

export interface SessionOptions {
  strategy: Strategy;
  llm: ModelHandle | HostModel;
  /** All at once, or a list: tools of the host's own, beside those of at most one sandbox. */
  tools?: AgentTools | (AgentTools | HostTool)[] | ((call: ToolCall) => Promise<ToolOutput | string>);
  /** With `tools` as a plain function: what it can run. */
  toolList?: ToolDescription[];
  systemPrompt?: string;
  history?: Json[];
  id?: string;
}

/** A model made by `createModel`; it lives in the kernel. */
export interface ModelHandle {
  readonly id: string;
}

export interface AgentSession {
  readonly id: string;
  submit(text: string, options?: { signal?: AbortSignal }): AsyncIterable<SessionEvent>;
  cancel(): Promise<void>;
  history(): Promise<Json[]>;
}
