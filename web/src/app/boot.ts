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
    return html`<div class="boot-failure" role="alert">
      ${icon("alert")}
      <div>
        <h2>The sandbox did not start</h2>
        <p class="failure-text">${failure}</p>
        <button class="primary" type="button" @click=${() => this.workspace.start()}>${icon("reload")}Try again</button>
      </div>
    </div>`;
  }
}
