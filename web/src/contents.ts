/**
 * The contents of files in Emscripten's tree, and how they are shared: what a checkpoint or another tree keeps of a
 * file is never written over. A write to shared bytes copies them first; what is only added after them does not.
 */

import type { FileNode } from "./emscripten";

/** Return a file's contents as they are now. What Python wrote is kept as an Int8Array, like the heap it came from. */
export function contentsOf({ contents, usedBytes }: FileNode): Uint8Array {
  return new Uint8Array(contents.buffer, contents.byteOffset, usedBytes);
}

/** Return a file's contents for keeping: the same object for as long as the file does not change. */
export function share(file: FileNode): Uint8Array {
  if (file.shared?.length !== file.usedBytes) file.shared = contentsOf(file);
  return file.shared;
}

/** Fill a file; with `shared` the bytes stay as they are, whatever happens to the file. */
export function fill(file: FileNode, data: Uint8Array, shared: boolean): void {
  touch(file, 0, Number.POSITIVE_INFINITY);
  file.contents = data;
  file.usedBytes = data.length;
  file.shared = shared ? data : undefined;
}

/** Let two files change contents, and what is kept of those. */
export function exchange(one: FileNode, other: FileNode): void {
  for (const file of [one, other]) touch(file, 0, Number.POSITIVE_INFINITY);
  [one.contents, other.contents] = [other.contents, one.contents];
  [one.usedBytes, other.usedBytes] = [other.usedBytes, one.usedBytes];
  [one.shared, other.shared] = [other.shared, one.shared];
}

/** Prepare for bytes that will be written in place. */
export function beforeWrite(file: FileNode, start: number, end: number): void {
  touch(file, start, end);
  const { shared } = file;
  // What Emscripten moved to a larger room is shared no more.
  if (!shared || (start >= shared.length && file.contents.buffer === shared.buffer)) return;
  if (file.contents.buffer === shared.buffer) file.contents = contentsOf(file).slice();
  file.shared = undefined;
}

/** Prepare for another length, for which Emscripten takes another room. */
export function beforeResize(file: FileNode, size: number): void {
  if (size === file.usedBytes) return;
  touch(file, Math.min(size, file.usedBytes), Number.POSITIVE_INFINITY);
  file.shared = undefined;
}

export function append(file: FileNode, data: Uint8Array): void {
  const start = file.usedBytes;
  const size = start + data.length;
  beforeWrite(file, start, size);
  if (size > file.contents.length) {
    const room = new Uint8Array(Math.max(size, 2 * start));
    room.set(contentsOf(file));
    file.contents = room;
  }
  file.contents.set(data, start);
  file.usedBytes = size;
}

/** Widen what has to be saved of a file that was saved in pieces. */
function touch(file: FileNode, start: number, end: number): void {
  if (!file.saved) return;
  file.saved.from = Math.min(file.saved.from, start);
  file.saved.to = Math.max(file.saved.to, end);
}
