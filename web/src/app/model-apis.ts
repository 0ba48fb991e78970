/** What the page knows of the APIs: their names, and which choices each leaves. */

import type { ModelOptions, ServerOptions } from "../api";
import type { ServerSettings } from "./preferences";

export type Api = ServerOptions["api"];

interface ApiFacts {
  name: string;
  /** What comes after the base URL. */
  path: string;
  efforts: readonly string[];
  hasTemperature: boolean;
}

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

/** Return what the chosen model is made with; what was not chosen is left out. */
export function modelOptions(settings: ServerSettings): Extract<ModelOptions, { baseUrl?: string }> {
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
