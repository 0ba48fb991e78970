/** `openSandbox`: the page's view of a sandbox that lives in the kernel. */

import type {
  CompileResult,
  FileStat,
  KeptSandbox,
  OpenOptions,
  PreviewOutput,
  RunOptions,
  RunResult,
  Sandbox,
  SandboxEvent,
  SandboxFiles,
  SandboxPreview,
  StorageEstimate,
  ToolDescription,
  ToolResult,
} from "./api";
import { exportArchive, importArchive } from "./archives";
import { mountPreview } from "./preview";
import { call, callForBytes, type Handle, InBrowserError, PAGE, startKernel } from "./remote";
import { checkpoints, locks } from "./states";

const handles = new WeakMap<Sandbox, Handle>();

interface Opened {
  handle: Handle;
  checkpoints: Handle;
  locks: Handle;
  id: string;
  tools: ToolDescription[];
  isNew: boolean;
  kept: boolean;
  damaged: string[];
}

/** Open a sandbox; the kernel starts with the first one. Without an `id` it gets one of its own. */
export async function openSandbox(options: OpenOptions = {}): Promise<Sandbox> {
  const { onProgress, ...params } = options;
  await startKernel(onProgress);
  return remoteSandbox(await call<Opened>(PAGE, "openSandbox", params));
}

/** Describe the sandboxes that are kept in this browser. */
export async function listSandboxes(): Promise<KeptSandbox[]> {
  return call(PAGE, "listSandboxes", {});
}

/** Delete a sandbox that is kept and that no page has open, for good. */
export async function deleteSandbox(id: string): Promise<void> {
  await call(PAGE, "deleteSandbox", { id });
}

/** Tell how much room there is for all that this page keeps. */
export async function estimateStorage(): Promise<StorageEstimate> {
  return call(PAGE, "estimateStorage", {});
}

/** Ask the browser not to clear what is kept when room gets short; call it in reply to a click. */
export async function persistStorage(): Promise<boolean> {
  const { storage } = navigator as { storage?: StorageManager };
  return (await storage?.persist()) ?? false;
}

/** Return the handle of a sandbox that `openSandbox` made. */
export function handleOf(sandbox: Sandbox): Handle {
  const handle = handles.get(sandbox);
  if (!handle) throw new TypeError("not a sandbox of openSandbox()");
  return handle;
}

function remoteSandbox(opened: Opened): Sandbox {
  const { handle, id, tools, isNew, damaged } = opened;
  const on = eventStream(handle);
  const sandbox: Sandbox = {
    id,
    isNew,
    damaged,
    fs: files(handle),
    tools: {
      list: () => tools,
      run: (name, args = {}, { origin, signal } = {}) =>
        call<ToolResult>(handle, "toolsRun", { name, arguments: args, origin }, { signal }),
    },
    runtime: { run: (command, options) => run(handle, command, options) },
    checkpoints: checkpoints(opened.checkpoints),
    locks: locks(opened.locks),
    services: { preview: preview(handle, on) },
    exportArchive: (options) => exportArchive(handle, options),
    importArchive: (data, options) => importArchive(handle, data, options),
    on,
    async flush() {
      await call(handle, "flush", {});
    },
    async fork(checkpointId, options = {}) {
      return remoteSandbox(
        await call<Opened>(PAGE, "forkSandbox", { sandbox: handle, checkpointId, ...options }),
      );
    },
    async destroy(options = {}) {
      await call(handle, "destroy", { ...options });
    },
  };
  handles.set(sandbox, handle);
  if (opened.kept) flushWhenHidden(sandbox);
  return sandbox;
}

/** A page that is hidden may never be seen again. */
function flushWhenHidden(sandbox: Sandbox): void {
  const flush = () => {
    if (document.visibilityState === "hidden") unlessDestroyed(sandbox.flush());
  };
  document.addEventListener("visibilitychange", flush);
  sandbox.on((event) => {
    if (event.type === "destroyed") document.removeEventListener("visibilitychange", flush);
  });
}

