/** What was typed into files and is not saved yet. */

/** A file's text as an editor has it: lines end with `\n`; `lineEnd` is what they end with in the file. */
export interface EditableText {
  text: string;
  lineEnd: "\n" | "\r\n";
}

export interface Draft {
  text: string;
  lineEnd: "\n" | "\r\n";
  /** The text that the edits began with; undefined for a file that was not there. */
  base: string | undefined;
  /** Whether somebody else changed or deleted the file since. */
  conflict: "changed" | "deleted" | undefined;
}

export class Drafts {
  #drafts = new Map<string, Draft>();

  get(path: string | undefined): Draft | undefined {
    return path === undefined ? undefined : this.#drafts.get(path);
  }

  get size(): number {
    return this.#drafts.size;
  }

  /** Take in what was typed; a text that is what the file has is no draft. */
  edit(path: string, text: string, file: EditableText): void {
    const draft = this.#drafts.get(path);
    if (draft) draft.text = text;
    else this.#drafts.set(path, { text, lineEnd: file.lineEnd, base: file.text, conflict: undefined });
    if (draft?.base === text || (!draft && text === file.text)) this.#drafts.delete(path);
  }

  /** Compare a draft with what the file has now; undefined for a file that is gone, or is no text any more. */
  meet(path: string, now: string | undefined): void {
    const draft = this.#drafts.get(path);
    if (!draft) return;
    if (draft.text === now) this.#drafts.delete(path);
    else if (draft.base === now) draft.conflict = undefined;
    else draft.conflict = now === undefined ? "deleted" : "changed";
  }

  /** Keep a draft, to be saved over what the file has now. */
  keep(path: string, now: string | undefined): void {
    const draft = this.#drafts.get(path);
    if (draft) Object.assign(draft, { base: now, conflict: undefined });
  }

  drop(path: string): void {
    this.#drafts.delete(path);
  }

  rename(from: string, to: string): void {
    const draft = this.#drafts.get(from);
    if (!draft) return;
    this.#drafts.delete(from);
    this.#drafts.set(to, draft);
  }
}

/** Return a file's text for an editor; undefined where saving it would change more than was typed. */
export function editable(data: Uint8Array): EditableText | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
  if (!text.includes("\r")) return { text, lineEnd: "\n" };
  const joined = text.replaceAll("\r\n", "\n");
  return joined.replaceAll("\n", "\r\n") === text ? { text: joined, lineEnd: "\r\n" } : undefined;
}
