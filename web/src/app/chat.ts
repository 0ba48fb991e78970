/** The chat: the conversation, and the field that carries it on. */

import { html, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { Composer } from "./composer";
import "./composer";
import type { Conversation } from "./conversation";
import { Pane } from "./element";
import { icon, MARK } from "./icons";
import "./message";
import { nameOf } from "./model-apis";
import { Follow } from "./observable";
import type { Preferences } from "./preferences";
import type { Entry } from "./transcript";
import { measures } from "./usage";

const SUGGESTIONS = [
  "Build a pomodoro timer in React",
  "Make a page that draws my CSV as a chart",
  "Look around in the project and explain it",
];

/** Closer to the end than this, in pixels, counts as there. */
const NEAR = 48;

@customElement("inb-chat")
export class Chat extends Pane {
  readonly label = "Chat";
  readonly symbol = "chat";
  @property({ attribute: false }) conversation!: Conversation;
  @property({ attribute: false }) preferences!: Preferences;
  @state() private atEnd = true;
  @query(".chat-scroll") private scroller!: HTMLElement;
  @query(".chat-log") private log!: HTMLElement;
  @query("inb-composer") private composer!: Composer;
  #top = 0;
  #growth = new ResizeObserver(() => this.atEnd && this.#toEnd());

  constructor() {
    super();
    new Follow(this, () => this.conversation);
    new Follow(this, () => this.preferences);
  }

  override firstUpdated(): void {
    this.#growth.observe(this.log);
    this.#growth.observe(this.scroller);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#growth.disconnect();
  }

  protected override render() {
    const { entries, running } = this.conversation;
    const clear = html`<button
      class="quiet"
      type="button"
      aria-label="New chat"
      title="New chat"
      ?disabled=${running || !entries.length}
      @click=${() => this.conversation.clear()}
    >
      ${icon("plus")}
    </button>`;
    return html`${this.header(null, clear)}
      <div class="chat-scroll" @scroll=${this.#scrolled}>
        <div class="chat-log" role="log" aria-label="Conversation">
          ${entries.length ? repeat(entries, (entry) => entry, entryView) : this.#welcome()}
        </div>
      </div>
      ${
        this.atEnd
          ? null
          : html`<button class="to-end" type="button" @click=${this.#toEnd}>${icon("arrowDown")}Latest</button>`
      }
      <inb-composer
        .running=${running}
        .hint=${this.#hint()}
        @send=${(event: CustomEvent<string>) => this.#send(event.detail)}
        @halt=${() => this.conversation.stop()}
      ></inb-composer>`;
  }

  #welcome(): TemplateResult {
    return html`<div class="welcome">
      ${MARK}
      <h2>Build something in this tab</h2>
      <p>
        An agent writes, runs and previews an app in a sandbox that lives inside this page. No server, nothing to
        install, and it works offline.
      </p>
      <button class="primary big" type="button" @click=${this.#demo}>${icon("play")}Run demo</button>
      <div class="suggestions">
        <p>Or connect a model and ask</p>
        ${SUGGESTIONS.map(
          (text) => html`<button type="button" @click=${() => this.composer.suggest(text)}>${text}</button>`,
        )}
      </div>
    </div>`;
  }

  #hint(): TemplateResult {
    const name = nameOf(this.preferences.model);
    const connect = html`<button class="link" type="button" @click=${this.#connect}>
      ${name ? "Change" : "Connect a model"}
    </button>`;
    const { usage } = this.conversation;
    const answers = name || "No model yet: replies are scripted.";
    return html`<div class="answers"><span title=${answers}>${answers}</span>${connect}</div>
      ${usage?.outputTokens == null ? null : html`<span class="usage" title="This chat so far">Session: ${measures(usage)}</span>`}`;
  }

  #send(text: string): void {
    this.atEnd = true;
    void this.conversation.send(text);
  }

  #demo = () => {
    this.dispatchEvent(new CustomEvent("run-demo", { bubbles: true }));
  };

  #connect = () => {
    this.dispatchEvent(new CustomEvent("open-settings", { bubbles: true }));
  };

  #scrolled = () => {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    if (scrollHeight - scrollTop - clientHeight < NEAR) this.atEnd = true;
    else if (scrollTop < this.#top) this.atEnd = false; // Only the visitor scrolls up; text grows downwards.
    this.#top = scrollTop;
  };

  #toEnd = () => {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  };
}

function entryView(entry: Entry): TemplateResult {
  return entry.kind === "question"
    ? html`<article class="question" aria-label="You">${entry.text}</article>`
    : html`<inb-reply .reply=${entry}></inb-reply>`;
}
