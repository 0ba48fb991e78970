/** The viewer of one file. It keeps up with the file, and while an agent works, with the agent. */

import { html, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Sandbox } from "../api";
import type { CodeView } from "./code-view";
import { Pane } from "./element";
import { bytes, visible } from "./format";
import { icon } from "./icons";
import { lockButton } from "./lock-button";
import type { LockState } from "./lock-state";
import { Follow } from "./observable";

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
  | { kind: "text"; text: string }
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
  @query(".code") private code!: HTMLElement;
  #view: Promise<CodeView> | undefined;
  #line: number | undefined;
  #reading = false;
  #stale = false;

  constructor() {
    super();
    new Follow(this, () => this.locks);
  }

  protected override opened(sandbox: Sandbox): () => void {
    return sandbox.on((event) => {
      if (event.type !== "file") return;
      if (event.change === "renamed" && event.oldPath === this.path) this.#go(event.path);
      else if (event.path === this.path) void this.#read();
      else if (this.busy && this.follows && event.change !== "deleted" && !QUIET.test(event.path))
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
          ><span class="muted size">${content?.kind === "note" ? "" : bytes(this.size)}</span>
          ${this.#lock(path)}`
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
    return html`${this.header(state, follow)}
      <div class="pane-body editor-body">
        <div class="code" ?hidden=${content?.kind !== "text"}></div>
        ${this.#beside(content)}
      </div>`;
  }

  override updated(changed: PropertyValues): void {
    if (changed.has("content") && this.content?.kind === "text") void this.#showText(this.content.text);
  }

  #lock(path: string): TemplateResult {
    const lock = this.locks?.of(path);
    return html`${lockButton(this.locks, path)}${lock ? html`<span class="muted">Locked by ${visible(lock.by)}</span>` : null}`;
  }

  #beside(content: Content | undefined): TemplateResult | null {
    if (!content) return html`<p class="empty">${icon("code")}Choose a file to see what is in it</p>`;
    if (content.kind === "note") return html`<p class="empty">${content.note}</p>`;
    return content.kind === "picture"
      ? html`<div class="picture"><img src=${content.url} alt=${this.path ?? ""} /></div>`
      : null;
  }

  async #showText(text: string): Promise<void> {
    this.#view ??= import("./code-view").then(({ CodeView }) => new CodeView(this.code));
    const view = await this.#view;
    if (this.content?.kind !== "text" || this.content.text !== text || !this.path) return;
    view.show(this.path, text, this.busy && this.follows);
    if (this.#line) view.reveal(this.#line);
    this.#line = undefined;
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
      if (path === this.path) this.#put(content);
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
    const text = new TextDecoder().decode(data.subarray(0, SHOWN_MOST));
    const left = data.length - SHOWN_MOST;
    return { kind: "text", text: left > 0 ? `${text}\n… ${bytes(left)} more` : text };
  }

  #put(content: Content): void {
    if (this.content?.kind === "picture") URL.revokeObjectURL(this.content.url);
    this.content = content;
  }
}
