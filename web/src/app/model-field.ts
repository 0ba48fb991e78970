/** The field for a model's name: free text, with what the server has to choose from. */

import { html, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { ModelInfo } from "../api";
import { LightElement } from "./element";

/** Rows of the list; who looks for others goes on typing. */
const MOST = 100;
const COUNT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Fires `list-models` when the visitor asks for a list that is not there. */
@customElement("inb-model-field")
export class ModelField extends LightElement {
  /** What the server has. */
  @property({ attribute: false }) models: ModelInfo[] = [];
  @state() private open = false;
  /** What the list is narrowed to. */
  @state() private words = "";
  @state() private active = -1;
  @query("input") private input!: HTMLInputElement;

  get value(): string {
    return this.input.value.trim();
  }

  set value(model: string) {
    this.input.value = model;
  }

  /** Show the whole list. */
  show(): void {
    this.words = "";
    this.active = this.models.findIndex(({ id }) => id === this.value);
    this.open = this.models.length > 0;
    this.input.focus();
  }

  protected override updated(_changed: PropertyValues): void {
    this.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  protected override render() {
    const found = this.#found;
    const open = this.open && found.length > 0;
    const active = open && this.active >= 0 ? `model-${this.active}` : "";
    return html`<input id="model" type="text" role="combobox" required spellcheck="false" autocomplete="off"
        aria-autocomplete="list" aria-expanded=${open} aria-controls="model-list" aria-activedescendant=${active}
        @input=${this.#narrow} @keydown=${this.#key} @blur=${this.#close} />
      <ul id="model-list" class="options" role="listbox" aria-label="Models" ?hidden=${!open}
        @pointerdown=${(event: Event) => event.preventDefault()}>
        ${found.slice(0, MOST).map((model, at) => this.#option(model, at))}
        ${found.length > MOST ? html`<li class="muted" role="presentation">and ${found.length - MOST} more: type a part of the name</li>` : null}
      </ul>`;
  }

  #option(model: ModelInfo, at: number): TemplateResult {
    const { id, name, context } = model;
    const about = [name === id ? "" : name, context ? `${COUNT.format(context)} tokens` : ""].filter(Boolean);
    return html`<li id="model-${at}" role="option" aria-selected=${at === this.active} @click=${() => this.#choose(model)}>
      <bdi>${id}</bdi><span class="muted">${about.join(" · ")}</span>
    </li>`;
  }

  get #found(): ModelInfo[] {
    const words = this.words.toLowerCase().split(/\s+/);
    return this.models.filter(({ id, name }) => {
      const text = `${id} ${name}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  #choose({ id }: ModelInfo): void {
    this.value = id;
    this.#close();
    this.input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  #narrow = () => {
    this.words = this.input.value;
    this.active = -1;
    this.open = true;
  };

  #close = () => {
    this.open = false;
  };

  #key = (event: KeyboardEvent) => {
    const found = this.#found.slice(0, MOST);
    const chosen = found[this.active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!this.models.length) this.dispatchEvent(new CustomEvent("list-models"));
      else if (!this.open) this.show();
      else if (found.length) {
        const step = event.key === "ArrowDown" ? 1 : -1;
        this.active =
          this.active < 0 && step < 0 ? found.length - 1 : (this.active + step + found.length) % found.length;
      }
    } else if (event.key === "Enter" && this.open && chosen) this.#choose(chosen);
    else if (event.key === "Escape" && this.open) this.#close();
    else return;
    event.preventDefault(); // Neither does the cursor jump, nor is the form sent, nor the dialog closed.
  };
}
