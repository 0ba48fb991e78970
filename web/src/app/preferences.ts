/** What the visitor chose: which model, which colours. */

import { Observable } from "./observable";

/** Where replies come from. */
export interface ModelSettings {
  source: "scripted" | "server";
  baseUrl: string;
  model: string;
  apiKey: string;
  /** Left out of requests when undefined. */
  temperature: number | undefined;
  /** Whether all of this is kept on this device, the key included. */
  remember: boolean;
}

export type Theme = "system" | "light" | "dark";

const MODEL_KEY = "inbrowser.model";
const THEME_KEY = "inbrowser.theme";

const NOTHING_CHOSEN: ModelSettings = {
  source: "scripted",
  baseUrl: "",
  model: "",
  apiKey: "",
  temperature: undefined,
  remember: false,
};

/** Kept in memory; on the device only what the visitor asked to keep. */
export class Preferences extends Observable {
  #model: ModelSettings = { ...NOTHING_CHOSEN, ...(stored(MODEL_KEY) as Partial<ModelSettings> | undefined) };
  #theme: Theme = themeOf(stored(THEME_KEY));

  get model(): Readonly<ModelSettings> {
    return this.#model;
  }

  set model(next: ModelSettings) {
    this.#model = { ...next };
    store(MODEL_KEY, next.remember ? next : undefined);
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
