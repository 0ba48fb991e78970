/** Streamed text: Markdown, and the model's reasoning, folded away. */

import { html, type PropertyValues } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { LightElement } from "./element";
import { duration } from "./format";
import { icon } from "./icons";
import { MarkdownView } from "./markdown";
import { Follow } from "./observable";
import type { TextPart } from "./transcript";

/** Markdown that grows. */
@customElement("inb-text")
export class TextElement extends LightElement {
  @property({ attribute: false }) item!: TextPart;
  #view = new MarkdownView(this);
  #resting = Promise.resolve();

  constructor() {
    super();
    new Follow(this, () => this.item);
  }

  /** The longer a rendering took, the longer until the next, so that a slow device keeps answering. */
  protected override async scheduleUpdate(): Promise<void> {
    if (!this.item.done) await this.#resting;
    await super.scheduleUpdate();
  }

  override updated(_changed: PropertyValues): void {
    const begun = performance.now();
    this.#view.update(this.item.text, this.item.done);
    const rest = (performance.now() - begun) * 3;
    this.#resting = rest < 8 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, rest));
  }

  // Its content is the view's, not a template's.
  protected override render(): undefined {
    this.className = "md";
  }
}

/** The model's reasoning: one line that opens. */
@customElement("inb-thinking")
export class ThinkingElement extends LightElement {
  @property({ attribute: false }) item!: TextPart;
  @state() private open = false;

  constructor() {
    super();
    new Follow(this, () => this.item);
  }

  protected override render() {
    const { item, open } = this;
    const label = item.done ? `Thought for ${duration(item.durationMs)}` : "Thinking";
    return html`<button
        class="thinking-toggle ${item.done ? "" : "live"}"
        type="button"
        aria-expanded=${open}
        @click=${() => {
          this.open = !open;
        }}
      >
        ${icon("spark")}<span>${label}</span><span class="twist">${icon("chevron")}</span>
      </button>
      ${open ? html`<div class="thinking-text">${item.text}</div>` : null}`;
  }
}
