/** What a person wants to know of many changes in a short time: as few notes as tell it, in order. */

export interface FileNote {
  kind: "created" | "modified" | "deleted" | "renamed";
  path: string;
  old_path?: string;
}

export class FileNotes {
  private readonly notes = new Set<FileNote>();
  /** The notes that a later change of the same path may be told with. */
  private readonly open = new Map<string, FileNote>();

  created(path: string): void {
    const before = this.withdraw(path, "deleted");
    this.add({ kind: before ? "modified" : "created", path });
  }

  modified(path: string): void {
    if (!this.open.has(path)) this.add({ kind: "modified", path });
  }

  deleted(path: string): void {
    if (this.withdraw(path, "created")) return;
    this.withdraw(path, "modified");
    this.add({ kind: "deleted", path });
  }

  /** `replaced` says whether something was at `to` before. */
  renamed(from: string, to: string, replaced: boolean, directory: boolean): void {
    if (!directory && this.withdraw(from, "created")) {
      // A file written under a passing name and moved into place is a file written.
      if (!replaced) this.created(to);
      else if (this.open.get(to)?.kind !== "created") {
        this.withdraw(to, "modified");
        this.add({ kind: "modified", path: to });
      }
      return;
    }
    // What was told of the old places stays told: later changes there concern something else.
    this.open.delete(from);
    this.open.delete(to);
    if (directory)
      for (const path of this.open.keys()) if (path.startsWith(`${from}/`)) this.open.delete(path);
    this.notes.add({ kind: "renamed", path: to, old_path: from });
  }

  take(): FileNote[] {
    const taken = [...this.notes];
    this.notes.clear();
    this.open.clear();
    return taken;
  }

  private add(note: FileNote): void {
    this.notes.add(note);
    this.open.set(note.path, note);
  }

  /** Take a note back if it is the last of its path and of this kind. */
  private withdraw(path: string, kind: FileNote["kind"]): boolean {
    const note = this.open.get(path);
    if (note?.kind !== kind) return false;
    this.open.delete(path);
    return this.notes.delete(note);
  }
}
