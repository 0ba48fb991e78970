/** Whether what was done is saved: a word in the top bar, and a notice where there is something to do about it. */

import { html, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { LightElement } from "./element";
import { plural, visible } from "./format";
import { icon } from "./icons";
import type { LockState } from "./lock-state";
import { Follow } from "./observable";
import type { Workspace } from "./workspace";

/** Paths that a notice names. */
const NAMED_MOST = 5;

/** The place in the top bar. */
@customElement("inb-saved")
export class Saved extends LightElement {
  @property({ attribute: false }) workspace!: Workspace;

  constructor() {
    super();
    new Follow(this, () => this.workspace);
  }

  protected override render() {
    const { phase, keeping, saved, problem } = this.workspace;
    if (phase !== "ready") return null;
    if (keeping === "looking") return state("waiting", "Looking on");
    if (keeping === "memory") return state("failed", "Not kept");
    if (problem) return state("failed", "Not saved", problem);
    return saved ? state("ready", "Saved") : state("waiting", "Saving");
  }
}

function state(tone: string, text: string, why = ""): TemplateResult {
  return html`<div role="status" class="boot-state saved-state ${tone}" title=${why || text}>
    <i></i><span>${text}${why ? html`<span class="why">: ${why}</span>` : null}</span>
  </div>`;
}

/** Bars below the top bar. */
@customElement("inb-notices")
export class Notices extends LightElement {
  @property({ attribute: false }) workspace!: Workspace;
  @property({ attribute: false }) locks: LockState | undefined;

  constructor() {
    super();
    new Follow(this, () => this.workspace);
    new Follow(this, () => this.locks);
  }

  protected override render() {
    const { phase, keeping, notKeptBecause, problem, restarted } = this.workspace;
    if (phase !== "ready") return null;
    return html`${keeping === "looking" ? this.#looking() : null}
      ${
        restarted
          ? notice(
              "waiting",
              html`<strong>Python crashed and was restarted.</strong> Files and checkpoints are as they were last saved;
                commands and answers that were under way have ended. <span class="muted">${restarted}</span>`,
              { name: "Dismiss", act: () => this.workspace.dismissRestart() },
            )
          : null
      }
      ${
        keeping === "memory"
          ? notice(
              "failed",
              html`<strong>Nothing will be kept.</strong> When this page is closed or reloaded, its files and
                checkpoints are gone; Download in Files saves them. <span class="muted">${notKeptBecause}</span>`,
            )
          : null
      }
      ${
        problem
          ? notice(
              "failed",
              html`<strong>Not saved: ${problem}.</strong> The files are still here in this tab, and saving is tried
                again by itself. To be safe, save them with Download in Files before this page is closed.`,
            )
          : null
      }
      ${
        this.locks?.failure
          ? notice("failed", this.locks.failure, {
              name: "Dismiss",
              act: () => this.locks?.dismiss(),
            })
          : null
      }`;
  }

  #looking(): TemplateResult {
    const { damaged = [] } = this.workspace.sandbox ?? {};
    const more = damaged.length > NAMED_MOST ? ` and ${plural(damaged.length - NAMED_MOST, "other")}` : "";
    const text = damaged.length
      ? html`<strong>${plural(damaged.length, "file")} cannot be read:</strong>
          ${damaged.slice(0, NAMED_MOST).map(visible).join(", ")}${more}. This is what can be; nothing was changed or deleted.
          Download in Files saves it.`
      : html`<strong>You are looking on.</strong> You see the files as they are saved, and can change nothing here.`;
    return notice("waiting", text, { name: "Try again", act: () => location.reload() });
  }
}

function notice(tone: string, text: unknown, action?: { name: string; act: () => void }): TemplateResult {
  return html`<div class="notice ${tone}" role=${tone === "failed" ? "alert" : "note"}>
    ${icon(tone === "failed" ? "alert" : "preview")}
    <p>${text}</p>
    ${action ? html`<button class="small" type="button" @click=${action.act}>${action.name}</button>` : null}
  </div>`;
}
