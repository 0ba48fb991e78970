/** How the start goes: a bar while it lasts, `Ready` after it, and what went wrong. */

import { html, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { LightElement } from "./element";
import { bytes } from "./format";
import { icon } from "./icons";
import { Follow } from "./observable";
import type { Workspace } from "./workspace";

/** The place in the top bar. */
@customElement("inb-boot")
export class Boot extends LightElement {
  @property({ attribute: false }) workspace!: Workspace;

  constructor() {
    super();
    new Follow(this, () => this.workspace);
  }

  protected override render() {
    switch (this.workspace.phase) {
      case "starting":
        return this.#bar();
      case "ready":
        return html`<div role="status" aria-label="Ready" class="boot-state ready"><i></i><span>Ready</span></div>`;
      case "restarting":
        return html`<div role="status" aria-label="Restarting" class="boot-state waiting">
          <i></i><span>Restarting</span>
        </div>`;
      case "failed":
        return html`<div class="boot-state failed"><i></i><span>Not started</span></div>`;
    }
  }

  #bar(): TemplateResult {
    const { label, loadedBytes, totalBytes } = this.workspace.progress;
    const part = totalBytes ? Math.min(loadedBytes / totalBytes, 1) : 0;
    const amount = totalBytes ? `${bytes(loadedBytes)} of ${bytes(totalBytes)}` : "";
    return html`<div class="boot-bar">
      <div
        class="bar"
        role="progressbar"
        aria-label="Starting"
        aria-valuemin="0"
        aria-valuemax="100"
        aria-valuenow=${Math.round(part * 100)}
        aria-valuetext=${[label, amount].filter(Boolean).join(", ") || "Starting"}
      >
        <span style="transform:scaleX(${part})"></span>
      </div>
      <div class="boot-text" aria-hidden="true"><span>${label || "Starting"}</span><span>${amount}</span></div>
    </div>`;
  }
}

interface Card {
  title: string;
  /** In place of the error's message. */
  text?: string;
  /** What is offered beside another attempt: to open what is kept without changing it. */
  look?: string;
  /** Whether only a new page can make another attempt. */
  reload?: boolean;
}

/** What is said, by the error's class. */
const CARDS: Record<string, Card> = {
  SandboxInUseError: {
    title: "Open in another tab",
    text: "These files are open in another tab of this browser, and only one of them can change them. Close the other tab and try again, or look on: you see the files change as they are saved.",
    look: "Look on",
  },
  StorageCorruptError: {
    title: "Not all that was kept can be read",
    look: "Look at what can be read",
  },
  KernelCrashedError: { title: "Python has crashed", reload: true },
  StorageVersionError: { title: "Kept by a later version of this page" },
};

/** The card that says why there is no sandbox. */
@customElement("inb-boot-failure")
export class BootFailure extends LightElement {
  @property({ attribute: false }) workspace!: Workspace;

  constructor() {
    super();
    new Follow(this, () => this.workspace);
  }

  protected override render() {
    const { phase, failure } = this.workspace;
    if (phase !== "failed") return null;
    const { title, text, look, reload } = CARDS[failure?.name ?? ""] ?? {
      title: "The sandbox did not start",
    };
    return html`<div class="boot-failure" role="alert">
      ${icon("alert")}
      <div>
        <h2>${title}</h2>
        <p class="failure-text">${text ?? failure?.message}</p>
        <div class="failure-actions">
          ${
            look
              ? html`<button class="primary" type="button" @click=${() => this.workspace.start("read")}>${icon("preview")}${look}</button>`
              : null
          }
          <button class=${look ? "" : "primary"} type="button" @click=${() => (reload ? location.reload() : this.workspace.start())}>
            ${icon("reload")}${reload ? "Reload the page" : "Try again"}
          </button>
        </div>
      </div>
    </div>`;
  }
}
