/** The sandbox's events as the timeline shows them. */

import type { SandboxEvent } from "../api";
import { Observable } from "./observable";

/** More are forgotten, the oldest first. */
const KEPT = 5000;

export const GROUPS = ["Files", "Runs", "Tools", "Checkpoints", "Preview", "Errors"] as const;
export type Group = (typeof GROUPS)[number];

/** One line of the timeline. */
export interface LogRow {
  event: SandboxEvent;
  group: Group;
  /** Output of a run that came in several pieces without anything between. */
  output: string;
}

/** The latest events, oldest first. */
export class EventLog extends Observable {
  readonly rows: LogRow[] = [];
  /** When the first event happened, ms since the epoch. */
  start = 0;
  readonly counts = Object.fromEntries(GROUPS.map((group) => [group, 0])) as Record<Group, number>;

  add(event: SandboxEvent): void {
    if (event.type === "storage") return; // The top bar tells; what went wrong comes as an error, too.
    if (!this.start) this.start = event.timestamp;
    const last = this.rows.at(-1);
    if (
      event.type === "run:output" &&
      last?.event.type === "run:output" &&
      last.event.runId === event.runId
    ) {
      if (last.output.length < 4000) last.output += event.text;
      this.changed();
      return;
    }
    if (
      event.type === "archive:progress" &&
      last?.event.type === "archive:progress" &&
      last.event.archiveId === event.archiveId
    ) {
      last.event = event;
      this.changed();
      return;
    }
    const group = groupOf(event);
    this.counts[group]++;
    this.rows.push({ event, group, output: event.type === "run:output" ? event.text : "" });
    if (this.rows.length > KEPT * 1.1) {
      for (const row of this.rows.splice(0, this.rows.length - KEPT)) this.counts[row.group]--;
    }
    this.changed();
  }
}

function groupOf(event: SandboxEvent): Group {
  if (event.type === "file" || event.type === "archive:progress") return "Files";
  if (event.type.startsWith("run:")) return "Runs";
  if (event.type.startsWith("tool:")) return "Tools";
  if (event.type.startsWith("checkpoint:")) return "Checkpoints";
  if (event.type === "error" || event.type === "preview:error") return "Errors";
  return event.type === "destroyed" || event.type === "kernel:restart" ? "Errors" : "Preview";
}
