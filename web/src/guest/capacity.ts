/** Holds all files of an Emscripten to a number of bytes: they are memory of the tab, beside that of WebAssembly. */

import { type EmscriptenFS, type FileNode, isDirectory, isFile, type Node } from "../emscripten";

const ENOSPC = 51;

/** Writes that would take more fail with ENOSPC, and `full` is called. */
export function limitFiles(FS: EmscriptenFS, bytes: number, full: () => void): void {
  const { node: nodeOps, stream: streamOps } = FS.filesystems.MEMFS.ops_table.file;
  let used = 0;
  const charge = (file: FileNode, size: number) => {
    const more = size - file.usedBytes;
    if (more <= 0) return;
    used += more;
    if (used <= bytes) return;
    // What was deleted meanwhile was never taken off.
    used = inAll(FS) + more;
    if (used <= bytes) return;
    used -= more;
    full();
    throw new FS.ErrnoError(ENOSPC);
  };
  const { write } = streamOps;
  streamOps.write = (stream, buffer, offset, length, position, canOwn) => {
    charge(stream.node, position + length);
    return write(stream, buffer, offset, length, position, canOwn);
  };
  const { setattr } = nodeOps;
  nodeOps.setattr = (node, attributes) => {
    if (attributes.size !== undefined) charge(node as FileNode, attributes.size);
    setattr(node, attributes);
  };
}

function inAll(FS: EmscriptenFS): number {
  const size = (node: Node): number => {
    if (isFile(node)) return node.usedBytes ?? 0;
    if (!isDirectory(node)) return 0;
    const below = node.mounted?.root ?? node;
    return Object.values(below.contents).reduce((sum, child) => sum + size(child), 0);
  };
  return ["/project", "/tmp", "/home"].reduce((sum, path) => sum + size(FS.lookupPath(path).node), 0);
}
