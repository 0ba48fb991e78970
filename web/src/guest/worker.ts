/** A guest: a fresh interpreter in a worker of an opaque origin, which runs one process and is thrown away. */

// In here, as WebKit lets a worker of an opaque origin import nothing.
import factory from "pyodide/pyodide.asm.mjs";
import type { EmscriptenFS } from "../emscripten";
import {
  type Pyodide,
  SITE_PACKAGES,
  type StartOptions,
  startInterpreter,
  unpackFiles,
} from "../interpreter";
import { limitFiles } from "./capacity";
import type { ChildCommand, ChildOutcome, FromGuest, GuestBoot, GuestCommand, ToGuest } from "./messages";
import { dropGlobal, keepNetworkPolicy } from "./network";
import { Output } from "./output";
import { GuestTree } from "./tree";

/** Where the sandbox's trees are, in the order of their numbers. */
const MOUNTS = ["/project", "/tmp"];
const NO_STACK = "it ran out of stack, by deep recursion in C code";
const STDIN_HINT = "it asked for input and there is none: give it some, as in `echo yes | python app.py`";

// Compiled code alone comes to see whether the engine lets it in.
self.onmessage = ({ data }: MessageEvent<GuestBoot | WebAssembly.Module>) => {
  if (data instanceof WebAssembly.Module) self.postMessage("modules");
  else new Guest(data.port, data).start();
};
self.onmessageerror = () => self.postMessage("no modules");

/** What is used of Pyodide beyond its published types. */
interface Inside {
  _api: {
    fatal_error(error: unknown): void;
    on_fatal?: (error: Fatal) => void;
    loadDynlib(path: string): Promise<void>;
  };
}
/** Why an interpreter cannot go on; with a status, it was told to exit at once. */
type Fatal = Error & { status?: number };
type Imports = Parameters<NonNullable<StartOptions["adjust"]>>[0];

class Guest {
  private readonly output: Output;
  private readonly children = new Map<number, (outcome: ChildOutcome) => void>();
  private trees: GuestTree[] = [];
  private pyodide!: Pyodide;
  private stdin = new Uint8Array(0);
  private read = 0;
  private spawned = 0;
  private unpacked: Promise<void> | undefined;
  private hint: string | undefined;
  private dead = false;

  constructor(
    private readonly port: MessagePort,
    private readonly boot: GuestBoot,
  ) {
    this.output = new Output(
      (stream, bytes) => this.send({ type: "output", stream, bytes }, [bytes.buffer]),
      (buffer) => {
        if (!this.dead) this.pyodide.setInterruptBuffer(buffer as unknown as Uint8Array);
      },
    );
  }

  async start(): Promise<void> {
    try {
      await this.load();
    } catch (error) {
      this.die(`Python did not start: ${error}`);
      return;
    }
    this.port.onmessage = ({ data }: MessageEvent<ToGuest>) => this.receive(data);
    this.send({ type: "ready" });
  }

  private async load(): Promise<void> {
    const { wasm, stdlib, pack, snapshot, limits, network } = this.boot;
    const code = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    const parts = { factory, wasm: code, stdlib, packs: [pack] };
    const adjust = (env: Imports) => this.limitMemory(env, limits.memory);
    this.pyodide = await startInterpreter(parts, { snapshot, adjust });
    const { pyodide } = this;
    // A fatal error of the interpreter settles no promise, and would put a dump of its stack out.
    const { _api: api } = pyodide as unknown as Inside;
    const fail = api.fatal_error;
    api.fatal_error = (error) => {
      this.output.close();
      fail(error);
    };
    api.on_fatal = (error) => (error.status === undefined ? this.crash(error) : this.exit(error.status));
    const FS = pyodide.FS as unknown as EmscriptenFS;
    limitFiles(FS, limits.files, () => {
      this.hint = `the files of a process may take ${limits.files >>> 20} MB`;
    });
    this.trees = MOUNTS.map((root, mount) => {
      return new GuestTree(FS, root, (batch) =>
        this.send({ type: "tree", mount, batch }, [batch.bytes.buffer]),
      );
    });
    keepNetworkPolicy(network);
    // Workers that it starts would know no limits.
    dropGlobal("Worker");
    this.connectStreams();
    pyodide.registerJsModule("_inbrowser_guest", {
      network,
      stackSwitching: "Suspending" in WebAssembly,
      flush: () => this.output.flush(),
      spawn: (child: string, stdin: Uint8Array) => this.spawn(JSON.parse(child), stdin),
      settled: (outcome: Promise<ChildOutcome>) =>
        Promise.race([outcome.then(() => true), Promise.resolve(false)]),
      kill: (id: number) => this.send({ type: "kill", id }),
    });
    pyodide.runPython("from inbrowser_guest.process import prepare; prepare()");
  }

