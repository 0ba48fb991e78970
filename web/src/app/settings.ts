/** The dialog in which the visitor chooses a model. */

import { html, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { LightElement } from "./element";
import { icon } from "./icons";
import type { ModelSettings, Preferences } from "./preferences";

@customElement("inb-settings")
export class Settings extends LightElement {
  @property({ attribute: false }) preferences!: Preferences;
  @state() private source: ModelSettings["source"] = "scripted";
  @query("dialog") private dialog!: HTMLDialogElement;
  @query("form") private form!: HTMLFormElement;

  /** Open the dialog with what is chosen now. */
  async show(): Promise<void> {
    const { source, baseUrl, model, apiKey, temperature, remember } = this.preferences.model;
    this.source = source;
    await this.updateComplete;
    // Values are set as properties: the key never becomes part of the document's text.
    this.#field("baseUrl").value = baseUrl;
    this.#field("model").value = model;
    this.#field("apiKey").value = apiKey;
    this.#field("temperature").value = temperature === undefined ? "" : String(temperature);
    this.#field("remember").checked = remember;
    this.dialog.showModal();
  }

  protected override render() {
    return html`<dialog aria-label="Settings" @click=${this.#outside} @close=${this.#closed}>
      <form method="dialog" @submit=${this.#save}>
        <div class="dialog-head">
          <h2>Settings</h2>
          <button class="quiet" type="button" aria-label="Close" @click=${() => this.dialog.close()}>${icon("cross")}</button>
        </div>
        <fieldset>
          <legend>Who answers</legend>
          ${this.#choice("scripted", "Scripted demo", "Plays recorded turns; needs nothing, not even a network.")}
          ${this.#choice("server", "OpenAI-compatible server", "A provider, or llama.cpp, Ollama, vLLM and the like on your machine.")}
        </fieldset>
        <div class="fields" ?hidden=${this.source !== "server"}>${this.#serverFields()}</div>
        <div class="dialog-foot">
          <button type="button" @click=${() => this.dialog.close()}>Cancel</button>
          <button class="primary" type="submit">Save</button>
        </div>
      </form>
    </dialog>`;
  }

  #choice(source: ModelSettings["source"], name: string, about: string): TemplateResult {
    return html`<div class="choice">
      <input
        type="radio"
        name="source"
        id="source-${source}"
        aria-describedby="about-${source}"
        .checked=${this.source === source}
        @change=${() => {
          this.source = source;
        }}
      />
      <div>
        <label for="source-${source}">${name}</label>
        <p id="about-${source}" class="muted">${about}</p>
      </div>
    </div>`;
  }

  #serverFields(): TemplateResult {
    const required = this.source === "server";
    return html`
      <label for="baseUrl">Base URL</label>
      <input id="baseUrl" type="url" ?required=${required} placeholder="http://localhost:8080/v1" spellcheck="false"
        autocomplete="off" aria-describedby="about-url" />
      <p id="about-url" class="muted">The part before /chat/completions. The server must allow requests from this page (CORS).</p>
      <div class="pair">
        <div>
          <label for="model">Model</label>
          <input id="model" type="text" ?required=${required} spellcheck="false" autocomplete="off" />
        </div>
        <div>
          <label for="temperature">Temperature <span class="muted">optional</span></label>
          <input id="temperature" type="number" min="0" max="2" step="any" autocomplete="off" />
        </div>
      </div>
      <label for="apiKey">API key <span class="muted">optional</span></label>
      <input id="apiKey" type="password" autocomplete="off" spellcheck="false" aria-describedby="about-key" />
      <p id="about-key" class="muted">Kept in this tab's memory and sent to the server above, nowhere else.</p>
      <div class="choice">
        <input id="remember" type="checkbox" aria-describedby="about-remember" />
        <div>
          <label for="remember">Remember on this device</label>
          <p id="about-remember" class="muted">Stores these settings, the key included, unencrypted in this browser. Untick and save to erase.</p>
        </div>
      </div>`;
  }

  #save = () => {
    const temperature = this.#field("temperature").value.trim();
    this.preferences.model = {
      source: this.source,
      baseUrl: this.#field("baseUrl").value.trim().replace(/\/+$/, ""),
      model: this.#field("model").value.trim(),
      apiKey: this.#field("apiKey").value.trim(),
      temperature: temperature === "" ? undefined : Number(temperature),
      remember: this.#field("remember").checked,
    };
  };

  /** A closed dialog keeps no copy of the key. */
  #closed = () => {
    this.#field("apiKey").value = "";
  };

  #outside = (event: MouseEvent) => {
    if (event.target === this.dialog) this.dialog.close();
  };

  #field(id: string): HTMLInputElement {
    return this.form.querySelector(`#${id}`) as HTMLInputElement;
  }
}
