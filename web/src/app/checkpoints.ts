/** The checkpoints: states of the files to go back to. */

import { html, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { Checkpoint, CheckpointDiff, Sandbox } from "../api";
import { CheckpointLog, nameOf } from "./checkpoint-log";
import { comparison } from "./comparison";
import { Pane } from "./element";
import { moment, plural, visible } from "./format";
import { type IconName, icon } from "./icons";
import { Follow } from "./observable";
import { paneSwitch } from "./pane-switch";
import { RowWindow } from "./row-window";

const ROW_HEIGHT = 46;

@customElement("inb-checkpoints")
export class Checkpoints extends Pane {
  readonly label = "Checkpoints";
  readonly symbol = "layers";
  /** Whether another tab writes and this one cannot. */
  @property({ type: Boolean }) looking = false;
  @state() private log: CheckpointLog | undefined;
  /** What is compared with the files. */
  @state() private compared: { checkpoint: Checkpoint; diff: CheckpointDiff } | undefined;
  @query("input") private field!: HTMLInputElement;
  #window = new RowWindow(this, ROW_HEIGHT, () => this.querySelector(".checkpoint-scroll"));

  constructor() {
    super();
    new Follow(this, () => this.log);
  }

  protected override opened(sandbox: Sandbox): () => void {
    const log = new CheckpointLog(sandbox);
    this.log = log;
    return () => log.close();
  }

  protected override render() {
    const { log, compared } = this;
    return html`${this.header(null, this.#actions(), paneSwitch("checkpoints"))}
      <div class="pane-body checkpoint-body">
        ${log?.failure ? this.#failure(log) : null}
        ${
          compared
            ? comparison(compared.checkpoint, compared.diff, () => {
                this.compared = undefined;
              })
            : html`${this.looking ? null : this.#form()} ${this.#list(log?.entries)}`
        }
      </div>`;
  }

  #actions(): TemplateResult | null {
    if (this.looking) return null;
    return html`${this.#button("Undo", "undo", "Go back to the state before", () => this.log?.undo())}
      ${this.#button("Redo", "redo", "Take the last undo or restore back", () => this.log?.redo())}`;
  }

  #form(): TemplateResult {
    return html`<form class="checkpoint-form" @submit=${this.#create}>
      <input type="text" aria-label="Label" placeholder="Label, if you like" maxlength="200" autocomplete="off" />
      <button type="submit" ?disabled=${!this.log || this.log.busy}>Create checkpoint</button>
    </form>`;
  }

  #failure(log: CheckpointLog): TemplateResult {
    return html`<div class="pane-notice failed" role="alert">
      <p>${log.failure}</p>
      <button class="quiet small" type="button" aria-label="Dismiss" @click=${() => log.dismiss()}>${icon("cross")}</button>
    </div>`;
  }

  #list(entries: Checkpoint[] | undefined): TemplateResult {
    if (!entries?.length)
      return html`<div class="checkpoint-scroll">
        <p class="empty">${entries ? html`${icon("layers")}A checkpoint is a state of all files that you can go back to` : ""}</p>
      </div>`;
    const { first, end } = this.#window.range(entries.length);
    return html`<div class="checkpoint-scroll">
      <div style="height:${entries.length * ROW_HEIGHT}px">
        <ol style="transform:translateY(${first * ROW_HEIGHT}px)">
          ${repeat(
            entries.slice(first, end),
            ({ id }) => id,
            (each, index) => this.#entry(each, first + index, entries.length),
          )}
        </ol>
      </div>
    </div>`;
  }

  #entry(each: Checkpoint, index: number, count: number): TemplateResult {
    const current = each.id === this.log?.current;
    const name = visible(nameOf(each));
    const facts = [
      plural(each.changed, "changed path"),
      each.label && each.summary,
      each.turnId && `turn ${each.turnId}`,
      each.toolCallId && `call ${each.toolCallId}`,
    ].filter(Boolean);
    return html`<li
      class="checkpoint ${current ? "current" : ""}"
      aria-posinset=${index + 1}
      aria-setsize=${count}
      aria-current=${current}
    >
      <div class="checkpoint-text">
        <div>
          <bdi id="checkpoint-${each.id}" title=${name}>${name}</bdi>${current ? html`<span class="badge ok">Current</span>` : null}
        </div>
        <div class="muted">
          <time datetime=${new Date(each.created).toISOString()}>${moment(each.created)}</time>
          <span title=${facts.join(" · ")}>${facts.join(" · ")}</span>
        </div>
      </div>
      ${this.#button("Compare", "compare", "Compare with the files as they are now", () => this.#compare(each), each)}
      ${this.looking ? null : this.#button("Restore", "history", "Bring all files back to this state", () => this.log?.restore(each.id), each)}
      ${this.looking ? null : this.#button("Delete", "trash", "Forget this checkpoint; no file changes", () => this.log?.prune(each.id), each)}
    </li>`;
  }

  #button(
    name: string,
    symbol: IconName,
    title: string,
    act: () => unknown,
    of?: Checkpoint,
  ): TemplateResult {
    return html`<button
      class="quiet"
      type="button"
      aria-label=${name}
      aria-describedby=${of ? `checkpoint-${of.id}` : ""}
      title=${title}
      ?disabled=${!this.log || this.log.busy}
      @click=${act}
    >
      ${icon(symbol)}
    </button>`;
  }

  #create = async (event: Event) => {
    event.preventDefault();
    const { field } = this;
    if (await this.log?.create(field.value.trim())) field.value = "";
  };

  async #compare(checkpoint: Checkpoint): Promise<void> {
    const diff = await this.log?.compare(checkpoint.id);
    this.compared = diff && { checkpoint, diff };
  }
}
