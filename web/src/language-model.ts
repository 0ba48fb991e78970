/** The browser's own model (https://webmachinelearning.github.io/prompt-api/), where it has one. */

import type { OnDeviceModel } from "./on-device";

interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

interface Session {
  promptStreaming(text: string, options: { signal: AbortSignal }): ReadableStream<string>;
  readonly inputUsage?: number;
  destroy(): void;
}

interface Prompts {
  availability(): Promise<"unavailable" | "downloadable" | "downloading" | "available">;
  create(options: {
    initialPrompts: Message[];
    temperature?: number;
    topK?: number;
    signal: AbortSignal;
  }): Promise<Session>;
  params?(): Promise<{ defaultTopK: number } | null>;
}

export const browsersModel: OnDeviceModel = {
  async *ask(body: string, signal: AbortSignal): AsyncGenerator<string> {
    const prompts = (globalThis as { LanguageModel?: Prompts }).LanguageModel;
    if (!prompts) throw new Error("this browser has no model of its own (LanguageModel)");
    if ((await prompts.availability()) === "unavailable")
      throw new Error("this browser's own model (LanguageModel) does not run on this device");
    const { messages, temperature } = JSON.parse(body) as { messages: Message[]; temperature?: number };
    const session = await prompts.create({
      initialPrompts: messages.slice(0, -1),
      signal,
      ...(temperature !== undefined && { temperature, topK: (await prompts.params?.())?.defaultTopK ?? 3 }),
    });
    try {
      const reader = session.promptStreaming(messages.at(-1)?.content ?? "", { signal }).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read())
        yield event({ text: piece.value });
      yield event({ done: true, inputTokens: session.inputUsage });
    } finally {
      session.destroy();
    }
  },
};

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}
