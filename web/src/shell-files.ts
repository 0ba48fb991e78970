/** The shell's file system: a mirror of the sandbox's tree at /project, and places of its own beside it. */

import type { IFileSystem, InMemoryFs } from "just-bash/browser";
import { Guard, Refusal } from "./guard";
import { MemoryTree } from "./memory-tree";
import type { Change } from "./mirror";
import { bytesOf, decodeBytes, encodeText, latin1 } from "./shell-text";
import { type Node, pathOf, TreeError } from "./tree-nodes";

export const PROJECT = "/project";

/** What all files of a shell may hold; a command that fills the tab's memory would end more than itself. */
const CAPACITY = 512 << 20;
/** Where the sandbox's trees are, in the order of their numbers. */
const MOUNTS = [PROJECT, "/tmp"].map((root) => `${root.slice(1)}/`);
const NOWHERE = "/dev/null";
const USUAL_MASK = 0o022;

type Encoding = Parameters<IFileSystem["readFile"]>[1];
type Content = Parameters<IFileSystem["writeFile"]>[1];

export class ShellFiles implements IFileSystem {
  /** What may not be changed; the kernel's tree would refuse it as well, but too late for the command to know. */
  guard = new Guard({ locks: [] });
  /** For commands of our own, which need not wait. */
  readonly tree = new MemoryTree(
    (change) => this.report(change),
    (operation, path) => this.refuse(operation, path),
    CAPACITY,
  );
  private outbox: Change[] = [];
  /** Number of the tree that the changes in `outbox` are of. */
  private mount = 0;
  private flushing = false;
  /** Whether the change at hand empties a file, as a redirection does before it writes. */
  private emptying = false;
  private emptied: Change | undefined;
  private readonly refused = new Set<string>();
  /** How often a change was refused. */
  refusals = 0;
  /** What others may not do with files that are new. */
  umask = USUAL_MASK;

  /** Changes of the sandbox's trees go to `send` by themselves, at the latest when the shell waits for something. */
  constructor(private readonly send: (mount: number, changes: Change[]) => void) {
    this.tree.makeDirectory(PROJECT);
    this.tree.makeDirectory("/tmp");
  }

  /** Take the kernel's changes; they are not sent back. */
  receive(mount: number, changes: Change[]): void {
    for (const change of changes)
      if (change.path) this.tree.apply({ ...change, path: MOUNTS[mount] + change.path });
  }

  /** Send what is waiting. */
  flush(): void {
    this.sendAll(this.outbox);
    this.outbox = [];
  }

  /** Send what is waiting, but not that a file was emptied: whoever ends the shell now has it as it was. */
  private flushWhole(): void {
    const last = this.outbox.at(-1);
    const kept = last && last === this.emptied ? [last] : [];
    this.sendAll(this.outbox.slice(0, this.outbox.length - kept.length));
    this.outbox = kept;
  }

  private sendAll(changes: Change[]): void {
    if (changes.length) this.send(this.mount, changes);
  }

  /** Return what was said of changes that were refused since the last call. */
  takeRefusals(): string[] {
    const taken = [...this.refused];
    this.refused.clear();
    return taken;
  }

  async readFile(path: string, encoding?: Encoding) {
    return decode(this.tree.read(path), encoding);
  }

  async readFileBytes(path: string) {
    return decode(this.tree.read(path), "latin1") as unknown as Awaited<
      ReturnType<InMemoryFs["readFileBytes"]>
    >;
  }

  async readFileBuffer(path: string) {
    return this.tree.read(path);
  }

  async writeFile(path: string, content: Content, encoding?: Encoding) {
    this.writeFileSync(path, content, encoding);
  }

  writeFileSync(path: string, content: Content, encoding?: Encoding) {
    if (path === NOWHERE && content !== "") return;
    const masked = this.umask !== USUAL_MASK && !this.has(path);
    this.emptying = content.length === 0 && this.has(path);
    try {
      this.tree.write(path, encode(content, encoding));
    } finally {
      this.emptying = false;
    }
    if (masked) this.tree.setAttributes("chmod", path, { mode: 0o666 & ~this.umask });
  }

  async appendFile(path: string, content: Content, encoding?: Encoding) {
    if (path !== NOWHERE) this.tree.append(path, encode(content, encoding));
  }

  async exists(path: string) {
    return this.has(path);
  }

  has(path: string): boolean {
    try {
      this.tree.find("stat", path);
      return true;
    } catch (error) {
      if (error instanceof TreeError) return false;
      throw error;
    }
  }

  async stat(path: string) {
    return statusOf(this.tree.find("stat", path));
  }

  async lstat(path: string) {
    return statusOf(this.tree.find("lstat", path, false));
  }

  async mkdir(path: string, options?: { recursive?: boolean }) {
    this.mkdirSync(path, options);
  }

  mkdirSync(path: string, options?: { recursive?: boolean }) {
    const masked = this.umask !== USUAL_MASK && !this.has(path);
    this.tree.makeDirectory(path, options?.recursive);
    if (masked) this.tree.setAttributes("chmod", path, { mode: 0o777 & ~this.umask });
  }

