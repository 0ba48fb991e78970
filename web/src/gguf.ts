/** A GGUF file as a model, by wllama: llama.cpp in a worker of its own. */

import type { ChatCompletionParams, Wllama, WllamaLogger } from "@wllama/wllama/esm/index.js";
import type { GgufOptions } from "./api";
import { assets, assetUrl } from "./assets";
import type { OnDeviceModel } from "./on-device";

const CONTEXT = 8192;
const MAGIC = "GGUF";
/** wllama's level of what it logs. */
const ERRORS = 4;

/** What runs, if it runs. It knows nothing of the model that asks it, and so does not keep that one. */
interface Loaded {
  wllama?: Promise<Wllama> | undefined;
  /** The last error that llama.cpp told of; what wllama makes of it says nothing. */
  said: string;
}

const unreachable = new FinalizationRegistry<Loaded>(unload);

export class GgufModel implements OnDeviceModel {
  private readonly loaded: Loaded = { said: "" };
  /** It answers one request at a time. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: GgufOptions) {
    unreachable.register(this, this.loaded);
  }

  async *ask(body: string, signal: AbortSignal): AsyncGenerator<string> {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const before = this.turn;
    this.turn = over;
    try {
      await before;
      signal.throwIfAborted();
      this.loaded.said = "";
      const wllama = await this.load();
      const request = { ...(JSON.parse(body) as ChatCompletionParams), abortSignal: signal };
      for await (const chunk of await wllama.createChatCompletion({ ...request, stream: true }))
        yield `data: ${JSON.stringify(chunk)}\n\n`;
      yield "data: [DONE]\n\n";
    } catch (error) {
      if ((error as Error).name !== "RuntimeError") throw error;
      // Its worker is dead, and the next request has to load it anew.
      unload(this.loaded);
      throw this.loaded.said ? new Error(this.loaded.said) : error;
    } finally {
      end();
    }
  }

  /** Load it, if it is not loaded; after a failure, the next request tries again. */
  private async load(): Promise<Wllama> {
    this.loaded.wllama ??= this.open();
    try {
      return await this.loaded.wllama;
    } catch (error) {
      this.loaded.wllama = undefined;
      throw error;
    }
  }

  private async open(): Promise<Wllama> {
    const { file, chatTemplate, context = CONTEXT, threads } = this.options;
    const blob = typeof file === "string" ? await fetchFile(file) : file;
    if ((await blob.slice(0, MAGIC.length).text()) !== MAGIC)
      throw new Error("the model's file is no GGUF file: it does not begin with these letters");
    // It is large, and few pages want it.
    const { Wllama } = await import("@wllama/wllama/esm/index.js");
    const wllama = new Wllama({ default: assetUrl(assets.wllama) }, { logger: listening(this.loaded) });
    // Its way for other engines would load code from somewhere else.
    wllama.setCompat(null);
    try {
      await wllama.loadModel([blob], {
        n_ctx: context,
        log_level: ERRORS,
        jinja: true,
        ...(chatTemplate !== undefined && { chat_template: chatTemplate }),
        ...(threads !== undefined && { n_threads: threads }),
      });
      // For some files it does not say that it failed.
      if (!wllama.getLoadedContextInfo().n_vocab) throw new Error("llama.cpp does not understand it");
    } catch (error) {
      await wllama.exit();
      throw new Error(
        `the model's file could not be loaded: ${this.loaded.said || (error as Error).message}`,
      );
    }
    return wllama;
  }
}

function listening(loaded: Loaded): WllamaLogger {
  const ignore = () => {};
  const error = (text: unknown) => {
    if (typeof text === "string" && !text.startsWith("Stack trace")) loaded.said = text.trim();
  };
  return { debug: ignore, log: ignore, warn: ignore, error };
}

function unload(loaded: Loaded): void {
  loaded.wllama?.then(
    (wllama) => wllama.exit(),
    () => {}, // It was never loaded.
  );
  loaded.wllama = undefined;
}

async function fetchFile(url: string): Promise<Blob> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: the server answered ${response.status}`);
  return response.blob();
}
