/** Where messages are written. */

import { html, type PropertyValues } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { LightElement } from "./element";
import { icon } from "./icons";

/** Fires `send` with the text, and `halt`. */
@customElement("inb-composer")
export class Composer extends LightElement {
  /** Whether a message is being worked on. */
  @property({ type: Boolean }) running = false;
  /** A line under the field. */
  @property({ attribute: false }) hint: unknown;
  @query("textarea") private field!: HTMLTextAreaElement;
  #hadFocus = false;

  /** Put a text into the field and the cursor behind it. */
  suggest(text: string): void {
    this.field.value = text;
    this.#fit();
    this.field.focus();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    // A field that is switched off loses the focus; the visitor should find it again.
    if (changed.has("running") && this.running) this.#hadFocus = this.contains(document.activeElement);
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.get("running") && !this.running && this.#hadFocus && document.activeElement === document.body)
      this.field.focus();
  }

  protected override render() {
    const { running } = this;
    return html`<form class="composer" @submit=${this.#submit}>
        <textarea
          aria-label="Message"
          rows="1"
          placeholder=${running ? "The agent is at work" : "Ask the agent"}
          ?disabled=${running}
          @input=${this.#fit}
          @keydown=${this.#key}
        ></textarea>
        ${
          running
            ? html`<button class="primary stop" type="button" @click=${this.#halt}>${icon("stop")}Stop</button>`
            : html`<button class="primary" type="submit">${icon("send")}Send</button>`
        }
      </form>
      <div class="composer-hint">${this.hint}</div>`;
  }

  #submit = (event: Event) => {
    event.preventDefault();
    const text = this.field.value.trim();
    if (!text || this.running) return this.field.focus();
    this.field.value = "";
    this.#fit();
    this.dispatchEvent(new CustomEvent("send", { detail: text }));
  };

  #halt = () => {
    this.dispatchEvent(new CustomEvent("halt"));
  };

  #key = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.field.form?.requestSubmit();
  };

  #fit = () => {
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight + 2, 220)}px`;
  };
}