  async readdir(path: string) {
    return this.sorted(path).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string) {
    return this.sorted(path).map((node) => ({ name: node.name, ...kindOf(node) }));
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }) {
    this.keepProject("rm", path);
    try {
      this.tree.remove(path, options?.recursive);
    } catch (error) {
      if (!(options?.force && error instanceof TreeError && error.code === "ENOENT")) throw error;
    }
  }

  async cp(source: string, target: string, options?: { recursive?: boolean }) {
    this.tree.copy(source, target, options?.recursive);
  }

  async mv(source: string, target: string) {
    this.keepProject("mv", source);
    this.tree.move(source, target);
  }

  resolvePath(base: string, path: string) {
    if (!path) return `${base}/\0`; // An empty name, such as that of an unset variable, is nothing; it is not `base`.
    const names: string[] = [];
    for (const name of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
      if (name === "..") names.pop();
      else if (name && name !== ".") names.push(name);
    }
    return `/${names.join("/")}`;
  }

  getAllPaths() {
    return this.tree.describe(this.tree.find("scandir", "/")).map(({ path }) => `/${path}`);
  }

  async chmod(path: string, mode: number) {
    this.tree.setAttributes("chmod", path, { mode: mode & 0o7777 });
  }

  async utimes(path: string, _atime: Date, mtime: Date) {
    this.tree.setAttributes("utimes", path, { mtime: mtime.getTime() });
  }

  async symlink(target: string, path: string) {
    this.tree.makeLink(target, path);
  }

  /** Two names cannot share a file in the kernel's tree: the second gets a copy. */
  async link(existing: string, path: string) {
    if (await this.exists(path)) throw new TreeError("EEXIST", "link", path);
    this.tree.copy(existing, path);
  }

  async readlink(path: string) {
    const node = this.tree.find("readlink", path, false);
    if (node.kind !== "link") throw new TreeError("EINVAL", "readlink", path);
    return node.target;
  }

  async realpath(path: string) {
    return `/${pathOf(this.tree.find("realpath", path))}`;
  }

  private sorted(path: string): Node[] {
    return this.tree.list(path).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private refuse(operation: string, path: string): void {
    const place = placeOf(path);
    if (place?.mount !== 0) return;
    try {
      this.guard.check(place.path);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refusals += 1;
      this.refused.add(error.message);
      throw new TreeError(error.kind === "locked" ? "EACCES" : "EROFS", operation, `/${path}`, error.message);
    }
  }

  private keepProject(operation: string, path: string): void {
    if (PROJECT === path || path === "/") throw new TreeError("EBUSY", operation, path);
  }

  private report(change: Change): void {
    const place = placeOf(change.path);
    if (change.op !== "rename") {
      if (place) this.put(place.mount, { ...change, path: place.path });
      return;
    }
    const to = placeOf(change.to);
    if (place && place.mount === to?.mount) {
      this.put(to.mount, { ...change, path: place.path, to: to.path });
      return;
    }
    if (place) this.put(place.mount, { op: "gone", path: place.path });
    if (to)
      for (const made of this.tree.describe(this.tree.find("lstat", `/${change.to}`, false)))
        this.report(made);
  }

  private put(mount: number, change: Change): void {
    if (mount !== this.mount) this.flush();
    this.mount = mount;
    const last = this.outbox.at(-1);
    // A redirection empties the file before it writes: nobody needs to see that.
    if (last?.op === "file" && change.op === "file" && last.path === change.path) this.outbox.pop();
    this.outbox.push(change);
    if (this.emptying) {
      this.emptied = change;
      // Only when the shell waits for something.
      setTimeout(() => this.flush());
    }
    // A microtask comes even in a loop that never lets a message in.
    else if (!this.flushing) {
      this.flushing = true;
      queueMicrotask(() => {
        this.flushing = false;
        this.flushWhole();
      });
    }
  }
}

function placeOf(path: string): { mount: number; path: string } | undefined {
  const mount = MOUNTS.findIndex((root) => path.startsWith(root));
  const root = MOUNTS[mount];
  return root === undefined ? undefined : { mount, path: path.slice(root.length) };
}

function kindOf({ kind }: Node) {
  return { isFile: kind === "file", isDirectory: kind === "directory", isSymbolicLink: kind === "link" };
}

function statusOf(node: Node) {
  const size = node.kind === "file" ? node.size : node.kind === "link" ? node.target.length : 4096;
  return { ...kindOf(node), mode: node.mode, size, mtime: new Date(node.mtime), dev: 1, ino: node.id };
}

/** just-bash asks for bytes, under several names, or for UTF-8, and for nothing else. */
function isBytes(encoding: Encoding): boolean {
  const name = typeof encoding === "object" ? encoding?.encoding : encoding;
  return name === "binary" || name === "latin1" || name === "ascii";
}

function decode(bytes: Uint8Array, encoding: Encoding): string {
  return isBytes(encoding) ? latin1(bytes) : decodeBytes(bytes);
}

function encode(content: Content, encoding: Encoding): Uint8Array {
  if (typeof content !== "string") return content;
  return isBytes(encoding) ? bytesOf(content) : encodeText(content);
}
