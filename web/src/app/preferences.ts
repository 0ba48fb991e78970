/** What the visitor chose: which model, which colours. */

import type { Api } from "./model-apis";
import { Observable } from "./observable";

/** Where a model is, and how it is asked. */
export interface ServerSettings {
  /** Who offers it: an id that `listProviders` tells. */
  provider: string;
  api: Api;
  baseUrl: string;
  model: string;
  apiKey: string;
  /** How much it is to think, in the provider's words; empty leaves that to the provider. */
  effort: string;
  /** Left out of requests when undefined, as the limit of tokens is. */
  temperature: number | undefined;
  maxTokens: number | undefined;
}

/** Where replies come from. */
export interface ModelSettings extends ServerSettings {
  source: "scripted" | "server" | "file" | "browser";
  /** A GGUF file that runs in this tab; kept nowhere else. */
  file: File | undefined;
  /** Whether all of this is kept on this device, the key included. */
  remember: boolean;
}

export type Theme = "system" | "light" | "dark";

const MODEL_KEY = "inbrowser.model";
const THEME_KEY = "inbrowser.theme";

/** Also what settings mean that were kept before there was a choice of APIs. */
const NOTHING_CHOSEN: ModelSettings = {
  source: "scripted",
  file: undefined,
  provider: "custom",
  api: "openai-chat",
  baseUrl: "",
  model: "",
  apiKey: "",
  effort: "",
  temperature: undefined,
  maxTokens: undefined,
  remember: false,
};

/** Kept in memory; on the device only what the visitor asked to keep. */
export class Preferences extends Observable {
  #model: ModelSettings = remembered();
  #theme: Theme = themeOf(stored(THEME_KEY));

  get model(): Readonly<ModelSettings> {
    return this.#model;
  }

  set model(next: ModelSettings) {
    this.#model = { ...next };
    store(MODEL_KEY, next.remember ? { ...next, file: undefined } : undefined);
    this.changed();
  }

  get theme(): Theme {
    return this.#theme;
  }

  set theme(next: Theme) {
    this.#theme = next;
    store(THEME_KEY, next === "system" ? undefined : next);
    this.applyTheme();
    this.changed();
  }

  /** Put the theme on the document. */
  applyTheme(): void {
    if (this.#theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.#theme;
  }
}

function remembered(): ModelSettings {
  const model = { ...NOTHING_CHOSEN, ...(stored(MODEL_KEY) as Partial<ModelSettings> | undefined) };
  return model.source === "file" ? { ...model, source: "scripted" } : model;
}

function themeOf(value: unknown): Theme {
  return value === "light" || value === "dark" ? value : "system";
}

/** What this device keeps under `key`; undefined where there is nothing, or no storage. */
export function stored(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined; // Storage is switched off, or holds what we did not write.
  }
}

/** Keep a value on this device; undefined erases it. */
export function store(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch (error) {
    console.warn("inbrowser: this browser keeps nothing for the page.", error);
  }
}
