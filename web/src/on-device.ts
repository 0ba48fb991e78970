/** Models that run in the page. Python asks them as it asks a server, and gets the events of one. */

import type { ModelHandle, ModelOptions } from "./api";
import { GgufModel } from "./gguf";
import { browsersModel } from "./language-model";

export interface OnDeviceModel {
  /** Answer a request (JSON) with server-sent events. */
  ask(body: string, signal: AbortSignal): AsyncGenerator<string>;
}

const unused = new FinalizationRegistry<GgufModel>((device) => device.close());

/** Return the model in the page, if `options` ask for one, which goes with `model`; and what Python has to know. */
export function onDevice(
  options: ModelOptions,
  model: ModelHandle,
): { device: OnDeviceModel | undefined; params: Record<string, unknown> } {
  if (options.api !== "gguf" && options.api !== "language-model")
    return { device: undefined, params: { ...options } };
  if (options.api === "language-model") return { device: browsersModel, params: { ...options } };
  const { file, chatTemplate, context, threads, ...params } = options;
  const device = new GgufModel(options);
  unused.register(model, device);
  return { device, params };
}
