/** The app that was built, live, and what its compiler and console say. */

import { html, type TemplateResult } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import type { Sandbox, SandboxEvent } from "../api";
import { Pane } from "./element";
import { duration, plural } from "./format";
import { icon } from "./icons";

type Compiled = Extract<SandboxEvent, { type: "preview:compile" }>;
type Said = { level: string; text: string };

/** Lines of the console that are kept. */
const CONSOLE_KEPT = 200;

/** Fires `open-file` for a place in a diagnostic. */
@customElement("inb-preview")
export class Preview extends Pane {
  readonly label = "Preview";
  readonly symbol = "preview";
  @state() private last: Compiled | undefined;
  @state() private shown = false;
  @state() private building = false;
  @state() private said: Said[] = [];
  @state() private consoleOpen = false;
  @query(".preview-place") private place!: HTMLElement;
  #mounted: ReturnType<Sandbox["services"]["preview"]["mount"]> | undefined;

  protected override opened(sandbox: Sandbox): () => void {
    const off = sandbox.on((event) => this.#take(event));
    void this.updateComplete.then(() => {
      this.#mounted = sandbox.services.preview.mount(this.place);
    });
    return () => {
      off();
      this.#mounted?.unmount();
      this.#mounted = undefined;
    };
  }

  protected override render() {
    const { last, shown, said } = this;
    const failed = last && !last.ok;
    return html`${this.header(this.#state(), this.#actions())}
      <div class="pane-body preview-body">
        <div class="preview-place" ?hidden=${!shown}></div>
        ${shown || failed ? null : html`<p class="empty">${icon("preview")}What the agent builds runs here</p>`}
        ${failed ? diagnostics(last, this) : null}
        ${
          said.length
            ? html`<div class="console ${this.consoleOpen ? "open" : ""}">
                <button class="console-toggle" type="button" aria-expanded=${this.consoleOpen} @click=${this.#toggle}>
                  <span class="twist">${icon("chevron")}</span>Console <span class="muted">${consoleGist(said)}</span>
                </button>
                ${this.consoleOpen ? html`<ol>${said.map(({ level, text }) => html`<li class=${level}>${text}</li>`)}</ol>` : null}
              </div>`
            : null
        }
      </div>`;
  }

  #state(): TemplateResult | null {
    const { last } = this;
    if (!last) return null;
    const errors = last.diagnostics.filter((item) => item.severity === "error").length;
    return last.ok
      ? html`<span class="badge ok">${icon("check")}Built in ${duration(last.durationMs)}</span>`
      : html`<span class="badge failed">${icon("cross")}${errors ? plural(errors, "error") : "Failed"}</span>`;
  }

  #actions(): TemplateResult {
    return html`<button
        class="quiet"
        type="button"
        aria-label="Build the project"
        title="Build the project"
        ?disabled=${!this.sandbox || this.building}
        @click=${this.#build}
      >
        ${icon("build")}
      </button>
      <button
        class="quiet"
        type="button"
        aria-label="Reload the app"
        title="Reload the app"
        ?disabled=${!this.shown}
        @click=${() => this.#mounted?.reload()}
      >
        ${icon("reload")}
      </button>`;
  }

  #take(event: SandboxEvent): void {
    if (event.type === "preview:compile") {
      this.last = event;
      if (event.ok) {
        this.shown = true;
        this.said = [];
      }
    } else if (event.type === "preview:console") this.#say(event.level, event.text);
    else if (event.type === "preview:error") {
      const place = event.file ? ` (${event.file}${event.line ? `:${event.line}` : ""})` : "";
      this.#say("error", event.message + place);
    }
  }

  #say(level: string, text: string): void {
    this.said = [...this.said.slice(1 - CONSOLE_KEPT), { level, text }];
  }

  #build = async () => {
    this.building = true;
    try {
      await this.sandbox?.services.preview.compile();
    } catch (error) {
      this.#say("error", error instanceof Error ? error.message : String(error));
    }
    this.building = false;
  };

  #toggle = () => {
    this.consoleOpen = !this.consoleOpen;
  };
}

function diagnostics({ diagnostics: found, entry }: Compiled, host: HTMLElement): TemplateResult {
  const open = (path: string, line?: number | null) =>
    host.dispatchEvent(
      new CustomEvent("open-place", { detail: { path, line: line ?? undefined }, bubbles: true }),
    );
  return html`<div class="diagnostics" role="group" aria-label="Build errors">
    <h3>${icon("alert")}${entry ? `${entry} could not be built` : "Nothing could be built"}</h3>
    ${found.map(
      ({ severity, message, file, line, column, frame }) => html`<div class="diagnostic ${severity}">
        ${
          file
            ? html`<button class="link" type="button" @click=${() => open(file, line)}>
                ${file}${line ? `:${line}` : ""}${line && column ? `:${column}` : ""}
              </button>`
            : null
        }
        <p>${message}</p>
        ${frame ? html`<pre tabindex="0">${frame}</pre>` : null}
      </div>`,
    )}
  </div>`;
}

function consoleGist(said: Said[]): string {
  const errors = said.filter(({ level }) => level === "error").length;
  return errors ? plural(errors, "error") : plural(said.length, "line");
}
