/** How far a download or upload is, and what went wrong with the last one. */

import { html, nothing, type TemplateResult } from "lit";
import { bytes } from "./format";
import { icon } from "./icons";
import type { Transfers } from "./transfers";

export function transferState(transfers: Transfers): TemplateResult | null {
  if (transfers.running) return bar(transfers);
  return transfers.failure ? failure(transfers) : null;
}

function bar({ running, progress }: Transfers): TemplateResult {
  const { filesDone = 0, filesTotal = 0, bytesDone = 0, bytesTotal = 0 } = progress ?? {};
  // Of many empty files the number tells more than the bytes.
  const part = bytesTotal ? bytesDone / bytesTotal : filesTotal ? filesDone / filesTotal : 0;
  const amount = filesTotal ? `${bytes(bytesDone)} of ${bytes(bytesTotal)}` : "";
  return html`<div class="transfer">
    <div
      class="bar"
      role="progressbar"
      aria-label=${running}
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow=${filesTotal ? Math.round(part * 100) : nothing}
      aria-valuetext=${amount || running}
    >
      <span style="transform:scaleX(${part})"></span>
    </div>
    <div class="boot-text" aria-hidden="true"><span>${amount || running}</span></div>
  </div>`;
}

function failure(transfers: Transfers): TemplateResult {
  return html`<div class="transfer error-card" role="alert">
    ${icon("alert")}
    <div>
      <p>${transfers.failure}</p>
      <div class="transfer-actions">
        ${
          transfers.replace
            ? html`<button class="small" type="button" @click=${() => transfers.replace?.()}>Replace</button>`
            : null
        }
        <button class="small" type="button" @click=${() => transfers.dismiss()}>Dismiss</button>
      </div>
    </div>
  </div>`;
}
