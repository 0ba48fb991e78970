/** What is to be said of the file in the editor. */

import { html, type TemplateResult } from "lit";
import type { Draft } from "./drafts";
import type { LockState } from "./lock-state";

/** Why a file cannot be edited; null where it can. */
export function whyReadOnly(path: string, locks: LockState | undefined): string | null {
  const lock = locks?.of(path);
  if (lock)
    return `Locked by ${lock.by}${lock.reason ? ` (${lock.reason})` : ""}: nobody can change it until it is unlocked.`;
  if (locks?.looking) return "You are looking on: nothing can be changed in this tab.";
  return locks?.readOnly ? "The sandbox is read-only: nothing can be changed until the switch is off." : null;
}

export function conflictNote(
  conflict: Draft["conflict"],
  keep: () => void,
  take: () => void,
): TemplateResult | null {
  if (!conflict) return null;
  return html`<div class="pane-notice" role="alert">
    <p>This file was ${conflict} by somebody else while you were editing it. Your edits are not saved.</p>
    <button class="small" type="button" @click=${keep}>Keep mine</button>
    <button class="small" type="button" @click=${take}>Take theirs</button>
  </div>`;
}
