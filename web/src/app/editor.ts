/** The editor of one file. It keeps up with the file, and while an agent works, with the agent. */

import { html, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Sandbox } from "../api";
import type { CodeView } from "./code-view";
import { Drafts, type EditableText, editable } from "./drafts";
import { conflictNote, whyReadOnly } from "./editor-notes";
import { Pane } from "./element";
import { bytes, visible } from "./format";
import { icon } from "./icons";
import { lockButton } from "./lock-button";
import type { LockState } from "./lock-state";
import { Follow } from "./observable";
import { described } from "./workspace";

/** Longer files are shown in part. */
const SHOWN_MOST = 1_000_000;
const PICTURES: Record<string, string> = {
  avif: "image/avif",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  webp: "image/webp",
};
/** Files that nobody wants to watch being written. */
const QUIET = /(^|\/)(\.git|node_modules|__pycache__)\//;

type Content =
  /** `file` is there for a text that can be edited; `text` is what is shown of one that cannot. */
  | { kind: "text"; text: string; file: EditableText | undefined; gone?: boolean }
  | { kind: "picture"; url: string }
  | { kind: "note"; note: string };

@customElement("inb-editor")
export class Editor extends Pane {
  readonly label = "Editor";
  readonly symbol = "code";
  /** Whether an agent is at work, whose changes are followed. */
  @property({ type: Boolean }) busy = false;
  @property({ attribute: false }) locks: LockState | undefined;
  @state() private path: string | undefined;
  @state() private follows = true;
  @state() private size = 0;
  @state() private content: Content | undefined;
  /** Why the text was not saved. */
  @state() private failure = "";
  @query(".code") private code!: HTMLElement;
  #view: Promise<CodeView> | undefined;
  #drafts = new Drafts();
  #line: number | undefined;
  /** The path that the content belongs to. */
  #shows: string | undefined;
  #reading = false;
  #stale = false;

  constructor() {
    super();
    new Follow(this, () => this.locks);
    addEventListener("beforeunload", (event) => {
      if (this.#drafts.size) event.preventDefault();
    });
  }

  protected override opened(sandbox: Sandbox): () => void {
    return sandbox.on((event) => {
      if (event.type === "kernel:restart") void this.#read();
      if (event.type !== "file") return;
      if (event.change === "renamed" && event.oldPath) this.#drafts.rename(event.oldPath, event.path);
      if (event.change === "renamed" && event.oldPath === this.path) this.#go(event.path);
      else if (event.path === this.path) void this.#read();
      else if (
        this.busy &&
        this.follows &&
        !this.#drafts.get(this.path) &&
        event.change !== "deleted" &&
        !QUIET.test(event.path)
      )
        void this.#followTo(event.path);
    });
  }

  /** Show a file. Whoever opens one while the agent is at work no longer follows it. `line` counts from 1. */
  open(path: string, line?: number): void {
    if (this.busy) this.follows = false;
    this.#line = line;
    this.#go(path);
  }

  protected override render() {
    const { path, content } = this;
    const state = path
      ? html`<span class="path" title=${visible(path)}><bdi>${visible(path)}</bdi></span
          ><span class="muted size">${this.#drafts.get(path) ? "not saved" : content?.kind === "note" ? "" : bytes(this.size)}</span>`
      : null;
    const follow = html`<button
      class="quiet toggle"
      type="button"
      aria-pressed=${this.follows}
      title="Show what the agent changes as it happens"
      @click=${() => {
        this.follows = !this.follows;
      }}
    >
      Follow
    </button>`;
    const draft = this.#drafts.get(path);
    const save = draft
      ? html`<button class="quiet toggle" type="button" title="Save (Ctrl+S)" @click=${this.#save}>Save</button>`
      : null;
    const lock = path && content && content.kind !== "note" ? lockButton(this.locks, path) : null;
    const note = path && content?.kind === "text" ? this.#readOnlyNote(path, content.file) : null;
    return html`${this.header(state, html`${save}${lock}${follow}`)}
      ${note ? html`<p class="pane-notice">${note}</p>` : null}
      ${this.failure ? html`<p class="pane-notice failed" role="alert">${this.failure}</p>` : null}
      ${conflictNote(draft?.conflict, this.#keepMine, this.#takeTheirs)}
      <div class="pane-body editor-body">
        <div class="code" ?hidden=${content?.kind !== "text"}></div>
        ${this.#beside(content)}
      </div>`;
  }

  override updated(changed: PropertyValues): void {
    // What may be changed shows in the text, too.
    if (this.content?.kind === "text" && (changed.has("content") || changed.has("locks") || !changed.size))
      void this.#showText();
  }

  #beside(content: Content | undefined): TemplateResult | null {
    if (!content) return html`<p class="empty">${icon("code")}Choose a file to see what is in it</p>`;
    if (content.kind === "note") return html`<p class="empty">${content.note}</p>`;
    return content.kind === "picture"
      ? html`<div class="picture"><img src=${content.url} alt=${this.path ?? ""} /></div>`
      : null;
  }

