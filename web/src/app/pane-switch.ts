/** Two regions that share one place where everything is in sight: which of them is there. */

import { html, type TemplateResult } from "lit";

const SHARED = { timeline: "Timeline", checkpoints: "Checkpoints" } as const;

export type SharedPane = keyof typeof SHARED;

/** What stands in the place of a region's heading. Fires `show-pane` with the name of the other one. */
export function paneSwitch(shown: SharedPane): TemplateResult {
  const other = shown === "timeline" ? "checkpoints" : "timeline";
  return html`<h2>${SHARED[shown]}</h2>
    <button
      class="quiet small pane-switch"
      type="button"
      @click=${(event: Event) =>
        event.target?.dispatchEvent(new CustomEvent("show-pane", { detail: other, bubbles: true }))}
    >
      ${SHARED[other]}
    </button>`;
}
