/** The part of the settings that says where a model is and how it is asked. */

import { html, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { ModelInfo, Provider } from "../api";
import { checkModel, createModel, listModels } from "../index";
import { LightElement } from "./element";
import { duration, plural } from "./format";
import { icon } from "./icons";
import { Inquiry } from "./inquiry";
import { APIS, type Api, serverOptions } from "./model-apis";
import "./model-field";
import type { ModelField } from "./model-field";
import { Follow } from "./observable";
import type { ServerSettings } from "./preferences";

const ADDRESS = "(https?://|/).+";

/** Made for one provider; it goes, with what was typed, when another is chosen or the dialog is closed. */
@customElement("inb-server-fields")
export class ServerFields extends LightElement {
  @property({ attribute: false }) provider!: Provider;
  /** What the fields begin with; without it they begin empty, at the provider's own address. */
  @property({ attribute: false }) saved: ServerSettings | undefined;
  @state() private api: Api = "openai-chat";
  /** Whether requests go to the provider itself rather than to a proxy, which may have a key of its own. */
  @state() private direct = true;
  @state() private models: ModelInfo[] = [];
  @query("inb-model-field") private model!: ModelField;
  @query(".outcome") private outcome!: HTMLElement;
  #inquiry = new Inquiry();

  constructor() {
    super();
    new Follow(this, () => this.#inquiry);
  }

  /** Return what is filled in. */
  read(): ServerSettings {
    return {
      provider: this.provider.id,
      api: this.api,
      baseUrl: this.#text("baseUrl").replace(/\/+$/, ""),
      model: this.model.value,
      apiKey: this.#text("apiKey"),
      effort: this.#text("effort"),
      temperature: this.#number("temperature"),
      maxTokens: this.#number("maxTokens"),
    };
  }

  override willUpdate(): void {
    if (!this.hasUpdated)
      this.api = this.#isCustom ? (this.saved?.api ?? this.provider.api) : this.provider.api;
  }

  protected override firstUpdated(): void {
    const { saved, provider } = this;
    // Values are set as properties: the key never becomes part of the document's text.
    this.#set("baseUrl", saved?.baseUrl ?? provider.baseUrl);
    this.#set("apiKey", saved?.apiKey);
    void this.model.updateComplete.then(() => {
      this.model.value = saved?.model ?? "";
    });
    this.#set("effort", saved?.effort);
    this.#set("temperature", saved?.temperature);
    this.#set("maxTokens", saved?.maxTokens);
    this.#edited();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#inquiry.stop();
    this.#set("apiKey", "");
  }

  protected override render() {
    const { api, models } = this;
    return html`<div class="fields" @input=${this.#edited} @change=${this.#edited}>
      ${this.#isCustom ? this.#apiField() : null}
      <label for="baseUrl">Base URL</label>
      <input id="baseUrl" type="text" inputmode="url" required pattern=${ADDRESS} spellcheck="false" autocomplete="off"
        title="An address that begins with https://, http:// or /" aria-describedby="about-url" />
      <p id="about-url" class="muted">What comes before <code>${APIS[api].path}</code>. ${
        this.#isCustom
          ? "The server must allow requests from this page (CORS)."
          : "A proxy's address goes here, too."
      }</p>
      ${this.provider.key === "none" ? null : this.#keyField()}
      <label for="model">Model</label>
      <div class="field-row">
        <inb-model-field .models=${models} @list-models=${this.#list}></inb-model-field>
        <button type="button" @click=${this.#list}>List models</button>
      </div>
      ${this.#tuning()} ${this.#check()}
    </div>`;
  }

  #apiField(): TemplateResult {
    return html`<label for="api">API</label>
      <select id="api" @change=${(event: Event) => {
        this.api = (event.target as HTMLSelectElement).value as Api;
      }}>
        ${Object.entries(APIS).map(([id, { name }]) => html`<option value=${id} .selected=${id === this.api}>${name}</option>`)}
      </select>`;
  }

  #keyField(): TemplateResult {
    const needed = this.provider.key === "needed";
    return html`<label for="apiKey">API key ${needed ? null : html`<span class="muted">optional</span>`}</label>
      <input id="apiKey" type="password" ?required=${needed && this.direct} autocomplete="off" spellcheck="false"
        aria-describedby="about-key" />
      <p id="about-key" class="muted">Kept in this tab's memory and sent to the server above, nowhere else.</p>`;
  }

  #tuning(): TemplateResult {
    const { efforts, hasTemperature } = APIS[this.api];
    return html`<div class="trio">
      <div>
        <label for="effort">Effort</label>
        <select id="effort">
          <option value="">Provider's default</option>
          ${repeat(
            efforts,
            (effort) => effort,
            (effort) => html`<option value=${effort}>${effort}</option>`,
          )}
        </select>
      </div>
      ${
        hasTemperature && this.provider.hasTemperature
          ? html`<div>
              <label for="temperature">Temperature</label>
              <input id="temperature" type="number" min="0" max="2" step="any" placeholder="default" autocomplete="off" />
            </div>`
          : null
      }
      <div>
        <label for="maxTokens">Max tokens</label>
        <input id="maxTokens" type="number" min="1" step="1" placeholder="default" autocomplete="off" title="The most tokens of one reply, reasoning included" />
      </div>
    </div>`;
  }

  #check(): TemplateResult {
    const { state, text } = this.#inquiry;
    const asking = state === "asking";
    return html`<div class="connection">
      <button type="button" @click=${asking ? () => this.#inquiry.stop() : this.#test}>${asking ? "Stop" : "Test connection"}</button>
      <p class="outcome ${state}" role="status">
        ${asking ? html`<i class="spinner"></i>` : null}
        ${state === "ok" ? icon("check") : state === "failed" ? icon("alert") : null}
        <span>${text}</span>
      </p>
    </div>`;
  }

  #list = async () => {
    if (!this.#valid("baseUrl", "apiKey")) return;
    const { api, baseUrl, apiKey } = this.read();
    const models = await this.#inquiry.ask(
      `Asking ${hostOf(baseUrl)} for its models`,
      (signal) => listModels({ api, baseUrl, ...(apiKey && { apiKey }) }, { signal }),
      ({ length }) => ({
        ok: length > 0,
        text: length ? plural(length, "model") : "The server has no models.",
      }),
    );
    if (models?.length) {
      this.models = models;
      await this.updateComplete;
      this.model.show();
    } else this.#showOutcome();
  };

  #test = async () => {
    if (!this.#valid("baseUrl", "apiKey", "model", "temperature", "maxTokens")) return;
    const options = { ...serverOptions(this.read()), maxRetries: 0 };
    await this.#inquiry.ask(
      `Asking ${options.model} at ${hostOf(this.#text("baseUrl"))}`,
      (signal) => checkModel(createModel(options), { signal }),
      ({ ok, message, seconds }) => ({
        ok,
        text: ok ? `${message} It took ${duration(seconds * 1000)}.` : message,
      }),
    );
    this.#showOutcome();
  };

  async #showOutcome(): Promise<void> {
    await this.updateComplete;
    this.outcome?.scrollIntoView({ block: "nearest" });
  }

  /** What was told is about other values now. */
  #edited = (event?: Event) => {
    this.#inquiry.stop();
    this.direct = this.#text("baseUrl") === this.provider.baseUrl;
    if (event && ["api", "baseUrl", "apiKey"].includes((event.target as Element).id)) this.models = [];
  };

  get #isCustom(): boolean {
    return this.provider.id === "custom";
  }

  #valid(...ids: string[]): boolean {
    return ids.every((id) => this.#field(id)?.reportValidity() ?? true);
  }

  #text(id: string): string {
    return this.#field(id)?.value.trim() ?? "";
  }

  #number(id: string): number | undefined {
    const text = this.#text(id);
    return text === "" ? undefined : Number(text);
  }

  #set(id: string, value: string | number | undefined): void {
    const field = this.#field(id);
    if (field) field.value = String(value ?? "");
  }

  #field(id: string): HTMLInputElement | HTMLSelectElement | null {
    return this.querySelector(`#${id}`);
  }
}

function hostOf(baseUrl: string): string {
  return new URL(baseUrl, location.href).host;
}