  #readOnlyNote(path: string, file: EditableText | undefined): string | null {
    const why = whyReadOnly(path, this.locks);
    return why ?? (file ? null : "Shown only: too long, not UTF-8, or with line ends of several kinds.");
  }

  async #showText(): Promise<void> {
    this.#view ??= import("./code-view").then(
      ({ CodeView }) => new CodeView(this.code, (text) => this.#typed(text), this.#save),
    );
    const view = await this.#view;
    const { content, path } = this;
    if (content?.kind !== "text" || !path || this.#shows !== path) return;
    const text = this.#drafts.get(path)?.text ?? content.text;
    view.show(path, text, this.busy && this.follows, !this.#readOnlyNote(path, content.file));
    if (this.#line) view.reveal(this.#line);
    this.#line = undefined;
  }

  #typed(text: string): void {
    const { content, path } = this;
    if (content?.kind !== "text" || !content.file || !path) return;
    this.#drafts.edit(path, text, content.file);
    this.requestUpdate("size");
  }

  #save = async (): Promise<void> => {
    const { path, sandbox } = this;
    const draft = this.#drafts.get(path);
    if (!path || !sandbox || !draft || draft.conflict) return;
    const { text, lineEnd } = draft;
    this.failure = "";
    try {
      // What somebody else wrote a moment ago is not written over, either.
      await this.#meet(path, sandbox);
      if (!draft.conflict) {
        await sandbox.fs.write(path, text.replaceAll("\n", lineEnd));
        if (draft.text === text) this.#drafts.drop(path);
        else this.#drafts.keep(path, text);
      }
    } catch (error) {
      this.failure = `Not saved: ${described(error).message}`;
    }
    this.requestUpdate("size");
    void this.#read();
  };

  #keepMine = (): void => {
    const { content, path } = this;
    if (path)
      this.#drafts.keep(path, content?.kind === "text" && !content.gone ? content.file?.text : undefined);
    this.requestUpdate("size");
  };

  #takeTheirs = (): void => {
    if (this.path) this.#drafts.drop(this.path);
    void this.#read();
  };

  async #meet(path: string, { fs }: Sandbox): Promise<void> {
    const data = (await fs.exists(path)) ? await fs.readBytes(path) : undefined;
    this.#drafts.meet(path, data && editable(data)?.text);
  }

  async #followTo(path: string): Promise<void> {
    try {
      const stat = await this.sandbox?.fs.stat(path);
      if (stat?.kind === "file" && this.follows) this.#go(path);
    } catch {
      // Already gone again.
    }
  }

  #go(path: string): void {
    if (path !== this.path) this.failure = "";
    this.path = path;
    this.dispatchEvent(new CustomEvent("file-shown", { detail: path, bubbles: true }));
    void this.#read();
  }

  /** Read the file; one reading at a time, and once more if it changed meanwhile. */
  async #read(): Promise<void> {
    this.#stale = true;
    if (this.#reading) return;
    this.#reading = true;
    while (this.#stale && this.path && this.sandbox) {
      this.#stale = false;
      const { path } = this;
      const content = await this.#load(path, this.sandbox).catch(
        (error: unknown): Content => ({
          kind: "note",
          note: error instanceof Error ? error.message : String(error),
        }),
      );
      if (path === this.path) this.#put(path, content);
      else this.#stale = true;
    }
    this.#reading = false;
  }

  async #load(path: string, { fs }: Sandbox): Promise<Content> {
    const { size } = await fs.stat(path);
    if (size > SHOWN_MOST * 50) return { kind: "note", note: `${bytes(size)}: too large to show` };
    const data = await fs.readBytes(path);
    this.size = data.length;
    const picture = PICTURES[/\.(\w+)$/.exec(path.toLowerCase())?.[1] ?? ""];
    if (picture)
      return { kind: "picture", url: URL.createObjectURL(new Blob([data as BlobPart], { type: picture })) };
    if (data.subarray(0, 8000).includes(0))
      return { kind: "note", note: `A binary file of ${bytes(data.length)}` };
    const left = data.length - SHOWN_MOST;
    const file = left > 0 ? undefined : editable(data);
    if (file) return { kind: "text", text: file.text, file };
    const text = new TextDecoder().decode(data.subarray(0, SHOWN_MOST));
    return { kind: "text", text: left > 0 ? `${text}\n… ${bytes(left)} more` : text, file };
  }

  #put(path: string, content: Content): void {
    const draft = this.#drafts.get(path);
    this.#drafts.meet(path, content.kind === "text" ? content.file?.text : undefined);
    this.#shows = path;
    // The text of a file that is gone is still in the editor.
    if (draft && content.kind === "note")
      content = { kind: "text", text: "", file: { text: "", lineEnd: draft.lineEnd }, gone: true };
    if (this.content?.kind === "picture") URL.revokeObjectURL(this.content.url);
    this.content = content;
  }
}
