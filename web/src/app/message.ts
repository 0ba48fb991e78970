/** The entries of the chat: a question as it was put, and a reply made of parts. */

import { html, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import { LightElement } from "./element";
import { duration, oneLine, plural } from "./format";
import { icon } from "./icons";
import { Follow } from "./observable";
import "./text-part";
import "./tool-card";
import type { CheckPart, EndPart, ErrorPart, Part, Reply, TurnPart } from "./transcript";
import { measures } from "./usage";

/** Parts in a group. */
const GROUP = 20;

/** Why a run ended, where that is not the usual end. */
const STOPS: Record<EndPart["stop"], string> = {
  end: "",
  cancelled: "Stopped",
  max_turns: "Stopped: the limit of turns is reached. Send a message to go on",
  length: "Cut off: the reply reached the model's length limit",
  refusal: "The model declined to go on",
};

/** What to do about an error of the model. */
const ADVICE: Record<string, string> = {
  auth: "Check the API key in the settings.",
  quota: "The account behind the key has no credit left.",
  rate_limit: "The server asks for patience; send the message again in a while.",
  network: "Is the server running, and does it allow requests from this page (CORS)?",
  context: "Start a new chat, or choose a model with a longer context.",
};

@customElement("inb-reply")
export class ReplyElement extends LightElement {
  @property({ attribute: false }) reply!: Reply;

  constructor() {
    super();
    new Follow(this, () => this.reply);
  }

  protected override render() {
    const { parts, done } = this.reply;
    const last = parts.at(-1);
    const waiting = !done && (!last || last.kind === "turn" || last.kind === "retry");
    return html`<article class="reply" aria-label="Assistant" aria-busy=${!done}>
      ${groups(parts).map((group) => html`<div class="parts">${repeat(group, (part) => part, shown)}</div>`)}
      ${waiting ? html`<div class="waiting" role="img" aria-label="Waiting for the model"><i></i><i></i><i></i></div>` : null}
    </article>`;
  }
}

/** Parts in groups of a fixed size: a group out of sight costs the browser next to nothing. */
function groups(parts: Part[]): Part[][] {
  return Array.from({ length: Math.ceil(parts.length / GROUP) }, (_, at) =>
    parts.slice(at * GROUP, (at + 1) * GROUP),
  );
}

function shown(part: Part): TemplateResult | null {
  switch (part.kind) {
    case "text":
      return html`<inb-text .item=${part}></inb-text>`;
    case "thinking":
      return html`<inb-thinking .item=${part}></inb-thinking>`;
    case "tool":
      return html`<inb-tool .item=${part}></inb-tool>`;
    case "turn":
      return turnLine(part);
    case "end":
      return endLine(part);
    case "retry":
      return html`<p class="retry">${icon("reload")} Asking again (attempt ${part.attempt + 1}): ${oneLine(part.reason, 200)}</p>`;
    case "error":
      return errorCard(part);
    case "check":
      return checkLine(part);
  }
}

function turnLine({ metrics }: TurnPart): TemplateResult {
  return html`<p class="turn-line" title="This turn">${measures(metrics, metrics.durationMs)}</p>`;
}

function endLine({ stop, turns, metrics }: EndPart): TemplateResult {
  const facts = [
    turns > 0 ? plural(turns, "turn") : "",
    metrics?.toolCalls ? plural(metrics.toolCalls, "tool call") : "",
  ];
  return html`<p class="end-line ${stop}">
    ${icon(stop === "end" ? "check" : "stop")}
    <span>${STOPS[stop] || "Done"}${metrics?.durationMs ? ` in ${duration(metrics.durationMs)}` : ""}</span>
    <span class="muted">${facts.filter(Boolean).join(" · ")}</span>
  </p>`;
}

function errorCard({ name, message, reason }: ErrorPart): TemplateResult {
  return html`<div class="error-card" role="group" aria-label="Error">
    ${icon("alert")}
    <div>
      <strong>${name}</strong>
      <p>${message}</p>
      ${ADVICE[reason] ? html`<p class="muted">${ADVICE[reason]}</p>` : null}
    </div>
  </div>`;
}

function checkLine({ report }: CheckPart): TemplateResult {
  const summary = oneLine(report.summary, 400);
  return html`<p class="check-line ${report.ok ? "same" : ""}" title="Compared with the recording of the demo">
    ${icon(report.ok ? "check" : "alert")}
    <span>${report.ok ? summary.replace(/^as/, "As") : `Not as recorded: ${summary}`}</span>
  </p>`;
}
