/** A GGUF file as a model, by wllama: llama.cpp in a worker of its own. */

import type { ChatCompletionParams, Wllama } from "@wllama/wllama/esm/index.js";
import type { GgufOptions } from "./api";
import { assets, assetUrl } from "./assets";
import type { OnDeviceModel } from "./on-device";

const CONTEXT = 8192;
const MAGIC = "GGUF";

export class GgufModel implements OnDeviceModel {
  private loaded: Promise<Wllama> | undefined;
  /** It answers one request at a time. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: GgufOptions) {}

  async *ask(body: string, signal: AbortSignal): AsyncGenerator<string> {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const before = this.turn;
    this.turn = over;
    try {
      await before;
      signal.throwIfAborted();
      const wllama = await this.load();
      const request = { ...(JSON.parse(body) as ChatCompletionParams), abortSignal: signal };
      for await (const chunk of await wllama.createChatCompletion({ ...request, stream: true }))
        yield `data: ${JSON.stringify(chunk)}\n\n`;
      yield "data: [DONE]\n\n";
    } catch (error) {
      // Then its worker is dead, and the next request has to load it anew.
      if ((error as Error).name === "RuntimeError") this.close();
      throw error;
    } finally {
      end();
    }
  }

  close(): void {
    this.loaded?.then(
      (wllama) => wllama.exit(),
      () => {}, // It was never loaded.
    );
    this.loaded = undefined;
  }

  /** Load it, if it is not loaded; after a failure, the next request tries again. */
  private async load(): Promise<Wllama> {
    this.loaded ??= this.open();
    try {
      return await this.loaded;
    } catch (error) {
      this.loaded = undefined;
      throw error;
    }
  }

  private async open(): Promise<Wllama> {
    const { file, chatTemplate, context = CONTEXT, threads } = this.options;
    const blob = typeof file === "string" ? await fetchFile(file) : file;
    if ((await blob.slice(0, MAGIC.length).text()) !== MAGIC)
      throw new Error("the model's file is no GGUF file: it does not begin with these letters");
    // It is large, and few pages want it.
    const { LoggerWithoutDebug, Wllama } = await import("@wllama/wllama/esm/index.js");
    const wllama = new Wllama(
      { default: assetUrl(assets.wllama) },
      { logger: LoggerWithoutDebug, suppressNativeLog: true },
    );
    // Its way for other engines would load code from somewhere else.
    wllama.setCompat(null);
    try {
      await wllama.loadModel([blob], {
        n_ctx: context,
        jinja: true,
        ...(chatTemplate !== undefined && { chat_template: chatTemplate }),
        ...(threads !== undefined && { n_threads: threads }),
      });
      // For some files it does not say that it failed.
      if (!wllama.getLoadedContextInfo().n_vocab) throw new Error("llama.cpp does not understand it");
    } catch (error) {
      await wllama.exit();
      throw new Error(`the model's file could not be loaded: ${(error as Error).message}`);
    }
    return wllama;
  }
}

async function fetchFile(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
  return response.blob();
}
