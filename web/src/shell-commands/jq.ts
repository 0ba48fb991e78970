/** jq: the program itself, compiled to WebAssembly, over the shell's files and variables. */

import type { FileSystem, Node } from "jq-wasm";
import { assets, assetUrl } from "../assets";
import { download, Progress } from "../download";
import { encodeText, latin1 } from "../shell-text";
import { TreeError } from "../tree-nodes";
import { type Context, command, Fault, type Result, stdin } from "./command";
import { ground, pace } from "./ground";

const DIRECTORY = 0o040555;
const FILE = 0o100444;
const ENOENT = 44;
/** Folders that Emscripten makes; what the shell has in them is there, too. */
const MADE = ["", "/dev", "/home", "/tmp"];
/** Variables that Emscripten makes up. */
const MADE_UP = ["USER", "LOGNAME", "PATH", "PWD", "HOME", "LANG", "_"];
/** Arguments are put on jq's stack, which has 1 MB. */
const MOST_ARGUMENTS = 512 << 10;
const MOST_OUTPUT = 256 << 20;
/** What a shell says of a program that aborts. */
const ABORTED = 134;

export const jq = command("jq", async (args, context) => {
  if (encodeText(args.join(" ")).length > MOST_ARGUMENTS) throw new Fault("Argument list too long", 126);
  const parts = await load();
  const output = { stdout: "", stderr: "" };
  let exitCode: number;
  try {
    exitCode = await run(parts, args, context, output);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    exitCode = ABORTED;
    output.stderr ||= "jq: error: it needs more memory than there is\n";
  }
  return { ...output, exitCode, stdoutKind: "bytes" } satisfies Result;
});

/** Each run has a module to itself: whatever one does to its memory, the next one begins afresh. */
async function run(
  { createModule, wasm }: Parts,
  args: string[],
  context: Context,
  output: Record<"stdout" | "stderr", string>,
): Promise<number> {
  const input = stdin(context);
  let at = 0;
  const take = () => (at < input.length ? input.charCodeAt(at++) : null);
  const put =
    (stream: keyof typeof output) => (_: object, memory: Int8Array, start: number, length: number) => {
      pace();
      if (output[stream].length > MOST_OUTPUT) throw new Fault("more output than fits");
      output[stream] += latin1(new Uint8Array(memory.buffer, start, length));
      return length;
    };
  const nothing = () => {};
  const module = await createModule({
    thisProgram: "jq",
    print: nothing,
    printErr: nothing,
    instantiateWasm: (imports, done) => done(new WebAssembly.Instance(wasm, imports)),
    prepare(FS, variables) {
      FS.init(take, nothing, nothing);
      FS.streams[1].stream_ops.write = put("stdout");
      FS.streams[2].stream_ops.write = put("stderr");
      for (const path of MADE) graft(FS, FS.lookupPath(path || "/").node, path);
      if (ground.files.has(context.cwd)) FS.chdir(context.cwd);
      for (const name of MADE_UP) variables[name] = undefined;
      Object.assign(variables, context.exportedEnv);
    },
  });
  return module.callMain([...args]);
}

/** Have a folder of jq's file system hold what is in the shell's. */
function graft(FS: FileSystem, folder: Node, path: string): void {
  const lookup = (parent: Node, name: string) => enter(FS, parent, `${path}/${name}`, name);
  folder.node_ops = { ...folder.node_ops, lookup };
}

function enter(FS: FileSystem, parent: Node, path: string, name: string): Node {
  const { MEMFS } = FS.filesystems;
  const { tree } = ground.files;
  try {
    if (tree.find("open", path).kind === "directory") {
      const folder = MEMFS.createNode(parent, name, DIRECTORY, 0);
      graft(FS, folder, path);
      return folder;
    }
    const contents = tree.read(path);
    return Object.assign(MEMFS.createNode(parent, name, FILE, 0), { contents, usedBytes: contents.length });
  } catch (error) {
    if (error instanceof TreeError) throw new FS.ErrnoError(ENOENT);
    throw error;
  }
}

interface Parts {
  createModule: typeof import("../jq-module").createModule;
  wasm: WebAssembly.Module;
}
let parts: Promise<Parts> | undefined;

async function load(): Promise<Parts> {
  parts ??= fetchParts();
  try {
    return await parts;
  } catch (error) {
    parts = undefined;
    throw new Fault(error instanceof Error ? error.message : String(error));
  }
}

async function fetchParts(): Promise<Parts> {
  const [{ createModule }, wasm] = await Promise.all([
    import(assetUrl(assets.jqModule)) as Promise<typeof import("../jq-module")>,
    WebAssembly.compileStreaming(download(assets.jqWasm, "jq", new Progress())),
  ]);
  return { createModule, wasm };
}