  private receive(message: ToGuest): void {
    if (message.type === "packs") this.unpacked = this.unpack(message.packs);
    else if (message.type === "tree") {
      this.trees[message.mount]?.receive(message.batch, message.rules);
      this.send({ type: "seen" });
    } else if (message.type === "child") {
      this.children.get(message.id)?.(message.outcome);
      this.children.delete(message.id);
    } else if (message.type === "install") void this.install(message.request, message.files);
    else void this.run(message.command);
  }

  private async unpack(packs: Uint8Array[]): Promise<void> {
    const libraries = packs.flatMap((pack) => unpackFiles(this.pyodide.FS, pack).libraries ?? []);
    for (const path of libraries)
      await (this.pyodide as unknown as Inside)._api.loadDynlib(`${SITE_PACKAGES}/${path}`);
  }

  private async run(command: GuestCommand): Promise<void> {
    this.stdin = (command.stdin ?? this.stdin) as Uint8Array<ArrayBuffer>;
    const { argv, cwd, env } = command;
    let code: number;
    try {
      await this.unpacked;
      const main = this.pyodide.runPython("from inbrowser_guest.process import main; main");
      const text = JSON.stringify({ argv, cwd, env });
      // Only so called, Python may wait for promises of JavaScript.
      code = await ("Suspending" in WebAssembly ? main.callPromising(text) : main(text));
    } catch (error) {
      // What can be caught nowhere else: the interpreter itself is broken.
      this.crash(error as Error);
      return;
    }
    if (code !== 0 && command.stdin === undefined && this.read) this.hint ??= STDIN_HINT;
    this.exit(code);
  }

  /** What was written is there, as with any process that ends, though nobody closed it. */
  private exit(code: number): void {
    this.output.flush();
    for (const tree of this.trees) tree.flush({ open: true });
    this.send({ type: "exit", code, hint: this.hint });
    this.dead = true;
  }

  private crash(error: Error): void {
    // V8 and JavaScriptCore, and SpiderMonkey.
    const deep = error instanceof RangeError || error.message === "too much recursion";
    this.die(`the interpreter crashed: ${deep ? NO_STACK : (error.message.split("\n")[0] ?? error.name)}`);
  }

  /** Not a process: code of ours, that only reads an index and makes packs of what it finds there. */
  private async install(request: string, files: Record<string, Uint8Array>): Promise<void> {
    try {
      await this.unpacked;
      for (const [path, bytes] of Object.entries(files)) this.pyodide.FS.writeFile(path, bytes);
      const main = this.pyodide.runPython("from inbrowser_installer import main; main");
      const post = (message: string, bytes?: { toJs(): Uint8Array }) =>
        this.send({ type: "post", message, bytes: bytes?.toJs() });
      this.send({ type: "installed", reply: await main(request, post) });
    } catch (error) {
      this.die(
        `the installation failed: ${error instanceof Error ? error.message.trim().split("\n").at(-1) : error}`,
      );
    }
  }

  private spawn(
    child: Omit<ChildCommand, "stdin">,
    stdin: Uint8Array,
  ): { id: number; outcome: Promise<ChildOutcome> } {
    this.output.flush();
    for (const tree of this.trees) tree.flush();
    this.spawned += 1;
    const id = this.spawned;
    const outcome = new Promise<ChildOutcome>((resolve) => this.children.set(id, resolve));
    this.send({ type: "spawn", id, child: { ...child, stdin } });
    return { id, outcome };
  }

  private connectStreams(): void {
    const { pyodide, output } = this;
    for (const stream of ["stdout", "stderr"] as const) {
      const write = (bytes: Uint8Array) => {
        output.write(stream, bytes);
        return bytes.length;
      };
      if (stream === "stdout") pyodide.setStdout({ write });
      else pyodide.setStderr({ write });
    }
    pyodide.setStdin({
      read: (buffer: Uint8Array) => {
        output.flush();
        this.read += 1;
        const piece = this.stdin.subarray(0, buffer.length);
        buffer.set(piece);
        this.stdin = this.stdin.subarray(piece.length);
        return piece.length;
      },
    });
  }

  private limitMemory(env: Imports, limit: number): void {
    const grow = env.emscripten_resize_heap as (bytes: number) => unknown;
    env.emscripten_resize_heap = (bytes: number) => {
      if (bytes >>> 0 <= limit) return grow(bytes);
      this.hint = `a process may use ${limit >>> 20} MB of memory`;
      return 0;
    };
  }

  private die(reason: string): void {
    if (this.dead) return;
    this.dead = true;
    this.output.flush();
    this.send({ type: "dead", reason });
  }

  private send(message: FromGuest, transfer: Transferable[] = []): void {
    this.port.postMessage(message, transfer);
  }
}
