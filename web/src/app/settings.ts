/** The dialog in which the visitor chooses a model. */

import { html, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { keyed } from "lit/directives/keyed.js";
import type { Provider } from "../api";
import { listProviders } from "../index";
import { LightElement } from "./element";
import { icon } from "./icons";
import type { Preferences } from "./preferences";
import type { ServerFields } from "./server-fields";
import "./server-fields";

const SCRIPTED = "scripted";
const ABOUT_SCRIPTED = "Plays recorded turns; needs nothing, not even a network.";

@customElement("inb-settings")
export class Settings extends LightElement {
  @property({ attribute: false }) preferences!: Preferences;
  @state() private open = false;
  /** The id of the chosen provider, or `SCRIPTED`. */
  @state() private chosen = SCRIPTED;
  @state() private providers: Provider[] = [];
  /** Why there is no list of providers. */
  @state() private failure = "";
  @query("dialog") private dialog!: HTMLDialogElement;
  @query("#remember") private remember!: HTMLInputElement;
  @query("inb-server-fields") private fields!: ServerFields;

  /** Open the dialog with what is chosen now. */
  async show(): Promise<void> {
    if (this.open) return;
    const { source, provider, remember } = this.preferences.model;
    this.chosen = source === "server" ? provider : SCRIPTED;
    this.open = true;
    if (!this.providers.length) void this.#load();
    await this.updateComplete;
    this.remember.checked = remember;
    this.dialog.showModal();
  }

  protected override render() {
    return html`<dialog aria-label="Settings" @click=${this.#outside} @close=${this.#closed}>
      ${this.open ? this.#form() : null}
    </dialog>`;
  }

  #form(): TemplateResult {
    const { chosen, preferences } = this;
    const provider = this.#provider;
    const note = this.#note(provider);
    const saved = preferences.model.provider === chosen ? preferences.model : undefined;
    return html`<form method="dialog" @submit=${this.#save}>
      <div class="dialog-head">
        <h2>Settings</h2>
        <button class="quiet" type="button" aria-label="Close" @click=${this.#cancel}>${icon("cross")}</button>
      </div>
      <div class="fields">
        <label for="provider">Who answers</label>
        <select id="provider" autofocus aria-describedby="about-provider" @change=${this.#choose}>
          ${this.#options()}
        </select>
        <p id="about-provider" class="muted" ?hidden=${!note}>${note}</p>
      </div>
      ${keyed(chosen, provider && html`<inb-server-fields .provider=${provider} .saved=${saved}></inb-server-fields>`)}
      <div class="choice">
        <input id="remember" type="checkbox" aria-describedby="about-remember" />
        <div>
          <label for="remember">Remember on this device</label>
          <p id="about-remember" class="muted">Stores these settings, the key included, unencrypted in this browser. Untick and save to erase.</p>
        </div>
      </div>
      <div class="dialog-foot">
        <button type="button" @click=${this.#cancel}>Cancel</button>
        <button class="primary" type="submit" ?disabled=${!provider && chosen !== SCRIPTED}>Save</button>
      </div>
    </form>`;
  }

  #options(): TemplateResult {
    const { providers } = this;
    const custom = providers.filter(({ id }) => id === "custom");
    const online = providers.filter(({ id, local }) => !local && id !== "custom");
    const local = providers.filter((each) => each.local);
    const option = ({ id, name }: Pick<Provider, "id" | "name">) =>
      html`<option value=${id} .selected=${id === (this.#provider?.id ?? this.chosen)}>${name}</option>`;
    if (!providers.length)
      return html`${option({ id: SCRIPTED, name: "Scripted demo" })}
        ${this.chosen === SCRIPTED ? null : option({ id: this.chosen, name: this.chosen })}`;
    return html`${option({ id: SCRIPTED, name: "Scripted demo" })}
      <optgroup label="Online">${online.map(option)}</optgroup>
      <optgroup label="On your machine">${local.map(option)}</optgroup>
      <optgroup label="Elsewhere">${custom.map(option)}</optgroup>`;
  }

  #note(provider: Provider | undefined): string {
    if (this.failure) return `There is no list of providers: ${this.failure}`;
    if (!this.providers.length) return "The list of providers is loading.";
    return provider ? provider.note.replace("<this page's origin>", location.origin) : ABOUT_SCRIPTED;
  }

  /** What is chosen, if that is not the demo; what is no longer offered is a server like any other. */
  get #provider(): Provider | undefined {
    if (this.chosen === SCRIPTED) return undefined;
    const found = this.providers.find(({ id }) => id === this.chosen);
    return found ?? this.providers.find(({ id }) => id === "custom");
  }

  async #load(): Promise<void> {
    this.failure = "";
    try {
      this.providers = await listProviders();
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
    }
  }

  #choose = (event: Event) => {
    this.chosen = (event.target as HTMLSelectElement).value;
  };

  #save = () => {
    const { preferences } = this;
    const remember = this.remember.checked;
    preferences.model = this.#provider
      ? { ...this.fields.read(), source: "server", remember }
      : { ...preferences.model, source: "scripted", remember };
  };

  #cancel = () => {
    this.dialog.close();
  };

  /** With the form goes every copy of the key that is in it. */
  #closed = () => {
    this.open = false;
  };

  #outside = (event: MouseEvent) => {
    if (event.target === this.dialog) this.dialog.close();
  };
}
