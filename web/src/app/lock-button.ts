/** The mark of what is locked, which locks and unlocks. */

import { html, type TemplateResult } from "lit";
import { visible } from "./format";
import { icon } from "./icons";
import type { LockState } from "./lock-state";

/** A button for a path; `mark` shows it as part of a row, out of the way of the keyboard. */
export function lockButton(
  locks: LockState | undefined,
  path: string,
  { mark = false } = {},
): TemplateResult | null {
  if (!locks) return null;
  const lock = locks.of(path);
  if (locks.looking)
    return mark && lock
      ? html`<span class="lock-mark" title=${titleOf(path, lock.by)}>${icon("lock")}</span>`
      : null;
  const elsewhere =
    lock && lock.pattern.replace(/^\//, "") !== path ? ` together with ${visible(lock.pattern)}` : "";
  return html`<button
    class="quiet ${mark ? "lock-mark" : ""} ${lock ? "locked" : ""}"
    type="button"
    tabindex=${mark ? -1 : 0}
    aria-label=${lock ? "Unlock" : "Lock"}
    title=${lock ? `${titleOf(path, lock.by)}: unlock${elsewhere}` : `Lock ${visible(path)}: nobody can change it, the agent included`}
    @click=${(event: Event) => {
      event.stopPropagation();
      void locks.toggle(path);
    }}
  >
    ${icon(lock ? "lock" : "unlocked")}
  </button>`;
}

function titleOf(path: string, by: string): string {
  return `${visible(path)} is locked by ${by}`;
}
