/** The page: a bar on top, the regions below it, and how they share the window. */

import { html, nothing, type TemplateResult } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import "./boot";
import "./chat";
import "./checkpoints";
import { Conversation } from "./conversation";
import "./editor";
import type { Editor } from "./editor";
import { LightElement } from "./element";
import "./files";
import type { Files } from "./files";
import { type IconName, icon, MARK } from "./icons";
import { LockState } from "./lock-state";
import { Follow } from "./observable";
import type { SharedPane } from "./pane-switch";
import { Preferences, type Theme } from "./preferences";
import "./preview";
import "./saved-state";
import "./settings";
import type { Settings } from "./settings";
import "./splitter";
import "./terminal";
import type { Terminal } from "./terminal";
import "./timeline";
import { Workspace } from "./workspace";

/** The regions, in the order of the tabs that lead to them in a small window. */
const PANES = {
  chat: "chat",
  files: "folder",
  editor: "code",
  preview: "preview",
  terminal: "terminal",
  timeline: "clock",
  checkpoints: "layers",
} as const satisfies Record<string, IconName>;

type PaneName = keyof typeof PANES;

const NEXT_THEME: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const THEME_ICON: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

@customElement("inb-workbench")
export class Workbench extends LightElement {
  /** The region in sight where there is room for one. */
  @state() private active: PaneName = "chat";
  /** The region beside the chat where there is room for two. */
  @state() private beside: PaneName = "preview";
  /** Which of two regions has the place that they share where everything is in sight. */
  @state() private lower: SharedPane = "timeline";
  /** The region that has the whole window. */
  @state() private expanded: PaneName | undefined;
  @state() private locks: LockState | undefined;
  @query("inb-files") private files!: Files;
  @query("inb-editor") private editor!: Editor;
  @query("inb-terminal") private terminal!: Terminal;
  @query("inb-settings") private settings!: Settings;
  #preferences = new Preferences();
  #workspace = new Workspace(() => this.terminal.loaded);
  #conversation = new Conversation(this.#workspace, this.#preferences);

