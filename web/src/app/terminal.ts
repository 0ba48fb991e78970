/** A terminal on the sandbox's shell, for the visitor. */

import type { Terminal as Screen } from "@xterm/xterm";
import { html } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import type { Sandbox } from "../api";
import { Pane } from "./element";
import { icon } from "./icons";
import { ShellPrompt } from "./shell-prompt";

@customElement("inb-terminal")
export class Terminal extends Pane {
  readonly label = "Terminal";
  readonly symbol = "terminal";
  @query(".terminal-place") private place!: HTMLElement;
  /** Why there is no terminal. */
  @state() private failure = "";
  readonly #screen: Promise<Screen> = import("./terminal-view").then(async ({ openTerminal }) => {
    await this.updateComplete;
    return openTerminal(this.place, () => this.#prompt?.takesTab ?? false);
  });
  #prompt: ShellPrompt | undefined;
  /** Resolves when it can take keys, or is known not to. */
  readonly loaded: Promise<unknown> = this.#screen.catch((error: unknown) => {
    this.failure = `The terminal could not be loaded: ${error instanceof Error ? error.message : error}`;
  });

  protected override opened(sandbox: Sandbox): () => void {
    const prompt = this.#screen.then((screen) => {
      this.#prompt = new ShellPrompt(screen, sandbox);
      return this.#prompt;
    });
    prompt.catch(() => {});
    return () => void prompt.then((ended) => ended.close()).catch(() => {});
  }

  protected override render() {
    const clear = html`<button
      class="quiet"
      type="button"
      aria-label="Clear terminal"
      title="Clear"
      @click=${() => this.#screen.then((screen) => screen.input("\x0c"))}
    >
      ${icon("trash")}
    </button>`;
    return html`${this.header(null, clear)}
      <div class="pane-body terminal-body" @click=${this.#focus}><div class="terminal-place"></div>
        ${this.failure ? html`<p class="empty">${this.failure}</p>` : null}
      </div>`;
  }

  #focus = () => {
    void this.#screen.then((screen) => screen.focus());
  };
}
