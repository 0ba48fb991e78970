/** The dialog in which the visitor chooses a model. */

import { html, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { keyed } from "lit/directives/keyed.js";
import type { Provider } from "../api";
import { listProviders } from "../index";
import { LightElement } from "./element";
import { icon } from "./icons";
import { BROWSERS_OWN } from "./model-apis";
import type { Preferences } from "./preferences";
import type { ServerFields } from "./server-fields";
import "./server-fields";

/** What answers without a server. */
const WITHOUT_SERVER = {
  scripted: "Plays recorded turns; needs nothing, not even a network.",
  file: "Runs in this tab, without a network. The file stays on this device, and has to be chosen again after a reload.",
  browser: "Needs no server and no key. A browser that has none, or has to load it first, says so.",
};
type WithoutServer = keyof typeof WITHOUT_SERVER;

@customElement("inb-settings")
export class Settings extends LightElement {
  @property({ attribute: false }) preferences!: Preferences;
  @state() private open = false;
  /** The id of the chosen provider, or what answers without one. */
  @state() private chosen: string = "scripted";
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
    this.chosen = source === "server" ? provider : source;
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
      ${chosen === "file" ? this.#fileField() : null}
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
        <button class="primary" type="submit" ?disabled=${!provider && !withoutServer(chosen)}>Save</button>
      </div>
    </form>`;
  }

  #fileField(): TemplateResult {
    const { file } = this.preferences.model;
    return html`<div class="fields">
      <label for="file">GGUF file</label>
      <input id="file" type="file" accept=".gguf" ?required=${!file} aria-describedby="about-file" />
      <p id="about-file" class="muted">${file ? `${file.name} is chosen.` : "Up to 2 GB."}</p>
    </div>`;
  }

  #options(): TemplateResult {
    const { providers } = this;
    const custom = providers.filter(({ id }) => id === "custom");
    const online = providers.filter(({ id, local }) => !local && id !== "custom");
    const local = providers.filter((each) => each.local);
    const option = ({ id, name }: Pick<Provider, "id" | "name">) =>
      html`<option value=${id} .selected=${id === (this.#provider?.id ?? this.chosen)}>${name}</option>`;
    const here = html`${option({ id: "scripted", name: "Scripted demo" })}
      <optgroup label="In this tab">
        ${option({ id: "file", name: "A GGUF file" })}${option({ id: "browser", name: BROWSERS_OWN })}
      </optgroup>`;
    if (!providers.length)
      return html`${here}${withoutServer(this.chosen) ? null : option({ id: this.chosen, name: this.chosen })}`;
    return html`${here}
      <optgroup label="Online">${online.map(option)}</optgroup>
      <optgroup label="On your machine">${local.map(option)}</optgroup>
      <optgroup label="Elsewhere">${custom.map(option)}</optgroup>`;
  }

  #note(provider: Provider | undefined): string {
    if (withoutServer(this.chosen)) return WITHOUT_SERVER[this.chosen];
    if (this.failure) return `There is no list of providers: ${this.failure}`;
    if (!this.providers.length) return "The list of providers is loading.";
    return provider?.note.replace("<this page's origin>", location.origin) ?? "";
  }

  /** What is chosen, if that is a server; what is no longer offered is a server like any other. */
  get #provider(): Provider | undefined {
    if (withoutServer(this.chosen)) return undefined;
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
    const { preferences, chosen } = this;
    const remember = this.remember.checked;
    const file = this.querySelector<HTMLInputElement>("#file")?.files?.[0] ?? preferences.model.file;
    preferences.model = withoutServer(chosen)
      ? { ...preferences.model, source: chosen, file, remember }
      : { ...this.fields.read(), source: "server", file, remember };
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

function withoutServer(chosen: string): chosen is WithoutServer {
  return Object.hasOwn(WITHOUT_SERVER, chosen);
}