  constructor() {
    super();
    this.#preferences.applyTheme();
    new Follow(this, () => this.#workspace);
    new Follow(this, () => this.#conversation);
    new Follow(this, () => this.#preferences);
    new Follow(this, () => this.locks);
  }

  protected override firstUpdated(): void {
    void this.#workspace.start();
    void this.#workspace.ready().then((sandbox) => {
      this.locks = new LockState(sandbox, this.#workspace.keeping === "looking");
    });
  }

  protected override render() {
    return html`${this.#bar()}
      <main
        class="grid"
        data-active=${this.active}
        data-beside=${this.beside}
        data-lower=${this.lower}
        data-expanded=${this.expanded ?? nothing}
        @pane-expand=${this.#expand}
        @open-file=${(event: CustomEvent<string>) => this.#open(event.detail)}
        @open-place=${({ detail }: CustomEvent<{ path: string; line?: number }>) => this.#open(detail.path, detail.line)}
        @file-shown=${(event: CustomEvent<string>) => this.files.choose(event.detail)}
        @show-pane=${(event: CustomEvent<SharedPane>) => this.#show(event.detail, true)}
        @open-settings=${this.#openSettings}
        @run-demo=${this.#runDemo}
      >
        ${this.#panes()}
        <inb-splitter aria-label="Width of Chat" size="--chat" .value=${31} .min=${18} .max=${60}></inb-splitter>
        <inb-splitter aria-label="Width of Files" size="--files" .value=${13} .min=${7} .max=${30}></inb-splitter>
        <inb-splitter aria-label="Width of Preview" size="--side" trailing .value=${29} .min=${15} .max=${50}></inb-splitter>
        <inb-splitter aria-label="Height of Terminal" size="--bottom" axis="y" trailing .value=${36} .min=${12} .max=${80}></inb-splitter>
        <inb-boot-failure .workspace=${this.#workspace}></inb-boot-failure>
      </main>
      ${this.#tabs()}
      <inb-settings .preferences=${this.#preferences}></inb-settings>`;
  }

  #bar(): TemplateResult {
    const { theme } = this.#preferences;
    const { locks } = this;
    const looking = this.#workspace.keeping === "looking";
    return html`<div><header class="top-bar">
      <div class="brand">${MARK}<h1>inbrowser</h1></div>
      <div class="top-state">
        <inb-boot .workspace=${this.#workspace}></inb-boot>
        <inb-saved .workspace=${this.#workspace}></inb-saved>
      </div>
      <div class="top-actions">
        <button
          class="quiet read-only"
          type="button"
          role="switch"
          aria-label="Read-only"
          aria-checked=${Boolean(locks?.readOnly)}
          title="Read-only: nothing can be changed, neither by you nor by the agent"
          ?disabled=${!locks || looking}
          @click=${() => locks?.setReadOnly(!locks.readOnly)}
        >
          ${icon(locks?.readOnly ? "lock" : "unlocked")}<span>Read-only</span>
        </button>
        <button class="demo" type="button" ?disabled=${this.#conversation.running || looking} @click=${this.#runDemo}>
          ${icon("play")}<span>Run demo</span>
        </button>
        <button class="quiet" type="button" aria-label="Settings" title="Settings" @click=${this.#openSettings}>
          ${icon("settings")}
        </button>
        <button
          class="quiet"
          type="button"
          aria-label="Colours: ${theme}"
          title="Colours: ${theme}"
          @click=${() => {
            this.#preferences.theme = NEXT_THEME[theme];
          }}
        >
          ${icon(THEME_ICON[theme])}
        </button>
      </div>
    </header>
    <inb-notices .workspace=${this.#workspace} .locks=${locks}></inb-notices></div>`;
  }

  #panes(): TemplateResult {
    const { sandbox, events, keeping } = this.#workspace;
    const { running } = this.#conversation;
    const { expanded, locks } = this;
    return html`<inb-chat class="pane" role="region" aria-label="Chat" data-pane="chat" .sandbox=${sandbox}
        .expanded=${expanded === "chat"} .conversation=${this.#conversation} .preferences=${this.#preferences}></inb-chat>
      <inb-files class="pane" role="region" aria-label="Files" data-pane="files" .sandbox=${sandbox}
        .expanded=${expanded === "files"} .unfolds=${running} .locks=${locks}></inb-files>
      <inb-editor class="pane" role="region" aria-label="Editor" data-pane="editor" .sandbox=${sandbox}
        .expanded=${expanded === "editor"} .busy=${running} .locks=${locks}></inb-editor>
      <inb-preview class="pane" role="region" aria-label="Preview" data-pane="preview" .sandbox=${sandbox}
        .expanded=${expanded === "preview"}></inb-preview>
      <inb-terminal class="pane" role="region" aria-label="Terminal" data-pane="terminal" .sandbox=${sandbox}
        .expanded=${expanded === "terminal"}></inb-terminal>
      <inb-timeline class="pane" role="region" aria-label="Timeline" data-pane="timeline" .sandbox=${sandbox}
        .expanded=${expanded === "timeline"} .log=${events}></inb-timeline>
      <inb-checkpoints class="pane" role="region" aria-label="Checkpoints" data-pane="checkpoints" .sandbox=${sandbox}
        .expanded=${expanded === "checkpoints"} .looking=${keeping === "looking"}></inb-checkpoints>`;
  }

  #tabs(): TemplateResult {
    const names = Object.keys(PANES) as PaneName[];
    return html`<nav class="tabs" aria-label="Regions">
      ${names.map((name) => {
        const classes = `${name === this.active ? "active" : ""} ${name === this.beside ? "beside" : ""}`;
        return html`<button type="button" class=${classes} data-pane=${name} aria-current=${name === this.active} @click=${() => this.#show(name)}>
          ${icon(PANES[name])}<span>${name[0]?.toUpperCase() + name.slice(1)}</span>
        </button>`;
      })}
    </nav>`;
  }

  #show(name: PaneName, keepsSize = false): void {
    this.active = name;
    if (name !== "chat") this.beside = name;
    if (name === "timeline" || name === "checkpoints") this.lower = name;
    this.expanded = keepsSize && this.expanded ? name : undefined;
  }

  #open(path: string, line?: number): void {
    this.editor.open(path, line);
    this.active = this.beside = "editor";
    if (this.expanded !== "editor") this.expanded = undefined;
  }

  #expand = (event: Event) => {
    const name = (event.target as HTMLElement).dataset.pane as PaneName;
    this.expanded = this.expanded === name ? undefined : name;
  };

  #openSettings = () => {
    void this.settings.show();
  };

  #runDemo = () => {
    this.active = "chat";
    void this.#conversation.demo();
  };
}
