/** The project's files. */

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { Sandbox } from "../api";
import { dropped } from "./dropped";
import { Pane } from "./element";
import { FileTree, isDirectory, type TreeNode } from "./file-tree";
import { bytes, visible } from "./format";
import { icon } from "./icons";
import { lockButton } from "./lock-button";
import type { LockState } from "./lock-state";
import { Follow } from "./observable";
import { RowWindow } from "./row-window";
import { transferState } from "./transfer-state";
import { Transfers } from "./transfers";

const ROW_HEIGHT = 26;
/** How long a change shows; the style sheet's animation is as long. */
const PULSE_MS = 1600;

/** Fires `open-file` with a path. */
@customElement("inb-files")
export class Files extends Pane {
  readonly label = "Files";
  readonly symbol = "folder";
  /** Whether changes unfold the directories they happen in. */
  unfolds = false;
  @property({ attribute: false }) locks: LockState | undefined;
  @state() private tree: FileTree | undefined;
  @state() private current: string | undefined;
  @state() private transfers: Transfers | undefined;
  /** Whether files hang over the region. */
  @state() private hovered = false;
  @query("input[type=file]") private chooser!: HTMLInputElement;
  #window = new RowWindow(this, ROW_HEIGHT, () => this.querySelector(".tree"));

  constructor() {
    super();
    new Follow(this, () => this.tree);
    new Follow(this, () => this.transfers);
    this.addEventListener("dragover", this.#hover);
    this.addEventListener("dragleave", this.#leave);
    this.addEventListener("drop", this.#drop);
    new Follow(this, () => this.locks);
  }

  protected override opened(sandbox: Sandbox): () => void {
    const tree = new FileTree(sandbox.fs);
    this.tree = tree;
    const transfers = new Transfers(sandbox);
    this.transfers = transfers;
    return sandbox.on((event) => {
      if (event.type === "archive:progress") transfers.apply(event);
      if (event.type === "kernel:restart") tree.reload();
      if (event.type !== "file") return;
      tree.unfolds = this.unfolds;
      tree.apply(event);
    });
  }

  /** Show a file as the chosen one. */
  choose(path: string | undefined): void {
    this.current = path;
  }

  protected override render() {
    const rows = this.tree?.rows ?? [];
    const { first, end } = this.#window.range(rows.length);
    const active = rows.findIndex((node) => node.path === this.current);
    return html`${this.header(null, this.#actions())} ${this.transfers ? transferState(this.transfers) : null}
      <div class="pane-body tree-body ${this.hovered ? "hovered" : ""}">
        ${rows.length ? null : html`<p class="empty">${this.tree?.root.children ? "No files yet: drop some here" : ""}</p>`}
        <div
          class="tree"
          role="tree"
          aria-label="Project"
          tabindex="0"
          aria-activedescendant=${active >= first && active < end ? `file-${active}` : ""}
          @keydown=${this.#key}
        >
          <div class="tree-space" style="height:${rows.length * ROW_HEIGHT}px">
            <div style="transform:translateY(${first * ROW_HEIGHT}px)">
              ${repeat(
                rows.slice(first, end),
                (node) => node,
                (node, index) => this.#row(node, first + index),
              )}
            </div>
          </div>
        </div>
      </div>`;
  }

  #actions(): TemplateResult {
    const off = !this.transfers || Boolean(this.transfers.running);
    return html`<button
        class="quiet"
        type="button"
        aria-label="Download"
        title="Download the project as a zip"
        ?disabled=${off}
        @click=${() => this.transfers?.download()}
      >
        ${icon("download")}
      </button>
      <button
        class="quiet"
        type="button"
        aria-label="Upload"
        title="Upload files, or a zip or tar.gz to unpack"
        ?disabled=${off}
        @click=${() => this.chooser.click()}
      >
        ${icon("upload")}
      </button>
      <input type="file" multiple hidden aria-label="Files to upload" @change=${this.#choose} />`;
  }

  #choose = () => {
    const uploads = [...(this.chooser.files ?? [])].map((file) => ({ path: file.name, file }));
    this.chooser.value = "";
    void this.transfers?.upload(uploads);
  };

  #hover = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = this.transfers && !this.transfers.running ? "copy" : "none";
    this.hovered = true;
  };

  #leave = (event: DragEvent) => {
    if (!this.contains(event.relatedTarget as Node | null)) this.hovered = false;
  };

  #drop = (event: DragEvent) => {
    this.hovered = false;
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    void this.transfers?.upload(dropped(event.dataTransfer));
  };

  #row(node: TreeNode, index: number): TemplateResult {
    const directory = isDirectory(node);
    const siblings = node.parent?.children ?? [];
    const pulse = performance.now() - node.changedAt < PULSE_MS ? `pulse-${node.changes % 2}` : "";
    return html`<div
      id="file-${index}"
      class="tree-row ${pulse}"
      role="treeitem"
      aria-label=${visible(node.name)}
      aria-level=${node.depth + 1}
      aria-setsize=${siblings.length}
      aria-posinset=${siblings.indexOf(node) + 1}
      aria-expanded=${directory ? String(node.open) : nothing}
      aria-selected=${node.path === this.current}
      title=${titleOf(node)}
      style="--depth:${node.depth}"
      @click=${() => this.#activate(node)}
    >
      <span class="twist">${directory ? icon("chevron") : null}</span>
      ${icon(directory ? (node.open ? "folderOpen" : "folder") : node.stat?.kind === "symlink" ? "link" : "file")}
      <bdi>${visible(node.name)}</bdi>
      ${lockButton(this.locks, node.path, { mark: true })}
    </div>`;
  }

  #activate(node: TreeNode): void {
    this.current = node.path;
    if (isDirectory(node)) void this.tree?.toggle(node);
    else this.dispatchEvent(new CustomEvent("open-file", { detail: node.path, bubbles: true }));
  }

  #key = (event: KeyboardEvent) => {
    const rows = this.tree?.rows ?? [];
    const at = rows.findIndex((node) => node.path === this.current);
    const node = rows[at];
    const move = (index: number) => {
      const to = rows[Math.min(Math.max(index, 0), rows.length - 1)];
      if (!to) return;
      this.current = to.path;
      this.#window.reveal(rows.indexOf(to));
    };
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at < 0 ? 0 : at - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      Enter: () => node && this.#activate(node),
      " ": () => node && this.#activate(node),
      ArrowRight: () => {
        if (node && isDirectory(node) && !node.open) void this.tree?.toggle(node, true);
        else if (node?.open && node.children?.length) move(at + 1);
      },
      ArrowLeft: () => {
        if (node?.open) void this.tree?.toggle(node, false);
        else if (node?.parent?.path) move(rows.indexOf(node.parent));
      },
    };
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
}

function titleOf(node: TreeNode): string {
  return isDirectory(node) ? visible(node.path) : `${visible(node.path)} · ${bytes(node.stat?.size ?? 0)}`;
}
