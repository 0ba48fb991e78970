/** What build/jq-wasm.mjs opens of jq-wasm. */

import "jq-wasm";

declare module "jq-wasm" {
  interface Options {
    thisProgram: string;
    print(line: string): void;
    printErr(line: string): void;
    instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void): void;
    /** Called before anything runs; variables that are undefined are not there. */
    prepare(FS: FileSystem, variables: Record<string, string | undefined>): void;
  }

  /** Make a jq that has not run; it may run once. Whatever ends it but its own end is thrown. */
  export function createModule(options: Options): Promise<{ callMain(args: string[]): number }>;

  /** Emscripten's file system. */
  export interface FileSystem {
    filesystems: { MEMFS: { createNode(parent: Node, name: string, mode: number, device: number): Node } };
    ErrnoError: new (errno: number) => Error;
    /** The input, the output and the errors. */
    streams: [Stream, Stream, Stream];
    /** Open the standard streams, byte by byte; null is the end of the input. */
    init(input: () => number | null, output: () => void, errors: () => void): void;
    lookupPath(path: string): { node: Node };
    chdir(path: string): void;
  }
  export interface Node {
    node_ops: { lookup(parent: Node, name: string): Node };
    contents: Uint8Array;
    usedBytes: number;
  }
  interface Stream {
    stream_ops: {
      write(stream: Stream, memory: Int8Array, start: number, length: number): number;
    };
  }
}
