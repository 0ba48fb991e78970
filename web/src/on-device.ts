/** Models that run in the page. Python asks them as it asks a server, and gets the events of one. */

import type { ModelOptions } from "./api";
import { GgufModel } from "./gguf";
import { browsersModel } from "./language-model";

export interface OnDeviceModel {
  /** Answer a request (JSON) with server-sent events. */
  ask(body: string, signal: AbortSignal): AsyncGenerator<string>;
}

/** Return the model in the page, if `options` ask for one; and what Python has to know. */
export function onDevice(options: ModelOptions): {
  device: OnDeviceModel | undefined;
  params: Record<string, unknown>;
} {
  if (options.api === "language-model") return { device: browsersModel, params: { ...options } };
  if (options.api !== "gguf") return { device: undefined, params: { ...options } };
  const { file, chatTemplate, context, threads, ...params } = options;
  return { device: new GgufModel(options), params };
}
