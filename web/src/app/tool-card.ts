/** One tool call in the chat: what was asked, how it goes, what came back. */

import { html, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { copyButton } from "./code-block";
import { diffLines } from "./diff-lines";
import { LightElement } from "./element";
import { duration, oneLine, plural } from "./format";
import { icon } from "./icons";
import { Follow } from "./observable";
import type { ToolPart } from "./transcript";

/** Characters of a text that are shown at first, and at most. */
const SHOWN_FIRST = 1500;
const SHOWN_MOST = 200_000;

/** Arguments that say most about a call, in this order. */
const TELLING = ["path", "command", "pattern", "entry", "url", "name"];

@customElement("inb-tool")
export class ToolCard extends LightElement {
  @property({ attribute: false }) item!: ToolPart;
  @state() private open = false;
  @state() private whole = new Set<string>();

  constructor() {
    super();
    new Follow(this, () => this.item);
  }

  protected override render() {
    const { item, open } = this;
    return html`<div class="tool ${item.state}">
      <button class="tool-head" type="button" aria-expanded=${open} @click=${this.#toggle}>
        ${stateIcon(item)}
        <span class="tool-name">${item.name}</span>
        <span class="tool-arguments">${gist(item.arguments)}</span>
        <span class="tool-time">${item.unfinished || item.state === "stopped" ? "" : duration(item.durationMs)}</span>
        <span class="twist">${icon("chevron")}</span>
      </button>
      ${item.summary && !open ? html`<div class="tool-summary">${oneLine(item.summary, 240)}</div>` : null}
      ${open ? this.#body() : null}
    </div>`;
  }

  #body(): TemplateResult {
    const { item } = this;
    const { diff } = item.details;
    const named = Object.entries(item.arguments);
    return html`<div class="tool-body">
      <h3>Arguments</h3>
      ${
        named.length
          ? html`<dl>${named.map(([name, value]) => html`<dt>${name}</dt><dd>${this.#value(name, value)}</dd>`)}</dl>`
          : html`<p class="muted">none</p>`
      }
      ${
        item.text
          ? html`<h3>Result ${copyButton(() => item.text)}</h3>
            ${typeof diff === "string" ? html`<p>${item.summary}</p>${this.#clipped("diff", diff, diffLines)}` : this.#clipped("result", item.text)}`
          : null
      }
    </div>`;
  }

  #value(name: string, value: unknown): TemplateResult {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
    return text.includes("\n") || text.length > 120 ? this.#clipped(name, text) : html`<code>${text}</code>`;
  }

  /** A text of which the DOM holds only a part until the rest is asked for. */
  #clipped(name: string, text: string, show: (text: string) => unknown = (plain) => plain): TemplateResult {
    const most = this.whole.has(name) ? SHOWN_MOST : SHOWN_FIRST;
    const left = text.length - most;
    const more = () => {
      this.whole = new Set([...this.whole, name]);
    };
    return html`<pre tabindex="0">${show(left > 0 ? text.slice(0, most) : text)}</pre>
      ${
        left > 0 && most === SHOWN_FIRST
          ? html`<button class="quiet small" type="button" @click=${more}>Show all (${plural(text.length, "character")})</button>`
          : null
      }
      ${left > 0 && most === SHOWN_MOST ? html`<p class="muted">${plural(left, "more character")} not shown</p>` : null}`;
  }

  #toggle = () => {
    this.open = !this.open;
  };
}

function stateIcon({ state }: ToolPart): TemplateResult {
  switch (state) {
    case "announced":
    case "running":
      return html`<span class="spinner" role="img" aria-label="running"></span>`;
    case "ok":
      return html`<span class="tool-state" role="img" aria-label="ok">${icon("check")}</span>`;
    case "failed":
      return html`<span class="tool-state" role="img" aria-label="failed">${icon("cross")}</span>`;
    case "stopped":
      return html`<span class="tool-state" role="img" aria-label="interrupted">${icon("stop")}</span>`;
  }
}

/** The arguments in a few words. */
function gist(named: Record<string, unknown>): string {
  const telling = TELLING.filter((name) => typeof named[name] === "string" && named[name]);
  if (telling.length) return oneLine(telling.map((name) => named[name]).join("  "), 160);
  return Object.keys(named).length ? oneLine(JSON.stringify(named), 160) : "";
}
