/** A sandbox's files as the compiler sees them: read only, and jailed to the tree's root. */

/** What is used of Emscripten's file system. */
export interface EmscriptenFiles {
  lstat(path: string): { mode: number };
  isLink(mode: number): boolean;
  isDir(mode: number): boolean;
  isFile(mode: number): boolean;
  readlink(path: string): string;
  readFile(path: string): Uint8Array;
  readdir(path: string): string[];
}

/** The root's name for those who live in the sandbox; links may use it. */
export const PROJECT = "/project";

const MAX_LINKS = 40;

/** All paths are absolute, under `PROJECT`. */
export class ProjectFiles {
  constructor(
    private readonly FS: EmscriptenFiles,
    private readonly root: string,
  ) {}

  isFile(path: string): boolean {
    const real = this.resolve(path);
    return real !== undefined && this.FS.isFile(this.FS.lstat(real).mode);
  }

  isDirectory(path: string): boolean {
    const real = this.resolve(path);
    return real !== undefined && this.FS.isDir(this.FS.lstat(real).mode);
  }

  read(path: string): Uint8Array {
    const real = this.resolve(path);
    if (real === undefined) throw new Error(`${path} does not exist`);
    return this.FS.readFile(real);
  }

  /** The names in a directory, sorted; none when it does not exist. */
  list(path: string): string[] {
    const real = this.resolve(path);
    if (real === undefined || !this.FS.isDir(this.FS.lstat(real).mode)) return [];
    return this.FS.readdir(real)
      .filter((name) => name !== "." && name !== "..")
      .sort();
  }

  /** Follow links by hand, part by part: one that leads out of the root leads nowhere. */
  private resolve(path: string): string | undefined {
    if (!`${path}/`.startsWith(`${PROJECT}/`)) return undefined;
    let pending = partsOf(path);
    const done: string[] = [];
    let links = 0;
    for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
      if (part === "..") {
        if (done.pop() === undefined) return undefined;
        continue;
      }
      const real = [this.root, ...done, part].join("/");
      const mode = this.mode(real);
      if (mode === undefined) return undefined;
      if (!this.FS.isLink(mode)) {
        done.push(part);
        continue;
      }
      links += 1;
      const target = this.FS.readlink(real);
      const absolute = target.startsWith("/");
      if (links > MAX_LINKS || (absolute && !`${target}/`.startsWith(`${PROJECT}/`))) return undefined;
      pending = [...partsOf(target), ...pending];
      if (absolute) done.length = 0;
    }
    return [this.root, ...done].join("/");
  }

  private mode(real: string): number | undefined {
    try {
      return this.FS.lstat(real).mode;
    } catch {
      return undefined;
    }
  }
}

/** Join and tidy a path; `..` stops at the root of everything. */
export function joinPath(...pieces: string[]): string {
  const parts: string[] = [];
  for (const part of pieces.join("/").split("/")) {
    if (part === "..") parts.pop();
    else if (part && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

function partsOf(path: string): string[] {
  const inside = `${path}/`.startsWith(`${PROJECT}/`) ? path.slice(PROJECT.length) : path;
  return inside.split("/").filter((part) => part && part !== ".");
}
