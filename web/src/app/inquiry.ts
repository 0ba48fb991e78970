/** What the page asks a model's server while the visitor fills in the settings. */

import { Observable } from "./observable";

/** One question at a time, and how it went. */
export class Inquiry extends Observable {
  state: "idle" | "asking" | "ok" | "failed" = "idle";
  /** What is asked, or what came of it. */
  text = "";
  #asked = new AbortController();

  /** Ask. `told` puts an answer into words; a refusal is told, and nothing is returned. */
  async ask<T>(
    text: string,
    question: (signal: AbortSignal) => Promise<T>,
    told: (answer: T) => { ok: boolean; text: string },
  ): Promise<T | undefined> {
    this.stop();
    const { signal } = this.#asked;
    this.#set("asking", text);
    try {
      const answer = await question(signal);
      if (signal.aborted) return undefined;
      const { ok, text } = told(answer);
      this.#set(ok ? "ok" : "failed", text);
      return answer;
    } catch (error) {
      if (!signal.aborted) this.#set("failed", error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** Give up what is asked, and forget what came of the last question. */
  stop(): void {
    this.#asked.abort();
    this.#asked = new AbortController();
    if (this.state !== "idle") this.#set("idle", "");
  }

  #set(state: Inquiry["state"], text: string): void {
    Object.assign(this, { state, text });
    this.changed();
  }
}
