/** A tree of the sandbox as a guest has it, at the same place. What the guest changes is told as soon as it is whole. */

import { type EmscriptenFS, type FileNode, isFile, type Node, type SavedFile } from "../emscripten";
import { Guard, type Rules } from "../guard";
import { type Batch, type Change, type DirtyPaths, pack, unpack } from "../mirror";
import { mountTree, type TrackedTree } from "../tracked-fs";
import { describe } from "../tree-writer";

const ACCESS_MODE = 3;
const READ_ONLY = 0;
/** Of longer files that only grew, the new end is told. */
const SHORT = 4096;

export class GuestTree {
  private readonly tree: TrackedTree;
  private readonly own: DirtyPaths;
  /** What files were when the kernel and the guest last agreed on them, and where they changed since. */
  private readonly agreed = new WeakMap<FileNode, { path: string; size: number; changed: SavedFile }>();

  constructor(
    private readonly FS: EmscriptenFS,
    root: string,
    private readonly tell: (batch: Batch) => void,
  ) {
    this.tree = mountTree(FS, root);
    this.own = this.tree.addCursor();
    this.own.take();
    this.tree.settled = (written) => this.flush({ written });
  }

  /** Take what others changed. A file that is open for writing stays what it is: who closes it last, wins. */
  receive(batch: Batch, rules: Rules | undefined): void {
    const { tree } = this;
    if (rules) tree.guard = new Guard(rules);
    const open = this.beingWritten();
    const changes = unpack(batch).filter(({ path }) => !open.has(tree.find(path)));
    tree.unguarded(() => tree.writer.apply(changes, this.own));
    for (const { path } of changes) this.agree(tree.find(path), path);
  }

  /** Tell of everything that is whole, a file among it that was written to its end; at the end also of what is open. */
  flush({ written, open: all = false }: { written?: FileNode | undefined; open?: boolean } = {}): void {
    if (!this.own.size) return;
    const open = all ? new Set() : this.beingWritten();
    if (written) open.delete(written);
    const changes: Change[] = [];
    const later: string[] = [];
    for (const { path, node } of this.tree.writer.dirty(this.own.take())) {
      if (open.has(node)) later.push(path);
      else changes.push(node ? this.described(node, path) : { op: "gone", path });
    }
    for (const path of later) this.own.add(path);
    if (changes.length) this.tell(pack(changes));
  }

  private described(node: Node, path: string): Change {
    const whole = describe(node, path);
    const known = isFile(node) ? this.agreed.get(node) : undefined;
    this.agree(node, path);
    if (whole.op !== "file" || known?.path !== path) return whole;
    const { mode, mtime, data } = whole;
    if (known.changed.from >= data.length && known.size === data.length)
      return { op: "attributes", path, mode, mtime };
    if (known.size >= SHORT && known.changed.from >= known.size && data.length > known.size)
      return { op: "append", path, data: data.subarray(known.size) };
    return whole;
  }

  private agree(node: Node | undefined, path: string): void {
    if (!node || !isFile(node)) return;
    const changed = { id: 0, from: Number.POSITIVE_INFINITY, to: 0 };
    node.saved = changed;
    this.agreed.set(node, { path, size: node.usedBytes, changed });
  }

  private beingWritten(): Set<Node | undefined> {
    const writers = this.FS.streams.filter((stream) => stream && (stream.flags & ACCESS_MODE) !== READ_ONLY);
    return new Set(writers.map((stream) => stream?.node as Node));
  }
}
