/** A unified diff, line by line in its colours. */

import { html, type TemplateResult } from "lit";

export function diffLines(diff: string): TemplateResult[] {
  return diff.split("\n").map((line) => html`<span class=${kindOf(line)}>${line}\n</span>`);
}

function kindOf(line: string): string {
  if (line.startsWith("+++") || line.startsWith("---")) return "diff-file";
  if (line.startsWith("@@")) return "diff-place";
  if (line.startsWith("+")) return "diff-added";
  return line.startsWith("-") ? "diff-removed" : "diff-same";
}