/** One port carries the events of all listeners, from the first of them to the sandbox's last event. */
function eventStream(handle: Handle): Sandbox["on"] {
  const listeners = new Set<(event: SandboxEvent) => void>();
  let port: MessagePort | undefined;
  let ended = false;
  const receive = (event: SandboxEvent) => {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch (error) {
        reportError(error);
      }
    }
    if (event.type !== "destroyed") return;
    ended = true;
    listeners.clear();
    port?.close();
  };
  const open = () => {
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = (message) => receive(JSON.parse(message.data as string) as SandboxEvent);
    // It fails only for a sandbox that was destroyed before anybody listened: then there is nothing to hear.
    call(handle, "on", {}, { port: channel.port2 }).catch(() => {
      ended = true;
    });
  };
  return (listener) => {
    if (ended)
      throw new InBrowserError("SandboxDestroyedError", "the sandbox was destroyed; open another one");
    if (!port) open();
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
}

function files(handle: Handle): SandboxFiles {
  const encoder = new TextEncoder();
  return {
    readText: async (path) => new TextDecoder().decode(await callForBytes(handle, "fsReadText", { path })),
    readBytes: (path) => callForBytes(handle, "fsReadBytes", { path }),
    async write(path, content) {
      const data = typeof content === "string" ? encoder.encode(content) : content;
      await call(handle, "fsWrite", { path }, { data });
    },
    list: (path = ".") => call<FileStat[]>(handle, "fsList", { path }),
    stat: (path) => call<FileStat>(handle, "fsStat", { path }),
    async mkdir(path) {
      await call(handle, "fsMkdir", { path });
    },
    async rename(source, target) {
      await call(handle, "fsRename", { source, target });
    },
    async remove(path, { recursive = false } = {}) {
      await call(handle, "fsRemove", { path, recursive });
    },
    exists: (path) => call<boolean>(handle, "fsExists", { path }),
  };
}

async function run(handle: Handle, command: string, options: RunOptions = {}): Promise<RunResult> {
  const { onOutput, signal, ...params } = options;
  if (!onOutput) return call<RunResult>(handle, "runtimeRun", { command, ...params }, { signal });
  const { port1, port2 } = new MessageChannel();
  const output = new Promise<void>((resolve) => {
    port1.onmessage = (message) => {
      const piece = JSON.parse(message.data as string) as ["stdout" | "stderr", string] | null;
      if (piece) onOutput(...piece);
      else resolve();
    };
  });
  try {
    const result = await call<RunResult>(
      handle,
      "runtimeRun",
      { command, ...params },
      { signal, port: port2 },
    );
    await output;
    return result;
  } finally {
    port1.close();
  }
}

function preview(handle: Handle, on: Sandbox["on"]): SandboxPreview {
  const output = () => call<PreviewOutput | null>(handle, "previewOutput", {});
  return {
    compile: (options = {}) => call<CompileResult>(handle, "previewCompile", { ...options }),
    output,
    mount(container) {
      const frame = mountPreview(container, {
        onConsole: (entry) => unlessDestroyed(call(handle, "previewConsole", { ...entry })),
        onError: (entry) => unlessDestroyed(call(handle, "previewError", { ...entry })),
      });
      const show = async () => {
        const built = await output();
        if (built) frame.update(built);
      };
      unlessDestroyed(show());
      const off = on((event) => {
        if (event.type === "preview:compile" && event.ok) unlessDestroyed(show());
        else if (event.type === "destroyed") frame.unmount();
      });
      return {
        reload: async () => frame.reload(),
        unmount() {
          off();
          frame.unmount();
        },
      };
    },
  };
}

/** A previewed page may still talk when its sandbox is gone; any other failure is the host's to see. */
function unlessDestroyed(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!(error instanceof InBrowserError && error.name === "SandboxDestroyedError")) reportError(error);
  });
}
