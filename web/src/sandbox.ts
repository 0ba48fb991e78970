/** `openSandbox`: the page's view of a sandbox that lives in the kernel. */

import type {
  CompileResult,
  FileStat,
  KeptSandbox,
  OpenOptions,
  PreviewOutput,
  Sandbox,
  SandboxFiles,
  SandboxPreview,
  StorageEstimate,
  ToolResult,
} from "./api";
import { exportArchive, importArchive } from "./archives";
import { saysGone } from "./error";
import type { Handle } from "./handle";
import type { Life } from "./life";
import { openShell, run } from "./open-shell";
import { mountPreview } from "./preview";
import { call, callForBytes, PAGE } from "./remote";
import { Lives, type Opened } from "./sandbox-lives";
import { checkpoints, locks } from "./states";
import { startKernel } from "./supervisor";

const handles = new WeakMap<Sandbox, Handle>();

/** Open a sandbox; the kernel starts with the first one. Without an `id` it gets one of its own. */
export async function openSandbox(options: OpenOptions = {}): Promise<Sandbox> {
  const { onProgress, ...params } = options;
  const life = await startKernel(onProgress);
  return remoteSandbox(await call<Opened>(PAGE, "openSandbox", params, { life }), params, life);
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

/** Make the page's object for a sandbox that was opened in `life`; `options` are to open it again. */
function remoteSandbox(opened: Opened, options: OpenOptions, life: Life): Sandbox {
  const { id, isNew, damaged } = opened;
  const { processes, network, packages } = options;
  const settings = {
    ...(processes && { processes }),
    ...(network && { network }),
    ...(packages && { packages }),
  };
  const lives = new Lives(opened, options, life);
  const { handle } = lives;
  const on: Sandbox["on"] = (listener) => lives.events.on(listener);
  const sandbox: Sandbox = {
    id,
    isNew,
    damaged,
    fs: files(handle),
    tools: {
      list: () => lives.tools,
      run: (name, args = {}, { origin, signal } = {}) =>
        call<ToolResult>(handle, "toolsRun", { name, arguments: args, origin }, { signal }),
    },
    runtime: {
      run: (command, options) => run(handle, "runtimeRun", command, options),
      openShell: () => openShell(handle),
    },
    checkpoints: checkpoints(lives.checkpoints),
    locks: locks(lives.locks, (reason) => {
      lives.readOnly = reason;
    }),
    services: { preview: preview(handle, on) },
    exportArchive: (options) => exportArchive(handle, options),
    importArchive: (data, options) => importArchive(handle, data, options),
    on,
    async flush() {
      await call(handle, "flush", {});
    },
    async fork(checkpointId, options = {}) {
      const life = await startKernel();
      const params = { sandbox: handle, checkpointId, ...options };
      const opened = await call<Opened>(PAGE, "forkSandbox", params, { life });
      return remoteSandbox(opened, { ...settings, ...options }, life);
    },
    async destroy(options = {}) {
      await call(handle, "destroy", { ...options });
      lives.end("was destroyed");
    },
  };
  handles.set(sandbox, handle);
  if (opened.kept) flushWhenHidden(sandbox);
  return sandbox;
}

/** A page that is hidden may never be seen again. */
function flushWhenHidden(sandbox: Sandbox): void {
  const flush = () => {
    if (document.visibilityState === "hidden") unlessGone(sandbox.flush());
  };
  document.addEventListener("visibilitychange", flush);
  sandbox.on((event) => {
    if (event.type === "destroyed") document.removeEventListener("visibilitychange", flush);
  });
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

function preview(handle: Handle, on: Sandbox["on"]): SandboxPreview {
  const output = () => call<PreviewOutput | null>(handle, "previewOutput", {});
  return {
    compile: (options = {}) => call<CompileResult>(handle, "previewCompile", { ...options }),
    output,
    mount(container) {
      const frame = mountPreview(container, {
        onConsole: (entry) => unlessGone(call(handle, "previewConsole", { ...entry })),
        onError: (entry) => unlessGone(call(handle, "previewError", { ...entry })),
      });
      const show = async () => {
        const built = await output();
        if (built) frame.update(built);
      };
      unlessGone(show());
      const off = on((event) => {
        if (event.type === "preview:compile" && event.ok) unlessGone(show());
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
function unlessGone(work: Promise<unknown>): void {
  work.catch((error: unknown) => {
    if (!saysGone(error)) reportError(error);
  });
}
