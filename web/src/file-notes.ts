/** What a person wants to know of many changes in a short time: each path once, in order. */

export interface FileNote {
  kind: "created" | "modified" | "deleted" | "renamed";
  path: string;
  old_path?: string;
}

export class FileNotes {
  private readonly notes = new Map<string, FileNote>();

  created(path: string): void {
    const before = this.notes.get(path);
    if (before?.kind === "deleted") this.put({ kind: "modified", path });
    else this.put({ kind: "created", path });
  }

  modified(path: string): void {
    if (!this.notes.has(path)) this.put({ kind: "modified", path });
  }

  deleted(path: string): void {
    const before = this.notes.get(path);
    this.notes.delete(path);
    if (before?.kind !== "created") this.put({ kind: "deleted", path });
  }

  renamed(from: string, to: string, replaced: boolean): void {
    const before = this.notes.get(from);
    this.notes.delete(from);
    if (before?.kind === "created") {
      // A file written under a passing name and moved into place is a file written.
      this.notes.delete(to);
      this.put({ kind: replaced ? "modified" : "created", path: to });
      return;
    }
    this.notes.set(`${from}\0${to}`, { kind: "renamed", path: to, old_path: from });
    if (before) this.put({ kind: "modified", path: to });
  }

  take(): FileNote[] {
    const taken = [...this.notes.values()];
    this.notes.clear();
    return taken;
  }

  private put(note: FileNote): void {
    this.notes.delete(note.path);
    this.notes.set(note.path, note);
  }
}
