/** The demo: a prompt, and a script that a model without a network plays. */

import type { Json } from "../api";

export interface Demo {
  prompt: string;
  turns: Json;
}

let loading: Promise<Demo> | undefined;

/** Load assets/demo.json once; a failure may be tried again. */
export function loadDemo(): Promise<Demo> {
  loading ??= fetchDemo().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function fetchDemo(): Promise<Demo> {
  const url = new URL("./assets/demo.json", import.meta.url);
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(`The demo could not be loaded: ${url.pathname} answered ${response.status}`);
  return (await response.json()) as Demo;
}
