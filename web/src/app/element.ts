/** What every element of the page has in common. */

import { html, LitElement, type PropertyValues, type TemplateResult } from "lit";
import { property } from "lit/decorators.js";
import type { Sandbox } from "../api";
import { type IconName, icon } from "./icons";

/** Renders into itself, so that labels, styles and tests see one document, and at most once per frame. */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override async scheduleUpdate(): Promise<void> {
    if (this.hasUpdated) await new Promise(requestAnimationFrame);
    super.scheduleUpdate();
  }
}

/** One region of the workbench. */
export abstract class Pane extends LightElement {
  @property({ attribute: false }) sandbox: Sandbox | undefined;
  /** Whether it fills the work area. */
  @property({ type: Boolean }) expanded = false;
  #close: (() => void) | undefined;

  /** Its accessible name. */
  abstract readonly label: string;
  abstract readonly symbol: IconName;

  /** Called when there is a sandbox; returns what ends the connection. */
  protected opened(_sandbox: Sandbox): () => void {
    return () => {};
  }

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has("sandbox")) return;
    this.#close?.();
    this.#close = this.sandbox && this.opened(this.sandbox);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#close?.();
    this.#close = undefined;
  }

  /** The strip above the content: name, whatever tells the state, and buttons. */
  protected header(
    state: unknown,
    actions: unknown,
    name: unknown = html`<h2>${this.label}</h2>`,
  ): TemplateResult {
    const toggle = this.expanded ? `Restore ${this.label}` : `Maximise ${this.label}`;
    return html`<header class="pane-header">
      ${icon(this.symbol)}
      ${name}
      <div class="pane-state">${state}</div>
      <div class="pane-actions">
        ${actions}
        <button class="quiet expand" type="button" aria-label=${toggle} title=${toggle} @click=${this.#expand}>
          ${icon(this.expanded ? "restore" : "maximise")}
        </button>
      </div>
    </header>`;
  }

  #expand = () => {
    this.dispatchEvent(new CustomEvent("pane-expand", { bubbles: true }));
  };
}
