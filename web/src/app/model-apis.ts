/** What the page knows of the APIs: their names, and which choices each leaves. */

import type { ModelOptions, ServerOptions } from "../api";
import type { ModelSettings, ServerSettings } from "./preferences";

export type Api = ServerOptions["api"];

interface ApiFacts {
  name: string;
  /** What comes after the base URL. */
  path: string;
  efforts: readonly string[];
  hasTemperature: boolean;
}

export const BROWSERS_OWN = "This browser's own model";
const LOW_TO_HIGH = ["low", "medium", "high"];

export const APIS: Record<Api, ApiFacts> = {
  "openai-chat": {
    name: "OpenAI Chat Completions",
    path: "/chat/completions",
    efforts: ["none", "minimal", ...LOW_TO_HIGH, "xhigh", "max"],
    hasTemperature: true,
  },
  "openai-responses": {
    name: "OpenAI Responses",
    path: "/responses",
    efforts: ["none", "minimal", ...LOW_TO_HIGH, "xhigh", "max"],
    hasTemperature: true,
  },
  anthropic: {
    name: "Anthropic Messages",
    path: "/v1/messages",
    efforts: [...LOW_TO_HIGH, "xhigh", "max"],
    hasTemperature: false,
  },
  gemini: {
    name: "Google Gemini",
    path: "/models/",
    efforts: ["none", "minimal", ...LOW_TO_HIGH],
    hasTemperature: true,
  },
  ollama: {
    name: "Ollama",
    path: "/api/chat",
    efforts: ["none", ...LOW_TO_HIGH, "max"],
    hasTemperature: true,
  },
};

/** Return what the chosen model is made with. */
export function modelOptions(settings: ModelSettings): ModelOptions {
  const { source, file } = settings;
  if (source === "file" && file) return { api: "gguf", file, model: file.name };
  if (source === "browser") return { api: "language-model" };
  return serverOptions(settings);
}

/** Return what a model behind a server is made with; what was not chosen is left out. */
export function serverOptions(settings: ServerSettings): Extract<ModelOptions, { baseUrl?: string }> {
  const { api, baseUrl, model, apiKey, effort, maxTokens, temperature } = settings;
  return {
    api,
    baseUrl,
    model,
    ...(apiKey && { apiKey }),
    ...(effort && { effort }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** Say which model answers; nothing when replies are scripted. */
export function nameOf({ source, file, model }: Readonly<ModelSettings>): string {
  if (source === "file") return file?.name ?? "";
  if (source === "browser") return BROWSERS_OWN;
  return source === "server" ? model : "";
}
