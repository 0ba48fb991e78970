/** What happened in the sandbox, in order, and who did it. */

import { html, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { SandboxEvent } from "../api";
import { nameOf } from "./checkpoint-log";
import { Pane } from "./element";
import { type EventLog, GROUPS, type Group, type LogRow } from "./event-log";
import { bytes, duration, offset, oneLine, originName, plainText, plural, visible } from "./format";
import { type IconName, icon } from "./icons";
import { Follow } from "./observable";
import { paneSwitch } from "./pane-switch";
import { RowWindow } from "./row-window";

const ROW_HEIGHT = 26;
/** Characters of an event's details that are shown. */
const DETAILS_MOST = 20_000;

@customElement("inb-timeline")
export class Timeline extends Pane {
  readonly label = "Timeline";
  readonly symbol = "clock";
  @property({ attribute: false }) log!: EventLog;
  @state() private only: Group | undefined;
  @state() private chosen: LogRow | undefined;
  #window = new RowWindow(this, ROW_HEIGHT, () => this.querySelector(".timeline-scroll"), true);

  constructor() {
    super();
    new Follow(this, () => this.log);
  }

  protected override render() {
    const { log, only, chosen } = this;
    const rows = only ? log.rows.filter((row) => row.group === only) : log.rows;
    const { first, end } = this.#window.range(rows.length);
    return html`${this.header(this.#filters(), null, paneSwitch("timeline"))}
      <div class="pane-body timeline-body">
        ${log.rows.length ? null : html`<p class="empty">${icon("clock")}Every change, run and call shows here</p>`}
        <div class="timeline-scroll" role="group" aria-label="Events" tabindex="0">
          <div style="height:${rows.length * ROW_HEIGHT}px">
            <ol style="transform:translateY(${first * ROW_HEIGHT}px)">
              ${repeat(
                rows.slice(first, end),
                (row) => row,
                (row, index) => this.#row(row, first + index, rows.length),
              )}
            </ol>
          </div>
        </div>
        ${chosen ? this.#details(chosen) : null}
      </div>`;
  }

  #filters(): TemplateResult {
    return html`<div class="filters" role="group" aria-label="Show">
      ${GROUPS.map((group) => {
        const count = this.log.counts[group];
        if (!count && this.only !== group) return nothing;
        return html`<button
          class="chip"
          type="button"
          aria-pressed=${this.only === group}
          @click=${() => {
            this.only = this.only === group ? undefined : group;
          }}
        >
          ${group} <span class="muted">${count}</span>
        </button>`;
      })}
    </div>`;
  }

  #row(row: LogRow, index: number, count: number): TemplateResult {
    const { event } = row;
    const { symbol, text, tone = "" } = story(row);
    return html`<li class="event ${tone}" aria-posinset=${index + 1} aria-setsize=${count}>
      <button
        type="button"
        aria-expanded=${this.chosen === row}
        @click=${() => {
          this.chosen = this.chosen === row ? undefined : row;
        }}
      >
        <time>${offset(event.timestamp - this.log.start)}</time>
        ${icon(symbol)}
        <span class="event-type">${event.type}</span>
        <span class="event-text"><bdi>${text}</bdi></span>
        <span class="event-origin">${"origin" in event ? originName(event.origin) : ""}</span>
        <span class="event-time">${"durationMs" in event ? duration(event.durationMs) : ""}</span>
      </button>
    </li>`;
  }

  #details({ event, output }: LogRow): TemplateResult {
    const text = plainText(output) || JSON.stringify(event, null, 2);
    return html`<div class="event-details">
      <button class="quiet" type="button" aria-label="Close details" @click=${() => {
        this.chosen = undefined;
      }}>
        ${icon("cross")}
      </button>
      <pre tabindex="0">${text.length > DETAILS_MOST ? `${text.slice(0, DETAILS_MOST)}\n…` : text}</pre>
    </div>`;
  }
}

interface Story {
  symbol: IconName;
  text: string;
  tone?: "ok" | "failed";
}

/** An event in a few words. */
function story({ event, output }: LogRow): Story {
  switch (event.type) {
    case "file":
      return { symbol: FILE_SYMBOLS[event.change], text: `${event.change} ${renamed(event)}` };
    case "archive:progress":
      return {
        symbol: event.direction === "export" ? "download" : "upload",
        text: event.error
          ? oneLine(event.error, 200)
          : `${event.direction} ${event.filesDone} of ${plural(event.filesTotal, "file")}, ${bytes(event.bytesDone)}`,
        ...(event.finished && { tone: event.error ? "failed" : "ok" }),
      };
    case "run:start":
      return { symbol: "terminal", text: oneLine(event.command, 200) };
    case "run:output":
      return { symbol: "output", text: oneLine(plainText(output.slice(0, 1000)), 200) };
    case "run:finish":
      return {
        symbol: "terminal",
        text: `exit code ${event.exitCode}`,
        tone: event.exitCode ? "failed" : "ok",
      };
    case "tool:start":
      return { symbol: "tool", text: `${event.name} ${oneLine(JSON.stringify(event.arguments), 200)}` };
    case "tool:finish":
      return {
        symbol: "tool",
        text: oneLine(`${event.name}: ${event.summary}`, 200),
        tone: event.ok ? "ok" : "failed",
      };
    case "checkpoint:create":
      return { symbol: "layers", text: oneLine(nameOf(event.checkpoint), 200) };
    case "checkpoint:restore":
      return { symbol: "history", text: `${plural(event.changed, "path")} changed` };
    case "checkpoint:prune":
      return { symbol: "trash", text: `${plural(event.checkpointIds.length, "checkpoint")} forgotten` };
    case "preview:compile":
      return {
        symbol: "build",
        text: `build ${event.buildId} of ${event.entry}`,
        tone: event.ok ? "ok" : "failed",
      };
    case "preview:console":
      return { symbol: "output", text: `${event.level}: ${oneLine(event.text, 200)}` };
    case "preview:error":
    case "error":
      return { symbol: "alert", text: oneLine(event.message, 200), tone: "failed" };
    case "kernel:restart":
      return { symbol: "reload", text: oneLine(event.reason, 200), tone: "failed" };
    default:
      return { symbol: "stop", text: "" };
  }
}

const FILE_SYMBOLS: Record<Extract<SandboxEvent, { type: "file" }>["change"], IconName> = {
  created: "filePlus",
  deleted: "fileMinus",
  modified: "file",
  renamed: "file",
};

function renamed({ path, oldPath }: { path: string; oldPath?: string | null }): string {
  return oldPath ? `${visible(oldPath)} → ${visible(path)}` : visible(path);
}
