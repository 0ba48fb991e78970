/** The shell's file system: a mirror of the sandbox's tree at /project, and places of its own beside it. */

import { InMemoryFs } from "just-bash/browser";
import type { Change } from "./mirror";

export const PROJECT = "/project";

type Written = Parameters<InMemoryFs["writeFile"]>;

/** just-bash's own file system, which reports what happens below /project. It ends at its root: links lead nowhere. */
export class ShellFiles extends InMemoryFs {
  private outbox: Change[] = [];
  /** Whether an operation under way is told as one change, and not as the steps that it takes. */
  private quiet = false;

  constructor(private readonly send: (changes: Change[]) => void) {
    super();
    for (const path of [PROJECT, "/tmp"]) this.mkdirSync(path, { recursive: true });
  }

  /** Take the kernel's changes; they are not reported back. */
  async receive(changes: Change[]): Promise<void> {
    for (const change of changes) {
      const path = `${PROJECT}/${change.path}`;
      if (change.op === "gone") {
        // The whole tree is gone only from a kernel that is closing.
        if (change.path) await super.rm(path, { recursive: true, force: true });
        continue;
      }
      if (change.op === "file") {
        await this.makeWayFor(path, "file");
        this.writeFileSync(path, change.data, undefined, {
          mode: change.mode,
          mtime: new Date(change.mtime),
        });
      } else if (change.op === "directory") {
        await this.makeWayFor(path, "directory");
        this.mkdirSync(path, { recursive: true });
        await super.chmod(path, change.mode);
      } else if (change.op === "link") {
        await super.rm(path, { recursive: true, force: true });
        await super.symlink(change.target, path);
      }
    }
  }

  /** Send what is waiting. Changes are sent by themselves, at the latest when the shell waits for something. */
  flush(): void {
    const changes = this.outbox;
    if (!changes.length) return;
    this.outbox = [];
    this.send(changes);
  }

  override async writeFile(...[path, content, options]: Written): Promise<void> {
    await super.writeFile(path, content, options);
    await this.report(path);
  }

  override async appendFile(...[path, content, options]: Written): Promise<void> {
    const before = (await this.exists(path)) ? (await super.stat(path)).size : -1;
    await super.appendFile(path, content, options);
    const place = await this.place(path);
    if (place === undefined) return;
    if (before < 0) return this.report(path);
    this.put({ op: "append", path: place, data: (await super.readFileBuffer(path)).slice(before) });
  }

  override async mkdir(...[path, options]: Parameters<InMemoryFs["mkdir"]>): Promise<void> {
    const missing = options?.recursive ? await this.missingParents(path) : [path];
    await super.mkdir(path, options);
    for (const each of missing) await this.report(each);
  }

  override async rm(...[path, options]: Parameters<InMemoryFs["rm"]>): Promise<void> {
    const place = await this.place(path, false);
    await this.quietly(() => super.rm(path, options));
    if (place) this.put({ op: "gone", path: place });
  }

  override async cp(...[source, target, options]: Parameters<InMemoryFs["cp"]>): Promise<void> {
    await this.quietly(() => super.cp(source, target, options));
    await this.reportTree(target);
  }

  override async mv(source: string, target: string): Promise<void> {
    const from = await this.place(source, false);
    const to = await this.place(target, false);
    await this.quietly(() => super.mv(source, target));
    if (from && to) this.put({ op: "rename", path: from, to });
    else if (from) this.put({ op: "gone", path: from });
    else if (to) await this.reportTree(target);
  }

  override async chmod(path: string, mode: number): Promise<void> {
    await super.chmod(path, mode);
    await this.reportAttributes(path);
  }

  override async utimes(path: string, atime: Date, mtime: Date): Promise<void> {
    await super.utimes(path, atime, mtime);
    await this.reportAttributes(path);
  }

  override async symlink(target: string, path: string): Promise<void> {
    await super.symlink(target, path);
    await this.report(path);
  }

  override async link(existing: string, path: string): Promise<void> {
    await super.link(existing, path);
    await this.report(path);
  }

  /** Where a path is in the sandbox's tree, or undefined beside it; links are followed, the last one by wish. */
  private async place(path: string, followLast = true): Promise<string | undefined> {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    let real: string;
    try {
      real = followLast ? await this.realpath(path) : `${await this.realpath(parent)}/${name}`;
    } catch {
      return undefined; // Not there: the operation itself says so.
    }
    if (real === PROJECT) return "";
    return real.startsWith(`${PROJECT}/`) ? real.slice(PROJECT.length + 1) : undefined;
  }

  private async report(path: string): Promise<void> {
    const stat = await super.lstat(path);
    const place = await this.place(path, !stat.isSymbolicLink);
    if (!place) return;
    const about = { path: place, mode: stat.mode & 0o7777, mtime: stat.mtime.getTime() };
    if (stat.isSymbolicLink) this.put({ op: "link", path: place, target: await super.readlink(path) });
    else if (stat.isDirectory) this.put({ op: "directory", ...about });
    else this.put({ op: "file", ...about, data: (await super.readFileBuffer(path)).slice() });
  }

  private async reportTree(path: string): Promise<void> {
    if ((await this.place(path, false)) === undefined) return;
    await this.report(path);
    const stat = await super.lstat(path);
    if (stat.isDirectory)
      for (const name of await super.readdir(path)) await this.reportTree(`${path}/${name}`);
  }

  private async reportAttributes(path: string): Promise<void> {
    const place = await this.place(path);
    if (!place) return;
    const { mode, mtime } = await super.stat(path);
    this.put({ op: "attributes", path: place, mode: mode & 0o7777, mtime: mtime.getTime() });
  }

  private async missingParents(path: string): Promise<string[]> {
    const missing: string[] = [];
    for (let each = path; each && !(await this.exists(each)); each = each.slice(0, each.lastIndexOf("/")))
      missing.unshift(each);
    return missing;
  }

  private async makeWayFor(path: string, kind: "file" | "directory"): Promise<void> {
    if (!(await this.exists(path))) return;
    const stat = await super.lstat(path);
    if (stat.isSymbolicLink || stat.isDirectory !== (kind === "directory"))
      await super.rm(path, { recursive: true, force: true });
  }

  private async quietly(operation: () => Promise<void>): Promise<void> {
    const before = this.quiet;
    this.quiet = true;
    try {
      await operation();
    } finally {
      this.quiet = before;
    }
  }

  private put(change: Change): void {
    if (this.quiet) return;
    const last = this.outbox.at(-1);
    // A redirection empties the file before it writes: nobody needs to see that.
    if (last?.op === "file" && change.op === "file" && last.path === change.path) this.outbox.pop();
    // A microtask comes even in a loop that never lets a message in.
    if (!this.outbox.length) queueMicrotask(() => this.flush());
    this.outbox.push(change);
  }
}
