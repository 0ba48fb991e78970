/** The embedding API's types: the Python one, name for name, in camelCase. Durations carry an Ms suffix. */

import type { SandboxEvent, SessionEvent } from "./generated/contracts";

export type { SandboxEvent, SessionEvent };

/** Anything that survives JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What is loading while the kernel starts. `total` is 0 while it is unknown. */
export interface BootProgress {
  label: string;
  loadedBytes: number;
  totalBytes: number;
}

export interface OpenOptions {
  id?: string;
  storage?: "memory";
  onProgress?: (progress: BootProgress) => void;
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

export interface Sandbox {
  readonly id: string;
  readonly fs: SandboxFiles;
  readonly tools: {
    list(): ToolDescription[];
    run(
      name: string,
      args?: Record<string, unknown>,
      options?: { origin?: string; signal?: AbortSignal },
    ): Promise<ToolResult>;
  };
  readonly runtime: { run(command: string, options?: RunOptions): Promise<RunResult> };
  readonly services: { preview: SandboxPreview };
  /** Listen to the event stream; returns the way to stop. */
  on(listener: (event: SandboxEvent) => void): () => void;
  destroy(): Promise<void>;
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

export interface ModelOptions {
  api: "openai-chat" | "scripted";
  /** Ends before `/chat/completions`. */
  baseUrl?: string;
  model?: string;
  apiKey?: string;
  temperature?: number;
  maxTokens?: number;
  /** The turns of a scripted model. */
  script?: Json;
}

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
  tools?: AgentTools | ((call: ToolCall) => Promise<ToolOutput | string>);
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
