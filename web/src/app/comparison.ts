/** How the files as they are differ from a checkpoint. */

import { html, type TemplateResult } from "lit";
import type { Checkpoint, CheckpointDiff } from "../api";
import { nameOf } from "./checkpoint-log";
import { diffLines } from "./diff-lines";
import { bytes, plural, visible } from "./format";
import { icon } from "./icons";

type FileDiff = CheckpointDiff["files"][number];

/** Files that are shown, of which the first are open, and characters of each diff. */
const FILES_MOST = 300;
const OPEN_MOST = 10;
const SHOWN_MOST = 20_000;

export function comparison(
  checkpoint: Checkpoint,
  { files }: CheckpointDiff,
  close: () => void,
): TemplateResult {
  const left = files.length - FILES_MOST;
  return html`<div class="comparison" role="group" aria-label="Comparison">
    <div class="comparison-head">
      <button class="quiet" type="button" aria-label="Back to the list" title="Back to the list" @click=${close}>${icon("back")}</button>
      <p>
        From <strong>${visible(nameOf(checkpoint))}</strong> to the files now:
        ${files.length ? `${plural(files.length, "path")} changed` : "nothing changed"}
      </p>
    </div>
    ${files.slice(0, FILES_MOST).map(fileDiff)}
    ${left > 0 ? html`<p class="muted">${plural(left, "more path")} not shown</p>` : null}
  </div>`;
}

function fileDiff(file: FileDiff, index: number): TemplateResult {
  const { path, change, kind, oldSize, newSize, text } = file;
  const sizes = [oldSize, newSize].filter((size) => typeof size === "number").map(bytes);
  return html`<details ?open=${index < OPEN_MOST}>
    <summary>
      <span class="change ${change}">${change}</span> <bdi title=${visible(path)}>${visible(path)}</bdi>
      <span class="muted">${kind === "file" ? sizes.join(" → ") : kind}</span>
    </summary>
    ${
      text
        ? html`<pre tabindex="0">${diffLines(text.slice(0, SHOWN_MOST))}</pre>
            ${text.length > SHOWN_MOST ? html`<p class="muted">${plural(text.length - SHOWN_MOST, "more character")} not shown</p>` : null}`
        : html`<p class="muted">${why(file)}</p>`
    }
  </details>`;
}

/** Why there is no diff of the text. */
function why({ kind, change }: FileDiff): string {
  if (kind !== "file") return `A ${kind} was ${change}`;
  return "No text to compare: binary, too large, empty, or the same but for its attributes";
}
